// The schema of names without one, as `USE`, `SET search_path` and the like make it: it holds in its file from there on.
import type { Dialect } from "../../../program/dialect";
import type { LineIndex, SchemaSwitch } from "./lines";
import type { Span } from "./split";

/** The switches of the statements of a file, in order. Linear in their number. */
export function schemaSwitches(
  text: string,
  statements: readonly Span[],
  dialect: Dialect,
): readonly SchemaSwitch[] {
  return statements.flatMap(({ start, end }) => {
    const head = text.slice(start, Math.min(end, start + LONGEST));
    const path = dialect === "postgres" ? searchPathOf(head) : usedDatabase(head, dialect);
    return path === undefined ? [] : [{ start, path }];
  });
}

/** The schemas of names without one at an offset of a file; empty for the product's or the connection's own. */
export function schemaPathAt({ schemas = [] }: LineIndex, offset: number): readonly string[] {
  return schemas.findLast(({ start }) => start <= offset)?.path ?? [];
}

/** The schema of what is defined without one. */
export function currentSchemaAt(lines: LineIndex, offset: number): string | undefined {
  return schemaPathAt(lines, offset)[0];
}

/** Lines of a text in which names without a schema are of these, if any. */
export function linesIn(lines: LineIndex, path: readonly string[] | undefined): LineIndex {
  return path === undefined ? lines : { ...lines, schemas: [{ start: 0, path }] };
}

/** The schemas of a search path, without those of the session and of PostgreSQL. */
export function schemasOfPath(path: string): readonly string[] {
  const names = [...path.matchAll(/["']([^"']*)["']|([\w$]+)/gu)].map(
    ([, quoted, bare = ""]) => quoted ?? bare.toLowerCase(),
  );
  return names.filter((name) => !/^(?:|\$user|pg_temp|pg_catalog|default)$/u.test(name));
}

const LONGEST = 400;

function searchPathOf(head: string): readonly string[] | undefined {
  const path = SEARCH_PATH.exec(head) ?? SET_CONFIG.exec(head) ?? SET_SCHEMA.exec(head);
  if (path !== null) return schemasOfPath(path[1] ?? "");
  return RESET.test(head) ? [] : undefined;
}

const COMMENTS = String.raw`^\s*(?:--[^\n]*\n\s*)*`;
const SEARCH_PATH = new RegExp(
  `${COMMENTS}set\\s+(?:session\\s+|local\\s+)?search_path\\s*(?:=|\\bto\\b)\\s*([^;]+)`,
  "iu",
);
const SET_SCHEMA = new RegExp(
  `${COMMENTS}set\\s+(?:session\\s+|local\\s+)?schema\\s+('[^']*')`,
  "iu",
);
/** Dumps of PostgreSQL empty the path and name each schema. */
const SET_CONFIG = new RegExp(
  `${COMMENTS}select\\s+(?:pg_catalog\\s*\\.\\s*)?set_config\\s*\\(\\s*'search_path'\\s*,\\s*'([^']*)'`,
  "iu",
);
const RESET = new RegExp(`${COMMENTS}(?:reset\\s+(?:search_path|all)|discard\\s+all)\\b`, "iu");

/** In SQL Server a database is not the schema of names. */
function usedDatabase(head: string, dialect: Dialect): readonly string[] | undefined {
  if (dialect !== "mysql" && dialect !== "mariadb") return undefined;
  const [, quoted, bare] = USE.exec(head) ?? [];
  const name = quoted ?? bare;
  return name === undefined ? undefined : [name.toLowerCase()];
}

const USE = /^\s*(?:(?:--[^\n]*\n|\/\*[^*]*\*\/)\s*)*use\s+(?:"([^"]+)"|([\w$]+))/iu;
