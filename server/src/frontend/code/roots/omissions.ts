// Functions that were skipped or cut short: how they arise, and how they are reported.
import type { Note } from "../../../program/program";
import type { Command } from "../../../program/statement";
import { rangeOf, type LineIndex } from "../../sql/text/lines";
import { isStackOverflow, reasonOf } from "../../../protocol/fault";
import type { FileId } from "../../../protocol/source";
import type { Span } from "../../sql/text/split";
import { evaluateRoot, type Evaluation, type Root } from "../evaluate/evaluator";
import { undoAll, type State } from "../evaluate/state";
import { ReadingCancelled } from "../queries/slices";
import type { PassedFunction } from "../queries/rootReading";

interface Around {
  readonly lines: (file: FileId) => LineIndex;
}

/** Evaluates a root. On failure the result has no effects and no remaining steps, and `failure` has the reason. */
export function evaluateToTheEnd(
  root: Root,
  state: State,
): Evaluation & { readonly failure?: string; readonly isBroken: boolean } {
  try {
    return { ...evaluateRoot(root, state), isBroken: false };
  } catch (error) {
    const failure = failureOf(error);
    undoAll(state);
    state.budget = -1;
    const { taint, inlined, files, reached, unfollowed, notes, lengthFields } = state;
    const body: Command = { kind: "sequence", commands: [] };
    const told = { taint, inlined, files, reached, unfollowed, notes, lengthFields, ...failure };
    return { root, body, statements: 0, isGiven: false, throws: false, keptErrors: [], handlers: [], isBroken: true, ...told }; // prettier-ignore
  }
}

/** The text of an error that ended a function; none if the code was nested too deeply. Rethrows the error if reading is to be stopped. */
export function failureOf(error: unknown): { readonly failure?: string } {
  if (error instanceof ReadingCancelled || !(error instanceof Error)) throw error;
  return isStackOverflow(error) ? {} : { failure: reasonOf(error) };
}

/** A skipped function of which only the position is reported. */
export function passedRoot(
  { key, name, callee }: Root,
  around: Around,
  failure?: { readonly failure?: string },
): PassedFunction {
  return passedAt({ key, name }, callee.scope.module.file, callee.function.header, around, failure);
}

/** The calls at a position that were skipped. */
export function passedAt(
  named: Pick<PassedFunction, "key" | "name">,
  file: FileId,
  { start, end }: Span,
  { lines }: Around,
  failure?: { readonly failure?: string },
): PassedFunction {
  return { ...named, source: rangeOf(lines(file), start, end), ...failure };
}

/** The message about the skipped functions of a file. */
export function passedOver(passed: readonly PassedFunction[]): readonly Note[] {
  const failed = passed.filter(({ failure }) => failure !== undefined);
  const long = passed.filter(({ failure }) => failure === undefined);
  return [
    ...noteOn(
      long,
      "not looked at to the end",
      () => "that would take too long. Shorter functions and files are read to their ends.",
    ),
    ...noteOn(
      failed,
      "not read",
      ({ failure = "" }) =>
        `an error of Isolens itself ended that (${failure}). What they do with the database is not known.`,
    ),
  ];
}

function noteOn(
  passed: readonly PassedFunction[],
  what: string,
  why: (first: PassedFunction) => string,
): readonly Note[] {
  const [first] = passed;
  if (first === undefined) return [];
  const count = passed.length === 1 ? "1 function was" : `${String(passed.length)} functions were`;
  const message = `${count} ${what}, ${first.name} first: ${why(first)}`;
  return [{ severity: "warning", code: "code-unread", message, source: first.source }];
}
