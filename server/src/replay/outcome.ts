// Outcomes of runs on a server, and their comparison: sequence numbers and random ids may be renamed, and the time of day may differ.
import type { Schema } from "../program/schema";
import type { Witness } from "../protocol/witness";
import { permutations } from "../store/permutations";
import type { InstanceEnd } from "./conduct";

/** The outcome of a run, as JSON texts. */
export interface ReplayOutcome {
  /** Rows by table. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly instances: Readonly<Record<string, InstanceEnd>>;
}

/** The first difference of two outcomes: final rows, values returned to callers, or only what was read on the way. */
export type Difference = "state" | "value" | "read";

/**
 * The difference of two outcomes; undefined if they are equal up to a renaming of sequence numbers and random ids. An uncommitted instance
 * equals one that did not run.
 */
export function differenceOf(
  one: ReplayOutcome,
  other: ReplayOutcome,
  schema: Schema,
  initial: Witness["initial"],
): Difference | undefined {
  const left = readOutcome(one);
  const right = readOutcome(other);
  const drawn = drawnColumns(schema);
  const old = namesIn(Object.entries(initial), drawn);
  const drawnIn = ({ tables }: Read): ReadonlySet<Drawn> =>
    new Set([...namesIn(tables, drawn)].filter((name) => !old.has(name)));
  let best: Difference = "state";
  for (const rename of renamings(drawnIn(left), drawnIn(right))) {
    const found = differenceUnder(left, right, rename, drawn);
    if (found === undefined) return undefined;
    if (RANK[found] < RANK[best]) best = found;
  }
  return best;
}

const RANK: Readonly<Record<Difference, number>> = { read: 0, value: 1, state: 2 };

interface Read {
  readonly tables: ReadonlyMap<string, readonly unknown[]>;
  readonly returned: ReadonlyMap<string, readonly unknown[]>;
  readonly seen: ReadonlyMap<string, readonly unknown[]>;
}

function readOutcome({ tables, instances }: ReplayOutcome): Read {
  const committed = Object.entries(instances).filter(([, { status }]) => status === "committed");
  const parsed = (texts: readonly string[]): readonly unknown[] => texts.map(parse);
  return {
    tables: new Map(Object.entries(tables).map(([name, rows]) => [name, parsed(rows)])),
    returned: new Map(committed.map(([name, { returned }]) => [name, parsed(returned)])),
    seen: new Map(committed.map(([name, { seen }]) => [name, seen.map(readRows)])),
  };
}

function parse(text: string): unknown {
  return JSON.parse(text);
}

/** The result of one statement: a list of rows as texts, or a routine's own words. */
function readRows(text: string): unknown {
  const rows = text.startsWith('["[') ? parse(text) : undefined;
  return Array.isArray(rows) ? rows.map((row: string) => parse(row)) : text;
}

/** A sequence number or random id. */
type Drawn = number | string;

/** "table.column" of columns filled by sequences and random ids, and of references to them. */
function drawnColumns({ tables }: Schema): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { name, columns } of tables)
    for (const column of columns)
      if (column.default?.kind === "fresh" && DRAWN.has(column.default.why))
        found.add(`${name}.${column.name}`);
  for (const { name, foreignKeys } of tables)
    for (const { columns, table, referenced } of foreignKeys)
      for (const [at, column] of columns.entries())
        if (found.has(`${table}.${referenced[at] ?? ""}`)) found.add(`${name}.${column}`);
  return found;
}

const DRAWN: ReadonlySet<string> = new Set(["sequence", "uuid"]);

function namesIn(
  tables: Iterable<readonly [string, readonly unknown[]]>,
  drawn: ReadonlySet<string>,
): ReadonlySet<Drawn> {
  const names = new Set<Drawn>();
  for (const [table, rows] of tables)
    for (const row of rows)
      if (typeof row === "object" && row !== null)
        for (const [column, value] of Object.entries(row))
          if (isName(value) && drawn.has(`${table}.${column}`)) names.add(value);
  return names;
}

function isName(value: unknown): value is Drawn {
  return typeof value === "number" || typeof value === "string";
}

type Rename = ReadonlyMap<Drawn, Drawn>;

/** Limit of renamed values: all of their permutations are tried. */
const MOST_RENAMED = 6;

/** All bijections from the one's generated values to the other's. */
function* renamings(one: ReadonlySet<Drawn>, other: ReadonlySet<Drawn>): Generator<Rename> {
  yield new Map();
  if (one.size !== other.size) return;
  const last = (names: ReadonlySet<Drawn>): readonly Drawn[] =>
    [...names].sort((a, b) => (a < b ? 1 : -1)).slice(0, MOST_RENAMED);
  const [from, to] = [last(one), last(other)];
  for (const order of permutations(to))
    yield new Map(from.map((name, at) => [name, order[at] ?? name]));
}

function differenceUnder(
  one: Read,
  other: Read,
  rename: Rename,
  drawn: ReadonlySet<string>,
): Difference | undefined {
  const tables = new Set([...one.tables.keys(), ...other.tables.keys()]);
  for (const table of tables) {
    const same = (left: unknown, right: unknown): boolean =>
      isSameRow(left, right, (column, a, b) =>
        drawn.has(`${table}.${column}`) ? isRenamed(a, b, rename) : isSame(a, b, rename),
      );
    if (!areSameRows(one.tables.get(table) ?? [], other.tables.get(table) ?? [], same))
      return "state";
  }
  const inOrder = (left: Read["seen"], right: Read["seen"], names: Rename): boolean =>
    left.size === right.size &&
    [...left].every(([name, values]) => isSame(values, right.get(name), names));
  if (!inOrder(one.returned, other.returned, rename)) return "value";
  // A number that was read may be anything, while a random id is unambiguous.
  const ids = new Map([...rename].filter(([name]) => typeof name === "string"));
  return inOrder(one.seen, other.seen, ids) ? undefined : "read";
}

/** Compares rows in any order. */
function areSameRows(
  left: readonly unknown[],
  right: readonly unknown[],
  same: (left: unknown, right: unknown) => boolean,
): boolean {
  if (left.length !== right.length) return false;
  const open = [...right];
  return left.every((row) => {
    const at = open.findIndex((each) => same(row, each));
    if (at >= 0) open.splice(at, 1);
    return at >= 0;
  });
}

function isSameRow(
  left: unknown,
  right: unknown,
  same: (column: string, left: unknown, right: unknown) => boolean,
): boolean {
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) return false;
  const other = new Map(Object.entries(right));
  const own = Object.entries(left);
  return (
    own.length === other.size &&
    own.every(([name, value]) => other.has(name) && same(name, value, other.get(name)))
  );
}

function isRenamed(left: unknown, right: unknown, rename: Rename): boolean {
  return isName(left) ? (rename.get(left) ?? left) === right : left === right;
}

/** True for equal values, renamed ones, and times of the run. */
function isSame(left: unknown, right: unknown, rename: Rename): boolean {
  if (left === right || isRenamed(left, right, rename)) return true;
  if (typeof left === "string" && typeof right === "string") return isNow(left) && isNow(right);
  if (Array.isArray(left) && Array.isArray(right))
    return (
      left.length === right.length && left.every((each, at) => isSame(each, right[at], rename))
    );
  return isSameRow(left, right, (_, a, b) => isSame(a, b, rename));
}

/** Tolerance for times of the run; two days, since servers print times of other zones. */
const DAY = 24 * 3600 * 1000;

function isNow(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return false;
  return Math.abs(Date.parse(text) - Date.now()) < 2 * DAY;
}
