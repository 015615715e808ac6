// Questions of code that neither the database nor its own arguments answer: whether a permission is given, whether a flag is
// on. A witness takes an answer for an argument: it is chosen, told with the witness, and the same in all of its runs.
import { NotExecutable } from "./failure";

/** A question about terms that are not understood. */
export interface Question {
  readonly text: string;
  /** The same without the marks that tell two uses of one thing apart. */
  readonly form: string;
  /** Atoms that it is about and nobody evaluates, also as a part of something else. */
  readonly atoms: readonly string[];
}

export interface OutsideAnswers {
  /**
   * The answer to a question. Throws NotExecutable behind `close` where it was not asked before, and where something
   * that it is about was asked about in another way: two answers might contradict each other.
   */
  readonly answer: (question: Question) => boolean;
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
  /** The forms of the questions, by what they are about. */
  const asked = new Map<string, string>();
  let isClosed = false;
  let tried = 1;
  return {
    answer: (question) => {
      const { text, form, atoms } = question;
      const known = given.get(text);
      if (known !== undefined) return known;
      const isOther = atoms.some((atom) => (asked.get(atom) ?? form) !== form);
      if (isClosed || isOther) throw notUnderstood(question);
      const kind = kindOf(text);
      const answer = answers.get(kind) ?? true;
      answers.set(kind, answer);
      given.set(text, answer);
      for (const atom of atoms) asked.set(atom, form);
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
export function noAnswer(question: Question): never {
  throw notUnderstood(question);
}

function notUnderstood({ text }: Question): NotExecutable {
  return new NotExecutable(`the condition ${text} is not understood`);
}
