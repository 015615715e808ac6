// Tables that number 64-bit integers and texts in the order of their first occurrence, without allocating per look-up.

/** Doubles an array until `length` fits; the new tail is zero. */
export function grownInts(array: Int32Array, length: number): Int32Array {
  if (length <= array.length) return array;
  const grown = new Int32Array(Math.max(length, array.length * 2));
  grown.set(array);
  return grown;
}

/** Smaller keys are looked up in a separate array, without hashing. */
const DIRECT_LIMIT = 1 << 22;

/**
 * Numbers triples of 32-bit integers 0, 1, 2, ... in the order of their first occurrence. Open addressing with linear probing at half load;
 * an entry is three adjacent integers, so a look-up touches two cache lines. Constant expected time.
 */
export class TripleTable {
  count = 0;
  /** Three integers per entry, in order of numbers. */
  entries: Int32Array;
  private slots: Int32Array;

  constructor(expected: number) {
    let capacity = 64;
    while (capacity < expected * 2) capacity *= 2;
    this.slots = new Int32Array(capacity);
    this.entries = new Int32Array(Math.max(expected, 16) * 3);
  }

  /** The number of the triple, a new one at its first occurrence. */
  number(first: number, second: number, third: number): number {
    const mask = this.slots.length - 1;
    let slot = hash(first, second, third) & mask;
    for (;;) {
      const found = (this.slots[slot] ?? 0) - 1;
      if (found < 0) break;
      const at = found * 3;
      if (
        this.entries[at + 1] === second &&
        this.entries[at] === first &&
        this.entries[at + 2] === third
      )
        return found;
      slot = (slot + 1) & mask;
    }
    const fresh = this.count++;
    const at = fresh * 3;
    if (at + 3 > this.entries.length) this.entries = grownInts(this.entries, at + 3);
    this.entries[at] = first;
    this.entries[at + 1] = second;
    this.entries[at + 2] = third;
    this.slots[slot] = fresh + 1;
    if (this.count * 2 > this.slots.length) this.rehash();
    return fresh;
  }

  /** Drops the hash table; the entries stay. */
  freeze(): void {
    this.slots = new Int32Array(1);
  }

  private rehash(): void {
    const slots = new Int32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    const entries = this.entries;
    for (let number = 0; number < this.count; number++) {
      const at = number * 3;
      let slot = hash(entries[at] ?? 0, entries[at + 1] ?? 0, entries[at + 2] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.slots = slots;
  }
}

function hash(first: number, second: number, third: number): number {
  let mixed =
    Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}

/** The kind of an interned name: a 64-bit integer, a text, or (for values) none. */
export const INTEGER = 0;
export const TEXT = 1;
export const NOTHING = 2;

/**
 * Names that are 64-bit integers (as two 32-bit halves) or texts, numbered densely. Small integers, the usual case,
 * go through a plain array.
 */
export class NameTable {
  private readonly triples = new TripleTable(1 << 10);
  private direct: Int32Array = new Int32Array(1 << 10);
  private readonly texts = new Map<string, number>();
  private readonly textOf: string[] = [];

  get count(): number {
    return this.triples.count;
  }

  integer(low: number, high: number): number {
    if (high !== 0 || low < 0 || low >= DIRECT_LIMIT)
      return this.triples.number(INTEGER, low, high);
    if (low >= this.direct.length) this.direct = grownInts(this.direct, low + 1);
    const known = this.direct[low] ?? 0;
    if (known > 0) return known - 1;
    const fresh = this.triples.number(INTEGER, low, 0);
    this.direct[low] = fresh + 1;
    return fresh;
  }

  text(text: string): number {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    const fresh = this.triples.number(TEXT, this.textOf.length, 0);
    this.textOf.push(text);
    this.texts.set(text, fresh);
    return fresh;
  }

  /** The number here of another table's name; an anonymous one becomes the text. */
  copy(other: NameTable, number: number, anonymous: string): number {
    const [kind, low, high] = other.triples.entries.subarray(number * 3, number * 3 + 3);
    if (kind === INTEGER) return this.integer(low ?? 0, high ?? 0);
    return this.text(kind === TEXT ? (other.textOf[low ?? 0] ?? "") : anonymous);
  }

  /** A name that equals no other. */
  anonymous(): number {
    return this.triples.number(NOTHING, this.triples.count, 0);
  }

  /** True if the name is a text: the text "7" is another name than the integer 7. */
  isText(number: number): boolean {
    return this.triples.entries[number * 3] === TEXT;
  }

  /** The name as text, or undefined for an anonymous one. */
  textFor(number: number, unsigned: boolean): string | undefined {
    const entries = this.triples.entries;
    const [kind, low, high] = entries.subarray(number * 3, number * 3 + 3);
    if (kind === TEXT) return this.textOf[low ?? 0] ?? "";
    if (kind === INTEGER) return integerText(low ?? 0, high ?? 0, unsigned);
    return undefined;
  }
}

/** A 64-bit integer in decimal digits, exactly. */
export function integerText(low: number, high: number, unsigned: boolean): string {
  const bits = (BigInt(high) << 32n) | BigInt(low >>> 0);
  return (unsigned ? BigInt.asUintN(64, bits) : BigInt.asIntN(64, bits)).toString();
}

/** The upper half of a safe integer; the lower one is `value | 0`. */
export function highHalf(value: number): number {
  return Math.floor(value / 4294967296) | 0;
}
