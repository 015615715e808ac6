// Interface of a format's reader: it takes the bytes of a file in order and fills a builder.
import type { HistoryBuilder } from "../builder";
import { highHalf } from "../intern";
import type { Fault } from "./fault";

/** Takes chunks of any size, which may be reused after each call. It must not be called after a fault. */
export interface FormatReader {
  feed(bytes: Uint8Array): Fault | undefined;
  /** The file has ended. */
  end(): Fault | undefined;
}

/** An integer of a file: exact in 64 bits, or longer and then only a name. */
export type WholeNumber = number | bigint;

const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The two halves of an integer for the builder; undefined if it does not fit into signed 64 bits. */
export function halves(
  value: WholeNumber,
): { readonly low: number; readonly high: number } | undefined {
  if (typeof value === "number") return { low: value | 0, high: highHalf(value) };
  if (value < LEAST || value > MOST) return undefined;
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)) };
}

/** The key of that name. Numbers and texts are different keys. */
export function keyNumber(builder: HistoryBuilder, name: WholeNumber | string): number {
  if (typeof name === "string") return builder.textKey(name);
  const bits = halves(name);
  return bits ? builder.key(bits.low, bits.high) : builder.textKey(String(name));
}

/** The version that holds this value of the key; null is the version before all writes. */
export function versionNumber(
  builder: HistoryBuilder,
  key: number,
  value: WholeNumber | string | null,
): number {
  if (value === null) return builder.initialVersion(key);
  if (typeof value === "string") return builder.textVersion(key, value);
  const bits = halves(value);
  return bits ? builder.version(key, bits.low, bits.high) : builder.textVersion(key, String(value));
}

/** The session of that name. */
export function sessionNumber(builder: HistoryBuilder, name: WholeNumber | string): number {
  if (typeof name === "string") return builder.textSession(name);
  const bits = halves(name);
  return bits ? builder.session(bits.low, bits.high) : builder.textSession(String(name));
}

/** A whole number from its decimal digits. */
export function wholeNumber(digits: string): WholeNumber {
  const small = Number(digits);
  return Number.isSafeInteger(small) ? small : BigInt(digits);
}
