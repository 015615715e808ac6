// Collects a history operation by operation, in any order, and lays it out by session.
import type { History, HistoryProblem, OperationKind, TransactionStatus } from "./history";
import { PROBLEM_LIMIT, keyText, sessionLabel, transactionLabel } from "./history";
import { INTEGER, NOTHING, NameTable, TEXT, TripleTable, grownInts } from "./intern";

export interface BuilderOptions {
  /** The expected number of operations, to avoid growing. */
  readonly expectedOperations?: number;
  readonly zeroIsInitial: boolean;
  readonly placeUnit: "line" | "byte";
  /** Print 64-bit integers without sign. */
  readonly unsigned?: boolean;
}

/**
 * Columns that parsers fill. Keys, sessions and transactions are named by 64-bit integers (two signed 32-bit halves; see
 * `highHalf`) or by texts and get small numbers, which the other methods take. No method allocates per call. Use:
 *
 *     const session = builder.session(low, high);
 *     const transaction = builder.transaction(session, low, high);   // finds it again by its name
 *     const key = builder.key(low, high);
 *     builder.add(WRITE, transaction, key, builder.version(key, low, high), line);
 *     const history = builder.finish();
 */
export class HistoryBuilder {
  private readonly keys = new NameTable();
  private readonly sessionNames = new NameTable();
  private readonly transactionNames = new NameTable();
  private readonly versions: TripleTable;
  private readonly sortOf = new Map<number, "list" | "single">();
  private readonly valueTexts: string[] = [];
  private readonly valueNumbers = new Map<string, number>();

  private kind: Uint8Array;
  private keyColumn: Int32Array;
  private versionColumn: Int32Array;
  private placeColumn: Uint32Array;
  private owner: Int32Array | undefined;
  private count = 0;

  private sessionOf: Int32Array = new Int32Array(1 << 10);
  private from: Int32Array = new Int32Array(1 << 10);
  private to: Int32Array = new Int32Array(1 << 10);
  private status = new Uint8Array(1 << 10);
  private fileOf: Uint16Array | undefined;
  private begin: Float64Array | undefined;
  private end: Float64Array | undefined;
  private unusedTimes = 0;

  private lists: Int32Array = new Int32Array(16);
  private listCount = 0;
  private elements: Int32Array = new Int32Array(16);
  private elementCount = 0;

  private readonly files: string[] = [];
  private readonly problems: HistoryProblem[] = [];

  constructor(private readonly options: BuilderOptions) {
    const expected = Math.max(options.expectedOperations ?? 0, 1 << 10);
    this.versions = new TripleTable(expected >> 1);
    this.kind = new Uint8Array(expected);
    this.keyColumn = new Int32Array(expected);
    this.versionColumn = new Int32Array(expected);
    this.placeColumn = new Uint32Array(expected);
  }

  get operations(): number {
    return this.count;
  }

  get transactions(): number {
    return this.transactionNames.count;
  }

  /** True if the transaction is in this session: a name in two sessions is a fault of the file. */
  standsIn(transaction: number, session: number): boolean {
    return this.sessionOf[transaction] === session + 1;
  }

  key(low: number, high: number): number {
    return this.keys.integer(low, high);
  }

  textKey(text: string): number {
    return this.keys.text(text);
  }

  /** False if the key held the other sort of value before, a list or a single one. */
  holds(key: number, sort: "list" | "single"): boolean {
    const known = this.sortOf.get(key);
    if (known === undefined) this.sortOf.set(key, sort);
    return known === undefined || known === sort;
  }

  session(low: number, high: number): number {
    return this.sessionNames.integer(low, high);
  }

  textSession(text: string): number {
    return this.sessionNames.text(text);
  }

  /** A session without a name, which is then its number. */
  newSession(): number {
    return this.sessionNames.anonymous();
  }

  /** The transaction of this name, a new one at the end of the session if there was none. It starts as committed. */
  transaction(session: number, low: number, high: number): number {
    return this.placed(session, this.transactionNames.integer(low, high));
  }

  textTransaction(session: number, text: string): number {
    return this.placed(session, this.transactionNames.text(text));
  }

  /** A new transaction at the end of the session, without a name. */
  newTransaction(session: number): number {
    return this.placed(session, this.transactionNames.anonymous());
  }

  setStatus(transaction: number, status: TransactionStatus): void {
    this.status[transaction] = status;
  }

  /** Sets the times, in any unit, NaN for unknown. An end before the begin is reported as a problem at `place`, and neither is used. */
  setTimes(transaction: number, begin: number, end: number, place?: number): void {
    const capacity = this.sessionOf.length;
    if (this.begin === undefined || this.begin.length < capacity)
      this.begin = grownTimes(this.begin, capacity);
    if (this.end === undefined || this.end.length < capacity)
      this.end = grownTimes(this.end, capacity);
    const backwards = end < begin;
    if (backwards) {
      this.unusedTimes++;
      this.problem(
        `A transaction ends (${end}) before it begins (${begin}): its times are not used.`,
        place,
      );
    }
    this.begin[transaction] = backwards ? Number.NaN : begin;
    this.end[transaction] = backwards ? Number.NaN : end;
  }

  /** A transaction of another history under the same name, in a session of the same name. */
  copyTransaction(history: History, transaction: number): number {
    const { sessions, transactions, transactionName } = history.labels;
    const session = history.sessionOf[transaction] ?? 0;
    return this.placed(
      this.sessionNames.copy(sessions, session, sessionLabel(history, session)),
      this.transactionNames.copy(
        transactions,
        transactionName[transaction] ?? 0,
        transactionLabel(history, transaction),
      ),
    );
  }

  copyKey(history: History, key: number): number {
    return this.keys.copy(history.labels.keys, key, keyText(history, key));
  }

  /** The value of a version of another history, as a value of the key. */
  copyVersion(history: History, key: number, version: number): number {
    const [head, low, high] = history.versionEntries.subarray(version * 3, version * 3 + 3);
    const kind = (head ?? 0) & 3;
    if (kind === NOTHING) return this.initialVersion(key);
    if (kind === TEXT) return this.textVersion(key, history.labels.valueTexts[low ?? 0] ?? "");
    return this.version(key, low ?? 0, high ?? 0);
  }

  /** The 64-bit integer as a value of the key. */
  version(key: number, low: number, high: number): number {
    return this.versions.number((key << 2) | INTEGER, low, high);
  }

  textVersion(key: number, text: string): number {
    let number = this.valueNumbers.get(text);
    if (number === undefined) {
      number = this.valueTexts.length;
      this.valueNumbers.set(text, number);
      this.valueTexts.push(text);
    }
    return this.versions.number((key << 2) | TEXT, number, 0);
  }

  /** The version that the key has before anybody wrote it (`nil`). */
  initialVersion(key: number): number {
    return this.versions.number((key << 2) | NOTHING, 0, 0);
  }

  /** Adds an element to the list that the next `addListRead` reads. */
  listElement(version: number): void {
    this.elements = grownInts(this.elements, this.elementCount + 1);
    this.elements[this.elementCount++] = version;
  }

  /** Adds a read of the list of the elements added since the last one. */
  addListRead(transaction: number, key: number, place: number): void {
    this.lists = grownInts(this.lists, this.listCount + 2);
    this.lists[this.listCount + 1] = this.elementCount;
    this.add(4, transaction, key, this.listCount++, place);
  }

  /** Adds an operation at the end of the transaction. */
  add(kind: OperationKind, transaction: number, key: number, version: number, place: number): void {
    const at = this.count++;
    if (at >= this.kind.length) this.growOperations();
    this.kind[at] = kind;
    this.keyColumn[at] = key;
    this.versionColumn[at] = version;
    this.placeColumn[at] = place;
    const end = this.to[transaction] ?? 0;
    if (end !== at) {
      if (end === this.from[transaction]) this.from[transaction] = at;
      else this.owner ??= this.ownersSoFar(at);
    }
    this.to[transaction] = at + 1;
    if (this.owner !== undefined) this.owner[at] = transaction;
  }

  /** `add` with a 64-bit integer as the value: the fast path for large files. */
  addInteger(
    kind: OperationKind,
    transaction: number,
    key: number,
    low: number,
    high: number,
    place: number,
  ): void {
    this.add(kind, transaction, key, this.version(key, low, high), place);
  }

  /** Sets the file of the following transactions. */
  file(name: string): void {
    this.files.push(name);
    if (this.files.length > 1) this.fileOf ??= new Uint16Array(this.sessionOf.length);
  }

  problem(message: string, place?: number): void {
    if (this.problems.length >= PROBLEM_LIMIT) return;
    this.problems.push({
      message,
      ...(this.files.length > 0 && { file: this.files.length - 1 }),
      ...(place !== undefined && { place }),
    });
  }

  /** The history, session by session. The builder must not be used afterwards: the history owns its columns. */
  finish(): History {
    this.versions.freeze();
    this.gather();
    const transactions = this.transactionNames.count;
    const sessions = this.sessionNames.count;
    const sessionFirst = new Int32Array(sessions + 1);
    for (let t = 0; t < transactions; t++) {
      const session = this.sessionOf[t] ?? 0;
      sessionFirst[session + 1] = (sessionFirst[session + 1] ?? 0) + 1;
    }
    for (let s = 0; s < sessions; s++)
      sessionFirst[s + 1] = (sessionFirst[s] ?? 0) + (sessionFirst[s + 1] ?? 0);
    const next = sessionFirst.slice();
    // Transactions of a session keep the order of their first occurrence.
    const arrived = new Int32Array(transactions);
    for (let t = 0; t < transactions; t++) {
      const session = this.sessionOf[t] ?? 0;
      const at = next[session] ?? 0;
      next[session] = at + 1;
      arrived[at] = t;
    }
    const { fileOf } = this;
    const count = this.count;
    const begin = this.begin && Float64Array.from(arrived, (t) => this.begin?.[t] ?? NaN);
    const end = this.end && Float64Array.from(arrived, (t) => this.end?.[t] ?? NaN);
    if (begin && end) this.dropContradictingTimes(sessionFirst, begin, end);
    return {
      sessions,
      sessionFirst,
      sessionOf: arrived.map((t) => this.sessionOf[t] ?? 0),
      transactions,
      status: Uint8Array.from(arrived, (t) => this.status[t] ?? 0),
      from: arrived.map((t) => this.from[t] ?? 0),
      to: arrived.map((t) => this.to[t] ?? 0),
      ...(begin !== undefined && { begin }),
      ...(end !== undefined && { end }),
      unusedTimes: this.unusedTimes,
      operations: count,
      kind: this.kind.subarray(0, count),
      key: this.keyColumn.subarray(0, count),
      version: this.versionColumn.subarray(0, count),
      place: this.placeColumn.subarray(0, count),
      keys: this.keys.count,
      versions: this.versions.count,
      versionEntries: this.versions.entries.subarray(0, this.versions.count * 3),
      zeroIsInitial: this.options.zeroIsInitial,
      lists: this.lists.subarray(0, this.listCount + 1),
      elements: this.elements.subarray(0, this.elementCount),
      labels: {
        keys: this.keys,
        sessions: this.sessionNames,
        transactions: this.transactionNames,
        valueTexts: this.valueTexts,
        transactionName: arrived,
        unsigned: this.options.unsigned ?? false,
        placeUnit: this.options.placeUnit,
        files: this.files,
        ...(fileOf !== undefined && { fileOf: Uint16Array.from(arrived, (t) => fileOf[t] ?? 0) }),
      },
      problems: this.problems,
    };
  }

  /** Drops times of a transaction that ends before its predecessor in the session begins: it is unclear which time is wrong. */
  private dropContradictingTimes(first: Int32Array, begin: Float64Array, end: Float64Array): void {
    for (let s = 0; s + 1 < first.length; s++) {
      let latest = Number.NEGATIVE_INFINITY;
      for (let t = first[s] ?? 0; t < (first[s + 1] ?? 0); t++) {
        if ((end[t] ?? NaN) < latest) {
          const name = this.sessionNames.textFor(s, this.options.unsigned ?? false) ?? s + 1;
          this.problem(
            `Times run backwards in session ${name}: a transaction ends (${end[t] ?? NaN}) before one that precedes it begins (${latest}). The times of this session are not used.`,
          );
          this.unusedTimes++;
          begin.fill(NaN, first[s], first[s + 1]);
          end.fill(NaN, first[s], first[s + 1]);
          break;
        }
        if ((begin[t] ?? NaN) > latest) latest = begin[t] ?? NaN;
      }
    }
  }

  private placed(session: number, transaction: number): number {
    if (transaction >= this.sessionOf.length) this.growTransactions(transaction + 1);
    const known = this.sessionOf[transaction] ?? 0;
    if (known === 0) {
      this.sessionOf[transaction] = session + 1;
      if (this.fileOf !== undefined) this.fileOf[transaction] = this.files.length - 1;
    }
    return transaction;
  }

  /** During building `sessionOf` holds the session plus one; 0 means none yet. */
  private growTransactions(length: number): void {
    this.sessionOf = grownInts(this.sessionOf, length);
    const capacity = this.sessionOf.length;
    this.from = grownInts(this.from, capacity);
    this.to = grownInts(this.to, capacity);
    const status = new Uint8Array(capacity);
    status.set(this.status);
    this.status = status;
    if (this.fileOf === undefined) return;
    const fileOf = new Uint16Array(capacity);
    fileOf.set(this.fileOf);
    this.fileOf = fileOf;
  }

  private growOperations(): void {
    const length = this.kind.length * 2;
    const kind = new Uint8Array(length);
    kind.set(this.kind);
    this.kind = kind;
    const place = new Uint32Array(length);
    place.set(this.placeColumn);
    this.placeColumn = place;
    this.keyColumn = grownInts(this.keyColumn, length);
    this.versionColumn = grownInts(this.versionColumn, length);
    if (this.owner !== undefined) this.owner = grownInts(this.owner, length);
  }

  /** Records each operation's transaction, from the first transaction with non-contiguous operations on. */
  private ownersSoFar(count: number): Int32Array {
    const owner = new Int32Array(this.kind.length);
    for (let t = 0; t < this.transactionNames.count; t++)
      owner.fill(t, this.from[t] ?? 0, Math.min(this.to[t] ?? 0, count));
    return owner;
  }

  /** Makes each transaction's operations contiguous, and converts `sessionOf` to plain numbers. */
  private gather(): void {
    const transactions = this.transactionNames.count;
    for (let t = 0; t < transactions; t++)
      this.sessionOf[t] = Math.max(0, (this.sessionOf[t] ?? 0) - 1);
    const owner = this.owner;
    if (owner === undefined) return;
    const next = new Int32Array(transactions + 1);
    for (let at = 0; at < this.count; at++) {
      const t = owner[at] ?? 0;
      next[t + 1] = (next[t + 1] ?? 0) + 1;
    }
    for (let t = 0; t < transactions; t++) {
      next[t + 1] = (next[t + 1] ?? 0) + (next[t] ?? 0);
      this.from[t] = next[t] ?? 0;
      this.to[t] = next[t + 1] ?? 0;
    }
    const { kind, keyColumn, versionColumn, placeColumn } = this;
    this.kind = new Uint8Array(this.count);
    this.keyColumn = new Int32Array(this.count);
    this.versionColumn = new Int32Array(this.count);
    this.placeColumn = new Uint32Array(this.count);
    for (let at = 0; at < this.count; at++) {
      const t = owner[at] ?? 0;
      const target = next[t] ?? 0;
      next[t] = target + 1;
      this.kind[target] = kind[at] ?? 0;
      this.keyColumn[target] = keyColumn[at] ?? 0;
      this.versionColumn[target] = versionColumn[at] ?? 0;
      this.placeColumn[target] = placeColumn[at] ?? 0;
    }
  }
}

function grownTimes(times: Float64Array | undefined, length: number): Float64Array {
  const grown = new Float64Array(length).fill(Number.NaN);
  if (times !== undefined) grown.set(times);
  return grown;
}
