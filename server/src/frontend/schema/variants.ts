// Variants of files for several products (`ddl-postgres.sql` beside `ddl-mysql.sql`, `migrations/mysql/...` beside
// `migrations/postgres/...`): those of the current product are used.
import { dialectLabel, sameFamily, type Dialect } from "../../program/dialect";
import type { Note } from "../../program/program";
import { dictionary } from "../../protocol/dictionary";
import type { FileId } from "../../protocol/source";
import { createdTables } from "./migrations";

interface DefinitionFile {
  readonly file: FileId;
  readonly text: string;
}

export interface Variants<Each> {
  /** The used files, in order. */
  readonly kept: readonly Each[];
  /** The variants for other products. */
  readonly left: readonly Each[];
}

/** The product in a file's path. */
export interface Variant {
  /** The path with a star for the product; all files of a folder belong to one set. */
  readonly set: string;
  /** As written. */
  readonly product: string;
  /** Undefined for unsupported products, and for files for any product. */
  readonly dialect: Dialect | undefined;
}

/** The product in the path; undefined if there is none, or if there are several. */
export function variantOf(file: FileId): Variant | undefined {
  const parts = file.split("/");
  const base = parts.at(-1) ?? "";
  const named = [...base.replace(/\.\w+$/u, "").matchAll(/[a-z0-9]+/giu)].filter(([word]) =>
    isProduct(word),
  );
  const [found, second] = named;
  if (second !== undefined) return undefined;
  if (found !== undefined) {
    const [word] = found;
    const rest = `${base.slice(0, found.index)}*${base.slice(found.index + word.length)}`;
    return variant([...parts.slice(0, -1), rest], word);
  }
  const at = parts.slice(0, -1).findLastIndex(isProduct);
  const folder = parts[at];
  return folder === undefined ? undefined : variant([...parts.slice(0, at), "*"], folder);
}

/**
 * The files without variants for other products: those that create a table that a file for this product creates, too. Without a file for
 * the product, those for any product are used. Linear in the texts.
 */
export function withoutVariants<Each extends DefinitionFile>(
  files: readonly Each[],
  dialect: Dialect,
): Variants<Each> {
  const left = new Set<Each>();
  for (const set of setsOf(files).values()) {
    const products = new Set(set.map(({ of }) => of.product));
    if (products.size < 2) continue;
    const chosen = chosenProduct(set, dialect);
    if (chosen === undefined) continue;
    const created = new Set(
      set.flatMap(({ each, of }) => (of.product === chosen ? createdTables(each.text) : [])),
    );
    const others = [...products].filter((product) => product !== chosen);
    for (const product of others) {
      const own = set.filter(({ of }) => of.product === product).map(({ each }) => each);
      const says = own.flatMap(({ text }) => createdTables(text));
      if (says.some((name) => created.has(name))) for (const each of own) left.add(each);
    }
  }
  if (left.size === 0) return { kept: files, left: [] };
  return { kept: files.filter((each) => !left.has(each)), left: [...left] };
}

/** Files with variants for several products. */
export function variantFiles(files: readonly DefinitionFile[]): readonly FileId[] {
  return [...setsOf(files).values()]
    .filter((set) => new Set(set.map(({ of }) => of.product)).size > 1)
    .flatMap((set) => set.map(({ each }) => each.file));
}

type InSet<Each> = readonly { readonly each: Each; readonly of: Variant }[];

function setsOf<Each extends DefinitionFile>(
  files: readonly Each[],
): ReadonlyMap<string, InSet<Each>> {
  const sets = new Map<string, { readonly each: Each; readonly of: Variant }[]>();
  for (const each of files) {
    const of = variantOf(each.file);
    if (of === undefined) continue;
    const known = sets.get(of.set);
    if (known) known.push({ each, of });
    else sets.set(of.set, [{ each, of }]);
  }
  return sets;
}

/** One note on the unused files and the reason. */
export function variantNotes<Each extends DefinitionFile>(
  { left }: Variants<Each>,
  dialect: Dialect,
): readonly Note[] {
  const [first] = left;
  if (first === undefined) return [];
  const label = dialectLabel(dialect);
  const count = left.length === 1 ? "this file" : `${String(left.length)} files, this one first,`;
  const verb = left.length === 1 ? "says" : "say";
  const message = `Not read: ${count} ${verb} for other products what files beside say for ${label}. "dialect" in isolens.json chooses another.`;
  const start = { line: 0, character: 0 };
  const source = { file: first.file, range: { start, end: start } };
  return [{ severity: "information", code: "dialect", message, source }];
}

function chosenProduct(
  set: readonly { readonly of: Variant }[],
  dialect: Dialect,
): string | undefined {
  const all = set.map(({ of }) => of);
  const chosen =
    all.find((of) => of.dialect === dialect) ??
    all.find((of) => of.dialect !== undefined && sameFamily(of.dialect, dialect)) ??
    all.find(({ product }) => ANY.test(product));
  return chosen?.product;
}

function variant(path: readonly string[], product: string): Variant {
  return { set: path.join("/"), product, dialect: PRODUCTS[product.toLowerCase()] };
}

function isProduct(word: string): boolean {
  return Object.hasOwn(PRODUCTS, word.toLowerCase());
}

const ANY = /^(?:generic|default|common|ansi)$/iu;

/** Products by their names in paths; unsupported ones map to themselves. */
const PRODUCTS = dictionary<Dialect | undefined>({
  postgres: "postgres",
  postgresql: "postgres",
  pgsql: "postgres",
  pg: "postgres",
  mysql: "mysql",
  mariadb: "mariadb",
  sqlserver: "sqlserver",
  mssql: "sqlserver",
  sqlite: "sqlite",
  sqlite3: "sqlite",
  ...Object.fromEntries(
    [
      ...["generic", "default", "common", "ansi", "oracle", "db2", "h2", "hsqldb", "derby"],
      ...["cockroach", "cockroachdb", "crdb", "nuodb", "monetdb", "singlestore", "timesten"],
      ...["phoenix", "noisepage", "myrocks", "firebird", "clickhouse", "spanner", "duckdb", "tidb"],
    ].map((name) => [name, undefined] as const),
  ),
});
