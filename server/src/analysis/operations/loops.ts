// Loop unrolling: each round is a copy of the body under the condition that the round is entered.
import { amongIn } from "../../program/membership";
import type { Command } from "../../program/statement";
import type { Leaves, Loop, Unrolling } from "./unrolling";
import { runAnyRounds, standsForAll } from "./anyRounds";
import type { Builder } from "./builder";
import { NO_ROWS, merge, unknownTerm } from "./builder";
import { flattenExpression } from "./expression";
import type { Term } from "./operation";
import { join, rejoin } from "./paths";
import { FALSE, NULL, and, calculate, compare, int, isFalseLiteral, isTrue, not } from "./terms";

/** Loops with constant bounds, or over rows that are all known, are unrolled completely, up to this number of rounds. */
const MOST_COUNTED = 4;

/** Limit of operations: further rounds of a longer transaction are left out. */
const MOST_OPERATIONS = 700;

/** Runs the rounds of a loop under `path`; returns the path after it. */
export function runLoop(builder: Builder, loop: Loop, path: Term, unrolling: Unrolling): Term {
  if (loop.over.kind === "recursion") {
    unrolling.uncovered.set(loop.id, 0);
    unrolling.exceeds.push(path);
    return FALSE;
  }
  const leaves: Leaves = { exits: [], continues: [] };
  unrolling.leaves.set(loop.id, leaves);
  builder.path = path;
  const bounds = boundsOf(builder, loop);
  const counted = bounds?.from.kind === "int" && bounds.to.kind === "int";
  if (unrolling.anyRounds && !counted && standsForAll(loop.body)) {
    const enters = (): Term => entersRound(builder, loop, bounds, 0);
    return runAnyRounds(builder, loop, path, unrolling, bounds, enters);
  }
  const rounds = roundsOf(builder, loop, bounds, unrolling.unroll);
  const left: Term[] = [];
  let on = path;
  let straight = true;
  let round = 0;
  for (; on !== FALSE; round += 1) {
    if (round > 0 && builder.operations.length > MOST_OPERATIONS) break;
    builder.path = on;
    builder.rounds.set(loop.id, round);
    if (bounds) setCounter(builder, loop, bounds, round);
    if (round >= rounds && !isKnownRound(builder, loop, round)) break;
    const enters = entersRound(builder, loop, bounds, round);
    left.push(and(on, not(enters)));
    leaves.continues.length = 0;
    const body = and(on, enters);
    if (isFalseLiteral(enters)) {
      on = FALSE;
      break;
    }
    const after = unrolling.run(loop.body, body);
    on = leaves.continues.length === 0 ? after : continued(body, after, leaves.continues);
    straight &&= on === body;
  }
  const more = on === FALSE ? FALSE : goesOn(builder, loop, bounds, on, round);
  if (more !== FALSE) unrolling.uncovered.set(loop.id, round);
  if (more !== FALSE && more !== undefined) unrolling.exceeds.push(more);
  builder.rounds.delete(loop.id);
  unrolling.leaves.delete(loop.id);
  // Every round was completed or not entered: the path after the loop is the one before it.
  if (straight && leaves.exits.length === 0) return path;
  return join(on, ...left, ...leaves.exits);
}

/** The number of rows of each result that the command's loops and tests iterate over, by name. */
export function wantedRows(command: Command, unroll: number): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  const visit = (each: Command): void => {
    switch (each.kind) {
      case "sequence":
        each.commands.forEach(visit);
        return;
      case "if":
        visit(each.then);
        if (each.otherwise) visit(each.otherwise);
        return;
      case "try":
        visit(each.body);
        visit(each.handler);
        return;
      case "atomic":
        visit(each.body);
        return;
      case "loop":
        if (each.over.kind === "rows") wanted.set(each.over.result, unroll);
        visit(each.body);
        return;
      default:
        return;
    }
  };
  visit(command);
  for (const { result } of amongIn(command)) wanted.set(result, unroll);
  return wanted;
}

function continued(body: Term, after: Term, continues: readonly Term[]): Term {
  const [only, ...others] = continues;
  if (only !== undefined && others.length === 0) return rejoin(body, after, only);
  return join(after, ...continues);
}

/** True for a condition that constants decide: such a loop is unrolled like a counting one. */
function isKnownRound(builder: Builder, { over }: Loop, round: number): boolean {
  if (over.kind !== "while" || over.condition.kind === "literal" || round >= MOST_COUNTED)
    return false;
  return flattenExpression(builder, over.condition, NO_ROWS).kind === "bool";
}

/** The number of rounds. A loop that retries after an error gets one more: the retry is its purpose. */
function roundsOf(
  builder: Builder,
  loop: Loop,
  bounds: Bounds | undefined,
  unroll: number,
): number {
  const { over } = loop;
  if (over.kind === "rows") return Math.max(unroll, knownRows(builder, over.result));
  // The store runs one round of a loop that was not understood.
  if (over.kind === "unknown") return 1;
  if (over.kind === "while" && hasHandler(loop.body)) return Math.max(unroll, 2);
  if (bounds?.from.kind !== "int" || bounds.to.kind !== "int" || bounds.step === 0) return unroll;
  const rounds = Math.floor((bounds.to.value - bounds.from.value) / bounds.step) + 1;
  return rounds <= MOST_COUNTED ? Math.max(unroll, rounds) : unroll;
}

/** The rows of a result of which all are known and few; 0 for others. */
function knownRows({ results }: Builder, name: string): number {
  const { whole, next = [] } = results.get(name) ?? {};
  const count = next.length + 1;
  return whole === true && count <= MOST_COUNTED ? count : 0;
}

function hasHandler(command: Command): boolean {
  switch (command.kind) {
    case "try":
      return true;
    case "atomic":
      return hasHandler(command.body);
    case "sequence":
      return command.commands.some(hasHandler);
    case "if":
      return (
        hasHandler(command.then) || (command.otherwise ? hasHandler(command.otherwise) : false)
      );
    default:
      return false;
  }
}

/** The condition that another round follows the last unrolled one; undefined if unknown. */
function goesOn(
  builder: Builder,
  loop: Loop,
  bounds: Bounds | undefined,
  on: Term,
  round: number,
): Term | undefined {
  const { over } = loop;
  switch (over.kind) {
    case "rows": {
      const result = builder.results.get(over.result);
      const whole = result?.whole === true && (result.next?.length ?? 0) < round;
      return whole ? FALSE : undefined;
    }
    case "count":
    case "while": {
      builder.path = on;
      const enters = and(on, entersRound(builder, loop, bounds, round));
      return isFalseLiteral(enters) ? FALSE : enters;
    }
    case "unknown":
    case "recursion":
      return undefined;
  }
}

/** The bounds of a counting loop, evaluated once. */
interface Bounds {
  readonly from: Term;
  readonly to: Term;
  readonly step: number;
}

function boundsOf(builder: Builder, { over }: Loop): Bounds | undefined {
  if (over.kind !== "count") return undefined;
  const from = flattenExpression(builder, over.from, NO_ROWS);
  return { from, to: flattenExpression(builder, over.to, NO_ROWS), step: over.step };
}

function counterAt({ from, step }: Bounds, round: number): Term {
  return round === 0 ? from : calculate("add", from, int(step * round));
}

function setCounter(builder: Builder, { over }: Loop, bounds: Bounds, round: number): void {
  if (over.kind !== "count") return;
  const older = builder.variables.get(over.variable) ?? NULL;
  builder.variables.set(over.variable, merge(builder, counterAt(bounds, round), older));
}

/** The condition that the loop has this round, counted from 0. */
function entersRound(
  builder: Builder,
  loop: Loop,
  bounds: Bounds | undefined,
  round: number,
): Term {
  const { over } = loop;
  switch (over.kind) {
    case "rows": {
      const result = builder.results.get(over.result);
      const row = round === 0 ? result : result?.next?.[round - 1];
      return row?.found ?? FALSE;
    }
    case "count": {
      if (!bounds || bounds.step === 0) return FALSE;
      const counter = counterAt(bounds, round);
      const { to } = bounds;
      return isTrue(bounds.step < 0 ? compare("<=", to, counter) : compare("<=", counter, to));
    }
    case "while":
      return isTrue(flattenExpression(builder, over.condition, NO_ROWS));
    case "recursion":
      return FALSE;
    case "unknown": {
      const id = `loop:${loop.id}:${String(round)}`;
      const why = "how often a loop runs is not known";
      return isTrue(unknownTerm(builder, id, "bool", why));
    }
  }
}
