// Signs of the database in settings beside the code: the product and the level that transactions run at where they name
// none. Read line by line: properties, YAML, XML, option files and example environments, which people write by hand.
import type { Dialect } from "../../program/dialect";
import { dictionary } from "../../protocol/dictionary";
import type { FileId } from "../../protocol/source";
import { namedDialects } from "../code/workspace/codeDialect";

/** A line that says something. */
export interface SettingSign {
  readonly file: FileId;
  /** From 0. */
  readonly line: number;
  readonly dialect?: Dialect;
  /** The product itself, as an image is; drivers and URLs of MySQL are MariaDB's as well. */
  readonly isProduct?: boolean;
  /** As SQL calls it, in small letters: `read committed`. */
  readonly level?: string;
  /** Products that know the setting; all where it is absent. */
  readonly levelOf?: "postgres" | "mysql";
}

interface SettingFile {
  readonly file: FileId;
  readonly text: string;
}

/** True if a file of that name may hold such settings. Environments themselves hold secrets and are never read. */
export function isSettingsFile(name: string): boolean {
  return SETTINGS.test(name) && !/(?:^|[._-])(?:tests?|ci|e2e|spec)(?:[._-]|$)/iu.test(name);
}

const SETTINGS =
  /^(?:application(?:-[\w-]+)?\.(?:properties|ya?ml)|(?:docker-)?compose(?:[._-][\w.-]+)?\.ya?ml|\.?env(?:\.[\w-]+)*\.(?:example|sample|template|dist)|[\w.-]+\.cnf|postgresql\.conf|hibernate\.(?:cfg\.xml|properties)|persistence\.xml|ormconfig\.json)$/iu;

/** The settings of a file, line by line. Linear in the text. */
export function settingSigns({ file, text }: SettingFile): readonly SettingSign[] {
  const isMysqlOptions = /\.cnf$/iu.test(file);
  return text.split("\n").flatMap((written, line): readonly SettingSign[] => {
    const content = /^\s*(?:#|;|\/\/|<!--)/u.test(written) ? "" : written;
    if (content.trim() === "") return [];
    const image = imageOf(content);
    const dialects = image ? [image] : productsOf(content);
    const [dialect] = dialects;
    const level = levelIn(content, SETTING);
    return [
      ...(dialect && dialects.length === 1
        ? [{ file, line, dialect, ...(image && { isProduct: true }) }]
        : []),
      ...(level
        ? [{ file, line, ...level, ...(isMysqlOptions && { levelOf: "mysql" as const }) }]
        : []),
    ];
  });
}

/** The level that code or SQL gives to all sessions: options of a connection, of an ORM, of the database. */
export function levelSigns({ file, text }: SettingFile): readonly SettingSign[] {
  const found: SettingSign[] = [];
  // Most files say nothing of it.
  if (!/isolation/iu.test(text)) return found;
  for (const pattern of [IN_OPTIONS, OF_DATABASE, OF_SEQUELIZE]) {
    for (const match of text.matchAll(pattern)) {
      const level = levelNamed(match.groups?.["level"] ?? "");
      const line = text.slice(0, match.index + match[0].length).split("\n").length - 1;
      const lineText = text.split("\n")[line] ?? "";
      if (level === undefined || /^\s*(?:--|\/\/|\*|#)/u.test(lineText)) continue;
      const isPostgres = /default_transaction_isolation/iu.test(match[0]);
      const isMysql = /\bglobal\b/iu.test(match[0]);
      const levelOf = isPostgres ? "postgres" : isMysql ? "mysql" : undefined;
      found.push({ file, line, level, ...(levelOf && { levelOf }) });
    }
  }
  return found;
}

const BETWEEN = String.raw`(?:[\s_+-]|%20|\\ )*`;
const LEVEL = String.raw`(?<level>(?:transaction[_.])?(?:read${BETWEEN}(?:un)?committed|repeatable${BETWEEN}read|serializable))`;
const GAP = String.raw`["']?(?:\s+value)?\s*(?:[=:>]|%3d|\bto\b)\s*(?:["'\\]|%27|%22)*`;

const SETTING = new RegExp(
  String.raw`(?<key>default[_-]?transaction[_-]?isolation(?:[_-]level)?|(?:default-?)?transaction[_-]?isolation(?:[_-]level)?|tx_isolation|connection\.isolation)${GAP}(?:${LEVEL}|(?<number>[1248])\b)`,
  "iu",
);
const IN_OPTIONS = new RegExp(
  String.raw`-c(?:\s|%20|\+)*default_transaction_isolation(?:\s*=\s*|%3d)(?:\\?["']|%27|%22)*${LEVEL}`,
  "giu",
);
const OF_DATABASE = new RegExp(
  String.raw`\b(?:alter\s+(?:database|role|user|system)\b[^;]{0,200}?\bset\s+default_transaction_isolation\s*(?:=|to)\s*|set\s+global\s+(?:transaction\s+isolation\s+level\s+|(?:transaction|tx)_isolation\s*=\s*))["']?${LEVEL}`,
  "giu",
);
const OF_SEQUELIZE = new RegExp(
  String.raw`\bnew\s+Sequelize\s*\([^;]{0,2000}?\bisolationLevel\s*:\s*[\w.]*?["']?${LEVEL}`,
  "giu",
);

function levelIn(
  content: string,
  pattern: RegExp,
): Pick<SettingSign, "level" | "levelOf"> | undefined {
  const { key = "", level: written = "", number } = pattern.exec(content)?.groups ?? {};
  const level = number === undefined ? levelNamed(written) : JDBC[number];
  if (level === undefined) return undefined;
  if (/^default_transaction_isolation$/iu.test(key)) return { level, levelOf: "postgres" };
  return /^(?:tx_isolation|transaction-isolation|transaction_isolation)$/iu.test(key) &&
    /--|\b(?:tx|transaction)_isolation\b/iu.test(content)
    ? { level, levelOf: "mysql" }
    : { level };
}

/** The constants of java.sql.Connection. */
const JDBC = dictionary<string>({
  "1": "read uncommitted",
  "2": "read committed",
  "4": "repeatable read",
  "8": "serializable",
});

function levelNamed(written: string): string | undefined {
  const letters = written.toLowerCase().replaceAll(/^transaction|[^a-z]/gu, "");
  return ["read uncommitted", "read committed", "repeatable read", "serializable"].find(
    (name) => name.replace(" ", "") === letters,
  );
}

/** The product of a container's image. */
function imageOf(content: string): Dialect | undefined {
  const [, name] =
    /^\s*(?:-\s*)?image\s*:\s*["']?(?:[\w.:-]+\/)*([\w-]+)(?=[:@"'\s]|$)/u.exec(content) ?? [];
  return name === undefined ? undefined : IMAGES.find(([, pattern]) => pattern.test(name))?.[0];
}

const IMAGES: readonly (readonly [Dialect, RegExp])[] = [
  ["postgres", /^(?:postgres(?:ql)?|postgis|timescaledb(?:-ha)?|pgvector|supabase-postgres)$/u],
  ["mysql", /^(?:mysql(?:-server)?|percona(?:-server)?)$/u],
  ["mariadb", /^mariadb$/u],
  ["sqlserver", /^(?:mssql(?:-server)?|server|azure-sql-edge)$/u],
];

function productsOf(content: string): readonly Dialect[] {
  const named = namedDialects(content);
  if (named.length > 0) return named;
  return CLASSES.flatMap(([dialect, pattern]) => (pattern.test(content) ? [dialect] : []));
}

/** Drivers and dialects of Java. */
const CLASSES: readonly (readonly [Dialect, RegExp])[] = [
  ["postgres", /\borg\.postgresql\.|\bPostgreSQL\w*Dialect\b|\bdb-kind\s*[:=]\s*postgresql\b/u],
  ["mysql", /\bcom\.mysql\.|\bMySQL\w*Dialect\b|\bdb-kind\s*[:=]\s*mysql\b/u],
  ["mariadb", /\borg\.mariadb\.|\bMariaDB\w*Dialect\b|\bdb-kind\s*[:=]\s*mariadb\b/u],
  ["sqlserver", /\bcom\.microsoft\.sqlserver\.|\bSQLServer\w*Dialect\b/u],
];
