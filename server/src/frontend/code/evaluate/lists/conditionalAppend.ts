// Items that a branch adds to a list which the same function made: `if (all) filters.push({ ... })`. Behind the branch
// the list has them where it was taken.
import { attribute } from "../../../../query/nodes";
import type { Expression } from "../../../../program/expression";
import type { Cell, ListValue, Value } from "../../values";
import { choiceOf } from "../values/operators";
import { write, type Frame, type State } from "../state";
import { grownCell, listOf } from "./collections";

type Joined = Extract<Value, { kind: "joined" }>;

/** The calls in which lists were made: what runs in others may run more than once. */
const madeIn = attribute<Cell, Frame>();

/** Notes where a list was made that the code spells out. */
export function madeHere(state: State, list: ListValue): ListValue {
  madeIn.set(list.grown, state.frame);
  return list;
}

/** Adds an item on the path at hand alone; gives whether it could. */
export function pushedPerhaps(state: State, list: ListValue, item: Value): boolean {
  const { grown } = list;
  if (madeIn.get(grown) !== state.frame || isInLoop(state, grown.birth)) return false;
  const before = grown.value === undefined ? [known(list)] : growthOf(grown.value)?.parts;
  if (!before) return false;
  const parts = [...before, listOf(state, [item])];
  write(state, grown, { kind: "joined", parts, isGrowth: true });
  return true;
}

/** A list of what several lists hold, of which some are one of two by a condition. */
export function grownList(state: State, lists: readonly Value[]): ListValue {
  const parts = [listOf(state, []), ...lists];
  return {
    kind: "list",
    items: [],
    grown: grownCell(state, { kind: "joined", parts, isGrowth: true }),
  };
}

/** True if a loop is open that began when something was there already. */
export function isInLoop(state: State, birth: number): boolean {
  return state.loops.some(
    ({ round, isSwitch, start = 0 }) => round === undefined && isSwitch !== true && start >= birth,
  );
}

function known({ items, grown }: ListValue): ListValue {
  const own = items.filter(({ value }) => value !== undefined).map((cell) => ({ ...cell }));
  return { kind: "list", items: own, grown: { ...grown } };
}

function growthOf(value: Value | undefined): Joined | undefined {
  return value?.kind === "joined" && value.isGrowth === true ? value : undefined;
}

/** The growth of a list behind two paths; undefined where neither is such a growth. */
export function grownOnPaths(
  state: State,
  condition: () => Expression,
  then: Value | undefined,
  otherwise: Value | undefined,
): Value | undefined {
  const [yes, no] = [growthOf(then), growthOf(otherwise)];
  const [first] = (yes ?? no)?.parts ?? [];
  const isOther = (yes === undefined && then !== undefined) || (no === undefined && otherwise !== undefined); // prettier-ignore
  if (!first || isOther) return undefined;
  const [a, b] = [yes?.parts ?? [first], no?.parts ?? [first]];
  let same = 0;
  for (const part of a) {
    const other = b[same];
    if (!other || !isSame(part, other)) break;
    same += 1;
  }
  const more = choiceOf(condition(), rest(state, a.slice(same)), rest(state, b.slice(same)));
  return { kind: "joined", parts: [...a.slice(0, same), more], isGrowth: true };
}

function rest(state: State, parts: readonly Value[]): Value {
  const [only] = parts;
  if (!only) return listOf(state, []);
  return parts.length === 1 ? only : { kind: "joined", parts };
}

function isSame(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left.kind !== "list" || right.kind !== "list") return false;
  const isEach = left.items.every(({ value }, at) => value === right.items[at]?.value);
  return left.items.length === right.items.length && isEach;
}

/** A list that branches added to, as one of several lists of known items; other values, and one of too many, as they are. */
export function spelledOut(state: State, value: Value): Value {
  const growth = value.kind === "list" ? growthOf(value.grown.value) : undefined;
  if (!growth) return value;
  return appended({ state, left: MOST_LISTS }, [], growth.parts) ?? value;
}

/** Each branch may double them. */
const MOST_LISTS = 16;

interface Spelling {
  readonly state: State;
  /** How many lists may still be told apart. */
  left: number;
}

function appended(
  spelling: Spelling,
  items: readonly Value[],
  parts: readonly Value[],
): Value | undefined {
  const [part, ...others] = parts;
  if (!part) {
    spelling.left -= 1;
    return spelling.left < 0 ? undefined : listOf(spelling.state, items);
  }
  switch (part.kind) {
    case "list": {
      if (part.grown.value !== undefined) return undefined;
      const own = part.items.flatMap(({ value }) => value ?? []);
      return appended(spelling, [...items, ...own], others);
    }
    case "joined":
      return appended(spelling, items, [...part.parts, ...others]);
    case "choice": {
      const then = appended(spelling, items, [part.then, ...others]);
      const otherwise = then && appended(spelling, items, [part.otherwise, ...others]);
      return otherwise && choiceOf(part.condition, then, otherwise);
    }
    default:
      return undefined;
  }
}
