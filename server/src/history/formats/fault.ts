// The fault that makes a file unreadable as a history, with its place. Nothing is guessed after it: a faulty history has no verdict.

/** A place in a file: a line for text (from 1), a byte for binary formats (from 0). */
export type FaultPlace = { readonly line: number } | { readonly byte: number };

export interface Fault {
  readonly place: FaultPlace;
  /** The value that was found and the one that was expected, as one sentence without a full stop. */
  readonly message: string;
}

/** "line 3" or "byte 120". */
export function placeText(place: FaultPlace): string {
  return "line" in place ? `line ${String(place.line)}` : `byte ${String(place.byte)}`;
}

const MOST_QUOTED = 40;
const decoder = new TextDecoder();

/** A quotation of a file for messages: one line, shortened, with visible control characters. */
export function excerpt(bytes: Uint8Array): string {
  const text = decoder.decode(bytes.subarray(0, 4 * MOST_QUOTED)).split(/[\r\n]/u)[0] ?? "";
  const visible = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
  return visible.length > MOST_QUOTED ? `"${visible.slice(0, MOST_QUOTED)}\u2026"` : `"${visible}"`;
}
