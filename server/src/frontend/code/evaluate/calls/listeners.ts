// Functions that something unknown runs later and any number of times, as listeners of events: what they change around them
// is not what it was, from where they are given on.
import { changesOthers } from "../../effects/sideEffects";
import { namedIn } from "../../modules/references";
import { originOf } from "../../queries/origins";
import { ageOf, unknown, type Cell, type Scope, type Value } from "../../values";
import { fork, speculate } from "../fork";
import { inLoop } from "../lists/iteration";
import { readsOf } from "../values/convert";
import { isEmpty } from "../values/moduleState";
import { write, type State } from "../state";

type FunctionValue = Extract<Value, { kind: "function" }>;

/** A round may leave values that make another one change more. */
const MOST_ROUNDS = 3;

/** Forgets what a function changes that `run` runs, when something unknown of that name runs it. Its statements run by themselves. */
export function changedByListener(
  state: State,
  callee: FunctionValue,
  name: string,
  run: () => void,
): void {
  if (!mayChangeAround(callee)) return;
  const rounds = state.probes > 0 ? 1 : MOST_ROUNDS;
  for (let round = 0; round < rounds; round += 1) if (!forgotten(state, name, run)) return;
}

/** Gives whether there was something to forget. */
function forgotten(state: State, name: string, run: () => void): boolean {
  const before = state.workspace.counts.births;
  const { written } = speculate(state, () =>
    fork(state, () => {
      const id = state.ids.fresh("loop");
      inLoop(state, { id, frame: state.frame, carried: new Map() }, run);
      return false;
    }),
  );
  let isOther = false;
  for (const [cell, value] of written) {
    if (ageOf(cell) > before || cell.value?.kind === "unknown") continue;
    write(state, cell, leftIn(cell, value, name));
    isOther = true;
  }
  return isOther;
}

/** The value there from then on: a client that was made once, else nothing that is known. */
function leftIn(cell: Cell, value: Value | undefined, name: string): Value {
  if (isEmpty(cell.value) && cell.isGrown !== true && value?.kind === "handle") return value;
  const why = `what ${name}() runs leaves something there, when and how often is not known`;
  return unknown(why, cell.value ? readsOf(cell.value) : []);
}

/** True if a function may change something that a function around it holds, itself or by those that it names there. */
function mayChangeAround(
  { function: hir, scope }: FunctionValue,
  seen = new Set<object>(),
): boolean {
  const origin = originOf(hir);
  if (seen.has(origin) || !scope.parent) return false;
  seen.add(origin);
  const { values, assigned } = namedIn(origin);
  const changes = changesOthers(origin);
  for (let at: Scope | undefined = scope; at?.parent; at = at.parent) {
    if (at.self && changes) return true;
    for (const [name, { value }] of at.bindings) {
      if (assigned.has(name)) return true;
      if (!value || !values.has(name)) continue;
      if (changes && HOLDS.has(value.kind)) return true;
      if (value.kind === "function" && mayChangeAround(value, seen)) return true;
    }
  }
  return false;
}

/** Kinds of values that code can change in place. */
const HOLDS: ReadonlySet<Value["kind"]> = new Set(["list", "object", "row", "choice", "derived", "joined"]); // prettier-ignore
