// A growing precedence relation, as rows of bits.

/** Row b has the bit of a if a precedes b. The caller decides about transitive closure: see `insert`. */
export class Precedence {
  private words = 1;
  private rows = 16;
  private bits: Int32Array = new Int32Array(this.rows);

  /** Reserves space for this many elements. */
  reserve(count: number): void {
    if (count <= this.rows && count <= this.words * 32) return;
    const words = count > this.words * 32 ? this.words * 2 : this.words;
    const rows = Math.max(this.rows * 2, count);
    const bits = new Int32Array(rows * words);
    for (let row = 0; row < this.rows; row++)
      bits.set(this.bits.subarray(row * this.words, (row + 1) * this.words), row * words);
    this.bits = bits;
    this.rows = rows;
    this.words = words;
  }

  has(a: number, b: number): boolean {
    return ((this.bits[b * this.words + (a >> 5)] ?? 0) & (1 << (a & 31))) !== 0;
  }

  set(a: number, b: number): void {
    const at = b * this.words + (a >> 5);
    this.bits[at] = (this.bits[at] ?? 0) | (1 << (a & 31));
  }

  /** A word of row b: bit i represents element `32 * word + i`. */
  row(b: number, word: number): number {
    return this.bits[b * this.words + word] ?? 0;
  }

  get rowWords(): number {
    return this.words;
  }

  /** Adds a and its predecessors as predecessors of b, which must precede nothing. */
  follow(a: number, b: number): void {
    const { words, bits } = this;
    for (let word = 0; word < words; word++)
      bits[b * words + word] = (bits[b * words + word] ?? 0) | (bits[a * words + word] ?? 0);
    this.set(a, b);
  }

  /** Adds a before b and keeps the relation over the first `count` elements closed; false, leaving it unusable, if that makes a cycle. */
  insert(a: number, b: number, count: number): boolean {
    if (a === b || this.has(b, a)) return false;
    if (this.has(a, b)) return true;
    for (let each = 0; each < count; each++)
      if (each === b || this.has(b, each)) this.follow(a, each);
    return true;
  }

  /** Copies another relation. */
  assign(other: Precedence): void {
    this.words = other.words;
    this.rows = other.rows;
    if (this.bits.length === other.bits.length) this.bits.set(other.bits);
    else this.bits = other.bits.slice();
  }

  copy(): Precedence {
    const copy = new Precedence();
    copy.assign(this);
    return copy;
  }
}
