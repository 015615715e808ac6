// Schemas named in a workspace's texts that exist on the server already: a replay must never touch existing data.
import type { SourceFile } from "../frontend/sql/readProgram";
import { must } from "./stage";
import type { LiveServer } from "./servers/liveServer";
import type { LiveSession } from "./servers/liveSession";

const SCHEMAS: Readonly<Record<LiveServer["product"], string>> = {
  postgres: `SELECT nspname AS name FROM pg_catalog.pg_namespace
    WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`,
  mariadb: `SELECT schema_name AS name FROM information_schema.schemata
    WHERE schema_name NOT IN ('information_schema', 'performance_schema')`,
};

/** The obstacle in words; undefined if there is none. Strings and comments count, since texts may be executed. */
export async function foreignNames(
  session: LiveSession,
  product: LiveServer["product"],
  files: readonly SourceFile[],
): Promise<string | undefined> {
  const rows = await must(session, SCHEMAS[product]);
  const schemas = rows.map(({ name }) => String(name));
  for (const { file, text } of files) {
    const named = schemas.find((schema) => qualifier(schema).test(text));
    if (named !== undefined)
      return `${file} names the schema ${named} of this server, which a replay must not touch; leave out the schema's name, or use --server embedded`;
    if (SWITCHES.test(text))
      return `${file} switches to another schema, which could be one that a replay must not touch`;
  }
  return undefined;
}

const DEFINED =
  /\b(?:table|type|domain|view|sequence|function|procedure|index)\s+(?:if\s+not\s+exists\s+)?"?([a-z_]\w*)"?\s*\.\s*["\w]/gi;

/** The schemas that definitions name, in lower case. */
export function schemasIn(definitions: readonly string[]): readonly string[] {
  const named = definitions.flatMap((sql) =>
    [...sql.matchAll(DEFINED)].map(([, name = ""]) => name.toLowerCase()),
  );
  return [...new Set(named)].filter((name) => !/^(?:pg_|isolens_)/.test(name));
}

const SWITCHES = /\bsearch_path\b|^\s*(?:use\s+[`"\w]+\s*;|\\c(?:onnect)?\s)/im;

function qualifier(schema: string): RegExp {
  const escaped = schema.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w$])["\`]?${escaped}["\`]?\\s*\\.\\s*["\`\\w]`, "i");
}
