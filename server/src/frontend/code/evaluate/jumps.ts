// State behind paths that end a followed function, a round or a switch before its last line: what they wrote holds
// behind it where they were taken.
import type { Expression } from "../../../program/expression";
import type { SourceRange } from "../../../protocol/source";
import { literal } from "../../sql/expressions";
import { compare } from "../../sql/terms";
import { ageOf, type Cell, oneOfSeveral, type Value } from "../values";
import { type Path } from "./fork";
import { addIf, isScalar, merge } from "./merge";
import { sameValue } from "./lattice";
import { handedOn, isHandedOn, type HandedOn } from "./earlyExits";
import { endRounds } from "./rounds";
import { emit, write, type State, type Jump, type Target, type CellValues } from "./state";
import { takeJumps } from "./jumpTargets";
import { expressionOf, readsOf } from "./values/convert";

/** True if the AR may come to this place again, with variables that hold what the last round gave them. */
function isRepeated({ loops }: State, from = 0): boolean {
  return loops.slice(from).some(({ round, isSwitch }) => round === undefined && isSwitch !== true);
}

/**
 * Notes that the path at hand ends there; `given` is what it hands on beside what it wrote. Linear in what was written
 * since the target began.
 */
export function noteJump(
  state: State,
  target: Target,
  number: number,
  source: SourceRange,
  given: readonly Value[] = [],
): void {
  const written = new Set(state.trail.slice(target.mark).map(({ cell }) => cell));
  const older = [...written].filter((cell) => ageOf(cell) <= target.birth);
  const handed = handedOn([...given, ...older.map(({ value }) => value)]);
  const isInLoop = target.flag !== undefined && isRepeated(state, target.loops);
  const values = new Map<Cell, Value | undefined>();
  for (const cell of written) {
    if (!isSeenBehind(cell, target, handed)) continue;
    values.set(cell, isInLoop ? behindLoop(state, cell.value, source) : cell.value);
  }
  state.jumps.push({ target, number, handedOn: handed, values });
}

/** True if someone sees behind a target what a cell holds where a jump was taken. */
function isSeenBehind(cell: Cell, target: Target, handed: HandedOn): boolean {
  return ageOf(cell) <= target.birth || isHandedOn(cell, handed);
}

/** Notes a `break` or `continue`. */
export function jumpTo(state: State, target: Target | undefined, source: SourceRange): void {
  if (!target) return;
  endRounds(state, (loop) => loop.target === target || loop.roundTarget === target, source);
  const number = jumpsTo(state, target) + 1;
  noteJump(state, target, number, source);
  if (target.flag === undefined) return;
  emit(state, { kind: "assign", variable: target.flag, value: literal(number), source });
}

function jumpsTo({ jumps }: State, { key }: Target): number {
  return jumps.filter(({ target }) => target.key === key).length;
}

/** Says that none of the jumps to a target was taken yet, where the last round may have taken one. */
export function beginJumps(state: State, target: Target, source: SourceRange): void {
  if (target.flag === undefined || jumpsTo(state, target) === 0 || !isRepeated(state)) return;
  emit(state, { kind: "assign", variable: target.flag, value: literal(0), source });
}

/** The objects that a round made are kept for the code behind its loop. */
function behindLoop(
  state: State,
  value: Value | undefined,
  source: SourceRange,
): Value | undefined {
  if (value === undefined || KEPT.has(value.kind)) return value;
  if (!isScalar(value)) return oneOfSeveral("what a loop left that was ended", readsOf(value));
  const expression = expressionOf(state, value);
  if (expression.kind === "literal" || expression.kind === "parameter") return value;
  const name = state.ids.fresh("v");
  emit(state, { kind: "assign", variable: name, value: expression, source });
  const type = value.kind === "scalar" ? value.type : undefined;
  return { kind: "scalar", expression: { kind: "variable", name }, ...(type && { type }) };
}

const KEPT: ReadonlySet<Value["kind"]> = new Set(["undefined", "function", "class", "handle"]);

/**
 * Goes on behind a target: cells hold what the jump left in them that was taken. `left` says that no path came to the
 * target's last line; gives whether none comes behind it.
 */
export function endTarget(
  state: State,
  target: Target,
  left: boolean,
  source: SourceRange,
): boolean {
  const jumps = takeJumps(state, target.key);
  const last = jumps.at(-1);
  if (!last || target.flag === undefined) return left;
  const before = writtenSince(state, target, jumps);
  for (const { values } of jumps) {
    for (const cell of values.keys()) if (!before.has(cell)) before.set(cell, cell.value);
  }
  const heldBy = ({ values, handedOn: handed }: Jump): CellValues =>
    new Map(
      [...before].map(([cell, old]) => {
        if (values.has(cell)) return [cell, values.get(cell)];
        // A cell that was not there, or that nobody has from there, is as it is elsewhere.
        return [cell, isSeenBehind(cell, target, handed) ? old : cell.value];
      }),
    );
  if (left) for (const [cell, value] of heldBy(last)) write(state, cell, value);
  const base = new Map([...before.keys()].map((cell) => [cell, cell.value] as const));
  const groups: { readonly numbers: number[]; readonly held: CellValues }[] = [];
  for (const jump of jumps) {
    const held = heldBy(jump);
    if (isSame(held, base)) continue;
    const group = groups.find((each) => isSame(each.held, held));
    if (group) group.numbers.push(jump.number);
    else groups.push({ numbers: [jump.number], held });
  }
  for (const { numbers, held } of groups) {
    const then: Path = { commands: [], written: held, left: false };
    const otherwise: Path = { commands: [], written: new Map(), left: false };
    const condition = isTaken(target.flag, numbers);
    merge(state, condition, then, otherwise, source);
    addIf(state, { condition, then, otherwise, source });
  }
  return false;
}

function isTaken(name: string, numbers: readonly number[]): Expression {
  const tests = numbers.map((each) => compare("=", { kind: "variable", name }, literal(each)));
  const [only] = tests;
  return only && tests.length === 1 ? only : { kind: "or", operands: tests };
}

/** The content of cells where a target began, or came to be, of those that were written since and are seen behind a jump. */
function writtenSince(
  { trail }: State,
  target: Target,
  jumps: readonly Jump[],
): Map<Cell, Value | undefined> {
  const before = new Map<Cell, Value | undefined>();
  for (const { cell, old } of trail.slice(target.mark)) {
    if (before.has(cell)) continue;
    if (jumps.some(({ handedOn: handed }) => isSeenBehind(cell, target, handed)))
      before.set(cell, old);
  }
  return before;
}

function isSame(left: CellValues, right: CellValues): boolean {
  return [...left].every(([cell, value]) => {
    const other = right.get(cell);
    return value === other || (value !== undefined && other !== undefined && sameValue(value, other)); // prettier-ignore
  });
}

/** Cells that a `finally` writes are written behind the jumps, too, that it ends. */
export function finishJumps(
  state: State,
  { from, to }: { readonly from: number; readonly to: number },
  written: CellValues,
): void {
  const finished = state.jumps.slice(from, to).map((jump): Jump => {
    const own = [...written].filter(([cell]) => isSeenBehind(cell, jump.target, jump.handedOn));
    const after = own.map(([cell, value]) => [cell, isPlain(value) ? value : lost(value)] as const);
    return { ...jump, values: new Map([...jump.values, ...after]) };
  });
  state.jumps.splice(from, to - from, ...finished);
}

/** The content of cells that were written from there on. */
export function writtenFrom({ trail }: State, mark: number): CellValues {
  return new Map(trail.slice(mark).map(({ cell }) => [cell, cell.value] as const));
}

function isPlain(value: Value | undefined): boolean {
  return value?.kind === "undefined" || (value?.kind === "scalar" && value.expression.kind === "literal"); // prettier-ignore
}

function lost(value: Value | undefined): Value {
  return oneOfSeveral("what a finally leaves behind", value ? readsOf(value) : []);
}
