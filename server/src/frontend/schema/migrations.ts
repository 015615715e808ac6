// Files of SQL migrations: which files are some, in what order they run, and what of them only undoes. By names and by
// the marks that tools use: Prisma, Flyway, supabase, drizzle-kit, golang-migrate, sqlx, diesel, goose, dbmate and
// whatever numbers its files.
import type { FileId } from "../../protocol/source";
import type { Span } from "../sql/text/split";

interface DefinitionFile {
  readonly file: FileId;
  readonly text: string;
}

/** A file of a set of migrations, which run in their order and once. */
export interface Migration {
  /** The folder of the set. */
  readonly set: string;
  /** Undoes another one, so that it does not run. */
  readonly isUndo: boolean;
  /** Stands for all that come before it (Flyway's baselines). */
  readonly isBaseline: boolean;
  /** The name or folder says that it is a migration; else only its number orders it. */
  readonly isCertain: boolean;
  readonly order: readonly string[];
}

/** The series of migrations that the path of a file names; undefined where nothing tells that it is one of a series. */
export function migrationOf(file: FileId): Migration | undefined {
  const parts = file.split("/");
  const base = parts.at(-1) ?? "";
  const folder = parts.slice(0, -1);
  return flyway(base, folder) ?? inFolder(base, folder) ?? numbered(base, folder);
}

/** True if the one file surely runs before the other: both are migrations of one set, and stand in its order. */
export function runsBefore(file: FileId, other: FileId): boolean {
  const [first, second] = [migrationOf(file), migrationOf(other)];
  if (first?.isCertain !== true || second?.isCertain !== true) return false;
  if (first.set !== second.set || second.isUndo) return false;
  return compareOrders(first.order, second.order) < 0;
}

/**
 * The file of one more migration of the set that a file is of, numbered and named as its last one, behind which it runs;
 * undefined where the file is none. With it the text of the last one, whose marks it takes over.
 */
export function nextMigration<Each extends DefinitionFile>(
  file: FileId,
  files: readonly Each[],
  name: string,
): { readonly file: FileId; readonly last: Each } | undefined {
  const own = migrationOf(file);
  if (own?.isCertain !== true) return undefined;
  const set = files.flatMap((each) => {
    const migration = migrationOf(each.file);
    const isRepeated = /(?:^|\/)R__[^/]*$/iu.test(each.file);
    return migration?.set === own.set && !isRepeated ? [{ each, migration }] : [];
  });
  const last = running(set).at(-1)?.each;
  if (!last) return undefined;
  const parts = last.file.split("/");
  // A folder per migration, or a file.
  const at = parts.length - (/^(?:migration|up)\.sql$/iu.test(parts.at(-1) ?? "") ? 2 : 1);
  const next = (parts[at] ?? "").replace(
    /^(v?)(\d+)((?:[._]\d+)*)(__|[._ -])(.*?)((?:\.(?:up|do))?\.(?:sql|[cm]?[jt]s))?$/iu,
    (_, mark: string, number: string, _more, joint: string, _name, ending: string | undefined) =>
      `${mark}${String(BigInt(number) + 1n).padStart(number.length, "0")}${joint}${name}${ending ?? ""}`,
  );
  if (next === parts[at]) return undefined;
  // An id is made where a file is named.
  const named = parts.with(at, next).join("/") as FileId;
  return files.some((each) => each.file === named) ? undefined : { file: named, last };
}

/** The parts of a migration's text that undo it, where one file holds both ways. Linear in the text. */
export function undoSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let start: number | undefined;
  for (const match of text.matchAll(MARKS)) {
    const isDown = DOWN.test(match[0]);
    if (isDown) start ??= match.index;
    else if (start !== undefined) {
      spans.push({ start, end: match.index });
      start = undefined;
    }
  }
  if (start !== undefined) spans.push({ start, end: text.length });
  return spans;
}

/**
 * Definitions in the order in which they take effect. Sets of migrations run in their own order; of the other files
 * those go first that declare nothing that a migration creates (migrations build on them), and last those that do
 * (dumps of what migrations left). Undoing files are left out. Linear in the texts, but for sorting.
 */
export function inRunOrder<Each extends DefinitionFile>(files: readonly Each[]): readonly Each[] {
  const sets = new Map<string, { readonly each: Each; readonly migration: Migration }[]>();
  const others: Each[] = [];
  for (const each of files) {
    const migration = migrationOf(each.file);
    if (migration === undefined) others.push(each);
    else {
      const known = sets.get(migration.set);
      if (known === undefined) sets.set(migration.set, [{ each, migration }]);
      else known.push({ each, migration });
    }
  }
  if (sets.size === 0) return files;
  const ordered = [...sets.values()].flatMap((set) => running(set).map(({ each }) => each));
  const created = new Set(ordered.flatMap(({ text }) => createdTables(text)));
  const isDump = ({ text }: Each): boolean => createdTables(text).some((name) => created.has(name));
  const after = others.filter(isDump);
  return [...others.filter((each) => !after.includes(each)), ...ordered, ...after];
}

const MARKS =
  /^[^\S\n]*(?:--|#|\/\*)[^\S\n]*(?:\+goose\s+(?:up|down)|\+migrate\s+(?:up|down)|migrate:(?:up|down)|(?:-+\s*)?!(?:ups|downs)|\/\/\s*@undo|(?:up|down)\s+migration|rambler\s+(?:up|down)|-+\s*create above \/ drop below)\b[^\n]*/gim;
const DOWN = /down|@undo|drop below/i;

interface Placed {
  readonly migration: Migration;
}

/** Those that run, in order. */
function running<Each extends Placed>(set: readonly Each[]): readonly Each[] {
  const ordered = set
    .filter(({ migration }) => !migration.isUndo)
    .toSorted((a, b) => compareOrders(a.migration.order, b.migration.order));
  const base = ordered.findLastIndex(({ migration }) => migration.isBaseline);
  return base > 0 ? ordered.slice(base) : ordered;
}

/** Numbers by their value, everything else by code unit. */
function compareOrders(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = compareParts(a[at] ?? "", b[at] ?? "");
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareParts(a: string, b: string): number {
  const [left, right] = [a, b].map((part) => (/^\d+$/.test(part) ? BigInt(part) : undefined));
  if (left !== undefined && right !== undefined) return left < right ? -1 : left > right ? 1 : 0;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `V1_2__text.sql`, and `B`, `U` and `R` likewise: what is repeatable runs last. */
function flyway(base: string, folder: readonly string[]): Migration | undefined {
  const match = /^([VUBR])(\d[\d.]*(?:_[\d.]+)*)?__(.*)\.sql$/i.exec(base);
  if (match === null) return undefined;
  const [, letter = "", version = "", text = ""] = match;
  const kind = letter.toUpperCase();
  if ((kind === "R") === (version !== "")) return undefined;
  // Flyway looks for migrations below its folder, too.
  const root = folder.lastIndexOf("migration");
  const set = (root >= 0 ? folder.slice(0, root + 1) : folder).join("/");
  const numbers = version.split(/[._]/).filter((part) => part !== "");
  const padded = [...numbers, ...Array.from({ length: 8 }, () => "0")].slice(0, 8);
  const order = kind === "R" ? ["2", text] : ["1", ...padded, kind === "B" ? "1" : "0"];
  return { set, isUndo: kind === "U", isBaseline: kind === "B", isCertain: true, order };
}

/** A folder per migration: Prisma's and drizzle-kit's `migration.sql`, one in code beside it, `up.sql` and `down.sql` of diesel and hasura. */
function inFolder(base: string, folder: readonly string[]): Migration | undefined {
  const name = folder.at(-1) ?? "";
  const kind = /^(migration|up|down)\.(?:sql|[cm]?[jt]s)$/i.exec(base)?.[1]?.toLowerCase();
  if (kind === undefined || !/^\d/.test(name)) return undefined;
  const set = folder.slice(0, -1).join("/");
  const isUndo = kind === "down";
  return { set, isUndo, isBaseline: false, isCertain: true, order: orderOf(name) };
}

/** `0001_text.sql`, `1-text.up.sql`, `001.do.text.sql`. */
function numbered(base: string, folder: readonly string[]): Migration | undefined {
  const match = /^v?(\d+(?:[._-]\d+)*)(?:[._\- ].*)?\.(?:sql|[cm]?[jt]s)$/i.exec(base);
  if (match === null) return undefined;
  const isUndo = /[._-](down|undo|revert|rollback)(\.|$)/i.test(base.slice(0, -".sql".length));
  const isOneWay = isUndo || /[._-](up|do)\./i.test(base);
  const isCertain = isOneWay || folder.some((name) => FOLDERS.test(name));
  const set = folder.join("/");
  return { set, isUndo, isBaseline: false, isCertain, order: orderOf(base) };
}

const FOLDERS = /^(migrations?|migrate|drizzle|flyway|evolutions|changesets?|changelogs?)$/i;

/** The leading numbers one by one, then the rest. */
function orderOf(name: string): readonly string[] {
  const [numbers = ""] = /^v?[\d._-]*/i.exec(name) ?? [];
  return [...numbers.split(/\D+/).filter((part) => part !== ""), name];
}

/** Names of tables that a text creates, in lower case and without their schemas. */
export function createdTables(text: string): readonly string[] {
  return [...text.matchAll(CREATES)].map(([, name = ""]) =>
    name
      .slice(name.lastIndexOf(".") + 1)
      .replaceAll(/[`"[\]]/g, "")
      .toLowerCase(),
  );
}

const CREATES =
  /\bcreate\s+(?:(?:unlogged|global|local|temp|temporary)\s+)*table\s+(?:if\s+not\s+exists\s+)?((?:[\w$]+|`[^`\n]+`|"[^"\n]+"|\[[^\]\n]+\])(?:\s*\.\s*(?:[\w$]+|`[^`\n]+`|"[^"\n]+"|\[[^\]\n]+\]))*)/gi;
