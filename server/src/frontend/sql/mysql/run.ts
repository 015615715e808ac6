// SQL inside stored routines: statements with INTO, expressions, dynamic SQL, and what ROW_COUNT() and its kind say.
import type { Expression, Query } from "../../../program/expression";
import type { SelectStatement, Statement } from "../../../program/statement";
import { withSharedQueries } from "../dialects/sharedReads";
import { lowerDialectExpression, lowerDialectStatement } from "../dialects/statement";
import { literal } from "../expressions";
import { columnsIn } from "../triggers/triggerRows";
import { tablesByWords } from "../fallback";
import { sourceOf, textOf, type Lowering, type LoweringContext, type SqlPiece } from "../lowering";
import { assignTarget, assignUnknown, assignRow, type Rows, type Target } from "../routine/assign";
import { pieceOf, type PieceOptions } from "../routine/body";
import { hasQuery, hoistQueries } from "../routine/hoist";
import { find } from "../routine/names";
import { resultOf } from "../routine/results";
import { assign, collectCommands, emit, lossAt, sourceAt } from "../routine/state";
import type { Span } from "../text/split";
import { atMostOneRow, exactlyOneRow } from "./cardinality";
import { NO_ROW, SEVERAL_ROWS } from "./conditions";
import {
  handlesErrors,
  handlesIgnored,
  handlesRefusedLocks,
  isHandled,
  mayFail,
  raiseHere,
} from "./handlers";
import {
  contextFor,
  FOUND_ROWS,
  LAST_INSERT_ID,
  loopDepth,
  ROW_COUNT,
  userVariable,
  type Run,
  type State,
} from "./state";
import { withoutTemporary } from "./temporary";
import type { Into } from "./tree";

/** The value of an expression; its queries run before. `shown` is the enclosing statement. */
export function valueAt(state: State, span: Span, shown: Span = span): Expression {
  return expressionAt(state, span, shown, "value");
}

/** An expression as a condition: a nonzero number is true. */
export function conditionAt(state: State, span: Span, shown: Span = span): Expression {
  return expressionAt(state, span, shown, "condition");
}

function expressionAt(
  state: State,
  span: Span,
  shown: Span,
  use: "value" | "condition",
): Expression {
  if (span.end <= span.start) return literal(null);
  const piece = pieceOf(state.body, span, { shown });
  const context = contextFor(state, piece, shown);
  const { value, taint, locks } = lowerDialectExpression(context, state.dialect, use);
  for (const statement of locks) emit(state, { kind: "statement", statement });
  const read = locksWhatItReads(state) ? withSharedQueries(value) : value;
  if (state.readLocks === "by level" && hasQuery(value))
    lossAt(state, "whether a query of a trigger locks what it reads", span, "approx");
  const [only] = hoistQueries(state, [read], { piece, taint, span: shown });
  return only ?? literal(null);
}

/** Queries in a procedure's expressions lock; a function's reads are those of its caller's SELECT. */
function locksWhatItReads({ definition, callers, shared, readLocks }: State): boolean {
  if (readLocks !== "own") return true;
  return (
    definition.isProcedure && callers.every((name) => shared.routine(name)?.isProcedure !== false)
  );
}

export interface SqlOptions extends PieceOptions {
  readonly into?: Into | undefined;
  /** The piece to run instead of the text at the span: dynamic SQL. */
  readonly piece?: SqlPiece;
  readonly placeholder?: LoweringContext["placeholder"];
  /** True if its rows stay in the routine. */
  readonly kept?: boolean;
}

/** Runs one SQL statement of the routine, with the enclosing handlers; returns its known result. */
export function runSql(
  state: State,
  span: Span,
  run: Run,
  options: SqlOptions = {},
): Rows | undefined {
  const { into, kept = false } = options;
  const piece = options.piece ?? pieceOf(state.body, span, options);
  const context = contextFor(state, piece, span, options.placeholder);
  let rows: Rows | undefined;
  let last: Statement | undefined;
  const body = collectCommands(state, () => {
    const read = lowerDialectStatement(context, state.dialect);
    const own = withoutTemporary(read, state.temporary, state.ids);
    const lowered = handlesIgnored(state) ? withWarnings(own) : own;
    const isReturned = into === undefined && !kept;
    const ran = resultOf(lowered, isReturned);
    rows = ran.rows;
    last = lowered.statements.at(-1);
    const emptyInto = ran.values !== undefined && into !== undefined ? ran.values : undefined;
    if (emptyInto !== undefined) {
      takeValues(state, emptyInto, into?.targets ?? [], span);
      tellCount(state, literal(1), true, span);
      return;
    }
    for (const command of ran.commands) emit(state, command);
    if (ran.count !== undefined) tellCount(state, ran.count, last?.kind === "select", span);
    if (lowered.insertId !== undefined) assign(state, LAST_INSERT_ID, lowered.insertId, span);
    takeUserValues(state, lowered, span);
    if (into === undefined) return;
    if (rows === undefined) {
      assignUnknown(state, into.targets, "the result of a statement that is not followed", span);
    }
    const size: Expression = { kind: "size", result: rows?.name ?? "" };
    if (rows !== undefined && last?.kind === "select" && !hasOneAtMost(state, last.query)) {
      const condition: Expression = comparison(">", size, literal(1));
      const source = sourceAt(state, span);
      const why = "SELECT INTO found several rows";
      const then = { kind: "rollback", why, code: SEVERAL_ROWS, source } as const;
      emit(state, { kind: "if", condition, then, source });
    }
  });
  // A callback sets it, which the compiler does not track.
  const statement: Statement | undefined = last;
  const touches = statement !== undefined && (statement.kind !== "select" || into !== undefined);
  const fails = touches && (canFail(state, statement) || state.shared.fires?.(statement) === true);
  if (touches && (fails || handlesRefusedLocks(state))) {
    mayFail(state, span, () => emit(state, body), run);
  } else {
    emit(state, body);
  }
  if (into !== undefined && rows !== undefined && last !== undefined) {
    takeRow(state, into.targets, rows, last, span, run);
  }
  return rows;
}

/** An INSERT IGNORE of which a handler takes up what it passes by: the handler may end the transaction, which no level covers. */
function withWarnings(lowered: Lowering): Lowering {
  const reason = "an INSERT IGNORE whose warnings run a handler";
  const statements = lowered.statements.map((each): Statement => {
    const { kind, source, taint } = each;
    if (kind !== "insert" || each.onConflict?.action !== "nothing") return each;
    const losses = (["approx", "outside"] as const).map((effect) => ({ effect, reason, source }));
    return { ...each, taint: [...taint, ...losses] };
  });
  return { ...lowered, statements };
}

function comparison(operator: "=" | ">", left: Expression, right: Expression): Expression {
  return { kind: "comparison", operator, left, right };
}

function hasOneAtMost(state: State, query: Query): boolean {
  return atMostOneRow(query, state.shared.table);
}

/** `@x := ...` inside of a statement. */
function takeUserValues(state: State, lowered: Lowering, span: Span): void {
  const { result, targets = [], values = [] } = lowered;
  for (const { variable, column: field } of targets) {
    if (result === undefined) continue;
    const name = userVariable(state, variable);
    const then: Expression = { kind: "field", result: result.name, field, at: "first" };
    const condition = comparison(">", { kind: "size", result: result.name }, literal(0));
    const otherwise: Expression = { kind: "variable", name };
    assign(state, name, { kind: "conditional", condition, then, otherwise }, span);
  }
  for (const { variable, value } of values) {
    assign(state, userVariable(state, variable), value, span);
  }
}

/** True if a statement can raise an error that the AR models. */
function canFail(state: State, statement: Statement): boolean {
  switch (statement.kind) {
    case "select":
      return !hasOneAtMost(state, statement.query);
    case "update": {
      const table = state.shared.table(statement.relation.table);
      if (table === undefined) return true;
      const guarded = new Set([
        ...table.primaryKey,
        ...table.uniqueKeys.flatMap(({ columns }) => columns),
        ...table.foreignKeys.flatMap(({ columns }) => columns),
      ]);
      for (const check of table.checks)
        for (const column of columnsIn(check, table.name)) guarded.add(column);
      return statement.set.some(({ column }) => guarded.has(column));
    }
    case "lock":
      return false;
    case "insert":
    case "delete":
    case "opaque":
      return true;
  }
}

/** SELECT of values into variables. */
function takeValues(
  state: State,
  statement: SelectStatement,
  targets: readonly Target[],
  span: Span,
): void {
  state.taint.push(...statement.taint);
  targets.forEach((target, at) => {
    setTarget(state, target, statement.query.outputs[at]?.value ?? literal(null), span);
  });
}

/** INTO: without a row the targets are unchanged and the handler for NOT FOUND runs. */
function takeRow(
  state: State,
  targets: readonly Target[],
  rows: Rows,
  last: Statement,
  span: Span,
  run: Run,
): void {
  const take = (): void => assignRowTo(state, targets, rows, "first", span);
  const isCertain = last.kind === "select" && exactlyOneRow(last.query);
  const handled = isHandled(state, NO_ROW);
  // If a handler continues after the error, several rows leave the targets unchanged, too.
  const goesOn = handlesErrors(state) && last.kind === "select" && !hasOneAtMost(state, last.query);
  const wasNull = targets.every((target) => isNull(state, target));
  if (isCertain || (!handled && !goesOn && wasNull)) {
    take();
    return;
  }
  const source = sourceAt(state, span);
  const size: Expression = { kind: "size", result: rows.name };
  const found = goesOn ? comparison("=", size, literal(1)) : comparison(">", size, literal(0));
  state.nested++;
  const then = collectCommands(state, take);
  const otherwise = collectCommands(state, () => {
    if (!handled) return;
    const ran = collectCommands(state, () => raiseHere(state, NO_ROW, span, run));
    const condition = comparison("=", size, literal(0));
    emit(state, goesOn ? { kind: "if", condition, then: ran, source } : ran);
  });
  state.nested--;
  const rest = handled ? { otherwise } : {};
  emit(state, { kind: "if", condition: found, then, ...rest, source });
}

/** True if a variable was declared without a value and never assigned since. */
function isNull(state: State, target: Target): boolean {
  const binding = find(state.names, target.path)?.binding;
  if (binding?.kind !== "variable") return false;
  const isHere = state.declaredAt.get(binding.variable) === loopDepth(state);
  return isHere && !state.assigned.has(binding.variable);
}

/** Assigns the columns of a result's row to variables. */
export function assignRowTo(
  state: State,
  targets: readonly Target[],
  rows: Rows,
  at: "first" | { readonly loop: string },
  span: Span,
): void {
  markAssigned(state, targets);
  assignRow(state, targets, rows, at, span);
}

/** `target := value`. */
export function setTarget(state: State, target: Target, value: Expression, span: Span): void {
  markAssigned(state, [target]);
  assignTarget(state, target, value, span);
}

/** Targets whose value is unknown. */
export function setUnknown(
  state: State,
  targets: readonly Target[],
  reason: string,
  span: Span,
  dependsOn: readonly Expression[] = [],
): void {
  markAssigned(state, targets);
  assignUnknown(state, targets, reason, span, dependsOn);
}

/** Declares new user variables, and marks all of these as assigned. */
function markAssigned(state: State, targets: readonly Target[]): void {
  for (const { path } of targets) {
    const [name = ""] = path;
    if (path.length === 1 && name.startsWith("@")) userVariable(state, name);
    const binding = find(state.names, path)?.binding;
    if (binding?.kind === "variable") state.assigned.add(binding.variable);
  }
}

function tellCount(state: State, count: Expression, isRead: boolean, span: Span): void {
  if (state.asks.rowCount) assign(state, ROW_COUNT, isRead ? literal(-1) : count, span);
  if (state.asks.foundRows && isRead) assign(state, FOUND_ROWS, count, span);
}

/** A statement with unknown text: it may touch any table in its known words. */
export function runOpaque(state: State, words: string, reason: string, span: Span): void {
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
      taint: [{ effect: "opaque", reason, source }],
      tables: tables.filter((table) => state.shared.table(table) !== undefined),
      writes,
    },
  });
}
