// A witness: everything needed to run one execution again. Plain data, small enough to print.

/** A database value. Integers and decimals are numbers, times and other types are text. */
export type Value = number | string | boolean | null;

/** One row by column name. */
export type Row = Readonly<Record<string, Value>>;

/** A started transaction: `instance` is "T1", "T2", ... in the order of the cycle. */
export interface WitnessInstance {
  readonly instance: string;
  readonly transaction: string;
  readonly arguments: Readonly<Record<string, Value>>;
  /** Arguments that no statement and no condition names: others are computed from them, outside of the database. */
  readonly indirect?: readonly string[];
}

/**
 * The arguments for people, as "amount 2": by the end of their names that tells them apart, calls of others only where they fail, no
 * length of a list whose elements are there, and nothing indirect. Quadratic in the arguments.
 */
export function argumentTexts(
  { arguments: all, indirect = [] }: Pick<WitnessInstance, "arguments" | "indirect">,
  textOf: (value: Value) => string,
): readonly string[] {
  const isElement = (list: string): boolean =>
    Object.keys(all).some(
      (name) => name.startsWith(list) && /^[.[].*\]$/u.test(name.slice(list.length)),
    );
  const shown = Object.entries(all).filter(([name, value]) => {
    if (indirect.includes(name)) return false;
    if (isFailure(name)) return value !== false;
    if (isLockAnswer(name)) return false;
    return !(name.endsWith(".length") && isElement(name.slice(0, -".length".length)));
  });
  const names = shown.map(([name]) => name);
  return shown.map(([name, value]) =>
    isFailure(name) && value === true ? name : `${shortName(name, names)} ${textOf(value)}`,
  );
}

/** True for the answer of a request for a lock, which its step tells. */
function isLockAnswer(name: string): boolean {
  return /^lock [\d ]*granted$/u.test(name);
}

/** True for the question whether a call of unknown code throws. */
function isFailure(name: string): boolean {
  return name.endsWith("() fails");
}

/** The shortest end of a path, as `id` of `req.params.id`, that no other name has. */
function shortName(name: string, names: readonly string[]): string {
  if (!/^[\w$.[\]]+$/u.test(name)) return name;
  const parts = name.split(".");
  const last = parts.length - (parts.at(-1) === "length" ? 2 : 1);
  for (let from = last; from > 0; from -= 1) {
    const end = parts.slice(from).join(".");
    const like = names.filter((other) => other === end || other.endsWith(`.${end}`));
    if (like.length === 1) return end;
  }
  return name;
}

/**
 * One step of the schedule: the instance runs its next statement, or commits.
 *
 * `statement` is the 1-based number of the statement among those that the instance executes, or "commit".
 * `sees` says what its reads see of the others. At a product level: the instances whose commits are in
 * its snapshot ("T1"). At a paper's level: the writing statements visible to it ("T1.2").
 */
export interface ScheduleStep {
  readonly instance: string;
  readonly statement: number | "commit";
  readonly sees: readonly string[];
}

/** The outcome of a run: final rows per table (in primary key order) and, per instance, its values. */
export interface Outcome {
  /** Final rows; only of tables that the witness mentions. */
  readonly final: Readonly<Record<string, readonly Row[]>>;
  /** Per instance: "committed", or "rolled back" with the reason. */
  readonly status: Readonly<Record<string, string>>;
  /** Per instance: results of its statements and its return value, in program order, as readable text. */
  readonly returned: Readonly<Record<string, readonly string[]>>;
}

export interface SerialOutcome {
  readonly order: readonly string[];
  readonly outcome: Outcome;
}

export interface Witness {
  readonly instances: readonly WitnessInstance[];
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  readonly schedule: readonly ScheduleStep[];
  readonly outcome: Outcome;
  /** Assumed answers to code's questions outside of the database, by question; none if absent. */
  readonly answers?: Readonly<Record<string, boolean>>;
}

/** Prefix of uuids that represent values of a witness. */
export const MADE_UUID = "00000000-0000-4000-8000-";

/** Prefix of values of a witness that are terms: what a function that is not followed made of others. */
const TERM = "code:";

/** True if a value of a witness is a term. */
export function isTerm(value: Value | undefined): boolean {
  return typeof value === "string" && value.startsWith(TERM);
}

/** A witness's text for people: generated uuids are shortened to their distinguishing part, and terms have no prefix. */
export function shownText(text: string): string {
  const bare = isTerm(text) ? text.slice(TERM.length) : text;
  return bare.includes(MADE_UUID)
    ? bare.replaceAll(/00000000-0000-4000-8000-0{0,8}(\d{4,})/gu, "\u2026$1")
    : bare;
}

/**
 * The key of a row for people. A row of a table without a key has a number in the witness, or is new: its name in the store (`#2`,
 * `#T1.4.1`) is no word of the user's.
 */
export function shownKey(key: string): string {
  if (/^#\d+$/u.test(key)) return `row ${key.slice(1)}`;
  return /^#T\d+\.\d+\.\d+$/u.test(key) ? "new row" : shownText(key);
}

/** The assumed answers of a witness as a sentence; undefined if there are none. */
export function answersText({ answers = {} }: Pick<Witness, "answers">): string | undefined {
  const all = Object.entries(answers);
  if (all.length === 0) return undefined;
  const of = (wanted: boolean): readonly string[] => {
    const some = all.filter(([, answer]) => answer === wanted).map(([each]) => questionText(each));
    return some.length === 0 ? [] : [`${String(wanted)}: ${[...new Set(some)].join("; ")}`];
  };
  return `Taken for ${[...of(true), ...of(false)].join(", and for ")}.`;
}

/** A question without the store's distinguishing marks. */
function questionText(question: string): string {
  return plainTerms(shownText(question)).replaceAll("()", "");
}

/** A text about opaque terms without the store's distinguishing marks, long argument lists, and lists of NULL only. Linear in the text. */
export function plainTerms(text: string): string {
  const plain = text
    .replaceAll("code:", "")
    .replaceAll(/(?: is not known)?\(u\d+(?: of [^,()]*)?(?:, )?\)/gu, "")
    .replaceAll(/(?: is not known)?\(u\d+(?: of [^,()]*)?(?:, )?/gu, "(")
    .replaceAll(/\(NULL(?:, NULL)*\)/gu, "");
  let [depth, start, shown] = [0, 0, ""];
  for (const { 0: sign, index } of plain.matchAll(/[()]/gu)) {
    depth = sign === "(" ? depth + 1 : Math.max(0, depth - 1);
    if (depth === 1 && sign === "(") {
      shown += plain.slice(start, index);
      start = index;
    } else if (depth === 0 && plain[start] === "(") {
      const list = plain.slice(start, index + 1);
      shown += list.length > LONGEST_LIST ? "(\u2026)" : list;
      start = index + 1;
    }
  }
  return shown + plain.slice(start);
}

/** In characters. */
const LONGEST_LIST = 50;

/** True if a value, as SQL writes it, is a time from a clock. */
export function isClockTime(text: string): boolean {
  return /^'\d{4}-\d\d-\d\dT/u.test(text);
}

/**
 * True if the values of one cell in several runs are dates of which a clock gave some: these differ between runs, whatever the program
 * does. A run without a date is the program's doing; undefined if there is no such cell.
 */
export function areClockTimes(texts: readonly (string | undefined)[]): boolean {
  const there = texts.filter((text) => text !== undefined);
  return there.some(isClockTime) && there.every((text) => /^'\d{4}-\d\d-\d\d/u.test(text));
}
