// The lattice of abstract values. Known values (scalars, records, rows, choices by a condition) are above nothing but
// themselves; above them is "one of several", which keeps what the values were read from. More reads say less.
//
//                      one of several, of reads R
//               /             |             |            \
//   known values      an item, of R    a collection,    unknown, of R
//                                      of R                   |
//                                         |                 atoms
//                                 maps, lists, nothing
//
// "Unknown" is an atom: none of the code's own functions and objects is reached by it. Reads are sets of at most `MOST_READS`
// expressions, and a full set stands for any: rising chains end, and `join` is its own widening. There is no bottom: where
// no path comes there is no state (`fork.ts`).
import type { Expression } from "../../../program/expression";
import { fewReads, MOST_READS } from "../roots/provenance";
import { ABSENT, oneCollection, oneOfSeveral, unknown, type Cell, type Value } from "../values";
import { write, type State } from "./state";
import { readsOf, sameExpression } from "./values/convert";
import { isAtom, isCollection } from "./values/subvalues";
import { changedTo } from "./values/foreignValues";
import { choiceOf, oneClient } from "./values/operators";
import { assuming } from "./values/texts";

type Unknown = Extract<Value, { kind: "unknown" }>;

/** True if all that the left value may be the right one may be, too. */
export function leq(left: Value, right: Value): boolean {
  if (sameValue(left, right)) return true;
  if (right.kind !== "unknown") return false;
  if (left.kind === "unknown" ? !leqAmong(left, right) : !isWithin(left, right)) return false;
  return isFull(right.dependsOn) || within(readsOf(left), right.dependsOn);
}

/** The least value that is above both: what is known where two values meet and no condition tells them apart. */
export function join(left: Value, right: Value, why: string): Value {
  if (leq(left, right)) return right;
  if (leq(right, left)) return left;
  const reads = union(readsOf(left), readsOf(right));
  const isAlike = left.kind === "unknown" && right.kind === "unknown" && leqAmong(left, right);
  if (isAlike && leqAmong(right, left)) return { ...left, why, dependsOn: fewReads(reads) };
  if (isAtom(left) && isAtom(right)) return unknown(why, reads);
  const areCollections = isCollection(left) && isCollection(right);
  return areCollections ? oneCollection(why, reads) : oneOfSeveral(why, reads);
}

/** The greatest value that is below both; undefined where nothing is. */
export function meet(left: Value, right: Value): Value | undefined {
  if (leq(left, right)) return left;
  if (leq(right, left)) return right;
  if (left.kind !== "unknown" || right.kind !== "unknown") return undefined;
  const [below, above] = leqAmong(left, right) ? [left, right] : [right, left];
  if (!leqAmong(below, above)) return undefined;
  const dependsOn = below.dependsOn.filter((each) => within([each], above.dependsOn));
  return { ...below, dependsOn };
}

/** Writes a cell that stands for several, of which one is written: a weak update. */
export function weaken(state: State, cell: Cell, value: Value, why: string): void {
  write(state, cell, join(cell.value ?? ABSENT, value, why));
}

/** One of two values by a condition that is known: below `join` of them and of what the condition reads. */
export function phi(condition: Expression, then: Value, otherwise: Value): Value {
  if (sameValue(then, otherwise)) return then;
  return (
    oneClient(then, otherwise, condition) ??
    choiceOf(condition, assuming(then, condition, true), assuming(otherwise, condition, false))
  );
}

/** True if two values are the same for all that is known. */
export function sameValue(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left.kind !== right.kind) return false;
  switch (left.kind) {
    case "undefined":
      return true;
    case "scalar":
      return (
        right.kind === "scalar" &&
        sameExpression(left.expression, right.expression) &&
        changedTo(left) === changedTo(right)
      );
    case "input":
      if (changedTo(left) !== changedTo(right)) return false;
      return right.kind === "input" && left.path === right.path && left.element === right.element;
    case "row":
      return (
        right.kind === "row" &&
        left.result === right.result &&
        left.overlay === right.overlay &&
        JSON.stringify(left.at) === JSON.stringify(right.at)
      );
    case "rows":
      return right.kind === "rows" && left.result === right.result;
    default:
      return false;
  }
}

function isWithin(left: Value, { among, items }: Unknown): boolean {
  if (among === "collections") return left.kind === "undefined" || (!items && isCollection(left));
  return among === "others" || (among === undefined && isAtom(left));
}

/** An item and something unknown are beside each other, below one of several. */
function leqAmong(left: Unknown, right: Unknown): boolean {
  if (right.among === "others") return true;
  return left.among === right.among && (!right.items || left.items?.text === right.items.text);
}

function isFull(reads: readonly Expression[]): boolean {
  return reads.length >= MOST_READS;
}

function within(reads: readonly Expression[], all: readonly Expression[]): boolean {
  return reads.every((each) => all.some((other) => sameExpression(each, other)));
}

function union(left: readonly Expression[], right: readonly Expression[]): readonly Expression[] {
  return [...left, ...right.filter((each) => !within([each], left))];
}
