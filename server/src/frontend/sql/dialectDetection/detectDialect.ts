// Detection of a file's dialect by syntax that only that dialect has.
import type { Dialect } from "../../../program/dialect";
import { dictionary } from "../../../protocol/dictionary";

/** A sign of a dialect: its name in notes, its pattern, its weight. */
interface Sign {
  readonly dialect: Dialect;
  readonly pattern: RegExp;
  readonly weight: number;
}

const SIGNS: readonly Sign[] = [
  ...signs("postgres", 5, /^-- PostgreSQL database dump/m, /\blanguage\s+'?(plpgsql|sql)\b/i),
  ...signs("postgres", 5, /\$\w*\$/, /^\s*\\(set|gset|if|copy|connect|i|ir|echo)\b/m),
  ...signs("postgres", 3, /\b(big|small)?serial\s+(primary|not|unique|,|\))/i, /[\w')]::[a-z]/i),
  ...signs("postgres", 3, /\$[1-9]\b/, /\b(ilike|timestamptz|jsonb|bytea|plpgsql)\b/i),
  ...signs("postgres", 3, /\bfor\s+(no\s+key\s+update|key\s+share)\b/i, /\bpg_\w+/i),
  ...signs("postgres", 2, /\bon\s+conflict\b/i, /\breturning\b/i, /:'\w+'|:\{\?/),
  ...signs("mysql", 6, /^-- (MySQL dump|phpMyAdmin SQL Dump)/m, /^\s*delimiter\s+\S+\s*$/im),
  ...signs("mysql", 5, /`[^`\n]+`/, /\bengine\s*=\s*\w+/i, /\bauto_increment\b/i, /\/\*!\d{5}/),
  ...signs(
    "mysql",
    4,
    /\bset\s+@\w+\s*:?=/i,
    /\binto\s+@\w/i,
    /@\w+\s*:=/,
    /\block\s+in\s+share\s+mode\b/i,
  ),
  ...signs("mysql", 4, /\bon\s+duplicate\s+key\s+update\b/i, /\binsert\s+ignore\b/i),
  ...signs(
    "mysql",
    4,
    /\bset\s+(session\s+|@@(session\.)?)?autocommit\b/i,
    /\bset\s+session\s+transaction\b/i,
  ),
  ...signs(
    "mysql",
    4,
    /@@(session\.|global\.)?(tx|transaction)_isolation\b/i,
    /\bwith\s+consistent\s+snapshot\b/i,
  ),
  ...signs(
    "mysql",
    3,
    /\breplace\s+into\b/i,
    /\bifnull\s*\(/i,
    /\blast_insert_id\s*\(/i,
    /\bunsigned\b/i,
  ),
  ...signs("mysql", 3, /\bdeclare\s+(continue|exit)\s+handler\b/i, /\bdefiner\s*=/i, /<=>/),
  ...signs(
    "mysql",
    3,
    /\bdelete\s+\w+\s+from\b/i,
    /\bupdate\s+\w+\s+(?:as\s+)?(?:\w+\s+)?(?:inner\s+|left\s+)?join\b/i,
  ),
  ...signs(
    "mysql",
    2,
    /^\s*#\s/m,
    /\bfrom\s+dual\b/i,
    /\b(medium|tiny)(int|text|blob)\b/i,
    /\brow_count\s*\(\s*\)/i,
  ),
  ...signs("mariadb", 6, /^-- MariaDB dump/m, /\/\*M!\d/, /\bbegin\s+not\s+atomic\b/i),
  ...signs("sqlserver", 5, /^\s*go\s*$/im, /\bdeclare\s+@\w+/i, /\bbegin\s+tran(saction)?\b/i),
  ...signs(
    "sqlserver",
    5,
    /\bidentity\s*\(\s*\d/i,
    /\bset\s+nocount\b/i,
    /@@(rowcount|trancount|error)\b/i,
  ),
  ...signs(
    "sqlserver",
    4,
    /\[\w+\]\.\[\w+\]/,
    /\bwith\s*\(\s*(updlock|holdlock|rowlock|xlock|nolock|serializable|readpast)/i,
  ),
  ...signs(
    "sqlserver",
    4,
    /\bnvarchar\s*\(/i,
    /\bgetdate\s*\(/i,
    /\bscope_identity\s*\(/i,
    /\boutput\s+(inserted|deleted)\./i,
  ),
  ...signs(
    "sqlserver",
    3,
    /\bselect\s+top\s*(?:\(\s*)?[\d@]/i,
    /\bbegin\s+(try|catch)\b/i,
    /\bisnull\s*\(/i,
  ),
  ...signs("sqlite", 6, /\bautoincrement\b/i, /^\s*pragma\s+\w+/im, /\bwithout\s+rowid\b/i),
  ...signs(
    "sqlite",
    5,
    /\bbegin\s+(immediate|exclusive|deferred)\b/i,
    /\binsert\s+or\s+(replace|ignore|abort|fail)\b/i,
  ),
  // Backticks occur in SQLite as well.
  ...signs("sqlite", 4, /`[^`\n]+`/, /\bstrftime\s*\(/i),
  ...signs("sqlite", 4, /\blast_insert_rowid\s*\(/i, /^\.(mode|read|headers|open)\b/m),
];

function signs(dialect: Dialect, weight: number, ...patterns: readonly RegExp[]): readonly Sign[] {
  return patterns.map((pattern) => ({ dialect, weight, pattern }));
}

/** Longer texts give no further evidence. */
const LONGEST_LOOKED_AT = 200_000;

/**
 * The dialect of a file: by a comment `-- dialect: mysql` near its start, else by the largest weight of signs; undefined without evidence.
 * Quoted text and comments count little, since few signs occur there.
 */
export function detectDialect(text: string): Dialect | undefined {
  const told = toldDialect(text);
  if (told !== undefined) return told;
  const head = withoutComments(text.slice(0, LONGEST_LOOKED_AT));
  const weights = new Map<Dialect, number>();
  for (const { dialect, pattern, weight } of SIGNS) {
    const where =
      pattern.source.startsWith("^--") || pattern.source.includes("\\/\\*") ? text : head;
    if (pattern.test(where)) weights.set(dialect, (weights.get(dialect) ?? 0) + weight);
  }
  const maria = weights.get("mariadb") ?? 0;
  const mysql = (weights.get("mysql") ?? 0) + maria;
  if (maria > 0) weights.set("mariadb", mysql);
  const [best, second] = [...weights].sort((a, b) => b[1] - a[1]);
  if (best === undefined || best[1] < LEAST) return undefined;
  if (second !== undefined && second[1] === best[1] && second[0] === "postgres") return second[0];
  return best[0];
}

/** True if only backticks suggest MySQL, which SQLite accepts as well. */
export function isTickedAlone(text: string): boolean {
  return detectDialect(text) === "mysql" && detectDialect(text.replaceAll("`", "")) === undefined;
}

/** The dialect in a comment near the start. */
export function toldDialect(text: string): Dialect | undefined {
  const named = /^\s*(?:--|#|\/\*)\s*(?:@isolens\s+)?dialect(?:[^\S\n]*[:=]\s*| \s*)(\w+)/im.exec(
    text.slice(0, 2000),
  )?.[1];
  return named === undefined ? undefined : dialectOfName(named);
}

/** A single weak sign is no evidence. */
const LEAST = 3;

/** The dialect with that name in common usage. */
export function dialectOfName(name: string): Dialect | undefined {
  return NAMES[name.toLowerCase().replaceAll(/[\s_-]/g, "")];
}

const NAMES = dictionary<Dialect>({
  postgres: "postgres",
  postgresql: "postgres",
  pg: "postgres",
  mysql: "mysql",
  mariadb: "mariadb",
  sqlserver: "sqlserver",
  mssql: "sqlserver",
  tsql: "sqlserver",
  transactsql: "sqlserver",
  sqlite: "sqlite",
  sqlite3: "sqlite",
});

function withoutComments(text: string): string {
  return text.replace(/\/\*(?![!M])[\s\S]*?\*\/|--[^\n]*/g, " ");
}
