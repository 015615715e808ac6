// Loops over lists: rows of results, arguments that are arrays, lists that the code made.
import type { Expression } from "../../../../program/expression";
import type { Command, LoopRange } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { endRound } from "../rounds";
import { literal } from "../../../sql/expressions";
import { walkCommand } from "../../../sql/walk";
import { withoutExits } from "../../../sql/routine/withoutReturns";
import type { Span } from "../../../sql/text/split";
import {
  type Cell,
  constant,
  type ListValue,
  scalar,
  UNDEFINED,
  unknownItem,
  type Value,
} from "../../values";
import { isLiteral, readsOf } from "../values/convert";
import { emitStatement } from "../sql/emitStatement";
import { attempt, follow, within } from "../fork";
import { summariseLoop } from "../merge";
import { beginJumps, endTarget } from "../jumps";
import { isHandedOn } from "../earlyExits";
import { beginTarget } from "../jumpTargets";
import { overlayBeside } from "../values/rowAssignments";
import { elementOf } from "../values/member";
import { listFromCall } from "../values/outside";
import { changedTo } from "../values/foreignValues";
import { isRunning } from "../errors/pendingPromises";
import { isPending, settle } from "../calls/awaits";
import {
  bornNow,
  collectCommands,
  emit,
  lose,
  newCell,
  sourceOf,
  write,
  type OpenLoop,
  type State,
  type Target,
} from "../state";
import { isLong, oneOf } from "./longLists";
import { isSingle } from "./permutation";
import { isInLoop, pushedPerhaps } from "./conditionalAppend";
import { callWithItem, fillingOf, NO_INDEX } from "./items";
import { endFilling, filledBy } from "./accumulation";
import { distinctItems, listOf } from "./collections";
import { madeItem } from "./lazyItems";

/** The commands for an item; `index` counts from zero. True where every path left the round before its end. */
export type Round = (item: Value, index: Value) => unknown;

/**
 * Runs something for each item of a list. Known items are taken one after the other; rows and arrays are a loop of the
 * AR. `label` names the loop for `break` and `continue`.
 */
export function eachItem(state: State, of: Value, span: Span, run: Round, label?: string): void {
  const list = changedTo(of) ?? of;
  switch (list.kind) {
    case "list": {
      if (list.isOnce) return eachOnce(state, list, span, run, label);
      const filling = fillingOf(list);
      if (list.grown.value?.kind === "joined")
        return eachItem(state, list.grown.value, span, run, label);
      if (filling) return eachItem(state, filling, span, run, label);
      if (list.grown.value !== undefined) {
        return loopOver(
          state,
          { kind: "unknown" },
          span,
          () => list.grown.value ?? UNDEFINED,
          run,
          label,
        );
      }
      const items = list.items.flatMap((cell) => (cell.value ? [cell.value] : []));
      if (isLong(items)) {
        const item = oneOf(items);
        return loopOver(state, { kind: "unknown" }, span, () => item, run, label);
      }
      return oneByOne(state, items, span, run, label);
    }
    case "rows": {
      const over: LoopRange = { kind: "rows", result: list.result };
      const { result, columns, data, assigned } = list;
      const item = (loop: string): Value => ({
        kind: "row",
        result,
        columns,
        data,
        at: { loop },
        overlay: overlayBeside(list),
        born: bornNow(state),
        ...(assigned && { assigned }),
      });
      return loopOver(state, over, span, item, run, label);
    }
    case "input": {
      if (list.isOnce) lose(state, OF_SET, sourceOf(state, span));
      const counter = state.ids.fresh("i");
      const length: Value = { ...list, path: `${list.path}.length` };
      const over: LoopRange = {
        kind: "count",
        variable: counter,
        from: literal(1),
        to: { kind: "parameter", name: length.path },
        step: 1,
        ...(saysSorted(list) && { isSorted: true }),
      };
      const at: Expression = { kind: "variable", name: counter };
      const index = scalar(
        { kind: "arithmetic", operator: "-", left: at, right: literal(1) },
        "int",
      );
      const round = (item: Value): unknown => run(item, index);
      const { emitted } = state;
      loopOver(state, over, span, () => elementOf(list, at, bornNow(state)), round, label);
      // The facts of an array in the AR hold in each round of the loop around.
      if (list.element && state.emitted > emitted) lose(state, OF_ITEMS, sourceOf(state, span));
      return;
    }
    case "derived": {
      const site = { span, isNew: false, typeArguments: [], name: "item" };
      if (list.isOnce) lose(state, OF_SET, sourceOf(state, span));
      if (list.isSorted) return eachSorted(state, list.from, span, run, label);
      return eachItem(
        state,
        list.from,
        span,
        (item, index) => {
          if (list.how === "order") {
            run(item, NO_INDEX);
            return;
          }
          if (list.how === "flat") {
            const inner = settle(state, item);
            if (isSingle(inner)) run(inner, NO_INDEX);
            else eachItem(state, inner, span, (each) => run(each, NO_INDEX));
            return;
          }
          if (list.how === "map") {
            run(madeItem(state, list, item, index, site), index);
            return;
          }
          const made = callWithItem(state, list.by, item, index, site);
          state.evaluator.when(state, made, span, () => {
            run(item, NO_INDEX);
          });
        },
        label,
      );
    }
    case "joined":
      for (const part of list.parts) eachItem(state, part, span, run, label);
      return;
    case "choice": {
      const each = (part: Value) => (): Value => {
        eachItem(state, part, span, run, label);
        return UNDEFINED;
      };
      const { condition, then, otherwise } = list;
      state.evaluator.branches(state, condition, each(then), each(otherwise), span);
      return;
    }
    case "undefined":
      return;
    default: {
      const inputs = listFromCall(state, list);
      if (inputs) return eachItem(state, inputs, span, run, label);
      const item = unknownItem("an item of a list that is not known", readsOf(list));
      const { emitted } = state;
      loopOver(state, { kind: "unknown" }, span, () => item, run, label);
      // How often it runs matters where statements do; what it calculates is not known in any case.
      const hasStatements = state.emitted > emitted;
      if (hasStatements) lose(state, "a loop over something that is not known", sourceOf(state, span)); // prettier-ignore
    }
  }
}

const OF_ITEMS = "the lists that the items of a list have are taken for one list";
const OF_SET = "a loop over a set is taken to have a round for each item that the set was made of";

/** A set has a round for each item that is not like another. */
function eachOnce(
  state: State,
  { isOnce: _set, ...list }: ListValue,
  span: Span,
  run: Round,
  label?: string,
): void {
  const items = distinctItems(list);
  const { emitted } = state;
  eachItem(state, items ? listOf(state, items) : list, span, run, label);
  if (!items && state.emitted > emitted) lose(state, OF_SET, sourceOf(state, span));
}

/** True if the name of a list, of its type, or of the call that gives it says that it is sorted. */
function saysSorted({ path, type = "" }: Extract<Value, { kind: "input" }>): boolean {
  return /sort|in_?order|order_?by|Tree(?:Set|Map)|Navigable|SkipList/iu.test(`${path} ${type}`);
}

/** Runs a round over any item of a sorted list; its index is not known. */
function eachSorted(state: State, list: Value, span: Span, run: Round, label?: string): void {
  const round: Round = (item) => {
    run(item, NO_INDEX);
  };
  const commands = collectCommands(state, () => {
    eachItem(state, list, span, round, label);
  });
  for (const command of commands)
    emit(
      state,
      command.kind === "loop" && command.over.kind === "count"
        ? { ...command, over: { ...command.over, isSorted: true } }
        : command,
    );
}

/** Items that are known are taken one after the other, without a loop of the AR. */
function oneByOne(
  state: State,
  items: readonly Value[],
  span: Span,
  run: Round,
  label?: string,
): void {
  const source = sourceOf(state, span);
  const id = state.ids.fresh("items");
  const named = label !== undefined && { label };
  const target = beginTarget(state, id, state.ids.fresh("jump"));
  const commands = collectCommands(state, () => {
    for (const [at, item] of items.entries()) {
      const round = state.ids.fresh("item");
      const roundTarget = beginTarget(state, round, state.ids.fresh("jump"));
      const frame = { frame: state.frame, carried: new Map(), ...named };
      const loop: OpenLoop = { id, round, target, roundTarget, ...frame };
      let left = false;
      const own = collectCommands(state, () => {
        inLoop(state, loop, () => {
          left = run(item, constant(at)) === true;
        });
      });
      addWithoutExits(state, own, { id: round, target: roundTarget, left, source });
    }
  });
  addWithoutExits(state, commands, { id, target, left: false, source });
}

interface Exited {
  readonly id: string;
  readonly target: Target;
  /** No path came to its last line. */
  readonly left: boolean;
  readonly source: SourceRange;
}

/** Adds commands that jumps to `id` end; gives whether no path comes behind them. */
export function addWithoutExits(
  state: State,
  commands: readonly Command[],
  { id, target, left, source }: Exited,
): boolean {
  const options = { done: state.ids.fresh("done"), source };
  const body = withoutExits({ kind: "sequence", commands }, id, options);
  beginJumps(state, target, source);
  for (const command of body.kind === "sequence" ? body.commands : [body]) emit(state, command);
  return endTarget(state, target, left, source);
}

/** Adds a loop of the AR. */
export function loopOver(
  state: State,
  over: LoopRange,
  span: Span,
  item: (loop: string) => Value,
  run: Round,
  label?: string,
): void {
  const source = sourceOf(state, span);
  const id = state.ids.fresh("loop");
  const filled: Cell[] = [];
  const { commands } = summariseLoop(state, source, id, (carried) => {
    const first = item(id);
    let left = false;
    inLoop(
      state,
      {
        id,
        ...(first.kind === "row" && { rows: first, row: first, filled }),
        frame: state.frame,
        carried,
        ...(label !== undefined && { label }),
        ...(over.kind === "count" && { index: { kind: "variable", name: over.variable } as const }),
      },
      () => {
        left = run(first, NO_INDEX) === true;
        if (!left) endRound(state, source);
      },
    );
    return left;
  });
  endFilling(state, filled, commands);
  addLoop(state, { kind: "loop", id, over, body: { kind: "sequence", commands }, source });
}

/** Adds a loop, unless it does nothing. One that surely runs its only round is what it does in it. */
export function addLoop(
  state: State,
  loop: Extract<Command, { kind: "loop" }>,
  isOnce = false,
): void {
  if (isOnce && runs(loop.over)) {
    const { over, source } = loop;
    if (over.kind === "count" && isAskedIn(loop.body, over.variable))
      emit(state, { kind: "assign", variable: over.variable, value: over.from, source });
    emit(state, loop.body);
    return;
  }
  const isEmpty = loop.body.kind === "sequence" && loop.body.commands.length === 0;
  if (!isEmpty) emit(state, loop);
}

/** True if a command asks a variable for its value. */
function isAskedIn(command: Command, variable: string): boolean {
  let isAsked = false;
  walkCommand(command, {
    expression: (each) => {
      isAsked ||= each.kind === "variable" && each.name === variable;
    },
  });
  return isAsked;
}

/** True if a loop surely has a first round. */
function runs(over: LoopRange): boolean {
  if (over.kind === "while") return isLiteral(over.condition, true);
  if (over.kind !== "count" || over.from.kind !== "literal" || over.to.kind !== "literal")
    return false;
  const [from, to] = [Number(over.from.value), Number(over.to.value)];
  return over.step > 0 ? from <= to : from >= to;
}

/** Runs something inside an open loop. */
export function inLoop(state: State, loop: OpenLoop, run: () => void): void {
  const target = loop.target ?? beginTarget(state, loop.id);
  const inner = { ...loop, target, start: state.workspace.counts.births };
  within(state, { loops: [...state.loops, inner] }, run);
}

/**
 * Runs a loop for what it does: one without statements that writes nothing of what was there before is not added, unless
 * a round may end the function. Gives whether it was such a one.
 */
export function rowsAsLoop(state: State, list: Value, span: Span, run: Round): boolean {
  return withoutQuiet(state, list, span, run, false);
}

/** True if a loop runs no statement and writes nothing older, by trying it; the state stays as it was. */
export function isQuietLoop(state: State, list: Value, span: Span, run: Round): boolean {
  return withoutQuiet(state, list, span, run, true);
}

/** Runs a loop and undoes it where it does nothing that is seen behind it, or always. Gives whether it does nothing. */
function withoutQuiet(
  state: State,
  list: Value,
  span: Span,
  run: Round,
  isUndone: boolean,
): boolean {
  const { emitted } = state;
  const { births } = state.workspace.counts;
  const trial = attempt(state, () => {
    if (isUndone) state.isTrial = true;
    eachItem(state, list, span, run);
  });
  const isChanged = [...trial.written].some(
    ([cell, value]) => cell.birth <= births && cell.value !== value,
  );
  const isQuiet = state.emitted === emitted && !isChanged;
  if (isUndone || (isQuiet && !mayEnd(trial.commands))) trial.drop();
  else follow(state, trial);
  return isQuiet;
}

/** True if an error may leave the commands. */
export function mayEnd(commands: readonly Command[]): boolean {
  let may = false;
  walkCommand(
    { kind: "sequence", commands },
    {
      command: ({ kind }) => {
        may ||= kind === "rollback";
      },
    },
  );
  return may;
}

/** Adds an item to the end of a list. In a branch or loop it is one of none or many. */
export function push(state: State, list: Value, item: Value): void {
  if (list.kind !== "list") {
    return;
  }
  // Inside a branch or loop that is younger than the list, the item is one of none or many. So it is in a function that
  // runs more than once, where the list is the module's.
  const isShared = list.grown.birth < 0 && state.workspace.counts.births >= 0;
  const { birth } = list.grown;
  const isCertain =
    !isShared &&
    state.branches.every((start) => start < birth) &&
    state.jumps.every(
      ({ target, handedOn: handed }) => target.birth < birth && !isHandedOn(list.grown, handed),
    );
  if (isCertain && list.grown.value?.kind === "joined") {
    append(state, list, listOf(state, [item]));
    return;
  }
  if (isPending(item) && !isCertain && !isShared) {
    if (isRunning(item)) push(state, list, settle(state, item));
    else pushedPending(state, list, item);
    return;
  }
  if (isCertain) {
    const cell = newCell(state, undefined);
    list.items.push(cell);
    write(state, cell, item);
    return;
  }
  if (!isShared && pushedPerhaps(state, list, item)) return;
  const filling = filledBy(state, list, item);
  if (filling) write(state, list.grown, filling);
  else weakUpdate(state, list, item);
}

/** Adds the items of another list, which may be known in part only, to the end of one. */
export function append(state: State, list: ListValue, items: Value): void {
  const { value: grown } = list.grown;
  const known = list.items.flatMap((cell) => (cell.value ? [cell.value] : []));
  const before =
    grown?.kind === "joined"
      ? grown.parts
      : [listOf(state, known), ...(grown === undefined ? [] : [grown])];
  const isGrowth = grown?.kind === "joined" && grown.isGrowth === true;
  if (!isGrowth) for (const cell of list.items) write(state, cell, undefined);
  write(state, list.grown, { kind: "joined", parts: [...before, items], isGrowth });
}

/** An operation that waits to be awaited: behind a branch there is one or none. */
function pushedPending(state: State, list: ListValue, item: Value): void {
  const { birth, value: grown } = list.grown;
  if (isInLoop(state, birth) || grown !== undefined) {
    const taint = ["operations that a loop puts into a list are not followed"];
    emitStatement(
      state,
      undefined,
      { kind: "opaque", tables: [], writes: true, taint },
      state.here,
    );
    return;
  }
  // As old as its list: on other paths it is not there.
  const cell: Cell = { value: undefined, birth };
  list.items.push(cell);
  write(state, cell, item);
}

/** Changes a list in a way that is not followed: any of its items may be what it is given. */
export function weakUpdate(state: State, list: Value, item: Value): void {
  if (list.kind !== "list") return;
  const before = list.grown.value ? readsOf(list.grown.value) : [];
  const reads = [...new Set([...readsOf(item), ...before])];
  write(state, list.grown, unknownItem("an item of a list that a loop filled", reads));
}
