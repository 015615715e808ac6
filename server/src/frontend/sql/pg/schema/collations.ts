// How texts of a type are compared: by their bytes, or loosely, by a collation that is not deterministic, citext or char(n).
import type { CollateClause, DefineStmt, TypeName } from "libpg-query";
import { lastName, stringOf, typeText } from "../ast";
import { isOfServer } from "../parseTree";
import type { State } from "./schemaState";

/** CREATE COLLATION: deterministic unless it says otherwise; a copy is as what it copies, which nobody looks up. */
export function defineCollation({ defnames, definition = [] }: DefineStmt, state: State): void {
  const options = definition.flatMap((node) => ("DefElem" in node ? [node.DefElem] : []));
  const value = options.find(({ defname }) => defname === "deterministic")?.arg;
  const said = value === undefined ? "true" : (stringOf(value) ?? lastOf(value));
  const copies = options.some(({ defname }) => defname === "from");
  const isDeterministic = !copies && !/^(?:false|off|no|0|f|n)$/i.test(said);
  state.collations.set(lastName(defnames), isDeterministic);
}

function lastOf(value: NonNullable<Parameters<typeof stringOf>[0]>): string {
  if ("TypeName" in value) return lastName(value.TypeName.names);
  if ("Integer" in value) return String(value.Integer.ival ?? 0);
  return "Boolean" in value ? String(value.Boolean.boolval === true) : "";
}

/** True if texts of a column of that type and collation may be equal though they are written otherwise. */
export function isLooseText(
  type: TypeName | undefined,
  collation: CollateClause | undefined,
  state: State,
): boolean {
  const name = typeText(type);
  if (name === "citext" || name === "bpchar" || state.loose.has(name)) return true;
  if (collation === undefined) return false;
  const collated = lastName(collation.collname);
  return (
    state.collations.get(collated) === false ||
    !(state.collations.has(collated) || isOfServer(collated))
  );
}
