// The dialect of each file of a workspace.
import { sameFamily, type Dialect } from "../../../program/dialect";
import type { FileId } from "../../../protocol/source";
import { variantFiles, variantOf } from "../../schema/variants";
import { detectDialect, isTickedAlone, toldDialect } from "./detectDialect";

interface Text {
  readonly file: FileId;
  readonly text: string;
}

export interface Indications {
  /** The dialect of all files, regardless of their texts. */
  readonly dialect?: Dialect | undefined;
  /** The dialect of files without evidence; by default, that of most others. */
  readonly usual?: Dialect | undefined;
}

/** Detects dialects by text and remembers the last reading. */
export interface DialectReader {
  /** The dialect of every file. */
  dialects(files: readonly Text[], told?: Indications): ReadonlyMap<FileId, Dialect>;
  /** The dialect of most files; PostgreSQL without evidence. */
  usual(files: readonly Text[]): Dialect;
  /**
   * As `usual`, but undefined without evidence. Files with variants for several products are ignored. `code`: the product named in code,
   * for when no file decides between MySQL and SQLite.
   */
  told(files: readonly Text[], code?: () => Dialect | undefined): Dialect | undefined;
}

/** An empty reader. */
export function createDialectReader(): DialectReader {
  let known: ReadonlyMap<FileId, Said> = new Map();
  function detected(
    files: readonly Text[],
    other?: () => Dialect | undefined,
  ): ReadonlyMap<FileId, Said> {
    const next = new Map<FileId, Said>();
    for (const { file, text } of files) {
      const before = known.get(file);
      next.set(file, before?.text === text ? before : saidBy(file, text));
    }
    known = next;
    return withTicks(next, other);
  }
  return {
    dialects: (files, { dialect: fixed, usual } = {}) => {
      if (fixed !== undefined) return new Map(files.map(({ file }) => [file, fixed] as const));
      const own = detected(files, () => usual);
      const rest = usual ?? mostFrequent(own.values());
      return new Map([...own].map(([file, { dialect }]) => [file, dialect ?? rest] as const));
    },
    usual: (files) => mostFrequent(detected(files).values()),
    told: (files, code) => {
      const others = new Set(variantFiles(files));
      const own = [...detected(files, code)].filter(([file]) => !others.has(file));
      const said = own.flatMap(([, each]) => (each.dialect === undefined ? [] : [each]));
      // If most files have variants for several products, the rest is no evidence.
      return said.length === 0 || said.length < others.size ? undefined : mostFrequent(said);
    },
  };
}

interface Said {
  readonly text: string;
  readonly dialect: Dialect | undefined;
  /** By backticks only. */
  readonly isTicked: boolean;
}

function saidBy(file: FileId, text: string): Said {
  const dialect = dialectOf(file, text);
  return { text, dialect, isTicked: dialect === "mysql" && isTickedAlone(text) };
}

/** Files with backticks only are SQLite if the others, or other evidence, say so. */
function withTicks(
  files: ReadonlyMap<FileId, Said>,
  other: (() => Dialect | undefined) | undefined,
): ReadonlyMap<FileId, Said> {
  const all = [...files.values()];
  if (!all.some(({ isTicked }) => isTicked)) return files;
  const count = (of: Dialect): number =>
    all.filter(({ dialect, isTicked }) => dialect && !isTicked && sameFamily(dialect, of)).length;
  const [sqlite, mysql] = [count("sqlite"), count("mysql")];
  const isSqlite = sqlite === mysql ? other?.() === "sqlite" : sqlite > mysql;
  if (!isSqlite) return files;
  return new Map(
    [...files].map(([file, said]) => [file, said.isTicked ? { ...said, dialect: "sqlite" } : said]),
  );
}

/** The dialect by a comment, then by the file's name (`ddl-mysql.sql`), then by syntax. */
function dialectOf(file: FileId, text: string): Dialect | undefined {
  const told = toldDialect(text);
  if (told !== undefined) return told;
  const named = variantOf(file)?.dialect;
  const detected = detectDialect(text);
  const agree = named !== undefined && detected !== undefined && sameFamily(named, detected);
  return agree ? detected : (named ?? detected);
}

/** MariaDB counts as MySQL, whose files it reads too. */
function mostFrequent(files: Iterable<{ readonly dialect: Dialect | undefined }>): Dialect {
  const dialects = [...files].flatMap(({ dialect }) => dialect ?? []);
  let best: Dialect = "postgres";
  let most = dialects.filter((each) => each === best).length;
  for (const candidate of new Set(dialects)) {
    const count = dialects.filter((each) => sameFamily(each, candidate)).length;
    if (count > most) {
      best = candidate;
      most = count;
    }
  }
  return best;
}
