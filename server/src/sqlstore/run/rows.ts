// The rows that a statement reads: asked of the store in as few requests as can be, and kept until the statement ends.
import type { Key as StoreKey, ReadRequest, Value } from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import { primaryKeyOf, type Table } from "../catalog";
import type { TableRead } from "../compile/node";
import { comparer, type Compare } from "../values/compare";
import type { SqlRow } from "../values/value";
import { decodeRow, keyPart, tablePrefix } from "./versions";

/**
 * How rows that are locked or changed are read: `snapshot` reads them as all others (levels of the literature),
 * `current` reads the newest versions only (MySQL and MariaDB), and `recheck` looks for them in the snapshot and judges
 * the newest versions of what it found again (PostgreSQL).
 */
export type LockingRule = "snapshot" | "current" | "recheck";

/** What is missing to go on. Thrown while a statement is evaluated, and caught by what then asks the store. */
export class MissingRows extends Error {
  request: ReadRequest = { kind: "read", keys: [] };
}

/** There is one, since taking down where an error was made takes longer than a statement; it is caught at once. */
const MISSING = new MissingRows("rows are missing");

function missingRows(asked: ReadRequest): MissingRows {
  MISSING.request = asked;
  return MISSING;
}

/**
 * Goes through all items, also where rows are missing for some, and fails with what is missing for all of them at once: a
 * statement of many rows is evaluated a few times then, not once for each row. An error behind a gap may come of the gap,
 * and is met again when it does not.
 */
export function forEachItem<T>(items: Iterable<T>, body: (item: T) => void): void {
  let current: boolean | undefined;
  const keys = new Set<StoreKey>();
  const scans = new Set<string>();
  for (const item of items) {
    try {
      body(item);
    } catch (error) {
      if (!(error instanceof MissingRows)) {
        if (current === undefined) throw error;
        break;
      }
      const { request: wanted } = error;
      current ??= wanted.current ?? false;
      // One request reads either the newest versions or those of the snapshot.
      if ((wanted.current ?? false) !== current) continue;
      for (const key of wanted.keys) keys.add(key);
      for (const prefix of wanted.scans ?? []) scans.add(prefix);
    }
  }
  if (current !== undefined) throw missingRows(request([...keys], [...scans], current));
}

interface View {
  readonly versions: Map<StoreKey, Value>;
  readonly rows: Map<StoreKey, SqlRow | undefined>;
  readonly scanned: Set<string>;
}

export interface Rows {
  /** Rows in the order of their keys. */
  readonly find: (read: TableRead) => readonly SqlRow[];
  /** Fails with what is missing of all of these at once. */
  readonly prepare: (reads: readonly TableRead[]) => void;
  /** A version under a key in its newest form, as constraints see it. */
  readonly newestVersion: (key: StoreKey) => Value;
  readonly newestRow: (table: Table, key: StoreKey) => SqlRow | undefined;
  /** Asks for the newest versions of these keys at once. */
  readonly prepareNewest: (keys: readonly StoreKey[]) => void;
  /** All rows of a table in their newest versions, with their keys. */
  readonly newestRows: (table: Table) => ReadonlyMap<StoreKey, SqlRow>;
  /** The key under which a row was read. */
  readonly keyOf: (row: SqlRow) => StoreKey | undefined;
  /** Takes the store's answer. */
  readonly add: (request: ReadRequest, values: ReadonlyMap<StoreKey, Value>) => void;
}

export function createRows(dialect: Dialect, rule: LockingRule): Rows {
  const plain = createView();
  const newest = rule === "snapshot" ? plain : createView();
  const keys = new Map<SqlRow, StoreKey>();

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

  /** What a read needs that is not there. */
  function missing(read: TableRead): {
    readonly keys: readonly StoreKey[];
    readonly scans: readonly string[];
  } {
    const view = viewFor(read.current);
    const wanted = wantedOf(read, dialect);
    if (isScanned(view, tablePrefix(read.table))) return { keys: [], scans: [] };
    return {
      keys: wanted.keys.filter((key) => !view.versions.has(key) && !isScanned(view, key)),
      scans: wanted.scans.filter((prefix) => !isScanned(view, prefix)),
    };
  }

  function need(reads: readonly TableRead[]): void {
    const all = reads.map((read) => ({ read, ...missing(read) }));
    const open = all.filter(({ keys: some, scans }) => some.length + scans.length > 0);
    const [first] = open;
    if (first === undefined) return;
    const current = viewFor(first.read.current) === newest && newest !== plain;
    const same = open.filter(
      ({ read }) => (viewFor(read.current) === newest && newest !== plain) === current,
    );
    throw missingRows(
      request(
        [...new Set(same.flatMap((each) => each.keys))],
        [...new Set(same.flatMap((each) => each.scans))],
        current,
      ),
    );
  }

  function needNewest(some: readonly StoreKey[], scans: readonly string[]): void {
    const keysMissing = some.filter((key) => !newest.versions.has(key) && !isScanned(newest, key));
    const scansMissing = scans.filter((prefix) => !isScanned(newest, prefix));
    if (keysMissing.length + scansMissing.length === 0) return;
    throw missingRows(request([...new Set(keysMissing)], scansMissing, rule !== "snapshot"));
  }

  return {
    find(read) {
      need([read]);
      const view = viewFor(read.current);
      const wanted = wantedOf(read, dialect);
      const found = new Map<StoreKey, SqlRow>();
      const take = (key: StoreKey): void => {
        const row = rowAt(view, read.table, key);
        if (row !== undefined) found.set(key, row);
      };
      for (const key of wanted.keys) take(key);
      for (const key of wanted.scans.length === 0 ? [] : view.versions.keys()) {
        if (wanted.scans.some((prefix) => key.startsWith(prefix))) take(key);
      }
      return inKeyOrder(read.table, found, dialect);
    },
    prepare: need,
    newestVersion(key) {
      needNewest([key], []);
      return newest.versions.get(key);
    },
    newestRow(table, key) {
      needNewest([key], []);
      return rowAt(newest, table, key);
    },
    prepareNewest: (some) => needNewest(some, []),
    newestRows(table) {
      const prefix = tablePrefix(table);
      needNewest([], [prefix]);
      const found = new Map<StoreKey, SqlRow>();
      for (const key of newest.versions.keys()) {
        const row = key.startsWith(prefix) ? rowAt(newest, table, key) : undefined;
        if (row !== undefined) found.set(key, row);
      }
      return found;
    },
    keyOf: (row) => keys.get(row),
    add({ keys: asked, scans = [], current = false }, values) {
      const view = current ? newest : plain;
      for (const key of asked) if (!view.versions.has(key)) view.versions.set(key, values.get(key));
      for (const [key, value] of values) if (!view.versions.has(key)) view.versions.set(key, value);
      for (const prefix of scans) view.scanned.add(prefix);
    },
  };
}

function createView(): View {
  return { versions: new Map(), rows: new Map(), scanned: new Set() };
}

function isScanned(view: View, start: string): boolean {
  for (const prefix of view.scanned) if (start.startsWith(prefix)) return true;
  return false;
}

function request(
  keys: readonly StoreKey[],
  scans: readonly string[],
  current: boolean,
): ReadRequest {
  return {
    kind: "read",
    keys,
    ...(scans.length === 0 ? {} : { scans }),
    ...(current ? { current } : {}),
  };
}

/** Combinations of key values beyond which a table is scanned instead. */
const MOST_KEYS = 1000;

/** Keys where all columns of the primary key are fixed, else beginnings of keys. */
function wantedOf(
  { table, fixed }: TableRead,
  dialect: Dialect,
): { readonly keys: readonly StoreKey[]; readonly scans: readonly string[] } {
  const prefix = tablePrefix(table);
  const columns = primaryKeyOf(table)?.columns ?? [];
  let starts: readonly string[] = [""];
  let depth = 0;
  for (const [at, column] of columns.entries()) {
    const values = fixed[at];
    if (values === undefined) break;
    const type = table.columns[column]?.declared.type ?? "unknown";
    const parts = [...new Set(values.flatMap((value) => keyPart(value, type, dialect) ?? []))];
    if (starts.length * parts.length > MOST_KEYS) break;
    starts = starts.flatMap((start) =>
      parts.map((part) => (depth === 0 ? part : `${start},${part}`)),
    );
    depth++;
  }
  if (depth === 0) return { keys: [], scans: [prefix] };
  if (depth === columns.length) return { keys: starts.map((start) => prefix + start), scans: [] };
  return { keys: [], scans: starts.map((start) => `${prefix}${start},`) };
}

function inKeyOrder(
  table: Table,
  rows: ReadonlyMap<StoreKey, SqlRow>,
  dialect: Dialect,
): readonly SqlRow[] {
  if (rows.size < 2) return [...rows.values()];
  const columns = (primaryKeyOf(table)?.columns ?? []).map((at): readonly [number, Compare] => {
    const type = table.columns[at]?.declared.type ?? "text";
    // Labels have no order here; any will do for rows that nobody orders.
    return [at, comparer(type === "enum" ? "bytea" : type, dialect)];
  });
  if (columns.length === 0) {
    const number = (key: StoreKey): number => Number(key.slice(tablePrefix(table).length + 1));
    return [...rows].sort(([left], [right]) => number(left) - number(right)).map(([, row]) => row);
  }
  return [...rows.values()].sort((left, right) => {
    for (const [at, compare] of columns) {
      const order = compare(left[at] ?? null, right[at] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
}
