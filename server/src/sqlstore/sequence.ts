// Sequences as they are declared: what numbers they give, in which order. What they have given is kept outside of the
// catalogue (`Sequences`), since no transaction takes it back.
import type { Dialect } from "../program/dialect";
import { failure } from "./sqlError";

export interface Sequence {
  readonly start: number;
  readonly increment: number;
  readonly least: bigint;
  readonly most: bigint;
  readonly cycles: boolean;
  readonly cache: number;
  readonly type: SequenceType;
}

export type SequenceType = "smallint" | "integer" | "bigint";

/** The options of a sequence in a statement; `null` takes a bound away, or begins again at the start. */
export interface SequenceOptions {
  readonly type?: SequenceType;
  readonly start?: number;
  readonly increment?: number;
  readonly least?: bigint | null;
  readonly most?: bigint | null;
  readonly cycles?: boolean;
  readonly cache?: number;
  readonly restart?: number | null;
}

const BITS: Readonly<Record<SequenceType, bigint>> = { smallint: 15n, integer: 31n, bigint: 63n };

/** A sequence of these options, as the product completes them. Fails with 22023 where they contradict each other. */
export function declaredSequence(
  dialect: Dialect,
  name: string,
  options: SequenceOptions,
  before?: Sequence,
): Sequence {
  const type = options.type ?? before?.type ?? "bigint";
  const increment = options.increment ?? before?.increment ?? 1;
  if (increment === 0 && dialect === "postgres")
    throw failure("badArgument", "INCREMENT must not be zero");
  const largest = 2n ** BITS[type] - 1n;
  const isDescending = increment < 0;
  // MariaDB keeps the very largest number for itself.
  const end = dialect === "postgres" ? largest : largest - 1n;
  const first = dialect === "postgres" ? -largest - 1n : -largest;
  const kept = options.type === undefined ? before : undefined;
  const least = bound(options.least, kept?.least, isDescending ? first : 1n);
  const most = bound(options.most, kept?.most, isDescending ? -1n : end);
  const start = options.start ?? before?.start ?? Number(isDescending ? most : least);
  const sequence: Sequence = {
    type,
    increment,
    least,
    most,
    start,
    cycles: options.cycles ?? before?.cycles ?? false,
    cache: options.cache ?? before?.cache ?? (dialect === "postgres" ? 1 : 1000),
  };
  const problem = problemOf(sequence);
  if (problem === undefined) return sequence;
  throw dialect === "postgres"
    ? failure("badArgument", problem)
    : failure("badSequence", `Sequence '${name}' has out of range value for options`);
}

function bound(said: bigint | null | undefined, before: bigint | undefined, usual: bigint): bigint {
  return said === undefined ? (before ?? usual) : (said ?? usual);
}

function problemOf({ start, least, most }: Sequence): string | undefined {
  if (least >= most) return `MINVALUE (${least}) must be less than MAXVALUE (${most})`;
  if (BigInt(start) < least)
    return `START value (${String(start)}) cannot be less than MINVALUE (${least})`;
  if (BigInt(start) > most)
    return `START value (${String(start)}) cannot be greater than MAXVALUE (${most})`;
  return undefined;
}

/**
 * The number behind one that a sequence would give: itself where it is within the bounds, else where the sequence begins
 * again. Fails with 2200H, or 4084, where it does not.
 */
export function withinBounds(
  dialect: Dialect,
  name: string,
  value: number,
  { increment, least, most, cycles }: Sequence,
): number {
  const at = BigInt(value);
  if (at >= least && at <= most) return value;
  if (cycles) return Number(increment > 0 ? least : most);
  if (dialect !== "postgres") throw failure("sequenceLimit", `Sequence '${name}' has run out`);
  const [which, limit] =
    increment > 0 ? (["maximum", most] as const) : (["minimum", least] as const);
  throw failure(
    "sequenceLimit",
    `nextval: reached ${which} value of sequence "${name}" (${limit})`,
  );
}
