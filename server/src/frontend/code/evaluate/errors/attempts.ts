// State that the handler of a `try` finds: an error may come before or after each thing that the body assigns.
import type { Command } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import type { Cell, Value } from "../../values";
import { within } from "../fork";
import { emit, type State, type Attempt, type Held } from "../state";

/** A body that begins here. */
export function beginAttempt(state: State, isKept: boolean): Attempt {
  return {
    frame: state.frame,
    mark: state.trail.length,
    birth: state.workspace.counts.births,
    variable: state.ids.fresh("reached"),
    versions: [new Map()],
    before: new Map(),
    isFirst: false,
    isKept,
  };
}

/** Notes that something here may throw. Linear in what was written since the body began. */
export function notePoint(state: State, source: SourceRange): void {
  for (const attempt of state.attempts) {
    const { versions, variable } = attempt;
    const held = heldIn(state, attempt);
    let at = versions.findLastIndex((each) => isSame(each, held));
    if (at === -1) at = versions.push(held) - 1;
    if (at === 0) attempt.isFirst = true;
    if (versions.length === 1 || isNoted(state.commands, variable, at)) continue;
    emit(state, { kind: "assign", variable, value: literal(at), source });
  }
}

function heldIn({ trail }: State, { mark, birth, before }: Attempt): Held {
  const held = new Map<Cell, Value | undefined>();
  for (let at = mark; at < trail.length; at += 1) {
    const entry = trail[at];
    if (!entry || entry.cell.birth > birth) continue;
    const { cell, old } = entry;
    if (!before.has(cell)) before.set(cell, old);
    if (cell.value !== before.get(cell)) held.set(cell, cell.value);
  }
  return held;
}

/** Evaluates the body. */
export function attempting<Result>(state: State, attempt: Attempt, run: () => Result): Result {
  return within(state, { attempts: [...state.attempts, attempt] }, run);
}

function isSame(left: Held, right: Held): boolean {
  return (
    left.size === right.size &&
    [...left].every(([cell, value]) => right.has(cell) && right.get(cell) === value)
  );
}

/** True if the last commands say already which version it is. */
function isNoted(commands: readonly Command[], variable: string, version: number): boolean {
  for (const command of commands.toReversed()) {
    if (command.kind === "assign") {
      if (command.variable !== variable) continue;
      return command.value.kind === "literal" && command.value.value === version;
    }
    const isEnd = command.kind === "if" && command.then.kind === "rollback" && !command.otherwise;
    if (command.kind !== "statement" && !isEnd) return false;
  }
  return false;
}

/** True if the handler finds anything else than what was there before the body. */
export function isChanged({ versions }: Attempt): boolean {
  return versions.length > 1;
}
