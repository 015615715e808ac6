// Objects that a PostgreSQL catalogue lists: relations, types and constraints with their object ids. Ids are given in
// the order in which objects are first listed, and stay while the object keeps its name.
import { attribute, ofNode } from "../../query/nodes";
import { primaryKeyOf, type Catalog, type Key, type Table, type View } from "../catalog";
import { listedTypeId, typeId } from "../pg/typeIds";
import { elementOf, type DeclaredType } from "../values/types";

export const NAMESPACES = { pg_catalog: 11, public: 2200, information_schema: 13_000 } as const;
export const DATABASE = 5;
/** The one role, to which all belongs. */
export const OWNER = 10;

export interface Relation {
  readonly id: number;
  readonly name: string;
  /** As `relkind` of pg_class. */
  readonly kind: "r" | "v" | "i" | "S";
  readonly table?: Table;
  readonly view?: View;
  readonly index?: IndexFacts;
}

export interface IndexFacts {
  readonly table: Table;
  readonly key: Omit<Key, "primary">;
  readonly unique: boolean;
  readonly primary: boolean;
  /** True of a UNIQUE or PRIMARY KEY. */
  readonly constraint: boolean;
}

const FIRST_ID = 16_384;
const idsIn = ofNode((_catalog: Catalog) => new Map<string, number>());

/** The id of an object of the user's; `kind` keeps apart what may share a name. */
export function objectId(catalog: Catalog, kind: string, name: string): number {
  const ids = idsIn(catalog);
  const key = `${kind} ${name}`;
  const id = ids.get(key) ?? FIRST_ID + ids.size;
  ids.set(key, id);
  return id;
}

const RELATIONS = attribute<
  Catalog,
  { readonly version: number; readonly all: readonly Relation[] }
>();

/** Tables, indexes, views and sequences. */
export function relationsOf(catalog: Catalog): readonly Relation[] {
  const known = RELATIONS.get(catalog);
  if (known?.version === catalog.version) return known.all;
  const all = listed(catalog);
  RELATIONS.set(catalog, { version: catalog.version, all });
  return all;
}

function listed(catalog: Catalog): readonly Relation[] {
  const id = (name: string): number => objectId(catalog, "relation", name);
  const tables = [...catalog.tables.values()].flatMap((table): Relation[] => [
    { id: id(table.name), name: table.name, kind: "r", table },
    ...indexesOf(table).map((index): Relation => {
      const { name } = index.key;
      return { id: id(name), name, kind: "i", index };
    }),
  ]);
  const views = [...catalog.views.values()].map((view): Relation => {
    const { name } = view;
    return { id: id(name), name, kind: "v", view };
  });
  const sequences = [...catalog.sequences.keys()].map((name): Relation => ({
    id: id(name),
    name,
    kind: "S",
  }));
  return [...tables, ...views, ...sequences];
}

/** The indexes of a table: those of its keys, and those that only make it fast. */
export function indexesOf(table: Table): readonly IndexFacts[] {
  return [
    ...table.keys.map((key): IndexFacts => {
      const isConstraint = key.isIndex !== true;
      return { table, key, unique: true, primary: key.primary, constraint: isConstraint };
    }),
    ...(table.indexes ?? []).map((key): IndexFacts => {
      return { table, key, unique: false, primary: false, constraint: false };
    }),
  ];
}

/** The user's relation of that name, or what a catalogue itself is called. */
export function findRelation(catalog: Catalog, name: string): Relation | undefined {
  return relationsOf(catalog).find((each) => each.name === name);
}

export function relationOfId(catalog: Catalog, id: number): Relation | undefined {
  return relationsOf(catalog).find((each) => each.id === id);
}

/** The name of the enumeration that a column has, as its labels tell. */
export function enumerationOf(catalog: Catalog, declared: DeclaredType): string | undefined {
  const { labels } = declared;
  if (labels === undefined) return undefined;
  for (const [name, own] of catalog.enumerations) if (own === labels) return name;
  return undefined;
}

/** The object id of a column's type, and its modifier: -1 for none. */
export function columnType(
  catalog: Catalog,
  declared: DeclaredType,
): { readonly id: number; readonly modifier: number; readonly size: number } {
  const enumeration = enumerationOf(catalog, declared);
  const { id, size } = listedTypeId(declared.listed) ?? typeId(declared.type);
  const modifier = modifierOf(declared);
  if (declared.domain !== undefined)
    return { id: objectId(catalog, "type", declared.domain), modifier: -1, size };
  if (declared.elementDomain !== undefined)
    return { id: objectId(catalog, "array of", declared.elementDomain), modifier: -1, size: -1 };
  if (enumeration === undefined) return { id, modifier, size };
  const isArray = elementOf(declared.type) !== undefined;
  const own = objectId(catalog, isArray ? "array of" : "type", enumeration);
  return { id: own, modifier, size: isArray ? -1 : 4 };
}

function modifierOf({ type, length, precision, scale = 0, seconds }: DeclaredType): number {
  if (type === "char") return -1;
  if (length !== undefined) return type === "bit" || type === "varbit" ? length : length + 4;
  if (precision !== undefined) return precision * 65_536 + scale + 4;
  if (seconds !== undefined && type !== "date") return seconds;
  return -1;
}

/** The name of a type with a modifier, as in `numeric(12,2)`. */
export function modifiedName(name: string, modifier: number): string {
  if (modifier < 0) return name;
  if (name.startsWith("numeric")) {
    const digits = modifier - 4;
    return `${name}(${String(Math.floor(digits / 65_536))},${String(digits % 65_536)})`;
  }
  const size = name.startsWith("time") ? modifier : modifier - 4;
  const [first = "", ...rest] = name.split(" ");
  // The precision of a time stands before its zone.
  if (name.startsWith("time")) return [`${first}(${String(size)})`, ...rest].join(" ");
  return `${name}(${String(size)})`;
}

/** The columns of the primary key that a reference without columns means. */
export function referencedColumns(
  catalog: Catalog,
  reference: Table["foreignKeys"][number],
): readonly string[] {
  if (reference.referenced.length > 0) return reference.referenced;
  const parent = catalog.tables.get(reference.table);
  const key = parent && primaryKeyOf(parent);
  return key?.columns.flatMap((at) => parent?.columns[at]?.name ?? []) ?? [];
}
