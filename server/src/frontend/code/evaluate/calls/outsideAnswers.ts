// Functions that ask something outside of the code and the database (a cache, a service, a file), and handle its failures: what
// they give is an answer from outside, whatever way through them led to it.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { walkCommand } from "../../../sql/walk";
import { takeJumps } from "../jumpTargets";
import { ageOf, type Cell, type Value } from "../../values";
import { sourceOf, write, type State } from "../state";
import { negate, readsOf } from "../values/convert";
import { requireHolds } from "../values/member";
import { isCall, truthFromOutside, valueFromOutside } from "../values/outside";
import { isIdle, mayThrow, readsIn, type Call, type CallStart } from "./refusals";

/**
 * The answer from outside that a call is: it ran no statement, its branches and its result depend on what was asked outside and
 * on nothing that was read, and what it wrote to anything older was unknown before or is unknown now. Takes the place of its
 * `commands`; whether it fails is another answer. Undefined for all other calls. Linear in the commands.
 */
export function outsideAnswer(
  state: State,
  commands: readonly Command[],
  start: CallStart,
  result: Value,
  { site, name, jumps }: Call & { readonly jumps: string },
): Value | undefined {
  // Calculations alone are no matter.
  if (commands.every(({ kind }) => kind === "assign") || !commands.every(isIdle)) return undefined;
  if (state.effects || state.unfollowed.size > start.unfollowed || !isAnswer(result))
    return undefined;
  if (state.taint.slice(start.losses).some(({ effect }) => effect === "opaque")) return undefined;
  if (readsIn(state, commands, readsOf(result)).length > 0 || !asksOutside(commands))
    return undefined;
  const before = writtenBefore(state, start);
  if (!before || !areWritesOpen(state, start, jumps, before)) return undefined;
  for (const [cell, old] of before) write(state, cell, old);
  takeJumps(state, jumps);
  state.taint.length = start.losses;
  state.present = start.present;
  const source = sourceOf(state, site.span);
  if (commands.some(mayThrow)) {
    const failure = `${name}() fails`;
    requireHolds(state, negate(truthFromOutside(state, failure)), failure, source);
  }
  return result.kind === "undefined" ? result : valueFromOutside(state, name);
}

/** True if nothing of a value is lost that code may call or change. */
function isAnswer(value: Value): boolean {
  switch (value.kind) {
    case "scalar":
    case "text":
    case "unknown":
    case "undefined":
    case "input":
      return true;
    case "choice":
      return isAnswer(value.then) && isAnswer(value.otherwise);
    default:
      return false;
  }
}

/** True if a branch depends on an answer from outside that the commands ask for. */
function asksOutside(commands: readonly Command[]): boolean {
  let asks = false;
  const expression = (each: Expression): void => {
    asks ||= each.kind === "parameter" && (isCall(each.name) || FAILS.test(each.name));
  };
  for (const each of commands) walkCommand(each, { expression });
  return asks;
}

/** The name of the answer to whether a call fails. */
const FAILS = /\(\) fails(?: \d+)?$/u;

/**
 * The former content of older cells that were unknown and got a value; undefined where a known value was written over.
 * Linear in what was written since `start`.
 */
function writtenBefore(
  { trail }: State,
  { written, births }: CallStart,
): ReadonlyMap<Cell, Value | undefined> | undefined {
  const before = new Map<Cell, Value | undefined>();
  for (const { cell, old } of trail.slice(written)) {
    if (ageOf(cell) > births || before.has(cell)) continue;
    if (isOpen(cell.value)) continue;
    if (!isOpen(old)) return undefined;
    before.set(cell, old);
  }
  return before;
}

/** True if paths that returned early wrote no older cell but what is unknown without them, too. */
function areWritesOpen(
  state: State,
  { births }: CallStart,
  jumps: string,
  before: ReadonlyMap<Cell, Value | undefined>,
): boolean {
  const early = state.jumps.filter(({ target }) => target.key === jumps);
  return early.every(({ values }) =>
    [...values].every(([cell, value]) => {
      if (ageOf(cell) > births) return true;
      const now = before.has(cell) ? before.get(cell) : cell.value;
      return isOpen(now) || value === now;
    }),
  );
}

function isOpen(value: Value | undefined): boolean {
  return value?.kind === "unknown" && value.dependsOn.length === 0;
}
