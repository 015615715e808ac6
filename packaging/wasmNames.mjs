// The part of a WASM file that only names its functions for stack traces: of the solver's it is an eighth, and nothing needs it.

/**
 * A WASM module without its custom section "name"; other sections stay as they are, byte by byte. Throws where the bytes are no
 * module or their sections do not end where they do.
 *
 * @param {Uint8Array} wasm a module of the binary format, version 1
 * @returns {Uint8Array}
 */
export function withoutNames(wasm) {
  if (!wasm.subarray(0, HEADER).every((byte, at) => byte === MAGIC[at]) || wasm.length < HEADER)
    throw new Error("no WASM module of version 1");
  /** @type {Uint8Array[]} */
  const kept = [wasm.subarray(0, HEADER)];
  for (let start = HEADER; start < wasm.length;) {
    const size = numberAt(wasm, start + 1);
    const end = size.end + size.value;
    if (end > wasm.length) throw new Error("a WASM module that ends within a section");
    if (wasm[start] !== CUSTOM || nameAt(wasm, size.end) !== "name")
      kept.push(wasm.subarray(start, end));
    start = end;
  }
  return Buffer.concat(kept);
}

/** Magic number and version. */
const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const HEADER = MAGIC.length;

/** The id of sections that tell nothing of what the module does. */
const CUSTOM = 0;

/**
 * @param {Uint8Array} wasm
 * @param {number} start
 */
function nameAt(wasm, start) {
  const size = numberAt(wasm, start);
  return Buffer.from(wasm.subarray(size.end, size.end + size.value)).toString("utf8");
}

/**
 * An unsigned number in LEB128: seven bits a byte, the lowest first.
 *
 * @param {Uint8Array} wasm
 * @param {number} start
 */
function numberAt(wasm, start) {
  let value = 0;
  for (let at = start; ; at += 1) {
    const byte = wasm[at] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (at - start));
    if (byte < 0x80) return { value, end: at + 1 };
  }
}
