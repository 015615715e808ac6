// Tables that nothing declares, beside declared ones of their names in other schemas: which of them a statement means may not be known.
import { sameFamily, type Dialect } from "../../program/dialect";
import { renameInTable } from "../../program/renameTables";
import type { Table } from "../../program/schema";
import { isSameDefinition, plainName } from "./relationNames";

/**
 * MySQL's tables with the database of those that name none, where statements say it: the only one that anything names, for a table that is
 * declared without it. The same tables where that is not so.
 */
export function inSoleDatabase(
  declared: readonly Table[],
  inferred: readonly Table[],
  dialect: Dialect,
): readonly Table[] {
  if (!sameFamily(dialect, "mysql")) return declared;
  const named = new Set([...declared, ...inferred].flatMap(({ schema }) => schema ?? []));
  const [sole, ...others] = named;
  const homeless = new Set(declared.filter(({ schema }) => schema === undefined).map(plainName));
  const isIt = inferred.some((each) => each.schema === sole && homeless.has(plainName(each)));
  if (sole === undefined || others.length > 0 || !isIt) return declared;
  return declared.map((each) => (each.schema === undefined ? { ...each, schema: sole } : each));
}

/**
 * The declared and the inferred tables. An inferred one has the definition of its namesakes in other schemas where it may be any of them and
 * they have one; what it is matters where statements name those as well.
 */
export function besideNamesakes(
  declared: readonly Table[],
  inferred: readonly Table[],
  dialect: Dialect,
  isNamed: (name: string) => boolean,
): readonly Table[] {
  const doubtful = new Map<string, string>();
  const defined = inferred.map((each) => {
    const namesakes = declared.filter((other) => mayBe(each, other, dialect));
    const [first, ...others] = namesakes.map((other) => withName(other, each));
    if (first === undefined) return each;
    const isOne = others.every((other) => isSameDefinition(other, first));
    const named = namesakes.filter(({ name }) => isNamed(name));
    const names = namesakes.map(({ name }) => name).join(" or ");
    const reason = `whether ${each.name} is ${names} or another table`;
    if (!isOne || named.length > 0)
      for (const { name } of [each, ...named]) doubtful.set(name, reason);
    return isOne ? first : each;
  });
  if (doubtful.size === 0) return [...declared, ...defined];
  return [...declared, ...defined].map((each) => {
    const reason = doubtful.get(each.name);
    if (reason === undefined) return each;
    return { ...each, doubts: [...(each.doubts ?? []), { reason, touching: "all" as const }] };
  });
}

/** True where one of them has no schema, so that it may be of the other's; PostgreSQL's is of the default one then. */
function mayBe(inferred: Table, declared: Table, dialect: Dialect): boolean {
  if (plainName(inferred) !== plainName(declared)) return false;
  if (inferred.schema === undefined) return declared.schema !== undefined;
  return declared.schema === undefined && sameFamily(dialect, "mysql");
}

function withName(table: Table, { name, schema }: Table): Table {
  const { schema: _schema, ...rest } = renameInTable(table, (each) =>
    each === table.name ? name : each,
  );
  return schema === undefined ? rest : { ...rest, schema };
}
