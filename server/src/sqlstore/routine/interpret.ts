// PL/pgSQL as it is carried out: statement by statement, SQL inside by the host's means.
import type { Block, LoopOver, PlStatement } from "../../frontend/sql/pg/plpgsql/tree";
import type { Target } from "../../frontend/sql/routine/assign";
import type { Span } from "../../frontend/sql/text/split";
import { failure, SqlFailure, unsupported } from "../sqlError";
import type { SqlQuery } from "../tree";
import { elementOf, type DeclaredType, type SqlType } from "../values/types";
import { isList, type SqlValue } from "../values/value";
import type { SqlStatement } from "../statementTree";
import { catches } from "./conditions";
import { evaluateList } from "./expressionList";
import type { Flow, Frame, RoutineResult, Steps } from "./frame";
import { raise } from "./raise";
import {
  assignCast,
  assignRow,
  firstValue,
  hide,
  runText,
  withLocals,
  setTarget,
} from "./variables";

const NEXT: Flow = { kind: "next" };
/** Rounds of one loop. */
const MOST_ROUNDS = 10_000_000;

/** Carries out a block. Throws an `SqlFailure` that no handler takes. */
export function* runBlock(block: Block, frame: Frame): Steps<Flow> {
  const names = block.declarations.map(({ name }) => name);
  return yield* withLocals(frame, names, function* () {
    for (const declaration of block.declarations) yield* declared(frame, declaration);
    return yield* guardedBody(block, frame);
  });
}

/** A variable with its first value, which may name an outer one that it hides. */
function* declared(
  frame: Frame,
  { name, type, value, alias, cursor }: Block["declarations"][number],
): Steps<void> {
  if (cursor !== undefined) throw unsupported("a cursor variable in PL/pgSQL");
  if (alias !== undefined) {
    const known = frame.locals.get(alias.join("."));
    if (known !== undefined) frame.locals.set(name, known);
    return;
  }
  const text = value === undefined ? undefined : textAt(frame, value).trim();
  const source = text !== undefined && frame.records.has(text.toLowerCase()) ? text : undefined;
  const given =
    text === undefined || source !== undefined ? undefined : yield* evaluateList(frame, text);
  if (source?.toLowerCase() !== name) hide(frame, name);
  declareLocal(frame, name, type);
  if (source !== undefined) copyRecord(frame, source.toLowerCase(), name);
  if (given !== undefined) yield* assignRow(frame, [{ path: [name], part: false }], given, false);
  const local = value === undefined ? frame.locals.get(name) : undefined;
  if (local !== undefined)
    local.value = yield* assignCast(null, "unknown", local.declared, frame.host);
}

function* guardedBody(block: Block, frame: Frame): Steps<Flow> {
  if (!block.hasHandlers) return yield* runAll(block.body, frame);
  const mark = frame.host.mark();
  try {
    const flow = yield* runAll(block.body, frame);
    mark?.end();
    return flow;
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    const { code } = error.error;
    const handler = block.handlers.find(({ conditions }) =>
      conditions.some((each) => catches(each, code)),
    );
    if (handler === undefined || mark?.undo() !== true) throw error;
    mark.end();
    const before = frame.error;
    frame.error = error.error;
    const flow = yield* withLocals(frame, ["sqlerrm", "sqlstate"], () => {
      setText(frame, "sqlerrm", error.error.message);
      setText(frame, "sqlstate", code);
      return runAll(handler.body, frame);
    });
    frame.error = before;
    return flow;
  }
}

function setText(frame: Frame, name: string, value: string): void {
  frame.locals.set(name, { declared: { type: "text" }, value });
}

function* runAll(statements: readonly PlStatement[], frame: Frame): Steps<Flow> {
  for (const statement of statements) {
    const flow = yield* runStatement(statement, frame);
    if (flow.kind !== "next") return flow;
  }
  return NEXT;
}

function textAt(frame: Frame, { start, end }: Span): string {
  return frame.text.slice(start, end);
}

function* runStatement(statement: PlStatement, frame: Frame): Steps<Flow> {
  switch (statement.kind) {
    case "block": {
      const flow = yield* runBlock(statement.block, frame);
      const { label } = statement.block;
      return flow.kind === "exit" && flow.label !== undefined && flow.label === label ? NEXT : flow;
    }
    case "assign":
      yield* assign(frame, statement.target, statement.value);
      return NEXT;
    case "sql": {
      const whole = textAt(frame, statement.span);
      const { into } = statement;
      const text =
        into === undefined
          ? whole
          : whole.slice(0, into.span.start - statement.span.start) +
            whole.slice(into.span.end - statement.span.start);
      const result = yield* runText(frame, text, []);
      if (into !== undefined || frame.host.parse(text).some(({ kind }) => FINDS.has(kind)))
        setFound(frame, result.count > 0);
      if (into !== undefined) yield* assignRow(frame, into.targets, result, into.strict);
      return NEXT;
    }
    case "perform":
      setFound(
        frame,
        (yield* runText(frame, `SELECT ${textAt(frame, statement.query)}`, [])).count > 0,
      );
      return NEXT;
    case "if": {
      for (const { condition, body } of statement.branches)
        if ((yield* valueOf(frame, condition)) === true) return yield* runAll(body, frame);
      return yield* runAll(statement.otherwise ?? [], frame);
    }
    case "case":
      return yield* runCase(statement, frame);
    case "loop":
      return yield* runLoop(statement, frame);
    case "exit":
    case "continue": {
      const { kind, label, when } = statement;
      const isTaken = when === undefined || (yield* valueOf(frame, when)) === true;
      return isTaken ? { kind, label } : NEXT;
    }
    case "return":
      yield* returned(frame, statement.value);
      return { kind: "return" };
    case "returnNext":
      if (statement.value !== undefined) {
        const result = yield* evaluateList(frame, textAt(frame, statement.value));
        frame.rows.push(...result.rows);
      }
      return NEXT;
    case "returnQuery": {
      const result = yield* runText(frame, textAt(frame, statement.query), []);
      setFound(frame, result.count > 0);
      frame.rows.push(...result.rows);
      return NEXT;
    }
    case "returnExecute":
    case "execute": {
      const result = yield* runDynamic(frame, statement.command, statement.using);
      if (statement.kind === "returnExecute") {
        setFound(frame, result.count > 0);
        frame.rows.push(...result.rows);
      } else if (statement.into !== undefined)
        yield* assignRow(frame, statement.into.targets, result, statement.into.strict);
      return NEXT;
    }
    case "raise":
      yield* raise(frame, statement.level, statement.text);
      return NEXT;
    case "assert":
      if ((yield* valueOf(frame, statement.condition)) === true) return NEXT;
      throw failure("assertion", "assertion failed");
    case "diagnostics":
      for (const { target, what } of statement.items)
        yield* setTarget(frame, target, diagnosed(frame, what));
      return NEXT;
    case "null":
      return NEXT;
    case "open":
    case "fetch":
    case "close":
      throw unsupported("a cursor in PL/pgSQL");
    case "commit":
    case "rollback":
      throw unsupported(`${statement.kind.toUpperCase()} in PL/pgSQL`);
    case "broken":
      throw failure("syntax", statement.message);
    default:
      return statement satisfies never;
  }
}

function diagnosed(
  frame: Frame,
  what: string,
): { readonly type: SqlType; readonly value: SqlValue } {
  switch (what.toLowerCase()) {
    case "row_count":
      return { type: "int8", value: frame.count };
    case "returned_sqlstate":
      return { type: "text", value: frame.error?.code ?? null };
    case "message_text":
      return { type: "text", value: frame.error?.message ?? null };
    case "pg_exception_detail":
      return { type: "text", value: frame.error?.detail ?? "" };
    case "constraint_name":
      return { type: "text", value: frame.error?.constraint ?? "" };
    case "table_name":
      return { type: "text", value: frame.error?.table ?? "" };
    default:
      return { type: "text", value: "" };
  }
}

function* runCase(
  { subject, branches, otherwise }: Extract<PlStatement, { readonly kind: "case" }>,
  frame: Frame,
): Steps<Flow> {
  const prefix = subject === undefined ? "" : `(${textAt(frame, subject)}) IN `;
  for (const { condition, body } of branches) {
    const text = textAt(frame, condition);
    const test = prefix === "" ? text : `${prefix}(${text})`;
    if ((yield* firstValue(frame, test)).value === true) return yield* runAll(body, frame);
  }
  if (otherwise !== undefined) return yield* runAll(otherwise, frame);
  throw failure("noCase", "case not found");
}

function* runLoop(
  loop: Extract<PlStatement, { readonly kind: "loop" }>,
  frame: Frame,
): Steps<Flow> {
  const { over } = loop;
  // Bounds are those of the names around the loop.
  const rounds = yield* roundsOf(over, frame);
  return yield* withLocals(frame, over.kind === "count" ? [over.variable] : [], () =>
    runRounds(loop, frame, rounds),
  );
}

function* runRounds(
  { label, over, body }: Extract<PlStatement, { readonly kind: "loop" }>,
  frame: Frame,
  rounds: Iterable<Round>,
): Steps<Flow> {
  let count = 0;
  // Loops over rows and numbers say whether there was one.
  const ended = (flow: Flow): Flow => {
    if (over.kind !== "forever" && over.kind !== "while") setFound(frame, count > 0);
    return flow;
  };
  for (const next of rounds) {
    if (!(yield* next())) break;
    count++;
    const flow = yield* runAll(body, frame);
    if (flow.kind === "next") continue;
    if (flow.kind === "return" || (flow.label !== undefined && flow.label !== label))
      return ended(flow);
    if (flow.kind === "exit") break;
  }
  return ended(NEXT);
}

/** Runs before each round and returns whether there is one. */
type Round = () => Steps<boolean>;

function* roundsOf(over: LoopOver, frame: Frame): Steps<Iterable<Round>> {
  switch (over.kind) {
    case "forever":
      return repeated(function* (): Steps<boolean> {
        yield* [];
        return true;
      });
    case "while":
      return repeated(function* (): Steps<boolean> {
        return (yield* valueOf(frame, over.condition)) === true;
      });
    case "count": {
      const start = yield* boundOf(frame, over.from, "lower bound");
      const end = yield* boundOf(frame, over.to, "upper bound");
      const by = over.step === undefined ? 1 : yield* boundOf(frame, over.step, "BY value");
      if (by <= 0) throw failure("badArgument", "BY value of FOR loop must be greater than zero");
      const step = over.reverse ? -by : by;
      let at = start - step;
      return repeated(function* (): Steps<boolean> {
        yield* [];
        at += step;
        frame.locals.set(over.variable, { declared: { type: "int4" }, value: at });
        return step > 0 ? at <= end : at >= end;
      });
    }
    case "query":
    case "dynamic": {
      const result =
        over.kind === "query"
          ? yield* runText(frame, textAt(frame, over.query), [])
          : yield* runDynamic(frame, over.command, over.using);
      return result.rows.map(
        (row): Round =>
          function* () {
            yield* assignRow(frame, over.targets, { ...result, rows: [row] }, false);
            return true;
          },
      );
    }
    case "array": {
      const { type, value } = yield* firstValue(frame, textAt(frame, over.array));
      if (value === null) throw failure("nullValue", "FOREACH expression must not be null");
      const items = isList(value) ? value : [];
      return items.map(
        (item): Round =>
          function* () {
            const [target] = over.targets;
            if (target !== undefined)
              yield* setTarget(frame, target, { type: elementOf(type) ?? "text", value: item });
            return true;
          },
      );
    }
    case "cursor":
      throw unsupported("a cursor in PL/pgSQL");
  }
}

function* boundOf(frame: Frame, span: Span, what: string): Steps<number> {
  const value = yield* valueOf(frame, span);
  if (value === null) throw failure("nullValue", `${what} of FOR loop cannot be null`);
  return Number(value);
}

function* repeated(round: Round): Iterable<Round> {
  for (let count = 0; count < MOST_ROUNDS; count++) yield round;
  throw failure("tooComplex", "a loop without an end");
}

/** Statements that say whether they found rows; others, and EXECUTE, leave FOUND as it was. */
const FINDS: ReadonlySet<string> = new Set(["select", "insert", "update", "delete", "merge"]);

function setFound(frame: Frame, value: boolean): void {
  frame.locals.set("found", { declared: { type: "bool" }, value });
}

function* runDynamic(frame: Frame, command: Span, using: readonly Span[]): Steps<RoutineResult> {
  const { value } = yield* firstValue(frame, textAt(frame, command));
  if (value === null) throw failure("nullValue", "query string argument of EXECUTE is null");
  if (typeof value !== "string")
    throw failure("syntax", "query string argument of EXECUTE is no text");
  const parameters: unknown[] = [];
  for (const each of using) {
    const text = yield* firstValue(frame, `(${textAt(frame, each)})::text`);
    parameters.push(text.value);
  }
  return yield* runText(frame, value, parameters);
}

function* valueOf(frame: Frame, span: Span): Steps<SqlValue> {
  return (yield* firstValue(frame, textAt(frame, span))).value;
}

function* returned(frame: Frame, span: Span | undefined): Steps<void> {
  if (span === undefined) return;
  const text = textAt(frame, span).trim();
  if (frame.records.has(text.toLowerCase()) && frame.returns === undefined) {
    frame.returnedRow = text.toLowerCase();
    return;
  }
  if (frame.returns === undefined && /^null$/i.test(text)) {
    frame.returnedRow = "null";
    return;
  }
  const { type, value } = yield* firstValue(frame, text);
  const { returns, host } = frame;
  frame.returned = returns === undefined ? value : yield* assignCast(value, type, returns, host);
}

function* assign(frame: Frame, target: Target, span: Span): Steps<void> {
  if (target.part) throw unsupported("an assignment to a part of an array");
  const [name = ""] = target.path;
  if (target.path.length === 1 && frame.records.has(name)) {
    const source = textAt(frame, span).trim().toLowerCase();
    if (frame.records.has(source)) {
      copyRecord(frame, source, name);
      return;
    }
    yield* assignRow(frame, [target], yield* evaluateList(frame, textAt(frame, span)), false);
    return;
  }
  yield* setTarget(frame, target, yield* firstValue(frame, textAt(frame, span)));
}

function copyRecord(frame: Frame, from: string, to: string): void {
  for (const [name, { declared, value }] of [...frame.locals])
    if (name.startsWith(`${from}.`))
      frame.locals.set(to + name.slice(from.length), { declared, value });
}

/** Declares a variable: of a plain type, of that of a column, or a record. */
export function declareLocal(frame: Frame, name: string, type: string): void {
  const written = type.trim().toLowerCase().replaceAll('"', "");
  const column = /^(?:\w+\.)?(\w+)\.(\w+)%type$/.exec(written);
  if (column !== null) {
    const found = frame.host.table(column[1] ?? "")?.find((each) => each.name === column[2]);
    if (found === undefined) throw failure("noColumn", `column of ${written} does not exist`);
    frame.locals.set(name, { declared: found.declared, value: null });
    return;
  }
  const row = frame.host.table(written.replace(/%rowtype$/, "").replace(/^public\./, ""));
  if (row !== undefined || written === "record") {
    frame.records.add(name);
    for (const { name: field, declared } of row ?? [])
      frame.locals.set(`${name}.${field}`, { declared, value: null });
    return;
  }
  const known = /^(\w+)%type$/.exec(written)?.[1];
  const same = known === undefined ? undefined : frame.locals.get(known)?.declared;
  frame.locals.set(name, { declared: same ?? declaredAs(frame, type), value: null });
}

function declaredAs(frame: Frame, type: string): DeclaredType {
  const [statement] = frame.host.parse(`SELECT CAST(NULL AS ${type})`);
  const [column] = isQuery(statement) ? frame.host.columns(statement) : [];
  if (column === undefined) throw unsupported(`the type ${type}`);
  return column.origin?.declared ?? { type: column.type };
}

function isQuery(statement: SqlStatement | undefined): statement is SqlQuery {
  return statement?.kind === "select";
}
