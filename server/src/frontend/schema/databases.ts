// Several databases in one workspace: folders that declare the same table with other columns belong to different ones.
// A file that no folder contradicts belongs to all of them.
import type { Table } from "../../program/schema";
import { DIALECTS } from "../../program/dialect";
import { defaultSchema, plainName } from "../sql/relationNames";
import type { FileId } from "../../protocol/source";

/** A source of tables: a file, a series of migrations, the schema of an ORM. */
export interface Declaration {
  /** A file, or the folder of files that belong together; empty for the folder that all ids start from. */
  readonly place: string;
  readonly tables: readonly Table[];
  /** Made for code, where a table may be told in part and by other names: to files of SQL it counts as near. */
  readonly isModel: boolean;
  /** Cannot be of one database with others of another kind: the product that an ORM's schema names. */
  readonly product?: string;
}

export interface Databases {
  /** By database: the declarations that hold there, as numbers in their order. */
  readonly declarations: readonly (readonly number[])[];
  /** The name of each database for people: a folder or a file. */
  readonly labels: readonly string[];
  /**
   * The database that a file speaks to: by where it stands or what it imports stands (the nearest first), by a name in
   * its path, by the tables and columns that its text names; else the first one. Linear in the text.
   */
  of(file: FileId, text: () => string, imported?: () => Iterable<string>): number;
}

/** Less than this share of the columns in common, and two tables are not the same one. */
const SAME_IF_NEAR = 0.3;
const SAME_ELSEWHERE = 0.8;

/** So many databases are told apart; declarations beyond them count for all. */
const MOST_DATABASES = 32;

/** The databases of the declarations; undefined where all fit into one. */
export function databasesOf(declarations: readonly Declaration[]): Databases | undefined {
  const { apart, together } = compared(declarations);
  if (apart.size === 0) return undefined;
  const territories = new Map(
    [...apart].map(([at, others]) => {
      const places = [...others].map((each) => declarations[each]?.place ?? "");
      return [at, territoryOf(declarations[at]?.place ?? "", places)] as const;
    }),
  );
  const order = [...apart.keys()].sort(
    (a, b) => (territories.get(a)?.length ?? 0) - (territories.get(b)?.length ?? 0) || a - b,
  );
  const members: number[][] = [];
  const free = new Set([...declarations.keys()].filter((at) => !apart.has(at)));
  for (const at of order) {
    const possible = members.filter((own) => !own.some((each) => apart.get(at)?.has(each)));
    const near = possible
      .map((own) => ({ own, score: nearness(at, own, together, declarations, territories) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)[0]?.own;
    if (near) near.push(at);
    else if (members.length < MOST_DATABASES) members.push([at]);
    else free.add(at);
  }
  const words = distinctWords(members, declarations);
  const places = members.flatMap((each, database) =>
    each.map((at) => ({ database, place: territories.get(at) ?? [] })),
  );
  // One stands in the folder of all others: what imports lead to says more than that.
  const inner = places.filter(({ place }) => place.length > 0);
  return {
    declarations: members.map((each, database) => {
      // A table that nothing contradicts is everyone's, unless it stands where one of them is at home.
      const others = [...free].filter((at) => {
        const home = byPlace(declarations[at]?.place ?? "", places);
        return home === undefined || home === database;
      });
      return [...each, ...others].sort((a, b) => a - b);
    }),
    labels: labelsOf(members.map(([first = 0]) => territories.get(first) ?? [])),
    of: (file, text, imported = () => []) =>
      byPlace(file, inner) ??
      first(imported(), (each) => byPlace(each, inner)) ??
      byPlace(file, places) ??
      byName(file, places) ??
      byWords(text(), words),
  };
}

interface Comparison {
  /** Those that contradict each other. */
  readonly apart: ReadonlyMap<number, ReadonlySet<number>>;
  /** How many tables two of them tell alike, by `a,b` with the smaller number first. */
  readonly together: ReadonlyMap<string, number>;
}

/** A table in a declaration. */
interface Declared {
  readonly at: number;
  readonly columns: Columns;
  readonly home: string | undefined;
}

/** The schema that a table names, unless it is a product's own. */
function homeIn({ schema }: Table): string | undefined {
  return schema === undefined || DEFAULT_SCHEMAS.has(schema) ? undefined : schema;
}

const DEFAULT_SCHEMAS = new Set(DIALECTS.map(defaultSchema));

function compared(declarations: readonly Declaration[]): Comparison {
  const declaring = new Map<string, Declared[]>();
  for (const [at, { tables }] of declarations.entries()) {
    for (const table of tables) {
      const own = { at, columns: columnsOf(table), home: homeIn(table) };
      const name = plainName(table);
      const known = declaring.get(name);
      if (known) known.push(own);
      else declaring.set(name, [own]);
    }
  }
  const apart = new Map<number, Set<number>>();
  const together = new Map<string, number>();
  const separate = (a: number, b: number): void => {
    apart.set(a, (apart.get(a) ?? new Set()).add(b));
    apart.set(b, (apart.get(b) ?? new Set()).add(a));
  };
  for (const each of declaring.values()) {
    for (const [index, left] of each.entries()) {
      for (const right of each.slice(index + 1)) {
        const [a, b] = [declarations[left.at], declarations[right.at]];
        if (!a || !b || left.at === right.at) continue;
        const isNear = a.isModel !== b.isModel || areNear(a.place, b.place);
        if (isNear && left.home !== right.home) continue;
        const least = isNear ? SAME_IF_NEAR : SAME_ELSEWHERE;
        if (shared(left.columns, right.columns) < least) separate(left.at, right.at);
        else {
          const key = `${String(left.at)},${String(right.at)}`;
          together.set(key, (together.get(key) ?? 0) + 1);
        }
      }
    }
  }
  const products = declarations.flatMap(({ product }, at) => (product ? [{ product, at }] : []));
  for (const [index, left] of products.entries()) {
    for (const right of products.slice(index + 1)) {
      if (left.product !== right.product) separate(left.at, right.at);
    }
  }
  return { apart, together };
}

type Columns = ReadonlySet<string>;

/** Without what differs between code and database. */
function columnsOf({ columns }: Table): Columns {
  return new Set(columns.map(({ name }) => name.replaceAll("_", "").toLowerCase()));
}

/** The share of columns that two tables have in common, of the one with fewer. */
function shared(left: Columns, right: Columns): number {
  const fewer = Math.min(left.size, right.size);
  return fewer === 0 ? 1 : [...left].filter((name) => right.has(name)).length / fewer;
}

/** One stands in the other's folder, or below it. */
function areNear(left: string, right: string): boolean {
  const [a, b] = [folderOf(left), folderOf(right)];
  const [outer, inner] = a.length < b.length ? [a, b] : [b, a];
  return isWithin(inner, outer);
}

function folderOf(place: string): Place {
  const parts = partsOf(place);
  return /\.\w+$/u.test(parts.at(-1) ?? "") ? parts.slice(0, -1) : parts;
}

type Place = readonly string[];

function partsOf(path: string): Place {
  return path.split("/").filter((part) => part !== "");
}

function isWithin(place: Place, outer: Place): boolean {
  return outer.length <= place.length && outer.every((part, at) => place[at] === part);
}

/** The largest folder around a place that none of the others stands in; its own one where others stand further in. */
function territoryOf(place: string, others: readonly string[]): Place {
  const own = partsOf(place);
  const foreign = others.map(partsOf);
  for (let length = 0; length < own.length; length += 1) {
    const folder = own.slice(0, length);
    if (!foreign.some((other) => isWithin(other, folder))) return folder;
  }
  const folder = folderOf(place);
  const isShared = others.some((other) => folderOf(other).length <= folder.length);
  return isShared ? own : folder;
}

/** How much speaks for a declaration to be of a database: tables that both have, else a folder that both are in. */
function nearness(
  at: number,
  members: readonly number[],
  together: Comparison["together"],
  declarations: readonly Declaration[],
  territories: ReadonlyMap<number, Place>,
): number {
  const alike = members.reduce((sum, each) => {
    const [a, b] = each < at ? [each, at] : [at, each];
    return sum + (together.get(`${String(a)},${String(b)}`) ?? 0);
  }, 0);
  if (alike > 0) return alike + 1;
  const place = partsOf(declarations[at]?.place ?? "");
  const isInside = members.some((each) => {
    const territory = territories.get(each) ?? [];
    return territory.length > 0 && isWithin(place, territory);
  });
  return isInside ? 1 : 0;
}

function first<Each, Found>(
  all: Iterable<Each>,
  find: (each: Each) => Found | undefined,
): Found | undefined {
  for (const each of all) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Territory {
  readonly database: number;
  readonly place: Place;
}

/** The innermost territory that a file stands in. */
function byPlace(file: string, territories: readonly Territory[]): number | undefined {
  const own = partsOf(file);
  return territories
    .filter(({ place }) => isWithin(own, place))
    .toSorted((a, b) => b.place.length - a.place.length)[0]?.database;
}

/** The only database whose territory has the name of a folder (or the file) of the path. */
function byName(file: FileId, territories: readonly Territory[]): number | undefined {
  const names = partsOf(file).map(bareName);
  const found = territories.flatMap(({ database, place }) => {
    const name = place.at(-1);
    if (name === undefined) return [];
    const at = names.lastIndexOf(bareName(name));
    return at < 0 ? [] : [{ database, at }];
  });
  const deepest = Math.max(...found.map(({ at }) => at));
  const best = new Set(found.filter(({ at }) => at === deepest).map(({ database }) => database));
  const [only] = best;
  return best.size === 1 ? only : undefined;
}

function bareName(name: string): string {
  return name.replace(/\.\w+$/u, "").toLowerCase();
}

/** Names of tables and columns that not all of the databases have, by name: the databases that have it. */
type Words = ReadonlyMap<string, ReadonlySet<number>>;

function distinctWords(
  members: readonly (readonly number[])[],
  declarations: readonly Declaration[],
): Words {
  const words = new Map<string, Set<number>>();
  for (const [database, own] of members.entries()) {
    for (const { name, columns } of own.flatMap((at) => declarations[at]?.tables ?? [])) {
      for (const word of [name, ...columns.map((column) => column.name)]) {
        const key = word.toLowerCase();
        words.set(key, (words.get(key) ?? new Set()).add(database));
      }
    }
  }
  return new Map([...words].filter(([, having]) => having.size < members.length));
}

function byWords(text: string, words: Words): number {
  const scores = new Map<number, number>();
  for (const word of new Set(text.toLowerCase().match(/[\p{L}_$][\p{L}\p{N}_$]*/gu))) {
    for (const database of words.get(word) ?? []) {
      scores.set(database, (scores.get(database) ?? 0) + 1);
    }
  }
  return [...scores].toSorted(([a, left], [b, right]) => right - left || a - b)[0]?.[0] ?? 0;
}

/** The last part of each place, or all of it where that is another's name. */
function labelsOf(places: readonly Place[]): readonly string[] {
  const short = places.map((place) => (place.at(-1) ?? "").replace(/\.\w+$/u, ""));
  return places.map((place, at) => {
    const name = short[at] ?? "";
    const isOwn = name !== "" && short.filter((each) => each === name).length === 1;
    return isOwn ? name : place.join("/");
  });
}
