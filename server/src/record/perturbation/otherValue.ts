// Other values in place of one that the server answered: of the same form, so that the application takes them for its own.
import type { Value } from "../events";

export interface ValueHistory {
  /** The number of times that this place was changed before. */
  readonly round: number;
  /** Numbers to try where they are possible. */
  readonly aims: readonly number[];
  /** Whole number that the place can hold. */
  readonly largest: number;
  /** Values that the same place had before. */
  readonly seen: readonly string[];
  /** Only those that were seen are possible: labels of an enumeration. */
  readonly isLabel?: boolean;
}

const WHOLE = /^-?\d{1,15}$/;
const DECIMAL = /^-?\d{1,12}\.(\d{1,9})$/;
const TRUTHS: ReadonlyMap<string, string> = new Map([
  ["t", "f"],
  ["f", "t"],
  ["true", "false"],
  ["false", "true"],
]);
/** Moments, keys and documents: changed in part they would be none. */
const STRUCTURED =
  /^(?:\d{4}-\d\d-\d\d.*|\d\d:\d\d.*|[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}|\\x.*|[[{<][^]*)$/i;
const LONGEST_TEXT = 200;

/** A value that differs from the given one; undefined where no value of its form is known. */
export function otherValue(value: Value, history: ValueHistory): string | undefined {
  if (value === null) return undefined;
  const truth = TRUTHS.get(value);
  if (truth !== undefined) return truth;
  if (WHOLE.test(value)) return otherNumber(Number(value), 0, history);
  const digits = DECIMAL.exec(value)?.[1];
  if (digits !== undefined) return otherNumber(Number(value), digits.length, history);
  return otherText(value, history);
}

function otherNumber(
  value: number,
  digits: number,
  { round, aims, largest }: ValueHistory,
): string | undefined {
  // Distant numbers tell most; neighbours tell where a limit lies.
  const steps = [value + 37, 0, value + 1, 1, value - 1, 3 * value + 2];
  const isPossible = (step: number): boolean =>
    step !== value && (step >= 0 || value < 0) && step <= largest;
  const wanted = aims.filter(isPossible);
  const possible = wanted.length > 0 ? wanted : steps.filter(isPossible);
  const step = possible[round % possible.length];
  return step?.toFixed(digits);
}

function otherText(
  value: string,
  { round, seen, isLabel = false }: ValueHistory,
): string | undefined {
  if (value.length > LONGEST_TEXT || STRUCTURED.test(value)) return undefined;
  const others = seen.filter((each) => each !== value);
  if (others.length > 0) return others[round % others.length];
  return isLabel ? undefined : `${value}x`;
}
