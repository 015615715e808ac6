// Runs SQL text of the code: recovered strings become statements of the AR, holes in them parameters.
import type { Expression, Relation } from "../../../../program/expression";
import type { SourceRange } from "../../../../protocol/source";
import type { Dialect } from "../../../../program/dialect";
import type { Statement } from "../../../../program/statement";
import { readCanonical } from "../../../sql/text/canonical";
import { readControl, type Control } from "../../../sql/control";
import { readDialectControl } from "../../../sql/dialectControl";
import { commitsImplicitly } from "../../../sql/implicitCommit";
import { indexLines, rangeOf, type LineIndex } from "../../../sql/text/lines";
import type { Lowering, SqlPiece } from "../../../sql/lowering";
import { preLex, type PreLexResult } from "../../../sql/text/preLex";
import { splitStatements, type Slice } from "../../../sql/text/split";
import { unfollowedSettingOf } from "../../../sql/script/settings";
import { statementKind } from "../../../sql/text/statementKind";
import { tokensOf } from "../../../sql/text/tokens";
import { typeOf } from "../../../sql/types";
import type { SqlOutcome, SqlParameters } from "../../libraries/library";
import {
  NOWHERE,
  scalar,
  unknown,
  type Cell,
  type Connection,
  type ResultColumns,
  type TextPart,
  type Value,
} from "../../values";
import { exactlyOneRow } from "../../../sql/mysql/cardinality";
import { expressionOf, readsOf } from "../values/convert";
import { boundSize } from "../values/largeValues";
import { isMadeList, withLists, type OpenLists } from "../lists/listsInSql";
import { requiredColumns } from "../values/nonNullColumns";
import { wideColumns } from "../values/wideColumns";
import {
  beginTransaction,
  commitTransaction,
  rollbackTransaction,
  setLevel,
} from "../transactions/transactions";
import { linesIn, schemaSwitches } from "../../../sql/text/currentSchema";
import { bornNow, emit, lose, newConnection, type State } from "../state";
import { addStatement, emitStatement } from "./emitStatement";

interface SqlText {
  readonly text: string;
  readonly lines: LineIndex;
  readonly slices: readonly Slice[];
  /** Values of the holes, by the name of the placeholder that stands for each. */
  readonly holes: ReadonlyMap<string, Value>;
  /** The place in the file of an offset of the text; undefined for what stands elsewhere. */
  readonly toFile: (offset: number) => number | undefined;
}

const NOTHING: SqlOutcome = { kind: "none", count: unknown("nothing was run") };

/** Runs a text: its statements one after the other. The outcome is the last one's. */
export function runSql(
  state: State,
  connection: Connection | undefined,
  text: Value,
  parameters: SqlParameters,
  source: SourceRange,
): SqlOutcome {
  if (text.kind === "choice") {
    return alternatives(
      state,
      text,
      (part) => runSql(state, connection, part, parameters, source),
      source,
    );
  }
  if (text.kind !== "text") {
    const why = "SQL that is made elsewhere cannot be read";
    emitStatement(
      state,
      connection,
      { kind: "opaque", tables: [], writes: true, taint: [why] },
      source,
    );
    return { kind: "change", count: unknown(why, readsOf(text)) };
  }
  const place = writtenAt(state, text.parts, source);
  const sql = readText(state, text.parts, place);
  let outcome = NOTHING;
  let anonymous = 0;
  const statements = sql.slices.filter(({ kind }) => kind === "statement");
  // Several statements of one text run on one connection, whichever that is.
  const isText = connection?.isPool === true && statements.length > 1;
  const own = isText ? newConnection(state, false) : connection;
  for (const slice of statements) {
    const lexed = preLex(sql.lines, slice.start, slice.end, anonymous);
    anonymous += lexed.placeholders.filter((each) => each.name.startsWith("?")).length;
    outcome = runSlice(state, { sql, slice, lexed, connection: own, parameters, source: place });
  }
  return outcome;
}

/**
 * Where a statement stands for its author: where its text does, if a caller in another file wrote it and a helper only
 * runs it (`one(client, "SELECT ...")`); else at the call that runs it.
 */
function writtenAt(state: State, parts: readonly TextPart[], source: SourceRange): SourceRange {
  const first = parts.find((part) => part.kind === "run" && part.run.start >= 0);
  if (first?.kind !== "run" || first.file === source.file) return source;
  const { file } = first;
  if (!state.calls.some((key) => key.startsWith(`${file}#`))) return source;
  const ends = parts.flatMap((part) =>
    part.kind === "run" && part.file === file && part.run.start >= 0
      ? [part.run.start + (part.run.length ?? part.run.text.length)]
      : [],
  );
  return rangeOf(state.workspace.lines(file), first.run.start, Math.max(...ends));
}

/** Both of two texts as branches. */
function alternatives(
  state: State,
  text: Extract<Value, { kind: "choice" }>,
  run: (part: Value) => SqlOutcome,
  source: SourceRange,
): SqlOutcome {
  const outcomes: SqlOutcome[] = [];
  const span = state.evaluator.span(state, source);
  const result = state.evaluator.branches(
    state,
    text.condition,
    () => {
      const outcome = run(text.then);
      outcomes.push(outcome);
      return outcome.rows ?? outcome.count;
    },
    () => {
      const outcome = run(text.otherwise);
      outcomes.push(outcome);
      return outcome.rows ?? outcome.count;
    },
    span,
  );
  const [first, second] = outcomes;
  if (!first) return NOTHING;
  const isRows = first.rows !== undefined || second?.rows !== undefined;
  if (!isRows) return { ...first, count: result };
  // Rows of one or of the other: only their fields tell them apart.
  return { ...first, choice: result };
}

interface SliceCall {
  readonly sql: SqlText;
  readonly slice: Slice;
  readonly lexed: PreLexResult;
  readonly connection: Connection | undefined;
  readonly parameters: SqlParameters;
  readonly source: SourceRange;
}

function runSlice(state: State, call: SliceCall): SqlOutcome {
  const { sql, slice, connection, source } = call;
  const { dialect } = state.workspace;
  const control = controlOf(sql.lines.text, slice, dialect);
  if (control) {
    runControl(state, control, connection, placeOf(state, call, slice));
    return { ...NOTHING, kind: "control" };
  }
  if (isMysql(dialect)) {
    const by = commitsImplicitly(sql.lines.text, slice);
    if (by !== undefined) commitImplicitly(state, by, connection, source);
  }
  const kind = statementKind(sql.lines.text, slice.start, slice.end, dialect);
  const setting = unfollowedSettingOf(dialect, sql.lines.text, slice);
  if (setting !== undefined)
    lose(state, `what ${setting} changes is not followed`, source, "outside");
  const [switched] = schemaSwitches(sql.lines.text, [slice], dialect);
  if (switched && connection?.isPool !== true)
    state.schemaPaths.set(connection?.id ?? "?", switched.path);
  if (kind === "session") return NOTHING;
  if (kind === "ddl" || kind === "routine") {
    lose(state, "a statement that changes the schema is not followed", source);
    return NOTHING;
  }
  const { values, lists } = valuesOf(state, call);
  const lowered = state.workspace.lowerSql({
    piece: pieceOf(state, call),
    table: state.workspace.table,
    placeholder: (number) => values.get(number),
    variable: ([name = ""]) => {
      // `@name` is a variable to the grammars of SQLite and SQL Server, and a parameter to their clients.
      const value = name.startsWith("@") ? parameterOf(name, call.parameters) : undefined;
      return value && boundSize(state, expressionOf(state, value), source);
    },
    ids: state.ids,
    note: (note) => {
      if (!state.isTrial) state.notes.push(note);
    },
    ...(dialect !== "postgres" && { wantsInsertId: "if known" as const }),
  });
  return outcomeOf(state, withLists(state, lowered, lists), call);
}

function controlOf(text: string, { start, end }: Slice, dialect: Dialect): Control | undefined {
  return dialect === "postgres"
    ? readControl(text, start, end)
    : readDialectControl(text, start, end, dialect);
}

function isMysql(dialect: Dialect): boolean {
  return dialect === "mysql" || dialect === "mariadb";
}

/** The transaction that is open ends, whatever its author takes it for. */
function commitImplicitly(
  state: State,
  by: string,
  connection: Connection | undefined,
  source: SourceRange,
): void {
  if (!state.open.some((each) => each.connection === (connection?.id ?? "?"))) return;
  lose(state, `${by} commits the transaction that is open`, source, "outside");
  commitTransaction(state, connection, source);
}

/** A level whose name is not written there has none. */
function levelName(written: string | undefined): string | undefined {
  return written?.startsWith(":") === true ? "" : written;
}

function runControl(
  state: State,
  control: Control,
  connection: Connection | undefined,
  source: SourceRange,
): void {
  if (connection?.isPool === true && OF_TRANSACTION.has(control.kind)) {
    controlOnPool(state, control, connection, source);
    return;
  }
  switch (control.kind) {
    case "begin":
      beginTransaction(state, connection, {
        level: levelName(control.modes.level?.name),
        ...(control.modes.isAtBegin && { isAtBegin: true }),
        source,
      });
      return;
    case "setTransaction":
    case "setNext":
      setLevel(state, connection, levelName(control.modes.level?.name), source);
      return;
    case "commit":
      commitTransaction(state, connection, source);
      return;
    case "rollback":
      rollbackTransaction(state, connection, source);
      return;
    case "savepoint":
    case "release":
    case "rollbackTo":
      emit(state, { kind: control.kind, name: control.name, source });
      return;
    case "implicitCommit":
      commitImplicitly(state, control.by, connection, source);
      if (control.by === "LOCK TABLES") {
        // It keeps others out until UNLOCK TABLES: nothing that runs behind it is confirmed.
        const taint = ["LOCK TABLES, which is not followed"];
        emitStatement(
          state,
          connection,
          { kind: "opaque", tables: [], writes: true, taint },
          source,
        );
      }
      return;
    case "setSession":
    case "autocommit":
    case "twoPhase":
      lose(state, "this control of transactions is not followed", source);
      return;
    default:
      control satisfies never;
  }
}

const OF_TRANSACTION: ReadonlySet<Control["kind"]> = new Set([
  "begin",
  "commit",
  "rollback",
  "setTransaction",
  "setNext",
  "savepoint",
  "release",
  "rollbackTo",
]);

/**
 * A pool runs each text on any connection that is free, as its drivers document: a BEGIN there holds for none of the
 * statements that follow.
 */
function controlOnPool(
  state: State,
  { kind }: Control,
  { mayBeOne = false }: Connection,
  source: SourceRange,
): void {
  if (mayBeOne) {
    const why = "whether this runs on one connection or on any of a pool is not known";
    lose(state, why, source, "opaque");
    return;
  }
  if (kind !== "begin" || state.isTrial) return;
  const message =
    "This begins no transaction for what follows: a pool runs each statement on any connection that is free, so they are read as statements of their own, and no lock is held between them. Take one connection of the pool, and begin, run and commit on it.";
  state.notes.push({ severity: "warning", code: "pool-transaction", message, source });
}

/** The recovered text with placeholders for its holes, cut into statements. */
function readText(state: State, parts: readonly TextPart[], source: SourceRange): SqlText {
  const { file } = source;
  const holes = new Map<string, Value>();
  const places: { readonly at: number; readonly length: number; readonly start: number }[] = [];
  let text = "";
  const add = (part: TextPart): void => {
    if (part.kind === "run") {
      const { run } = part;
      if (part.file === file && run.start >= 0) {
        places.push({ at: text.length, length: run.text.length, start: run.start });
      }
      text += run.text;
      return;
    }
    const known = constantOf(part.value);
    if (known !== undefined) text += known;
    else {
      const name = `isolens_hole_${String(holes.size + 1)}`;
      holes.set(name, part.value);
      text += `:${name}`;
    }
  };
  parts.forEach(add);
  const { dialect } = state.workspace;
  const unquoted = outOfQuotes(text, holes, dialect);
  const toFile = (offset: number): number | undefined => {
    const place = places.findLast(({ at }) => at <= offset);
    if (!place) return undefined;
    return place.start + Math.min(offset - place.at, place.length);
  };
  if (dialect === "postgres") {
    const lines = indexLines(file, unquoted);
    return { text: unquoted, lines, slices: splitStatements(unquoted).slices, holes, toFile };
  }
  const canonical = readCanonical(unquoted, dialect);
  const lines = { ...indexLines(file, canonical.text), written: unquoted };
  return { text: unquoted, lines, slices: canonical.slices, holes, toFile };
}

function constantOf(value: Value): string | undefined {
  if (value.kind !== "scalar" || value.expression.kind !== "literal") return undefined;
  const { value: known } = value.expression;
  return typeof known === "number" ? String(known) : known === null ? "NULL" : undefined;
}

/**
 * A hole inside quotes is a part of a string: `'%:hole%'`. A quoted string that is nothing but a hole is the hole;
 * one with more in it keeps its length and becomes a hole of its own value.
 */
function outOfQuotes(text: string, holes: Map<string, Value>, dialect: Dialect): string {
  const quoted = dialect === "postgres" ? QUOTED : QUOTED_WITH_ESCAPES;
  return text.replaceAll(quoted, (whole, inner?: string) => {
    if (inner === undefined || !/:isolens_hole_\d/u.test(inner)) return whole;
    const only = /^:(isolens_hole_\d+)$/u.exec(inner)?.[1];
    if (only !== undefined) return ` :${only} `;
    const pieces = inner.split(/(:isolens_hole_\d+)/u).filter((piece) => piece !== "");
    const parts = pieces.map((piece): TextPart => {
      const value = holes.get(piece.slice(1));
      if (value) return { kind: "hole", value };
      return { kind: "run", run: { text: piece, start: -1 }, file: NOWHERE };
    });
    const name = `isolens_hole_${String(holes.size + 1)}`;
    if (name.length + 1 > whole.length) return whole;
    holes.set(name, { kind: "text", parts });
    return `:${name}`.padEnd(whole.length);
  });
}

/** Comments and quoted things, in which quotes are none; strings with what is in them. */
const QUOTED = /--[^\n]*|\/\*[^]*?\*\/|"[^"]*"|\$\$[^]*?\$\$|'((?:[^']|'')*)'/gu;
const QUOTED_WITH_ESCAPES =
  /--[^\n]*|\/\*[^]*?\*\/|`[^`]*`|"(?:[^"\\]|\\.)*"|'((?:[^'\\]|''|\\.)*)'/gsu;

/** The values of a statement's placeholders by their numbers. */
function valuesOf(
  state: State,
  { lexed, sql, parameters, source }: SliceCall,
): { readonly values: ReadonlyMap<number, Expression>; readonly lists: OpenLists } {
  const values = new Map<number, Expression>();
  const lists = new Map<string, Value>();
  for (const { number, name } of lexed.placeholders) {
    const value = sql.holes.get(name) ?? parameterOf(name, parameters);
    const given = value ?? parameters.rest ?? unknown(`nothing is given for ${name}`);
    const expression = expressionOf(state, given);
    if (expression.kind === "unknown" && isMadeList(given)) lists.set(expression.id, given);
    values.set(number, boundSize(state, expression, source));
  }
  return { values, lists };
}

function parameterOf(
  name: string,
  { positional = [], at, named }: SqlParameters,
): Value | undefined {
  const ordinal = Number(/^[$?](\d+)$/u.exec(name)?.[1] ?? 0);
  if (ordinal > 0) return positional[ordinal - 1] ?? at?.(ordinal);
  return named?.(name.replace(/^[:@$]/u, ""));
}

/** The statement with its places in the code's file. */
function pieceOf(state: State, call: SliceCall): SqlPiece {
  const { lexed, sql, source, connection, parameters } = call;
  const path =
    parameters.schema === undefined
      ? state.schemaPaths.get(connection?.id ?? "?")
      : [parameters.schema];
  const lines = linesIn(state.workspace.lines(source.file), path);
  const whole = state.evaluator.span(state, source);
  const { piece } = lexed;
  const toFile = (offset: number): number => sql.toFile(piece.toFile(offset)) ?? whole.start;
  const start = sql.toFile(piece.start);
  const end = sql.toFile(piece.end - 1);
  const isInside = start !== undefined && end !== undefined && start < end;
  return {
    lines,
    sql: piece.sql,
    start: isInside ? start : whole.start,
    end: isInside ? end + 1 : whole.end,
    toFile,
  };
}

function placeOf(state: State, call: SliceCall, slice: Slice): SourceRange {
  const lines = state.workspace.lines(call.source.file);
  const start = call.sql.toFile(slice.start);
  const end = call.sql.toFile(slice.end - 1);
  if (start === undefined || end === undefined || end < start) return call.source;
  return rangeOf(lines, start, end + 1);
}

function outcomeOf(state: State, lowered: Lowering, call: SliceCall): SqlOutcome {
  const { source, connection, lexed } = call;
  const holes = [
    ...lexed.holes.map(({ name }) => `the name "${name}" is only known when it runs`),
    ...namesMadeElsewhere(call, state.workspace.dialect),
    ...conditionsMadeElsewhere(call),
    ...columnsMadeElsewhere(call),
  ];
  if (lowered.commands && holes.length === 0) {
    for (const command of lowered.commands) {
      if (command.kind === "statement") addStatement(state, connection, command.statement, source);
      else emit(state, command);
    }
    // Statements of branches.
    state.emitted += lowered.statements.length;
  } else {
    for (const statement of lowered.statements) {
      addStatement(state, connection, withTaint(statement, holes, source), source);
    }
  }
  const last = lowered.statements.at(-1);
  const { result } = lowered;
  const columns = result && columnsOf(state, last, result.columns);
  const rows =
    result &&
    columns &&
    ({
      kind: "rows",
      result: result.name,
      columns,
      born: bornNow(state),
      assigned: new Map<string, Map<string, Cell>>(),
    } as const);
  // Rows that are inserted from values come back, and an aggregate is one row.
  const isSure =
    last?.kind === "select"
      ? exactlyOneRow(last.query)
      : last?.kind === "insert" && Array.isArray(last.rows) && last.onConflict === undefined;
  if (result && isSure) state.present = new Set([...state.present, result.name]);
  const count: Value =
    last === undefined
      ? unknown("nothing was run")
      : last.kind === "select"
        ? scalar({ kind: "size", result: last.into }, "int")
        : scalar({ kind: "affected", statement: last.id }, "int");
  return {
    kind: last?.kind === "select" ? "select" : "change",
    count,
    ...(rows && { rows }),
    ...(lowered.insertId && { insertId: scalar(lowered.insertId, "int") }),
  };
}

/** `UPDATE "${table}"`: a hole inside of a quoted name. Linear in the text. */
function namesMadeElsewhere({ sql, slice }: SliceCall, dialect: Dialect): readonly string[] {
  const { text } = sql;
  const quoted = isMysql(dialect) ? undefined : "name";
  let isInBackticks = false;
  for (const { kind, word, start, end } of tokensOf(text, slice.start, slice.end)) {
    if (word === "`") isInBackticks = !isInBackticks;
    const isMade =
      kind === quoted
        ? text.slice(start, end).includes(HOLE)
        : isInBackticks && kind === "word" && text.startsWith(HOLE, start - 1);
    if (isMade) return ["a name in it is only known when it runs"];
  }
  return [];
}

const HOLE = ":isolens_hole_";

/** `WHERE ${conditions.join(" AND ")}`: a hole that is a whole condition, of a value that is no condition. */
function conditionsMadeElsewhere({ sql, slice }: SliceCall): readonly string[] {
  const text = sql.text.slice(slice.start, slice.end);
  return [...text.matchAll(WHOLE_CONDITION)].flatMap(([, name = ""]) => {
    const value = sql.holes.get(name);
    const isMade =
      value?.kind === "input" ||
      value?.kind === "unknown" ||
      (value?.kind === "scalar" && value.expression.kind === "call");
    return isMade ? ["a condition of this statement is made elsewhere"] : [];
  });
}

const WHOLE_CONDITION =
  /\b(?:where|(?<!\bbetween\s+\S+\s+)and|or|having|on)\s+:(isolens_hole_\d+)(?=\s*(?:$|;|\)|(?:and|or|order|group|limit|returning|for)\b))/giu;

/** `SELECT ${columns.join(", ")} FROM`: a hole that is a whole item of what is selected is names of columns, not a value. */
function columnsMadeElsewhere({ sql, slice }: SliceCall): readonly string[] {
  const isMade = WHOLE_COLUMNS.test(sql.text.slice(slice.start, slice.end));
  return isMade ? ["what this statement selects is made elsewhere"] : [];
}

const WHOLE_COLUMNS = /\bselect\s+(?:distinct\s+|all\s+)?:isolens_hole_\d+\s*(?=,|\bfrom\b)/iu;

function withTaint(
  statement: Statement,
  reasons: readonly string[],
  source: SourceRange,
): Statement {
  const losses = reasons.map((reason) => ({ effect: "opaque" as const, reason, source }));
  return { ...statement, taint: [...statement.taint, ...losses] };
}

function relationsOf(statement: Statement | undefined): readonly Relation[] {
  switch (statement?.kind) {
    case "select":
      return statement.query.relations;
    case "insert":
      return [{ alias: statement.table, table: statement.table, kind: "base", join: "inner" }];
    case "update":
    case "delete":
      return [statement.relation];
    default:
      return [];
  }
}

/** The columns of a result with their types, as far as the tables tell. */
function columnsOf(
  state: State,
  statement: Statement | undefined,
  order: readonly string[],
): ResultColumns {
  const environment = {
    table: state.workspace.table,
    parameters: new Map(),
    variables: new Map(),
    results: new Map(),
  };
  const outputs =
    statement?.kind === "select"
      ? statement.query.outputs
      : statement && "returning" in statement
        ? (statement.returning?.outputs ?? [])
        : [];
  const scope = relationsOf(statement);
  const types = outputs.flatMap(({ name, value }) => {
    const type = typeOf(value, scope, environment);
    return type === undefined ? [] : [[name, type] as const];
  });
  const required = requiredColumns(outputs, scope, state.workspace.table);
  const { dialect, table } = state.workspace;
  const foldsCase =
    dialect !== "postgres" && scope.some((each) => table(each.table)?.inferred !== false);
  const wide = dialect === "postgres" && { wide: wideColumns(outputs, scope, table) };
  return { order, types: new Map(types), required, ...wide, ...(foldsCase && { foldsCase }) };
}
