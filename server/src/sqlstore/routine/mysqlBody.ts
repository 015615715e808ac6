// Bodies of MySQL's routines as they are carried out: statement by statement, with the handlers of the blocks around.
import { parseBody } from "../../frontend/sql/mysql/parser";
import type {
  Block,
  Condition,
  CursorDeclaration,
  HandlerDeclaration,
  LoopOver,
  RoutineStatement,
} from "../../frontend/sql/mysql/tree";
import type { Span } from "../../frontend/sql/text/split";
import { failure, SqlFailure, unsupported } from "../sqlError";
import type { Routine } from "../catalog";
import { closestHandler, signal } from "./mysqlConditions";
import type { Argument, Flow, Frame, RoutineResult, Steps } from "./frame";
import { assignCast, assignRow, firstValue, runText, withLocals, setTarget } from "./variables";

/** The declarations of a block that is open. */
interface Scope {
  readonly label: string;
  readonly conditions: Map<string, Condition>;
  readonly cursors: Map<string, OpenCursor>;
  readonly handlers: readonly HandlerDeclaration[];
}

interface OpenCursor {
  readonly declaration: CursorDeclaration;
  result?: RoutineResult;
  at: number;
}

interface MysqlFrame extends Frame {
  /** Blocks from the outermost inwards. */
  scopes: readonly Scope[];
  /** Rows that a procedure has selected. */
  readonly sets: RoutineResult[];
  /** Rows that its statements have changed: of the last one in MySQL, of all in MariaDB. */
  changed: number;
  readonly isProcedure: boolean;
}

const NEXT: Flow = { kind: "next" };
/** Rounds of one loop. */
const MOST_ROUNDS = 10_000_000;
const BODIES = new Map<string, readonly RoutineStatement[]>();
const MOST_BODIES = 1000;

/** Carries out the body of a routine; what it has selected comes back. */
export function* runMysqlBody(
  frame: Frame,
  { name, isProcedure, returns }: Pick<Routine, "name" | "isProcedure" | "returns">,
): Steps<Pick<MysqlFrame, "sets" | "changed">> {
  const own: MysqlFrame = Object.assign(frame, { scopes: [], sets: [], changed: 0, isProcedure });
  const flow = yield* runAll(bodyOf(frame.text), own);
  if (returns !== undefined && flow.kind !== "return")
    throw failure("noReturn", `FUNCTION ${name} ended without RETURN`);
  return own;
}

function bodyOf(text: string): readonly RoutineStatement[] {
  const known = BODIES.get(text);
  if (known !== undefined) return known;
  const { statements } = parseBody(text);
  if (BODIES.size >= MOST_BODIES) BODIES.clear();
  BODIES.set(text, statements);
  return statements;
}

function* runAll(statements: readonly RoutineStatement[], frame: MysqlFrame): Steps<Flow> {
  for (const statement of statements) {
    const flow = yield* handled(frame, () => runStatement(statement, frame));
    if (flow.kind !== "next") return flow;
  }
  return NEXT;
}

/** Runs a statement; its error goes to the handler of the innermost block that has one for it. */
function* handled(frame: MysqlFrame, run: () => Steps<Flow>): Steps<Flow> {
  try {
    return yield* run();
  } catch (thrown) {
    if (!(thrown instanceof SqlFailure) || thrown instanceof Passed) throw thrown;
    const { error } = thrown;
    for (const [at, scope] of [...frame.scopes.entries()].reverse()) {
      const named = (name: string): Condition | undefined => conditionOf(frame, name);
      const handler = closestHandler(scope.handlers, error, named);
      if (handler !== undefined) return yield* runHandler(handler, at, thrown, frame);
    }
    throw new Passed(error);
  }
}

/** An error that no block has a handler for. */
class Passed extends SqlFailure {}

function* runHandler(
  { action, body }: HandlerDeclaration,
  at: number,
  { error }: SqlFailure,
  frame: MysqlFrame,
): Steps<Flow> {
  const { scopes, error: before } = frame;
  const own = scopes[at];
  if (own === undefined || action === "undo") throw unsupported("an UNDO handler");
  // Errors of the handler itself are those of the blocks around its own.
  frame.scopes = [...scopes.slice(0, at), { ...own, handlers: [] }];
  frame.error = error;
  const flow = yield* runAll(body, frame);
  frame.scopes = scopes;
  frame.error = before;
  if (flow.kind !== "next" || action === "continue") return flow;
  return { kind: "exit", label: own.label };
}

function conditionOf({ scopes }: MysqlFrame, name: string): Condition | undefined {
  return scopes
    .map(({ conditions }) => conditions.get(name))
    .findLast((each) => each !== undefined);
}

function* runBlock(block: Block, frame: MysqlFrame): Steps<Flow> {
  const outer = frame.scopes;
  const { declarations, body } = block;
  const label = `#${outer.length}`;
  const scope: Scope = {
    label,
    conditions: new Map(),
    cursors: new Map(),
    handlers: declarations.filter((each) => each.kind === "handler"),
  };
  const names = declarations.flatMap((each) => (each.kind === "variables" ? each.names : []));
  try {
    const flow = yield* withLocals(frame, names, function* () {
      for (const each of declarations) {
        if (each.kind === "variables") yield* declareVariables(each, frame);
        else if (each.kind === "condition") scope.conditions.set(each.name, each.condition);
        else if (each.kind === "cursor") scope.cursors.set(each.name, { declaration: each, at: 0 });
      }
      frame.scopes = [...outer, scope];
      return yield* runAll(body, frame);
    });
    const isMine =
      flow.kind === "exit" && (flow.label === label || (flow.label === block.label && flow.label));
    return isMine ? NEXT : flow;
  } catch (error) {
    // Errors of handlers are for the blocks around theirs.
    if (error instanceof Passed) throw new SqlFailure(error.error);
    throw error;
  } finally {
    frame.scopes = outer;
  }
}

function* declareVariables(
  { names, type, value }: Extract<Block["declarations"][number], { readonly kind: "variables" }>,
  frame: MysqlFrame,
): Steps<void> {
  const declared = frame.host.declared(type);
  const first = value === undefined ? undefined : yield* firstValue(frame, textAt(frame, value));
  for (const name of names) {
    frame.locals.set(name, { declared, value: null });
    if (first !== undefined) yield* setTarget(frame, { path: [name], part: false }, first);
  }
}

function textAt({ text }: Frame, { start, end }: Span): string {
  return text.slice(start, end);
}

function* holds(frame: MysqlFrame, condition: Span): Steps<boolean> {
  return yield* isTrue(frame, textAt(frame, condition));
}

function* isTrue(frame: MysqlFrame, condition: string): Steps<boolean> {
  return Number((yield* firstValue(frame, `IF((${condition}), 1, 0)`)).value) === 1;
}

function* runStatement(statement: RoutineStatement, frame: MysqlFrame): Steps<Flow> {
  switch (statement.kind) {
    case "block":
      return yield* runBlock(statement.block, frame);
    case "if":
      for (const { condition, body } of statement.branches)
        if (yield* holds(frame, condition)) return yield* runAll(body, frame);
      return yield* runAll(statement.otherwise ?? [], frame);
    case "case":
      return yield* runCase(statement, frame);
    case "loop":
      return yield* runLoop(statement, frame);
    case "leave":
      return { kind: "exit", label: statement.label };
    case "iterate":
      return { kind: "continue", label: statement.label };
    case "set":
      for (const { target, value } of statement.items)
        yield* setTarget(frame, target, yield* firstValue(frame, textAt(frame, value)));
      return NEXT;
    case "sql":
      yield* runSql(statement, frame);
      return NEXT;
    case "session":
    case "ddl":
    case "control":
    case "prepare":
    case "execute":
      yield* select(frame, textAt(frame, statement.span));
      return NEXT;
    case "call":
      yield* call(statement, frame);
      return NEXT;
    case "return": {
      const { type, value } = yield* firstValue(frame, textAt(frame, statement.value));
      const { returns, host } = frame;
      frame.returned =
        returns === undefined ? value : yield* assignCast(value, type, returns, host);
      return { kind: "return" };
    }
    case "signal":
    case "resignal":
      raise(frame, yield* signal(frame, statement, (name) => conditionOf(frame, name)));
      return NEXT;
    case "open":
    case "fetch":
    case "close":
      yield* moveCursor(statement, frame);
      return NEXT;
    case "diagnostics":
      for (const { target, what } of statement.items)
        yield* setTarget(frame, target, diagnosed(frame, what));
      return NEXT;
    case "executeImmediate":
      throw unsupported("EXECUTE IMMEDIATE in a routine");
    case "broken":
      throw failure("syntax", `You have an error in your SQL syntax: ${statement.message}`);
    default:
      return statement satisfies never;
  }
}

/** An error ends the statement; a warning does so where a block has a handler for it, and else is told. */
function raise(frame: MysqlFrame, failed: SqlFailure): void {
  const { mysqlState, number, message } = failed.error;
  const named = (name: string): Condition | undefined => conditionOf(frame, name);
  const isHandled = frame.scopes.some(({ handlers }) =>
    closestHandler(handlers, failed.error, named),
  );
  if (isHandled || !mysqlState.startsWith("01")) throw failed;
  frame.host.warn(number, message);
}

/** Runs a text whose rows, if there are some, go to the client. */
function* select(frame: MysqlFrame, text: string): Steps<void> {
  const result = yield* runText(frame, text, []);
  const isQuery = result.columns.length > 0;
  const before = frame.host.dialect === "mariadb" ? frame.changed : 0;
  frame.changed = before + (isQuery ? 0 : result.count);
  if (!isQuery) return;
  if (!frame.isProcedure)
    throw failure("resultSet", "Not allowed to return a result set from a function");
  frame.sets.push(result);
}

function* runSql(
  { into, span }: Extract<RoutineStatement, { readonly kind: "sql" }>,
  frame: MysqlFrame,
): Steps<void> {
  const whole = textAt(frame, span);
  if (into === undefined) {
    yield* select(frame, whole);
    return;
  }
  const text =
    whole.slice(0, into.span.start - span.start) + whole.slice(into.span.end - span.start);
  const result = yield* runText(frame, text, []);
  if (result.rows.length > 1) throw failure("manyData", "Result consisted of more than one row");
  checkWidth(result, into.targets.length);
  if (frame.host.dialect === "mariadb") frame.changed += result.rows.length;
  if (result.rows.length > 0) yield* assignRow(frame, into.targets, result, false);
  else warnNoRow(frame);
}

function checkWidth({ columns }: RoutineResult, width: number): void {
  if (columns.length !== width)
    throw failure("unionColumns", "The used SELECT statements have a different number of columns");
}

/** SELECT INTO without a row is a condition for handlers, and else no error. */
function warnNoRow(frame: MysqlFrame): void {
  const missing = failure("noData", "No data - zero rows fetched, selected, or processed");
  const named = (name: string): Condition | undefined => conditionOf(frame, name);
  if (frame.scopes.some(({ handlers }) => closestHandler(handlers, missing.error, named)))
    throw missing;
}

function* call(
  { name, args }: Extract<RoutineStatement, { readonly kind: "call" }>,
  frame: MysqlFrame,
): Steps<void> {
  const texts = args.map((arg) => textAt(frame, arg).trim());
  const result = yield* runText(frame, `CALL ${name}(${texts.join(", ")})`, []);
  frame.changed += result.count;
  frame.sets.push(...(result.sets ?? []));
}

function* runCase(
  { subject, branches, otherwise }: Extract<RoutineStatement, { readonly kind: "case" }>,
  frame: MysqlFrame,
): Steps<Flow> {
  const prefix = subject === undefined ? "" : `(${textAt(frame, subject)}) = `;
  for (const { condition, body } of branches) {
    const test = `${prefix}(${textAt(frame, condition)})`;
    if (yield* isTrue(frame, test)) return yield* runAll(body, frame);
  }
  if (otherwise !== undefined) return yield* runAll(otherwise, frame);
  throw failure("noCase", "Case not found for CASE statement");
}

type Loop = Extract<RoutineStatement, { readonly kind: "loop" }>;

function* runLoop({ label, over, body }: Loop, frame: MysqlFrame): Steps<Flow> {
  const names = "variable" in over ? [over.variable] : "record" in over ? [over.record] : [];
  return yield* withLocals(frame, names, function* () {
    const next = yield* roundsOf(over, frame);
    for (let round = 0; yield* next(); round++) {
      if (round >= MOST_ROUNDS) throw failure("tooComplex", "a loop without an end");
      const flow = yield* runAll(body, frame);
      const isMine = "label" in flow && (flow.label === undefined || flow.label === label);
      if (flow.kind === "exit" && isMine) break;
      if (flow.kind !== "next" && !(flow.kind === "continue" && isMine)) return flow;
      if (over.kind === "repeat" && (yield* holds(frame, over.until))) break;
    }
    return NEXT;
  });
}

/** Prepares a loop; what it gives says before each round if there is one. */
function* roundsOf(over: LoopOver, frame: MysqlFrame): Steps<() => Steps<boolean>> {
  switch (over.kind) {
    case "forever":
    case "repeat":
      return function* () {
        yield* [];
        return true;
      };
    case "while":
      return () => holds(frame, over.condition);
    case "count": {
      const from = Number((yield* firstValue(frame, textAt(frame, over.from))).value);
      const to = Number((yield* firstValue(frame, textAt(frame, over.to))).value);
      const step = over.reverse ? -1 : 1;
      let at = (over.reverse ? to : from) - step;
      return function* () {
        yield* [];
        at += step;
        frame.locals.set(over.variable, { declared: { type: "int8" }, value: at });
        return over.reverse ? at >= from : at <= to;
      };
    }
    case "query":
    case "cursor": {
      const query =
        over.kind === "query" ? over.query : cursorOf(frame, over.cursor).declaration.query;
      const result = yield* runText(frame, textAt(frame, query), []);
      const rows = result.rows.values();
      return function* () {
        const { value: row, done } = rows.next();
        if (done === true) return false;
        frame.records.add(over.record);
        const target = { path: [over.record], part: false };
        yield* assignRow(frame, [target], { ...result, rows: [row] }, false);
        return true;
      };
    }
    default:
      return over satisfies never;
  }
}

function cursorOf({ scopes }: MysqlFrame, name: string): OpenCursor {
  const found = scopes
    .map(({ cursors }) => cursors.get(name))
    .findLast((each) => each !== undefined);
  if (found === undefined) throw failure("undefinedCursor", `Undefined CURSOR: ${name}`);
  return found;
}

function* moveCursor(
  statement: Extract<RoutineStatement, { readonly kind: "open" | "fetch" | "close" }>,
  frame: MysqlFrame,
): Steps<void> {
  const own = cursorOf(frame, statement.cursor);
  if (statement.kind === "open") {
    if (own.result !== undefined) throw failure("cursorExists", "Cursor is already open");
    const { query, parameters } = own.declaration;
    if (parameters.length > 0) throw unsupported("a cursor with parameters");
    own.result = yield* runText(frame, textAt(frame, query), []);
    own.at = 0;
    return;
  }
  const { result } = own;
  if (result === undefined) throw failure("noCursor", "Cursor is not open");
  if (statement.kind === "close") {
    delete own.result;
    return;
  }
  if (statement.targets.length !== result.columns.length)
    throw failure("fetchColumns", "Incorrect number of FETCH variables");
  const row = result.rows[own.at++];
  if (row === undefined)
    throw failure("noData", "No data - zero rows fetched, selected, or processed");
  yield* assignRow(frame, statement.targets, { ...result, rows: [row] }, false);
}

function diagnosed({ error, count }: MysqlFrame, what: string): Argument {
  const text = (value: string): Argument => ({ type: "text", value });
  const number = (value: number): Argument => ({ type: "int8", value });
  switch (what.toLowerCase()) {
    case "returned_sqlstate":
      return text(error?.mysqlState ?? "00000");
    case "message_text":
      return text(error?.message ?? "");
    case "mysql_errno":
      return number(error?.number ?? 0);
    case "row_count":
      return number(count);
    case "number":
      return number(error === undefined ? 0 : 1);
    default:
      return text("");
  }
}
