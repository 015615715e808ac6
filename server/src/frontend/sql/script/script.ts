// One transaction of a script in the AR.
import type { Expression } from "../../../program/expression";
import type { Taint } from "../../../program/precision";
import type { Parameter, Transaction } from "../../../program/program";
import type { Command } from "../../../program/statement";
import { applyAnnotations } from "../annotations/attachment";
import { inStatements } from "../dialectDetection/replaceStatements";
import { rangeOf } from "../text/lines";
import type { Lowering } from "../lowering";
import { preLex, type PreLexResult } from "../text/preLex";
import { LEFT_OPEN } from "../routine/losses";
import type { Span } from "../text/split";
import { inferParameterTypes } from "../types";
import { walkCommand, walkExpression } from "../walk";
import { closeIf, nextBranch } from "./branches";
import { isSet } from "./expression";
import { withListItems } from "./lists";
import type { ControlItem, MetaItem, Region, StatementItem } from "./region";
import { createState, frame, source, top } from "./state";
import type { Frame, ScriptContext, State } from "./state";
import { asksForInsertId, assignSessionValues, sessionValue, withKeptValues } from "./session";
import {
  assign,
  bindResult,
  conditionAt,
  expressionAt,
  initialisations,
  valueOf,
} from "./variables";

/** The transaction of a region. */
export function lowerRegion(region: Region, name: string, context: ScriptContext): Transaction {
  const state = createState(region, name, context);
  for (const item of region.items) {
    if (item.kind === "statement") addStatement(state, item);
    else if (item.kind === "control")
      if (region.boundary === "unit") addInUnit(state, item);
      else addControl(state, item);
    else addMeta(state, item);
  }
  while (state.frames.length > 1) closeIf(state);
  if (state.frames[0]?.atomic) endAtomic(state, state.frames[0], region.source);
  const commands = [...initialisations(state), ...(state.frames[0]?.commands ?? [])];
  const { command: body, items } = withListItems({ kind: "sequence", commands });
  const { lines } = context;
  const transaction: Transaction = {
    id: name,
    name,
    header: rangeOf(lines, region.header.start, region.header.end),
    source: rangeOf(lines, region.source.start, region.source.end),
    boundary: region.boundary,
    parameters: parametersOf(state, body, items),
    preconditions: state.preconditions,
    body,
    ...(region.level === undefined ? {} : { level: region.level }),
    annotations: [],
    taint: region.isLeftOpen
      ? [
          {
            effect: "approx",
            reason: LEFT_OPEN,
            source: rangeOf(lines, region.header.start, region.header.end),
          },
        ]
      : [],
  };
  return applyAnnotations(transaction, region.annotations, lines, context.note);
}

function addStatement(state: State, item: StatementItem): void {
  if (item.what === "session") return;
  const { lines, table, view, lowerSql, note } = state.context;
  const lexed = preLex(lines, item.start, item.end, state.anonymous);
  state.anonymous += lexed.placeholders.filter((each) => each.name.startsWith("?")).length;
  const values = placeholderValues(state, lexed);
  const read = lowerSql({
    piece: lexed.piece,
    table,
    placeholder: (number) => values.get(number),
    variable: (path) => (lines.written === undefined ? undefined : sessionValue(state, path)),
    ids: state.ids,
    note,
    view,
    wantsInsertId: asksForInsertId(lines, item.end, state.end),
  });
  const lowered = withSeenRows(state, item, withKeptValues(state, read));
  top(state).commands.push(...commandsOf(lowered, unknownParts(item, lexed)));
  assignSessionValues(state, lowered, item);
  if (item.what === "assign") return;
  state.lastResult = lowered.result;
  state.rowCount = rowCountOf(lowered);
}

/** The statement with what a comment before it tells of its rows in recorded runs. */
function withSeenRows(state: State, item: StatementItem, lowered: Lowering): Lowering {
  const said = state.rows.findLast(({ start }) => start < item.start);
  if (said === undefined) return lowered;
  state.rows = state.rows.filter(({ start }) => start >= item.start);
  const last = lowered.statements.at(-1);
  const seenRows = said.least > 0 ? "some" : said.most === 0 ? "none" : undefined;
  if (last === undefined || seenRows === undefined || lowered.commands !== undefined)
    return lowered;
  return { ...lowered, statements: [...lowered.statements.slice(0, -1), { ...last, seenRows }] };
}

type Loss = Pick<Taint, "effect" | "reason">;

/** The losses of a statement as a part of its script: a variable table name could be any, and locked tables keep others out. */
function unknownParts(
  { hasLockedTables }: StatementItem,
  { holes }: PreLexResult,
): readonly Loss[] {
  return [
    ...holes.map(({ name }): Loss => {
      return { effect: "opaque", reason: `the name :"${name}" is only known when the script runs` };
    }),
    ...(hasLockedTables ? [LOCKED] : []),
  ];
}

const LOCKED: Loss = { effect: "approx", reason: "LOCK TABLES before it, which is not followed" };

/** The commands of a statement, each of its own statements with the losses. */
function commandsOf(lowered: Lowering, losses: readonly Loss[]): readonly Command[] {
  const commands =
    lowered.commands ??
    lowered.statements.map((statement): Command => ({ kind: "statement", statement }));
  if (losses.length === 0) return commands;
  return commands.map((command) =>
    inStatements(command, (statement) => {
      const { source: at } = statement;
      const taint = [...statement.taint, ...losses.map((loss) => ({ ...loss, source: at }))];
      return [{ kind: "statement", statement: { ...statement, taint } }];
    }),
  );
}

function rowCountOf(lowered: Lowering): Expression | undefined {
  const last = lowered.statements.at(-1);
  switch (last?.kind) {
    case "select":
      return { kind: "size", result: last.into };
    case "insert":
    case "update":
    case "delete":
      return { kind: "affected", statement: last.id };
    default:
      return undefined;
  }
}

function placeholderValues(state: State, lexed: PreLexResult): ReadonlyMap<number, Expression> {
  const values = new Map<number, Expression>();
  for (const { number, name, use } of lexed.placeholders) {
    const value = valueOf(state, name, use === "text" ? "text" : undefined);
    values.set(number, use === "isSet" ? isSet(value) : value);
  }
  return values;
}

function addControl(state: State, item: ControlItem): void {
  const at = source(state, item);
  const { control } = item;
  const current = top(state);
  if (control.kind === "rollback") {
    current.commands.push({ kind: "rollback", why: "ROLLBACK", source: at });
    current.ended = true;
  } else if (control.kind === "commit" || control.kind === "twoPhase") {
    current.commands.push({ kind: "return", source: at });
    current.ended = true;
  } else if (
    control.kind === "savepoint" ||
    control.kind === "release" ||
    control.kind === "rollbackTo"
  ) {
    current.commands.push({ kind: control.kind, name: control.name, source: at });
  }
}

/** The statements since BEGIN in a unit become one of its transactions; without an end it extends to the unit's end. */
function endAtomic(state: State, frame: Frame, end: Span): void {
  const { from = 0, start = end, level } = frame.atomic ?? {};
  const commands = frame.commands.splice(from);
  const around = source(state, { start: start.start, end: end.end });
  const body: Command = { kind: "sequence", commands };
  frame.commands.push({ kind: "atomic", body, ...(level && { level }), source: around });
  frame.atomic = undefined;
}

/** BEGIN, COMMIT and ROLLBACK of a unit. */
function addInUnit(state: State, item: ControlItem): void {
  const current = top(state);
  const { kind } = item.control;
  if (kind === "begin") {
    current.atomic ??= { from: current.commands.length, start: item, level: item.level };
  } else if (kind === "setTransaction") {
    // Without an effect outside of a transaction.
    if (current.atomic && item.level) current.atomic = { ...current.atomic, level: item.level };
  } else if (kind === "implicitCommit") {
    if (current.atomic !== undefined) endAtomic(state, current, item);
  } else if (kind === "commit" || kind === "rollback") {
    if (current.atomic === undefined) {
      const message = "There is no transaction to end here.";
      const at = source(state, item);
      state.context.note({ severity: "warning", code: "no-transaction", message, source: at });
      return;
    }
    if (kind === "rollback") {
      const at = source(state, item);
      current.commands.push({ kind: "rollback", why: "ROLLBACK", leaves: "atomic", source: at });
    }
    endAtomic(state, current, item);
  } else addControl(state, item);
}

function addMeta(state: State, item: MetaItem): void {
  const { command } = item;
  switch (command.kind) {
    case "set":
      assign(state, command.name, expressionAt(state, command.value, command.name), command);
      return;
    case "unset":
      top(state).bound.delete(command.name);
      return;
    case "gset":
      bindResult(state, command.prefix, command);
      return;
    case "if":
      state.frames.push(
        frame(conditionAt(state, command.condition), command, new Map(top(state).bound)),
      );
      return;
    case "elif":
    case "else":
      nextBranch(state, command);
      return;
    case "endif":
      if (state.frames.length > 1) closeIf(state);
      return;
    case "quit":
      top(state).commands.push({ kind: "rollback", why: "\\quit", source: source(state, command) });
      top(state).ended = true;
      return;
    default:
      return;
  }
}

/** The parameters that the transaction uses, in the order of their first use. */
function parametersOf(
  state: State,
  body: Command,
  items: ReadonlyMap<string, readonly string[]>,
): readonly Parameter[] {
  const inferred = inferParameterTypes(body, state.context.table).scalars;
  const used = new Set<string>();
  const visitor = {
    expression: (expression: Expression) => {
      if (expression.kind === "parameter") used.add(expression.name);
    },
  };
  walkCommand(body, visitor);
  for (const condition of state.preconditions) walkExpression(condition, [], visitor);
  return [...state.parameters]
    .flatMap(([name, known]) => (items.get(name) ?? [name]).map((each) => [each, known] as const))
    .filter(([name]) => used.has(name))
    .map(([name, { type }]) => ({
      name,
      type: type ?? inferred.get(name) ?? "other",
      origin: "argument",
      nullable: true,
    }));
}
