// The rows that a statement reads: asked of the store in as few requests as can be, and kept until the statement ends.
import type {
  Key as StoreKey,
  Lookup,
  RangeLimit,
  RangePart,
  ReadRequest,
  Value,
} from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import { isAbout } from "../../exploration/lookups";
import { primaryKeyOf, type Table } from "../catalog";
import type { ColumnRange, TableRead } from "../compile/node";
import { sortedInTurns } from "../compile/ordering";
import { MissingRows, missingRows, toEnd, type Slices } from "../compile/slices";
import { comparer, type Compare } from "../values/compare";
import { asSqlFailure, SqlFailure } from "../sqlError";
import type { SqlRow } from "../values/value";
import { decodeRow, tablePrefix } from "./versions";
import { lookupName, accessPathOf, declaredIndexes, type AccessPath } from "./accessPath";

/**
 * How rows that are locked or changed are read: `snapshot` reads them as all others (levels of the literature),
 * `current` reads the newest versions only (MySQL and MariaDB), and `recheck` looks for them in the snapshot and judges
 * the newest versions of what it found again (PostgreSQL).
 */
export type LockingRule = "snapshot" | "current" | "recheck";

/**
 * Goes through all items, also where rows are missing for some, and fails with what is missing for all of them at once: a
 * statement of many rows is evaluated a few times then, not once for each row. An error behind a gap may come of the gap,
 * and is met again when it does not.
 */
export function forEachItem<T>(items: Iterable<T>, body: (item: T) => void): void {
  toEnd(eachInTurns(items, body, () => false));
}

/** As `forEachItem`, in slices. */
export function* eachInTurns<T>(
  items: Iterable<T>,
  body: (item: T) => void,
  isDue: () => boolean,
): Slices<void> {
  let first: ReadRequest | undefined;
  const keys = new Set<StoreKey>();
  const scans = new Set<string>();
  const lookups = new Map<string, Lookup>();
  for (const item of items) {
    if (isDue()) yield;
    try {
      body(item);
    } catch (error) {
      if (!(error instanceof MissingRows)) {
        if (first === undefined) throw error;
        break;
      }
      const { request: wanted } = error;
      first ??= wanted;
      // One request reads either the newest versions or those of the snapshot, and for one purpose.
      if (wanted.current !== first.current || wanted.purpose !== first.purpose) continue;
      for (const key of wanted.keys) keys.add(key);
      for (const prefix of wanted.scans ?? []) scans.add(prefix);
      for (const lookup of wanted.lookups ?? []) lookups.set(lookupName(lookup), lookup);
    }
  }
  if (first === undefined) return;
  const { current = false, purpose } = first;
  throw missingRows(
    request(
      { keys: [...keys], scans: [...scans], lookups: [...lookups.values()] },
      current,
      purpose,
    ),
  );
}

/** As `eachInTurns`, until an item fails: the failure is met where its turn comes. */
export function* untilFailure<T>(
  items: Iterable<T>,
  body: (item: T) => void,
  isDue: () => boolean,
): Slices<SqlFailure | undefined> {
  let failed: SqlFailure | undefined;
  const tried = (item: T): void => {
    if (failed !== undefined) return;
    try {
      body(item);
    } catch (error) {
      const known = asSqlFailure(error);
      if (!(known instanceof SqlFailure)) throw error;
      failed = known;
    }
  };
  yield* eachInTurns(items, tried, isDue);
  return failed;
}

interface View {
  versions: Map<StoreKey, Value>;
  readonly rows: Map<StoreKey, SqlRow | undefined>;
  /** Beginnings of keys. */
  readonly scanned: string[];
  /** Keys that nobody else may rely on any more. */
  ending?: Set<StoreKey>;
  /** Keys that the store found by values of indexes, by the names of the look-ups. */
  found?: Map<string, Set<StoreKey>>;
  /** Parts that look-ups of so many keys have read, by their names. */
  parts?: Map<string, RangePart>;
}

export interface Rows {
  /** Rows in the order of their keys. */
  readonly find: (read: TableRead) => readonly SqlRow[];
  /** As `find`, in slices. */
  readonly findInTurns: (read: TableRead, isDue: () => boolean) => Slices<readonly SqlRow[]>;
  /**
   * The first rows in the order of a column: the part of its range in which they are, or the request for them; undefined
   * where no index has that order.
   */
  readonly page: (
    read: TableRead,
    column: number,
    most: RangeLimit,
  ) => RangePart | ReadRequest | undefined;
  /** The request for what is not there of all of these. */
  readonly lacking: (reads: readonly TableRead[]) => ReadRequest | undefined;
  /** A version under a key in its newest form, as constraints see it. */
  readonly newestVersion: (key: StoreKey) => Value;
  readonly newestRow: (table: Table, key: StoreKey) => SqlRow | undefined;
  /** The request for the newest versions of these keys, as far as they are not there. */
  readonly newestOf: (
    keys: Iterable<StoreKey>,
    purpose?: ReadRequest["purpose"],
  ) => ReadRequest | undefined;
  /** The indexes by which rows of a table will be found, in a request about new ones. */
  readonly withIndexes: (request: ReadRequest, table: Table) => ReadRequest;
  /** Rows of a table in their newest versions, with their keys: at least those with these values, by column. */
  readonly newestRows: (table: Table, fixed: TableRead["fixed"]) => ReadonlyMap<StoreKey, SqlRow>;
  /** The key under which a row was read. */
  readonly keyOf: (row: SqlRow) => StoreKey | undefined;
  /** Takes the store's answer. */
  readonly add: (
    request: ReadRequest,
    values: ReadonlyMap<StoreKey, Value>,
    part?: RangePart,
  ) => void;
}

/** `hasIndexes`: the store finds rows by values of columns as well. */
export function createRows(dialect: Dialect, rule: LockingRule, hasIndexes: boolean): Rows {
  const plain = createView();
  const newest = rule === "snapshot" ? plain : createView();
  const keys = new Map<SqlRow, StoreKey>();
  /** Rows that are about to change, or that a change relies on, are locked. */
  const locks = rule !== "snapshot";

  function viewFor(current: boolean): View {
    return current && rule === "current" ? newest : plain;
  }

  function rowAt(view: View, table: Table, key: StoreKey): SqlRow | undefined {
    if (view.rows.has(key)) return view.rows.get(key);
    const row = decodeRow(table, view.versions.get(key));
    view.rows.set(key, row);
    if (row !== undefined) keys.set(row, key);
    return row;
  }

  /** The path of the read that was asked for last: it is read next. */
  let last: { readonly read: Omit<TableRead, "current">; readonly path: AccessPath } | undefined;
  function pathOf(read: Omit<TableRead, "current">): AccessPath {
    if (last?.read === read) return last.path;
    const path = accessPathOf(read, dialect, hasIndexes);
    last = { read, path };
    return path;
  }

  /** The part of that which is not there. */
  function missing(view: View, table: Table, all: AccessPath): AccessPath {
    if (isScanned(view, tablePrefix(table))) return NOTHING;
    return {
      keys: all.keys.filter((key) => !view.versions.has(key) && !isScanned(view, key)),
      scans: all.scans.filter((prefix) => !isScanned(view, prefix)),
      lookups: all.lookups.filter((lookup) => view.found?.has(lookupName(lookup)) !== true),
    };
  }

  function lacking(reads: readonly TableRead[]): ReadRequest | undefined {
    let current: boolean | undefined;
    const open: AccessPath[] = [];
    for (const read of reads) {
      const view = viewFor(read.current);
      const path = missing(view, read.table, pathOf(read));
      // One request reads either the newest versions or those of the snapshot.
      if (isNothing(path) || (current ?? view === newest) !== (view === newest)) continue;
      current = view === newest;
      open.push(path);
    }
    const [first] = open;
    if (first === undefined || current === undefined) return undefined;
    return request(open.length === 1 ? first : together(open), current && newest !== plain);
  }

  function needNewest(table: Table, all: AccessPath): void {
    const lacking = missing(newest, table, all);
    if (isNothing(lacking)) return;
    throw missingRows(request(together([lacking]), locks));
  }

  function newestOf(
    some: Iterable<StoreKey>,
    purpose?: ReadRequest["purpose"],
  ): ReadRequest | undefined {
    // Only where updates leave references alone an end is more than a change.
    if (purpose === "end" && rule !== "recheck") return undefined;
    const isThere = (key: StoreKey): boolean =>
      purpose === "end" ? newest.ending?.has(key) === true : isKnown(newest, key);
    const lacking = new Set<StoreKey>();
    for (const key of some) if (!isThere(key)) lacking.add(key);
    if (lacking.size === 0) return undefined;
    return request({ ...NOTHING, keys: [...lacking] }, locks, locks ? purpose : undefined);
  }

  function rowsIn(view: View, table: Table, all: AccessPath): ReadonlyMap<StoreKey, SqlRow> {
    return toEnd(rowsInTurns(view, table, all, () => false));
  }

  function* rowsInTurns(
    view: View,
    table: Table,
    all: AccessPath,
    isDue: () => boolean,
  ): Slices<ReadonlyMap<StoreKey, SqlRow>> {
    const found = new Map<StoreKey, SqlRow>();
    const take = (key: StoreKey): void => {
      const row = rowAt(view, table, key);
      if (row !== undefined) found.set(key, row);
    };
    for (const key of all.keys) take(key);
    // Rows that a scan of the whole table has brought are not in the answers of look-ups.
    const scans =
      all.lookups.length > 0 && isScanned(view, tablePrefix(table))
        ? [tablePrefix(table)]
        : all.scans;
    for (const lookup of all.lookups)
      for (const key of view.found?.get(lookupName(lookup)) ?? []) take(key);
    for (const key of scans.length === 0 ? [] : view.versions.keys()) {
      if (isDue()) yield;
      if (scans.some((prefix) => key.startsWith(prefix))) take(key);
    }
    return found;
  }

  return {
    find(read) {
      const open = lacking([read]);
      if (open !== undefined) throw missingRows(open);
      const rows = rowsIn(viewFor(read.current), read.table, pathOf(read));
      return toEnd(inKeyOrder(read.table, rows, dialect, () => false));
    },
    *findInTurns(read, isDue) {
      const open = lacking([read]);
      if (open !== undefined) yield open;
      const path = pathOf(read);
      const rows = yield* rowsInTurns(viewFor(read.current), read.table, path, isDue);
      return yield* inKeyOrder(read.table, rows, dialect, isDue);
    },
    page(read, column, most) {
      const { table, ranges = new Map<number, ColumnRange>() } = read;
      const view = viewFor(read.current);
      if (isScanned(view, tablePrefix(table))) return undefined;
      const range = ranges.get(column) ?? EVERYWHERE;
      const whole = { ...read, ranges: new Map([...ranges, [column, range]]) };
      const { lookups, ordered } = accessPathOf(whole, dialect, hasIndexes);
      const [lookup, ...others] = lookups;
      if (lookup?.range === undefined || others.length > 0 || ordered !== column) return undefined;
      const limited = { ...lookup, range: { ...lookup.range, most } };
      return (
        view.parts?.get(lookupName(limited)) ??
        request({ ...NOTHING, lookups: [limited] }, view === newest && newest !== plain)
      );
    },
    lacking,
    newestVersion(key) {
      if (!isKnown(newest, key)) throw missingRows(request({ ...NOTHING, keys: [key] }, locks));
      return newest.versions.get(key);
    },
    newestRow(table, key) {
      if (!isKnown(newest, key)) throw missingRows(request({ ...NOTHING, keys: [key] }, locks));
      return rowAt(newest, table, key);
    },
    newestOf,
    withIndexes(asked, table) {
      const indexes = hasIndexes ? declaredIndexes(table, dialect) : [];
      return indexes.length === 0 ? asked : { ...asked, indexes };
    },
    newestRows(table, fixed) {
      const all = pathOf({ table, fixed });
      needNewest(table, all);
      return rowsIn(newest, table, all);
    },
    keyOf: (row) => keys.get(row),
    add(
      { keys: asked, scans = [], lookups: limited = [], current = false, purpose },
      values,
      part,
    ) {
      const view = current ? newest : plain;
      const lookups = part === undefined ? limited : limited.map((each) => partOf(each, part));
      if (part !== undefined)
        for (const each of limited) (view.parts ??= new Map()).set(lookupName(each), part);
      if (purpose === "end") for (const key of asked) (view.ending ??= new Set()).add(key);
      for (const key of asked) if (!view.versions.has(key)) view.versions.set(key, values.get(key));
      if (view.versions.size === 0) view.versions = new Map(values);
      else
        for (const [key, value] of values)
          if (!view.versions.has(key)) view.versions.set(key, value);
      view.scanned.push(...scans);
      if (lookups.length === 0) return;
      const found = (view.found ??= new Map<string, Set<StoreKey>>());
      for (const lookup of lookups) found.set(lookupName(lookup), new Set());
      for (const ofIndex of byIndex(lookups)) {
        const [{ prefix, valueOf }] = ofIndex;
        const byValue = new Map<string, Lookup[]>();
        for (const each of ofIndex)
          byValue.set(each.value, [...(byValue.get(each.value) ?? []), each]);
        for (const key of values.keys()) {
          if (!key.startsWith(prefix)) continue;
          const version = view.versions.get(key);
          const value = valueOf(version);
          for (const each of value === undefined ? [] : (byValue.get(value) ?? []))
            if (isAbout(each, version)) found.get(lookupName(each))?.add(key);
        }
      }
    },
  };
}

const EVERYWHERE: ColumnRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** A look-up of the part of its range that was read. */
function partOf(lookup: Lookup, { from, to }: RangePart): Lookup {
  const { range } = lookup;
  return range === undefined ? lookup : { ...lookup, range: { orderOf: range.orderOf, from, to } };
}

function byIndex(lookups: readonly Lookup[]): Iterable<readonly [Lookup, ...Lookup[]]> {
  const all = new Map<string, [Lookup, ...Lookup[]]>();
  for (const each of lookups) {
    const known = all.get(each.index);
    if (known === undefined) all.set(each.index, [each]);
    else known.push(each);
  }
  return all.values();
}

const NOTHING: AccessPath = { keys: [], scans: [], lookups: [] };

function isNothing({ keys, scans, lookups }: AccessPath): boolean {
  return keys.length + scans.length + lookups.length === 0;
}

function together(all: readonly AccessPath[]): AccessPath {
  const lookups = all.flatMap((each) => each.lookups);
  return {
    keys: [...new Set(all.flatMap(({ keys }) => keys))],
    scans: [...new Set(all.flatMap(({ scans }) => scans))],
    lookups: [...new Map(lookups.map((each) => [lookupName(each), each])).values()],
  };
}

function isKnown(view: View, key: StoreKey): boolean {
  return view.versions.has(key) || isScanned(view, key);
}

function createView(): View {
  return { versions: new Map(), rows: new Map(), scanned: [] };
}

function isScanned(view: View, start: string): boolean {
  for (const prefix of view.scanned) if (start.startsWith(prefix)) return true;
  return false;
}

function request(
  { keys, scans, lookups }: AccessPath,
  current: boolean,
  purpose?: ReadRequest["purpose"],
): ReadRequest {
  return {
    kind: "read",
    keys,
    ...(scans.length === 0 ? {} : { scans }),
    ...(lookups.length === 0 ? {} : { lookups }),
    ...(current ? { current } : {}),
    ...(purpose === undefined ? {} : { purpose }),
  };
}

function* inKeyOrder(
  table: Table,
  rows: ReadonlyMap<StoreKey, SqlRow>,
  dialect: Dialect,
  isDue: () => boolean,
): Slices<readonly SqlRow[]> {
  if (rows.size < 2) return [...rows.values()];
  const columns = (primaryKeyOf(table)?.columns ?? []).map((at): readonly [number, Compare] => {
    const type = table.columns[at]?.declared.type ?? "text";
    // Labels have no order here; any will do for rows that nobody orders.
    return [at, comparer(type === "enum" ? "bytea" : type, dialect)];
  });
  if (columns.length === 0) {
    const number = (key: StoreKey): number => Number(key.slice(tablePrefix(table).length + 1));
    const sorted = yield* sortedInTurns(
      [...rows],
      ([left], [right]) => number(left) - number(right),
      isDue,
    );
    return sorted.map(([, row]) => row);
  }
  const compared = (left: SqlRow, right: SqlRow): number => {
    for (const [at, compare] of columns) {
      const order = compare(left[at] ?? null, right[at] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  };
  return yield* sortedInTurns([...rows.values()], compared, isDue);
}
