// Errors of unknown functions, which matter where a handler does something about them, and what a handler begins with.
import { attribute } from "../../../../query/nodes";
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import { walkCommand } from "../../../sql/walk";
import { UNDEFINED, type Value } from "../../values";
import { phi } from "../lattice";
import { USER_ERROR } from "../values/member";
import { truthFromOutside } from "../values/outside";
import { emit, write, type State, type Attempt } from "../state";
import { isChanged, notePoint } from "./attempts";

/** An unknown function may throw, which matters where a handler does something about it. */
export function mayFail(state: State, name: string, source: SourceRange): void {
  if (!state.attempts.some(({ isKept }) => isKept)) return;
  const isAgain = state.commands
    .slice(state.commands.findLastIndex(({ kind }) => kind !== "assign"))
    .some((each) => FAILURES.has(each));
  notePoint(state, source);
  // Behind nothing but calculations it is the same as what may fail before.
  const last = state.commands.at(-1);
  const isMoved = last?.kind === "assign" && state.attempts.some(({ variable }) => variable === last.variable); // prettier-ignore
  if (isAgain && !isMoved) return;
  const condition = truthFromOutside(state, `${name}() fails`);
  const then: Command = { kind: "rollback", why: `${name}() fails`, code: USER_ERROR, source };
  const failure: Command = { kind: "if", condition, then, source };
  FAILURES.set(failure, true);
  emit(state, failure);
}

const FAILURES = attribute<Command, true>();

/** Writes what the handler finds behind an error in the commands of the body. */
export function enterHandler(state: State, attempt: Attempt, body: readonly Command[]): void {
  const { versions, variable } = attempt;
  if (!isChanged(attempt)) return;
  const used = new Set(attempt.isFirst ? [0] : []);
  for (const command of body) {
    walkCommand(command, {
      command: (each) => {
        if (each.kind !== "assign" || each.variable !== variable) return;
        if (each.value.kind === "literal" && typeof each.value.value === "number")
          used.add(each.value.value);
      },
    });
  }
  const which: Expression = { kind: "variable", name: variable };
  for (const [cell, before] of attempt.before) {
    const held = (at: number): Value | undefined =>
      versions[at]?.has(cell) === true ? versions[at].get(cell) : before;
    const [first = 0, ...others] = used;
    const value = others.reduce(
      (rest: Value | undefined, at) =>
        phi(compare("=", which, literal(at)), held(at) ?? UNDEFINED, rest ?? UNDEFINED),
      held(first),
    );
    write(state, cell, value);
  }
}
