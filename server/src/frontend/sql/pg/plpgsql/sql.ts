// SQL inside PL/pgSQL: statements with INTO, PERFORM, dynamic SQL, and their effect on FOUND and ROW_COUNT.
import { ERRORS } from "../../../../program/errors";
import type { Expression } from "../../../../program/expression";
import type { SelectStatement, Statement } from "../../../../program/statement";
import { literal } from "../../expressions";
import { tablesByWords } from "../../fallback";
import { sourceOf, textOf, type Lowering, type SqlPiece } from "../../lowering";
import type { Span } from "../../text/split";
import { stringOf, tokensOf } from "../../text/tokens";
import { assignRow, assignUnknown, assignValues, type Rows } from "../../routine/assign";
import { pieceOf, type PieceOptions } from "../../routine/body";
import { resultOf, rowsOf } from "../../routine/results";
import { assign, emit, sourceAt } from "../../routine/state";
import { hasNoEffect, lowerStatement } from "../statement";
import { bodyOf } from "./body";
import { dynamicText } from "./dynamic";
import { expressionAt } from "./expression";
import { contextFor, type State } from "./state";
import type { Into } from "./tree";

export interface SqlOptions extends PieceOptions {
  readonly into?: Into | undefined;
  /** True if its rows go to the routine's caller. */
  readonly returned?: boolean;
  /** True to leave FOUND unchanged: EXECUTE only sets ROW_COUNT. */
  readonly keepsFound?: boolean;
  readonly placeholder?: (number: number) => Expression | undefined;
}

/** Runs one SQL statement of the routine; returns its known result. */
export function runSql(state: State, span: Span, options: SqlOptions = {}): Rows | undefined {
  const piece = pieceOf(state.body, span, options);
  return runPiece(state, piece, span, options);
}

function runPiece(
  state: State,
  piece: SqlPiece,
  span: Span,
  options: SqlOptions,
): Rows | undefined {
  const parsed = state.shared.parser.parse(piece.sql);
  if (!parsed.ok) {
    unreadable(state, piece, parsed.message, parsed.offset);
    if (options.into !== undefined) {
      assignUnknown(state, options.into.targets, "a statement that cannot be read", span);
    }
    return undefined;
  }
  const context = contextFor(state, piece, span, options.placeholder);
  // Only the text of EXECUTE may be several statements; the last one gives the result.
  const { into: _into, returned: _returned, ...quiet } = options;
  for (const { node } of parsed.statements.slice(0, -1))
    take(state, lowerStatement(node, context), span, quiet);
  const node = parsed.statements.at(-1)?.node;
  if (node === undefined) return undefined;
  if (hasNoEffect(node)) tellNothing(state, span);
  return take(state, lowerStatement(node, context), span, options);
}

/** A statement that is neither query nor change sets ROW_COUNT to zero and leaves FOUND. */
function tellNothing(state: State, span: Span): void {
  if (state.asksCount) assign(state, ROW_COUNT, literal(0), span);
}

function unreadable(state: State, piece: SqlPiece, message: string, offset: number): void {
  const at = piece.toFile(offset);
  const { tables, writes } = tablesByWords(piece.sql, state.shared.table, piece);
  const reason = `PostgreSQL cannot read this statement: ${message}.`;
  const source = sourceOf({ ...piece, start: at, end: at + 1 });
  state.shared.note({ severity: "error", code: "syntax", message: reason, source });
  const statement: Statement = {
    kind: "opaque",
    id: state.ids.statement(),
    source: sourceOf(piece),
    text: textOf(piece),
    taint: [{ effect: tables.length > 0 ? "approx" : "opaque", reason, source }],
    tables: [...tables],
    writes,
  };
  emit(state, { kind: "statement", statement });
}

function take(state: State, lowered: Lowering, span: Span, options: SqlOptions): Rows | undefined {
  const { into, returned = false, keepsFound = false } = options;
  // A single value is that of the first row; a calling routine receives values as well, from RETURN.
  const isRows = state.definition.returns?.setof === true && state.callers.length === 0;
  const called = calledLocks(lowered);
  const ran = resultOf(into?.strict === false ? fetchingOne(called) : called, returned && isRows);
  if (ran.values !== undefined) return takeValues(state, ran.values, span, options);
  for (const command of ran.commands) emit(state, command);
  if (ran.count !== undefined) tell(state, ran.count, span, keepsFound);
  const { rows } = ran;
  if (rows === undefined) {
    const reason = "the result of a statement that is not followed";
    if (into !== undefined) assignUnknown(state, into.targets, reason, span);
    return undefined;
  }
  if (into === undefined) return rows;
  if (into.strict) requireOne(state, rows.name, span);
  assignRow(state, into.targets, rows, "first", span);
  return rows;
}

/** A routine's LOCK TABLE runs behind the snapshot of its caller's statement; that of TRUNCATE needs none. */
function calledLocks(lowered: Lowering): Lowering {
  if (lowered.statements.some((each) => each.kind !== "lock")) return lowered;
  const statements = lowered.statements.map((each): Statement =>
    each.kind === "lock" ? { ...each, isCalled: true } : each,
  );
  return { ...lowered, statements };
}

/** INTO fetches one row, so a locking query locks no other. */
function fetchingOne(lowered: Lowering): Lowering {
  const statements = lowered.statements.map((each): Statement => {
    if (each.kind !== "select" || each.query.lock === undefined) return each;
    const { limit } = each.query;
    const fewer = limit?.kind === "literal" && Number(limit.value) < 1;
    return fewer ? each : { ...each, query: { ...each.query, limit: literal(1) } };
  });
  return { ...lowered, statements };
}

function takeValues(
  state: State,
  statement: SelectStatement,
  span: Span,
  options: SqlOptions,
): Rows | undefined {
  const { into, returned = false, keepsFound = false } = options;
  const { outputs } = statement.query;
  const columns = outputs.map(({ name }) => name);
  tell(state, literal(1), span, keepsFound);
  if (returned) {
    emit(state, { kind: "statement", statement });
    return rowsOf({ name: statement.into, columns }, [statement]);
  }
  state.taint.push(...statement.taint);
  const values = outputs.map(({ value }) => value);
  if (into !== undefined) assignValues(state, into.targets, columns, values, span);
  return undefined;
}

/** Sets FOUND and ROW_COUNT if the routine uses them. */
export function tellCount(state: State, count: Expression, span: Span): void {
  tell(state, count, span, false);
}

function tell(state: State, count: Expression, span: Span, keepsFound: boolean): void {
  if (!keepsFound) assignFound(state, count, span);
  if (state.asksCount) assign(state, ROW_COUNT, count, span);
}

/** Sets FOUND only: loops leave ROW_COUNT. */
export function assignFound(state: State, count: Expression, span: Span): void {
  if (!state.asksFound) return;
  const found: Expression =
    count.kind === "literal"
      ? literal(count.value !== 0)
      : { kind: "comparison", operator: ">", left: count, right: literal(0) };
  assign(state, FOUND_VARIABLE, found, span);
}

export const FOUND_VARIABLE = "found";
export const ROW_COUNT = "row_count";

/** INTO STRICT: no row is an error, and so are several. */
function requireOne(state: State, result: string, span: Span): void {
  const source = sourceAt(state, span);
  const left: Expression = { kind: "size", result };
  const [none, several] = [
    { code: ERRORS.noData, operator: "=", bound: 0, why: "INTO STRICT found no row" },
    { code: ERRORS.tooManyRows, operator: ">", bound: 1, why: "INTO STRICT found several rows" },
  ] as const;
  for (const { code, operator, bound, why } of [none, several])
    emit(state, {
      kind: "if",
      condition: { kind: "comparison", operator, left, right: literal(bound) },
      then: { kind: "rollback", why, code, source },
      source,
    });
}

/** EXECUTE: a text that the routine determines is read normally; other text built at run time is unknown. */
export function runDynamic(
  state: State,
  command: Span,
  using: readonly Span[],
  span: Span,
  options: Pick<SqlOptions, "into" | "returned" | "keepsFound"> = {},
): Rows | undefined {
  const values = using.map((each) => expressionAt(state, each, span));
  const placed = literalPiece(state, command, span);
  if (placed !== undefined) {
    const placeholder = (number: number): Expression | undefined => values[number - 1];
    return runPiece(state, placed, span, { ...options, placeholder });
  }
  const known = dynamicText(state, command, values.length + 1);
  if (known !== undefined && meansNothing(state, known.shape)) {
    tellNothing(state, span);
    return undefined;
  }
  if (known?.isOpen === false) {
    const all = [...values, ...known.values];
    const placeholder = (number: number): Expression | undefined => all[number - 1];
    const shown = pieceOf(state.body, span);
    const piece = { ...shown, sql: known.sql, toFile: () => shown.start };
    return runPiece(state, piece, span, { ...options, placeholder });
  }
  runUnknownText(state, command, span);
  const { into } = options;
  if (into !== undefined) assignUnknown(state, into.targets, PUT_TOGETHER, span, values);
  return undefined;
}

const PUT_TOGETHER = "the text of this statement is put together when it runs";

/** The text of a literal, mapped to the file character by character. */
function literalPiece(state: State, command: Span, span: Span): SqlPiece | undefined {
  const { body } = state;
  const text = body.text.slice(command.start, command.end);
  const [only, ...others] = tokensOf(text, 0, text.length);
  const start = body.toFile(command.start);
  const end = body.toFile(command.end);
  if (only?.kind !== "string" || others.length > 0 || end - start !== text.length) return undefined;
  const inner = bodyOf(body.lines, { start, end });
  return {
    lines: body.lines,
    sql: inner.text,
    start: body.toFile(span.start),
    end: body.toFile(span.end),
    toFile: inner.toFile,
  };
}

/** True if every possible text leaves tables, keys and rows unchanged. */
function meansNothing(state: State, shape: string): boolean {
  const parsed = state.shared.parser.parse(shape);
  return parsed.ok && parsed.statements.every(({ node }) => hasNoEffect(node));
}

function runUnknownText(state: State, command: Span, span: Span): void {
  const text = state.body.text.slice(command.start, command.end);
  const words = tokensOf(text, 0, text.length)
    .filter((token) => token.kind === "string")
    .map((token) => stringOf(text, token))
    .join(" ");
  const piece = pieceOf(state.body, span);
  const { tables, writes } = tablesByWords(words, state.shared.table, piece);
  const source = sourceOf(piece);
  emit(state, {
    kind: "statement",
    statement: {
      kind: "opaque",
      id: state.ids.statement(),
      source,
      text: textOf(piece),
      taint: [{ effect: "opaque", reason: PUT_TOGETHER, source }],
      // The words are arbitrary: only known tables count.
      tables: tables.filter((table) => state.shared.table(table) !== undefined),
      writes,
    },
  });
}
