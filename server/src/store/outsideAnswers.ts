// Questions of code that neither the database nor its own arguments answer: whether a permission is given, whether a flag is
// on. A witness takes an answer for an argument: it is chosen, told with the witness, and the same in all of its runs.
import { NotExecutable } from "./failure";

export interface OutsideAnswers {
  /**
   * The answer to a question about terms that are not understood. Throws NotExecutable behind `close` where it was not
   * asked before, and where a term was asked about in another way: two answers might contradict each other.
   */
  readonly answer: (question: string, terms: readonly string[]) => boolean;
  /** Ends the choice: later questions get no answer. */
  readonly close: () => void;
  /** Goes on to other answers; false where all were given, or too many. */
  readonly next: () => boolean;
  /** Those given, by their questions. */
  readonly given: () => Readonly<Record<string, boolean>>;
}

/** More combinations of answers than these are not tried. */
const MOST_TRIED = 8;

/** Answers that begin with yes to everything. Questions that differ by their values alone have the same answer. */
export function outsideAnswers(): OutsideAnswers {
  const answers = new Map<string, boolean>();
  const given = new Map<string, boolean>();
  const asked = new Map<string, string>();
  let isClosed = false;
  let tried = 1;
  return {
    answer: (question, terms) => {
      const known = given.get(question);
      if (known !== undefined) return known;
      if (isClosed || terms.some((term) => asked.has(term))) throw notUnderstood(question);
      const kind = kindOf(question);
      const answer = answers.get(kind) ?? true;
      answers.set(kind, answer);
      given.set(question, answer);
      for (const term of terms) asked.set(term, question);
      return answer;
    },
    close: () => {
      isClosed = true;
    },
    next: () => {
      const kinds = [...answers.keys()];
      const last = kinds.findLast((kind) => answers.get(kind));
      if (last === undefined || tried === MOST_TRIED) return false;
      tried += 1;
      isClosed = false;
      for (const kind of kinds.slice(kinds.indexOf(last) + 1)) answers.delete(kind);
      answers.set(last, false);
      given.clear();
      asked.clear();
      return true;
    },
    given: () => Object.fromEntries(given),
  };
}

/** A question without the values that it is about. */
function kindOf(question: string): string {
  return question.replace(/\(.*\)/su, "()");
}

/** Nobody answers. */
export function noAnswer(question: string): never {
  throw notUnderstood(question);
}

function notUnderstood(question: string): NotExecutable {
  return new NotExecutable(`the condition ${question} is not understood`);
}
