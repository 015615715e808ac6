// Bytes as texts and back. What is UTF-8 is its text; a byte that is not stands as a half of a surrogate pair that no text
// has (0xff as U+DCFF, as PEP 383 does it), so that every sequence of bytes comes back as it was.

const LONE = 0xdc00;
const UNPAIRED = /\p{Surrogate}/u;
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();

/** The text that stands for bytes; linear. */
export function textOfBytes(bytes: Uint8Array): string {
  const whole = decoded(bytes);
  if (whole !== undefined) return whole;
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    const size = sequenceAt(bytes, at);
    if (size > 0) {
      at += size;
      continue;
    }
    parts.push(decoded(bytes.subarray(from, at)) ?? "");
    parts.push(String.fromCharCode(LONE + (bytes[at] ?? 0)));
    at++;
    from = at;
  }
  parts.push(decoded(bytes.subarray(from)) ?? "");
  return parts.join("");
}

/** The text of bytes that are UTF-8; undefined for others. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Bytes of the sequence of UTF-8 that begins there; 0 where none does. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  const isWhole = size > 0 && at + size <= bytes.length;
  return isWhole && decoded(bytes.subarray(at, at + size)) !== undefined ? size : 0;
}

/** The bytes that a text stands for; linear. */
export function bytesOfText(text: string): Uint8Array {
  if (!UNPAIRED.test(text)) return ENCODER.encode(text);
  const bytes: number[] = [];
  for (const each of text) {
    const code = each.codePointAt(0) ?? 0;
    if (code >= LONE + 0x80 && code <= LONE + 0xff) bytes.push(code - LONE);
    else bytes.push(...ENCODER.encode(each));
  }
  return Uint8Array.from(bytes);
}

/** Two digits for each byte. */
export function hexOfBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes that pairs of digits stand for. */
export function bytesOfHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
