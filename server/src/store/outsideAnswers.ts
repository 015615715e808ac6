// Questions of code that neither the database nor its arguments answer: whether a permission is granted, whether a flag is on. A witness
// assumes an answer like an argument: chosen, reported with the witness, and the same in all of its runs.
import { NotExecutable } from "./failure";

/** A question about opaque terms. */
export interface Question {
  readonly text: string;
  /** The question without the marks that distinguish two uses of one term. */
  readonly form: string;
  /** The opaque atoms that it mentions, at any depth. */
  readonly atoms: readonly string[];
}

export interface OutsideAnswers {
  /**
   * The answer to a question. Throws NotExecutable after `close` for a new question, and if an atom occurred in a different question: two
   * answers might contradict each other.
   */
  readonly answer: (question: Question) => boolean;
  /** Ends the choice: later new questions get no answer. */
  readonly close: () => void;
  /** Advances to the next combination of answers; false if all, or too many, were tried. */
  readonly next: () => boolean;
  /** The answers by question. */
  readonly given: () => Readonly<Record<string, boolean>>;
}

/** Limit of tried combinations of answers. */
const MOST_TRIED = 8;

/** Creates answers that start with yes to everything. Questions that differ only in values share an answer. */
export function outsideAnswers(): OutsideAnswers {
  const answers = new Map<string, boolean>();
  const given = new Map<string, boolean>();
  /** The forms of the questions, by atom. */
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

/** A question without its values. */
function kindOf(question: string): string {
  return question.replace(/\(.*\)/su, "()");
}

/** Throws: no question is answered. */
export function noAnswer(question: Question): never {
  throw notUnderstood(question);
}

function notUnderstood({ text }: Question): NotExecutable {
  return new NotExecutable(`the condition ${text} is not understood`);
}
