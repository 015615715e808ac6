// Evaluates statements of the code: control becomes control of the AR, everything else is kept as values.
import type { Expression } from "../../../program/expression";
import type { Command, LoopRange } from "../../../program/statement";
import type { Span } from "../../sql/text/split";
import { literal } from "../../sql/expressions";
import type { HirExpression, HirStatement } from "../hir";
import { libraryOf, type Library } from "../libraries/library";
import { constantText, UNDEFINED, unknown, type Scope, type Value } from "../values";
import { bind, innerScope } from "./bindings";
import { addReturn } from "./calls/returns";
import { conditionOf, expressionOf, negate } from "./values/convert";
import { noteStatement } from "./calls/resultUse";
import { evaluateExpression } from "./expressions";
import { keepsInBranch, returnsSingleton } from "./lazySingletons";
import {
  leavesHandler,
  noteAwait,
  notePending,
  noteLeaving,
  noteReturned,
  returnedPast,
  swallow,
} from "./errors/pendingPromises";
import { settle } from "./calls/awaits";
import { jumpTo } from "./jumps";
import { endRound } from "./rounds";
import { beginTarget } from "./jumpTargets";
import { addLoop, addWithoutExits, eachItem, inLoop } from "./lists/iteration";
import { fork, type Path } from "./fork";
import { addIf, loopCarried, hasLeft, merge, summariseLoop } from "./merge";
import { optionalMember } from "./values/member";
import { fillsWithOperations } from "./lists/operationLists";
import { binary } from "./values/operators";
import { emitThrow, thrownBy } from "./errors/exceptionFlow";
import { isFloatingPromise, runFloating } from "./errors/floatingPromises";
import { evaluateTry } from "./errors/tryCatch";
import { knowing } from "./values/presence";
import { ofDeclaredType } from "./transactions/clientTypes";
import { collectCommands, emit, lose, newCell, sourceOf, type OpenLoop, type State } from "./state";

type Of<Kind extends HirStatement["kind"]> = Extract<HirStatement, { kind: Kind }>;

/** Runs statements one after the other; gives whether every path left before the end. */
export function evaluateBlock(
  state: State,
  scope: Scope,
  statements: readonly HirStatement[],
): boolean {
  for (const each of statements) {
    if (each.kind === "function") {
      const { function: hir } = each;
      const value: Value = { kind: "function", function: hir, scope, name: hir.name };
      scope.bindings.set(hir.name, newCell(state, value));
    } else if (each.kind === "class" && each.class.name !== undefined) {
      const value: Value = { kind: "class", class: each.class, scope };
      scope.bindings.set(each.class.name, newCell(state, value));
    }
  }
  for (const each of statements) {
    state.budget -= 1;
    if (state.budget < 0) return tooLarge(state, each.span);
    if (evaluateStatement(state, scope, each)) return true;
  }
  return false;
}

/** The reason why a transaction that was cut short is not known to its end. */
export const TOO_LONG = "the function is too large to be followed to its end";

/** Ends the evaluation at a place. */
function tooLarge(state: State, span: Span): true {
  state.budget = -1;
  const source = sourceOf(state, span);
  lose(state, TOO_LONG, source, "opaque");
  return true;
}

function evaluateStatement(state: State, scope: Scope, hir: HirStatement, label?: string): boolean {
  switch (hir.kind) {
    case "let": {
      if (hir.value && hir.pattern.kind === "bind") notePending(state, hir.value);
      const value = hir.value ? evaluateExpression(state, scope, hir.value) : UNDEFINED;
      bind(state, scope, hir.pattern, ofDeclaredType(state, value, hir.type, scope), true);
      return false;
    }
    case "expression": {
      notePending(state, hir.expression);
      noteStatement(state, hir.expression);
      const run = (): Value => evaluateExpression(state, scope, hir.expression);
      const value = isFloatingPromise(state, hir.expression)
        ? runFloating(state, sourceOf(state, hir.span), run)
        : run();
      swallow(value);
      // A promise that nobody awaits runs all the same.
      if (value.kind === "deferred" && hir.expression.kind !== "await") return false;
      return hasLeft(state);
    }
    case "if":
      return evaluateIf(state, scope, hir);
    case "for":
      return evaluateFor(state, scope, hir, label);
    case "forEach": {
      const over = settle(state, evaluateExpression(state, scope, hir.over));
      const list = hir.isKeys ? unknown("the keys of a record") : over;
      if (fillsWithOperations(state, scope, hir, list)) return false;
      eachItem(
        state,
        list,
        hir.span,
        (item) => {
          const inner = innerScope(scope);
          bind(state, inner, hir.pattern, item, true);
          return evaluateBlock(state, inner, hir.body);
        },
        label,
      );
      return false;
    }
    case "while":
      return evaluateWhile(state, scope, hir, label);
    case "return": {
      const isPast = leavesHandler(state);
      const note = isPast ? noteLeaving : state.frame.isHeld === true ? notePending : noteAwait;
      if (hir.value) {
        note(state, hir.value);
        noteReturned(state, hir.value);
      }
      const given = hir.value ? evaluateExpression(state, scope, hir.value) : UNDEFINED;
      const isBuilder =
        (given.kind === "handle" || given.kind === "deferred") && state.frame.isLazy === true;
      const value = isPast
        ? returnedPast(state, given, sourceOf(state, hir.span))
        : isBuilder
          ? given
          : settle(state, given);
      addReturn(state, value, hir.span);
      return true;
    }
    case "throw": {
      const value = evaluateExpression(state, scope, hir.value);
      const message = constantText(optionalMember(state, value, "message", hir.span));
      const why = message === undefined || message === "" ? "an error is thrown" : message;
      const thrown = thrownBy(state, scope, hir.value, value);
      emitThrow(state, thrown, { why, source: sourceOf(state, hir.span) });
      return true;
    }
    case "try":
      return evaluateTry(state, scope, hir);
    case "switch":
      return evaluateSwitch(state, scope, hir);
    case "break":
    case "continue":
      return jump(state, hir);
    case "label":
      return evaluateStatement(state, scope, hir.body, hir.label);
    case "block":
      return evaluateBlock(state, innerScope(scope), hir.body);
    case "function":
    case "class":
    case "type":
      return false;
    case "unknown":
      for (const part of hir.parts) evaluateExpression(state, scope, part);
      lose(state, `${hir.what} is not understood`, sourceOf(state, hir.span));
      return false;
    default:
      return hir satisfies never;
  }
}

function evaluateIf(state: State, scope: Scope, hir: Of<"if">): boolean {
  const condition = conditionOf(state, evaluateExpression(state, scope, hir.condition));
  const run = (statements: readonly HirStatement[]): boolean =>
    evaluateBlock(state, innerScope(scope), statements);
  if (condition.kind === "literal") return run(condition.value === true ? hir.then : hir.otherwise);
  if (returnsSingleton(state, scope, hir, condition)) return false;
  const path = (statements: readonly HirStatement[], isTrue: boolean): Path =>
    fork(state, () => {
      knowing(state, condition, isTrue);
      return run(statements);
    });
  const then = path(hir.then, true);
  if (keepsInBranch(state, scope, hir, condition, then)) return run(hir.then);
  const otherwise = path(hir.otherwise, false);
  const source = sourceOf(state, hir.span);
  const left = merge(state, condition, then, otherwise, source);
  addIf(state, { condition, then, otherwise, source });
  if (then.left !== otherwise.left) knowing(state, condition, otherwise.left);
  return left;
}

/** A loop that counts is a counting loop of the AR; one over the indexes of rows is a loop over the rows. */
function evaluateFor(state: State, scope: Scope, hir: Of<"for">, label?: string): boolean {
  const inner = innerScope(scope);
  if (evaluateBlock(state, inner, hir.init)) return true;
  const counted = countedFor(state, inner, hir);
  const test = hir.test ?? ({ kind: "literal", value: true, span: hir.span } as const);
  const update = (): void => {
    for (const each of hir.update) evaluateExpression(state, inner, each);
  };
  if (counted?.over.kind === "count") {
    const { over, name } = counted;
    const source = sourceOf(state, hir.span);
    const id = state.ids.fresh("loop");
    const { commands, isOnce } = summariseLoop(state, source, id, (carried) => {
      let left = false;
      inLoop(state, openLoop(state, id, carried, label, roundOf(over)), () => {
        const round = innerScope(inner);
        const counter: Value = {
          kind: "scalar",
          expression: { kind: "variable", name: over.variable },
          type: "int",
        };
        round.bindings.set(name, newCell(state, counter));
        left = evaluateBlock(state, round, hir.body);
        if (!left) endRound(state, source);
      });
      return left;
    });
    const body: Command = { kind: "sequence", commands };
    addLoop(state, { kind: "loop", id, over, body, source }, isOnce);
    return false;
  }
  return whileLoop(state, inner, {
    test,
    body: hir.body,
    update,
    isTestLast: false,
    span: hir.span,
    label,
    ...(counted?.over.kind === "rows" && { over: counted.over, index: counted.name }),
  });
}

/** Which round a counting loop is in, counted from one, where it goes up by one from a number. */
function roundOf({
  from,
  variable,
  step,
}: Extract<LoopRange, { kind: "count" }>): Expression | undefined {
  if (step !== 1 || from.kind !== "literal" || typeof from.value !== "number") return undefined;
  const counter: Expression = { kind: "variable", name: variable };
  const before = 1 - from.value;
  if (before === 0) return counter;
  return { kind: "arithmetic", operator: "+", left: counter, right: literal(before) };
}

interface Counted {
  readonly name: string;
  readonly over: LoopRange;
}

/** `for (let i = a; i < b; i += c)` where nothing else changes `i`. */
function countedFor(state: State, scope: Scope, hir: Of<"for">): Counted | undefined {
  const [init] = hir.init;
  const [update] = hir.update;
  const { test } = hir;
  if (init?.kind !== "let" || init.pattern.kind !== "bind" || hir.init.length !== 1)
    return undefined;
  const { name } = init.pattern;
  const step = update && stepOf(update, name);
  if (step === undefined || hir.update.length !== 1 || test?.kind !== "binary") return undefined;
  const isUp = step > 0 && (test.operator === "<" || test.operator === "<=");
  const isDown = step < 0 && (test.operator === ">" || test.operator === ">=");
  if (test.left.kind !== "name" || test.left.name !== name || (!isUp && !isDown)) return undefined;
  if (assigns(hir.body, name)) return undefined;
  const start = scope.bindings.get(name)?.value ?? UNDEFINED;
  const over = rowsOfLength(state, scope, test.right);
  if (over && isUp && test.operator === "<" && step === 1) return { name, over };
  const limit = evaluateExpression(state, scope, test.right);
  const to =
    test.operator === "<"
      ? binary(state, "-", limit, { kind: "scalar", expression: literal(1), type: "int" })
      : test.operator === ">"
        ? binary(state, "+", limit, { kind: "scalar", expression: literal(1), type: "int" })
        : limit;
  return {
    name,
    over: {
      kind: "count",
      variable: state.ids.fresh("i"),
      from: expressionOf(state, start),
      to: expressionOf(state, to),
      step,
    },
  };
}

/** `rows.length` of the rows of a result. */
function rowsOfLength(state: State, scope: Scope, hir: HirExpression): LoopRange | undefined {
  if (hir.kind !== "member" || hir.property !== "length") return undefined;
  const list = evaluateExpression(state, scope, hir.object);
  return list.kind === "rows" ? { kind: "rows", result: list.result } : undefined;
}

function stepOf(update: HirExpression, name: string): number | undefined {
  if (update.kind === "increment") {
    const isIt = update.target.kind === "name" && update.target.name === name;
    return isIt ? (update.operator === "+" ? 1 : -1) : undefined;
  }
  if (update.kind !== "assign" || update.value.kind !== "literal") return undefined;
  const target = update.target.kind === "place" ? update.target.place : update.target;
  const isIt = (target.kind === "name" || target.kind === "bind") && target.name === name;
  const { value } = update.value;
  if (!isIt || typeof value !== "number") return undefined;
  return update.operator === "+" ? value : update.operator === "-" ? -value : undefined;
}

/** True if anything in a part of the code may assign the name. */
function assigns(part: unknown, name: string): boolean {
  if (Array.isArray(part)) return part.some((each) => assigns(each, name));
  if (typeof part !== "object" || part === null) return false;
  if ("kind" in part && (part.kind === "assign" || part.kind === "increment") && "target" in part) {
    if (mentions(part.target, name)) return true;
  }
  return Object.values(part).some((each) => assigns(each, name));
}

function mentions(part: unknown, name: string): boolean {
  if (Array.isArray(part)) return part.some((each) => mentions(each, name));
  if (typeof part !== "object" || part === null) return false;
  if ("name" in part && part.name === name) return true;
  return Object.values(part).some((each) => mentions(each, name));
}

function openLoop(
  state: State,
  id: string,
  carried: OpenLoop["carried"],
  label?: string,
  index?: Expression,
): OpenLoop {
  const named = { ...(label !== undefined && { label }), ...(index && { index }) };
  return { id, frame: state.frame, carried, ...named };
}

function evaluateWhile(state: State, scope: Scope, hir: Of<"while">, label?: string): boolean {
  const { test, body, isTestLast, span } = hir;
  const cursor = isTestLast ? undefined : cursorOf(state, scope, test);
  if (cursor) {
    const round = (row: Value): boolean => {
      cursor.enter(row);
      return evaluateBlock(state, innerScope(scope), body);
    };
    eachItem(state, cursor.rows, span, round, label);
    return false;
  }
  return whileLoop(state, scope, { test, body, isTestLast, span, update: () => undefined, label });
}

/** The result that a call of a library's cursor ranges over: `results.next()`. */
function cursorOf(
  state: State,
  scope: Scope,
  test: HirExpression,
): ReturnType<NonNullable<Library["cursor"]>> {
  if (test.kind !== "call" || test.callee.kind !== "member") return undefined;
  const { object } = test.callee;
  if (object.kind !== "name" && object.kind !== "member") return undefined;
  const method = evaluateExpression(state, scope, test.callee);
  if (method.kind !== "handle") return undefined;
  return libraryOf(method).cursor?.(method, state.evaluator.tools(state, libraryOf(method)));
}

interface WhileLoop {
  readonly test: HirExpression;
  readonly body: readonly HirStatement[];
  readonly update: () => void;
  readonly isTestLast: boolean;
  readonly span: Span;
  readonly label: string | undefined;
  /** The rows whose indexes it counts, and the counter's name. */
  readonly over?: LoopRange;
  readonly index?: string;
}

function whileLoop(state: State, scope: Scope, loop: WhileLoop): boolean {
  const source = sourceOf(state, loop.span);
  const id = state.ids.fresh("loop");
  let over: LoopRange = loop.over ?? { kind: "unknown" };
  const { commands, isOnce } = summariseLoop(state, source, id, (carried) => {
    let left = false;
    const next = (): void => {
      loop.update();
      if (!loop.isTestLast) return;
      const test = settle(state, evaluateExpression(state, scope, loop.test));
      leaveUnless(state, id, carried, conditionOf(state, test), source);
    };
    inLoop(state, { ...openLoop(state, id, carried, loop.label), next }, () => {
      if (!loop.over && !loop.isTestLast) {
        const before = state.commands.length;
        const test = evaluateExpression(state, scope, loop.test);
        const condition = conditionOf(state, settle(state, test));
        if (state.commands.length === before) over = { kind: "while", condition };
        else leaveUnless(state, id, carried, condition, source);
        knowing(state, condition, true);
      }
      left = evaluateBlock(state, innerScope(scope), loop.body);
      if (left) return;
      endRound(state, source);
      next();
    });
    return left;
  });
  if (over.kind === "unknown") over = { kind: "while", condition: literal(true) };
  const body: Command = { kind: "sequence", commands };
  addLoop(state, { kind: "loop", id, over, body, source }, isOnce);
  return false;
}

function leaveUnless(
  state: State,
  id: string,
  carried: OpenLoop["carried"],
  condition: ReturnType<typeof conditionOf>,
  source: ReturnType<typeof sourceOf>,
): void {
  const commands: Command[] = [
    ...loopCarried(state, carried, source),
    { kind: "exit", loop: id, source },
  ];
  emit(state, {
    kind: "if",
    condition: negate(condition),
    then: { kind: "sequence", commands },
    source,
  });
}

function jump(state: State, hir: Of<"break" | "continue">): boolean {
  const source = sourceOf(state, hir.span);
  const target = state.loops.findLast(
    (loop) =>
      loop.frame === state.frame &&
      (hir.label === undefined ? hir.kind === "break" || !loop.isSwitch : loop.label === hir.label),
  );
  if (!target) {
    lose(state, `this ${hir.kind} has no loop`, source);
    return true;
  }
  if (hir.kind === "continue") target.next?.();
  for (const command of loopCarried(state, target.carried, source)) emit(state, command);
  const { round } = target;
  const isRound = hir.kind === "continue" && round !== undefined;
  jumpTo(state, isRound ? target.roundTarget : target.target, source);
  if (isRound) {
    emit(state, { kind: "exit", loop: round, source });
  } else emit(state, { kind: hir.kind === "break" ? "exit" : "continue", loop: target.id, source });
  return true;
}

/** Cases as branches of one another; a body that does not leave falls through to the next. */
function evaluateSwitch(state: State, scope: Scope, hir: Of<"switch">): boolean {
  const subject = evaluateExpression(state, scope, hir.subject);
  const inner = innerScope(scope);
  const id = state.ids.fresh("switch");
  const source = sourceOf(state, hir.span);
  const otherwise = hir.cases.findIndex(({ tests }) => tests.length === 0);
  let left = false;
  const target = beginTarget(state, id, state.ids.fresh("jump"));
  const commands = collectCommands(state, () => {
    const loop: OpenLoop = { id, frame: state.frame, carried: new Map(), isSwitch: true, target };
    inLoop(state, loop, () => {
      left = switchFrom(state, inner, { hir, subject, otherwise, source }, 0);
    });
  });
  return addWithoutExits(state, commands, { id, target, left, source });
}

interface Switch {
  readonly hir: Of<"switch">;
  readonly subject: Value;
  /** The default's place, -1 without one. */
  readonly otherwise: number;
  readonly source: ReturnType<typeof sourceOf>;
}

function switchFrom(state: State, scope: Scope, of: Switch, at: number): boolean {
  const { hir, subject, otherwise, source } = of;
  const each = hir.cases[at];
  if (!each) return otherwise >= 0 ? caseBody(state, scope, hir, otherwise) : false;
  // Each case is a branch in the last one, and whoever reads these recurses.
  if (at >= MOST_CASES) return tooLarge(state, hir.subject.span);
  if (each.tests.length === 0) return switchFrom(state, scope, of, at + 1);
  const tests = each.tests.map((test) =>
    conditionOf(state, binary(state, "===", subject, evaluateExpression(state, scope, test))),
  );
  const [first] = tests;
  const condition =
    tests.length === 1 && first ? first : ({ kind: "or", operands: tests } as const);
  const then = fork(state, () => caseBody(state, scope, hir, at));
  const rest = fork(state, () => switchFrom(state, scope, of, at + 1));
  const left = merge(state, condition, then, rest, source);
  addIf(state, { condition, then, otherwise: rest, source });
  return left;
}

const MOST_CASES = 200;

/** A case and those that it falls through to. A `break` at its end is the end of it. */
function caseBody(state: State, scope: Scope, hir: Of<"switch">, at: number): boolean {
  for (const { body } of hir.cases.slice(at)) {
    const last = body.at(-1);
    const isEnded = last?.kind === "break" && last.label === undefined;
    const statements = isEnded ? body.slice(0, -1) : body;
    if (evaluateBlock(state, scope, flat(statements))) return true;
    if (isEnded || (last?.kind === "block" && flat(last.body).at(-1)?.kind === "break"))
      return false;
  }
  return false;
}

/** The statements of a block that is all there is, without its closing `break`. */
function flat(statements: readonly HirStatement[]): readonly HirStatement[] {
  const [only] = statements;
  if (statements.length !== 1 || only?.kind !== "block") return statements;
  const last = only.body.at(-1);
  return last?.kind === "break" && last.label === undefined ? only.body.slice(0, -1) : only.body;
}
