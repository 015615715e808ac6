// Names of relations in PostgreSQL's parse tree: with their schema where that is one of the user's own beside the default one.
import type { RangeVar } from "libpg-query";
import { defaultSchema } from "../../frontend/sql/relationNames";
import { inSchema } from "../schemaMap";

/** The name of a relation. */
export function nameOf(relation: RangeVar | undefined): string {
  const { schemaname, relname = "" } = relation ?? {};
  return nameOfPath(schemaname === undefined ? [relname] : [schemaname, relname]);
}

/** The name under which expressions know a relation, where that is not its own. */
export function aliasOf(relation: RangeVar): string | undefined {
  const { alias, relname } = relation;
  return alias?.aliasname ?? (nameOf(relation) === relname ? undefined : relname);
}

/** The name at the end of a path. */
export function nameOfPath(path: readonly string[]): string {
  const [name = "", schema] = path.toReversed();
  return schema === undefined || !isOwn(schema) ? name : inSchema(schema, name);
}

/** True for a schema that is neither the default one nor PostgreSQL's. */
export function isOwn(schema: string): boolean {
  return schema !== defaultSchema("postgres") && !/^(?:pg_|information_schema$)/u.test(schema);
}
