// Judges small histories by the definitions alone: every order of the versions of every key, naive relations. Shares no
// code with the checker. A history is a list of plain transactions.

export interface PlainOperation {
  readonly kind: "read" | "write" | "append" | "list";
  readonly key: number;
  /** Reads and writes: the value, 0 before all writes. */
  readonly value?: number;
  /** Reads of lists. */
  readonly values?: readonly number[];
}

export interface PlainTransaction {
  readonly session: number;
  readonly status: "committed" | "aborted" | "unknown";
  readonly begin?: number;
  readonly end?: number;
  readonly operations: readonly PlainOperation[];
}

export type PlainHistory = readonly PlainTransaction[];

export const LEVELS = ["RC", "RA", "CC", "PSI", "SI", "SER"] as const;
export type Judgement = Readonly<Record<(typeof LEVELS)[number], boolean>>;

/**
 * The levels that hold. A transaction of unknown fate is tried both ways: a level holds if it holds for some choice of those that
 * committed.
 */
export function judge(history: PlainHistory, strict: boolean): Judgement {
  const open = history.flatMap((each, index) => (each.status === "unknown" ? [index] : []));
  let result: Judgement = { RC: false, RA: false, CC: false, PSI: false, SI: false, SER: false };
  for (let choice = 0; choice < 1 << open.length; choice++) {
    const committed = history.map(
      (each, index) =>
        each.status === "committed" ||
        (each.status === "unknown" && ((choice >> open.indexOf(index)) & 1) === 1),
    );
    result = either(result, judgeCommitted(history, committed, strict));
  }
  return result;
}

function either(one: Judgement, other: Judgement): Judgement {
  return {
    RC: one.RC || other.RC,
    RA: one.RA || other.RA,
    CC: one.CC || other.CC,
    PSI: one.PSI || other.PSI,
    SI: one.SI || other.SI,
    SER: one.SER || other.SER,
  };
}

const NOTHING_HOLDS: Judgement = {
  RC: false,
  RA: false,
  CC: false,
  PSI: false,
  SI: false,
  SER: false,
};

interface ExternalRead {
  readonly by: number;
  readonly key: number;
  readonly from: number;
}

/** Transactions are numbered from 1; 0 wrote every initial version. */
function judgeCommitted(
  history: PlainHistory,
  committed: readonly boolean[],
  strict: boolean,
): Judgement {
  const count = history.length + 1;
  const exists = (t: number) => t === 0 || committed[t - 1] === true;
  const at = (t: number): PlainTransaction =>
    history[t - 1] ?? { session: -1, status: "committed", operations: [] };
  const reads: ExternalRead[] = [];
  const versionOrders: (readonly number[])[] = [];
  const keys = new Set(history.flatMap((each) => each.operations.map((op) => op.key)));
  const writesKey = (t: number, key: number) =>
    t === 0 || at(t).operations.some((op) => isWrite(op) && op.key === key);

  for (let t = 1; t < count; t++) {
    if (!exists(t)) continue;
    const found = externalReads(history, committed, t);
    if (found === undefined) return NOTHING_HOLDS;
    reads.push(...found);
  }
  const so = (a: number, b: number) => {
    if (a === b || !exists(a) || !exists(b)) return false;
    if (a === 0) return true;
    return b !== 0 && at(a).session === at(b).session && a < b;
  };
  const timed = (a: number, b: number) => {
    const end = at(a).end;
    const begin = at(b).begin;
    return (
      strict &&
      a > 0 &&
      b > 0 &&
      a !== b &&
      exists(a) &&
      exists(b) &&
      end !== undefined &&
      begin !== undefined &&
      end < begin
    );
  };
  const before: boolean[][] = matrix(count, (a, b) => so(a, b) || timed(a, b));
  close(before);
  const wr = matrix(count, (a, b) => reads.some((read) => read.by === b && read.from === a));
  const base = union(before, wr);
  const happened = base.map((row) => [...row]);
  close(happened);

  for (const key of keys) {
    const order = listOrder(history, committed, key);
    if (order === undefined) return NOTHING_HOLDS;
    versionOrders.push(order);
  }
  const fixed = matrix(count, (a, b) =>
    versionOrders.some((order) => {
      const one = order.indexOf(a);
      return one >= 0 && order[one + 1] === b && a !== b;
    }),
  );
  const listed = [...keys].map((key, index) => {
    const order = versionOrders[index] ?? [];
    return { key, last: order.at(-1), members: new Set(order) };
  });
  for (const { key, last, members } of listed)
    for (let t = 1; t < count; t++)
      if (last !== undefined && exists(t) && writesKey(t, key) && !members.has(t))
        row(fixed, last)[t] = true;

  const weak = (sees: (writer: number, read: ExternalRead, index: number) => boolean) => {
    const edges = union(base, fixed);
    reads.forEach((read, index) => {
      for (let t = 0; t < count; t++)
        if (
          exists(t) &&
          t !== read.from &&
          t !== read.by &&
          writesKey(t, read.key) &&
          sees(t, read, index)
        )
          row(edges, t)[read.from] = true;
    });
    return acyclic(edges);
  };
  const RC = weak((t, read, index) =>
    reads.slice(0, index).some((earlier) => earlier.by === read.by && earlier.from === t),
  );
  const RA =
    weak((t, read) => row(base, t)[read.by] === true) &&
    reads.every((one) =>
      reads.every(
        (other) => one.by !== other.by || one.key !== other.key || one.from === other.from,
      ),
    );
  const CC = weak((t, read) => row(happened, t)[read.by] === true);

  let PSI = false;
  let SI = false;
  let SER = false;
  const choices = [...keys].map((key) => {
    const writers: number[] = [];
    for (let t = 1; t < count; t++) if (exists(t) && writesKey(t, key)) writers.push(t);
    return { key, orders: permutations(writers).map((order) => [0, ...order]) };
  });
  const choose = (
    index: number,
    chosen: readonly (readonly [number, readonly number[]])[],
  ): void => {
    if (SER && SI && PSI) return;
    const choice = choices[index];
    if (choice !== undefined) {
      for (const order of choice.orders) choose(index + 1, [...chosen, [choice.key, order]]);
      return;
    }
    const dependency = union(base, fixed);
    const anti = matrix(count, () => false);
    for (const [key, order] of chosen) {
      order.forEach((a, place) => {
        for (const b of order.slice(place + 1)) row(dependency, a)[b] = true;
      });
      for (const read of reads)
        if (read.key === key)
          for (const later of order.slice(order.indexOf(read.from) + 1))
            if (later !== read.by) row(anti, read.by)[later] = true;
    }
    if (!acyclic(dependency)) return;
    if (acyclic(union(dependency, anti))) SER = true;
    const composed = matrix(
      count,
      (a, b) =>
        row(dependency, a)[b] === true ||
        row(dependency, a).some((holds, middle) => holds && row(anti, middle)[b] === true),
    );
    if (acyclic(composed)) SI = true;
    const reach = dependency.map((each) => [...each]);
    close(reach);
    if (anti.every((each, a) => each.every((holds, b) => !holds || row(reach, b)[a] !== true)))
      PSI = true;
  };
  choose(0, []);
  return { RC, RA, CC, PSI, SI, SER };
}

function isWrite(op: PlainOperation): boolean {
  return op.kind === "write" || op.kind === "append";
}

/** Undefined if a read can be explained by no database: thin air, aborted, intermediate, future, not the own write. */
function externalReads(
  history: PlainHistory,
  committed: readonly boolean[],
  t: number,
): readonly ExternalRead[] | undefined {
  const operations = history[t - 1]?.operations ?? [];
  const found: ExternalRead[] = [];
  for (const [place, op] of operations.entries()) {
    if (isWrite(op)) continue;
    const own = operations.slice(0, place).filter((each) => isWrite(each) && each.key === op.key);
    let value = op.value ?? 0;
    if (op.kind === "read") {
      const last = own.at(-1);
      if (last !== undefined) {
        if (last.value !== value) return undefined;
        continue;
      }
    } else {
      const list = op.values ?? [];
      const tail = list.slice(list.length - own.length);
      if (list.length < own.length || own.some((each, index) => each.value !== tail[index]))
        return undefined;
      const seen = list.slice(0, list.length - own.length);
      if (new Set(seen).size < seen.length) return undefined;
      for (const each of seen) {
        const writer = writerOf(history, op.key, each);
        if (writer === undefined || writer === t || committed[writer - 1] !== true)
          return undefined;
      }
      value = seen.at(-1) ?? 0;
    }
    if (value === 0) {
      found.push({ by: t, key: op.key, from: 0 });
      continue;
    }
    const writer = writerOf(history, op.key, value);
    if (writer === undefined || writer === t || committed[writer - 1] !== true) return undefined;
    const writes = (history[writer - 1]?.operations ?? []).filter(
      (each) => isWrite(each) && each.key === op.key,
    );
    if (writes.at(-1)?.value !== value) return undefined;
    found.push({ by: t, key: op.key, from: writer });
  }
  return found;
}

function writerOf(history: PlainHistory, key: number, value: number): number | undefined {
  const index = history.findIndex((each) =>
    each.operations.some((op) => isWrite(op) && op.key === key && op.value === value),
  );
  return index < 0 ? undefined : index + 1;
}

/** The writers along the longest list read of the key, repeated ones too; undefined if some list is no prefix of it. */
function listOrder(
  history: PlainHistory,
  committed: readonly boolean[],
  key: number,
): readonly number[] | undefined {
  const lists = history.flatMap((each, index) => {
    if (committed[index] !== true) return [];
    return each.operations.flatMap((op, place) => {
      if (op.kind !== "list" || op.key !== key) return [];
      const own = each.operations
        .slice(0, place)
        .filter((other) => isWrite(other) && other.key === key).length;
      const values = op.values ?? [];
      return [values.slice(0, values.length - own)];
    });
  });
  const longest = lists.reduce((best, each) => (each.length > best.length ? each : best), []);
  if (lists.some((each) => each.some((value, index) => value !== longest[index]))) return undefined;
  const order = longest.map((value) => writerOf(history, key, value) ?? 0);
  return order.filter((writer, index) => index === 0 || writer !== order[index - 1]);
}

function row(relation: readonly boolean[][], index: number): boolean[] {
  return relation[index] ?? [];
}

function matrix(count: number, holds: (a: number, b: number) => boolean): boolean[][] {
  return Array.from({ length: count }, (_, a) =>
    Array.from({ length: count }, (__, b) => holds(a, b)),
  );
}

function union(one: readonly boolean[][], other: readonly boolean[][]): boolean[][] {
  return one.map((each, a) => each.map((holds, b) => holds || row(other, a)[b] === true));
}

function close(relation: boolean[][]): void {
  for (let middle = 0; middle < relation.length; middle++)
    for (let a = 0; a < relation.length; a++)
      if (row(relation, a)[middle] === true)
        for (let b = 0; b < relation.length; b++)
          if (row(relation, middle)[b] === true) row(relation, a)[b] = true;
}

function acyclic(relation: readonly boolean[][]): boolean {
  const closed = relation.map((each) => [...each]);
  close(closed);
  return closed.every((each, index) => each[index] !== true);
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [
      item,
      ...rest,
    ]),
  );
}
