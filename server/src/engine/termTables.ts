// Smaller first tables of terms in Z3. Each context of Z3 makes two, with half a million cells and eight megabytes together, which takes
// longer than most of our questions; a question has a few thousand terms, and Z3 doubles a table that is full. Their size stands in
// Z3's machine code alone, as constants of two functions.

const SLOTS = 8192;
/** Slots and the cells behind them: the loop that clears them takes 13 at a time. */
const CELLS = 709 * 13;
const CELL_BYTES = 8;

/** Of the same length as what they replace. */
const I32_CONST = 0x41;
const I64_CONST = 0x42;
const CONSTANTS: readonly {
  readonly instruction: number;
  readonly was: number;
  readonly is: number;
}[] = [
  // The cells to clear, the capacity, its bytes, the slots, and where the cells behind them begin.
  { instruction: I32_CONST, was: 532_480, is: CELLS },
  { instruction: I32_CONST, was: 532_480, is: CELLS },
  { instruction: I32_CONST, was: 4_259_840, is: CELLS * CELL_BYTES },
  { instruction: I64_CONST, was: 524_288, is: SLOTS },
  { instruction: I32_CONST, was: 4_194_304, is: SLOTS * CELL_BYTES },
];

/** Bytes of code from the first of these constants to the last, at the most. */
const LONGEST = 400;

/** Makes the tables of this module small, in place. Returns how many: none in a build with other code, which works as it is. */
export function shrinkTermTables(module: Uint8Array): number {
  const code = Buffer.from(module.buffer, module.byteOffset, module.byteLength);
  const [first] = CONSTANTS;
  let found = 0;
  if (!first) return found;
  const start = encoded(first.instruction, first.was);
  for (let at = code.indexOf(start); at !== -1; at = code.indexOf(start, at + 1)) {
    const places = placesFrom(code, at);
    if (!places) continue;
    found += 1;
    for (const [index, { instruction, was, is }] of CONSTANTS.entries()) {
      const { length } = encoded(instruction, was);
      code.set(encoded(instruction, is, length), places[index]);
    }
  }
  return found;
}

/** All constants in their order, the first one here; undefined if one is not near. */
function placesFrom(code: Buffer, start: number): readonly number[] | undefined {
  const near = code.subarray(0, start + LONGEST);
  const places: number[] = [];
  let from = start;
  for (const { instruction, was } of CONSTANTS) {
    const wanted = encoded(instruction, was);
    const at = near.indexOf(wanted, from);
    if (at === -1) return undefined;
    places.push(at);
    from = at + wanted.length;
  }
  return places;
}

/** An instruction with a positive number in LEB128, padded to a length. */
function encoded(instruction: number, value: number, length = 0): Buffer {
  const bytes = [instruction];
  let rest = value;
  // The last byte has room for the sign.
  while (rest > 0x3f || bytes.length < length - 1) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
