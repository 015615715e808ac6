// Conversion of bytes to texts and back. Valid UTF-8 is decoded; any other byte becomes a lone surrogate (0xff as U+DCFF, as in PEP 383),
// so that every byte sequence round-trips.

const LONE = 0xdc00;
const UNPAIRED = /\p{Surrogate}/u;
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();

/** The text for bytes; linear. */
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

/** The text of valid UTF-8 bytes; undefined for others. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The length of the UTF-8 sequence that begins there; 0 if none does. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  const isWhole = size > 0 && at + size <= bytes.length;
  return isWhole && decoded(bytes.subarray(at, at + size)) !== undefined ? size : 0;
}

/** True for texts that are plain UTF-16, and so stand for bytes that are UTF-8. */
export function isWellFormed(text: string): boolean {
  return !UNPAIRED.test(text);
}

/** The bytes for a text; linear. */
export function bytesOfText(text: string): Uint8Array {
  if (isWellFormed(text)) return ENCODER.encode(text);
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

/** The bytes of hexadecimal digits. */
export function bytesOfHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
