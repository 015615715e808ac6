// pg_class and what belongs to relations: columns, defaults, indexes, constraints, sequences and views.
import { columnAt, primaryKeyOf, type Catalog, type Column, type Table } from "../catalog";
import { typeId } from "../pg/typeIds";
import { expressionText, queryText } from "./expressionText";
import { constraintText, defaultText, indexText } from "./definitions";
import {
  columnType,
  indexesOf,
  NAMESPACES,
  objectId,
  OWNER,
  referencedColumns,
  findRelation,
  relationsOf,
  type Relation,
} from "./objects";
import { systemTable, type About, type SystemTable } from "./systemTable";

const { public: PUBLIC } = NAMESPACES;
/** Access methods, as pg_am numbers them. */
export const ACCESS = { heap: 2, btree: 403 } as const;

interface Attribute {
  readonly relation: number;
  readonly name: string;
  readonly number: number;
  readonly type: number;
  readonly modifier: number;
  readonly size: number;
  readonly column?: Column;
}

function attributesOf(relation: Relation, { catalog, viewColumns }: About): readonly Attribute[] {
  const { id, table, view, index } = relation;
  const ofColumn = (column: Column, at: number): Attribute => {
    const type = columnType(catalog, column.declared);
    return {
      relation: id,
      name: column.name,
      number: at + 1,
      type: type.id,
      modifier: type.modifier,
      size: type.size,
      column,
    };
  };
  if (table !== undefined) return table.columns.map(ofColumn);
  if (index !== undefined) {
    return index.key.columns.flatMap((at, place) => {
      const column = index.table.columns[at];
      return column === undefined ? [] : [ofColumn(column, place)];
    });
  }
  const columns = view === undefined ? [] : viewColumns(view);
  return columns.map(({ name, type, origin }, at) => {
    const { id: number, modifier, size } = columnType(catalog, origin?.declared ?? { type });
    return { relation: id, name, number: at + 1, type: number, modifier, size };
  });
}

function columnsOfRelations(about: About): readonly (Attribute & { readonly of: Relation })[] {
  return relationsOf(about.catalog).flatMap((of) =>
    attributesOf(of, about).map((attribute) => ({ ...attribute, of })),
  );
}

/** Foreign keys are kept by triggers, on both of their sides. */
function isReferring({ table }: Relation, { tables }: Catalog): boolean {
  if (table === undefined) return false;
  const all = [...tables.values()].flatMap((each) => each.foreignKeys);
  return table.foreignKeys.length > 0 || all.some((key) => key.table === table.name);
}

/** True if a column has a default, a number from its own sequence, or is computed. */
function hasDefault(column: Column | undefined): boolean {
  if (column === undefined) return false;
  const { automatic, default: value, generated } = column;
  return (value ?? generated) !== undefined || (automatic && automatic.identity !== true) === true;
}

function identityOf(column: Column | undefined): string {
  if (column?.automatic?.identity !== true) return "";
  return column.automatic.always ? "a" : "d";
}

/** Keys, references and checks of all tables, with what pg_constraint says of each. */
function constraintsOf(catalog: Catalog): readonly {
  readonly table: Table;
  readonly name: string;
  readonly kind: "p" | "u" | "f" | "c";
  readonly columns: readonly number[];
  readonly fields: Readonly<Record<string, boolean | number | string | readonly number[]>>;
}[] {
  return [...catalog.tables.values()].flatMap((table) => {
    const numbers = (columns: readonly number[]): readonly number[] => columns.map((at) => at + 1);
    const keys = indexesOf(table)
      .filter(({ constraint }) => constraint)
      .map(({ key, primary }) => ({
        table,
        name: key.name,
        kind: primary ? ("p" as const) : ("u" as const),
        columns: numbers(key.columns),
        fields: { conindid: objectId(catalog, "relation", key.name) },
      }));
    const references = table.foreignKeys.map((key) => {
      const parent = catalog.tables.get(key.table);
      const at = (of: Table | undefined, names: readonly string[]): readonly number[] =>
        names.flatMap((name) => (of && columnAt(of, name)) ?? []);
      const primary = parent && primaryKeyOf(parent);
      return {
        table,
        name: key.name,
        kind: "f" as const,
        columns: numbers(at(table, key.columns)),
        fields: {
          confrelid: objectId(catalog, "relation", key.table),
          confkey: numbers(at(parent, referencedColumns(catalog, key))),
          condeferrable: key.deferrable !== undefined,
          condeferred: key.deferrable === "deferred",
          confupdtype: actionLetter(key.onUpdate),
          confdeltype: actionLetter(key.onDelete),
          conindid: primary ? objectId(catalog, "relation", primary.name) : 0,
        },
      };
    });
    const checks = table.checks.map(({ name }) => ({
      table,
      name,
      kind: "c" as const,
      columns: [],
      fields: {},
    }));
    return [...keys, ...references, ...checks];
  });
}

function actionLetter(action: Table["foreignKeys"][number]["onDelete"]): string {
  switch (action) {
    case "no action":
      return "a";
    case "restrict":
      return "r";
    case "cascade":
      return "c";
    case "set null":
      return "n";
    case "set default":
      return "d";
    default:
      return action satisfies never;
  }
}

export const PG_RELATIONS: readonly SystemTable[] = [
  systemTable(
    "pg_catalog",
    "pg_class",
    "oid:oid relname:name relnamespace:oid reltype reloftype relowner relam relfilenode reltablespace relpages:int4 reltuples:float4 relallvisible:int4 reltoastrelid:oid relhasindex:bool relisshared relpersistence:char relkind relnatts:int2 relchecks relhasrules:bool relhastriggers relhassubclass relrowsecurity relforcerowsecurity relispopulated relreplident:char relispartition:bool relrewrite:oid relfrozenxid relminmxid relacl:text[] reloptions relpartbound:text",
    (about) =>
      relationsOf(about.catalog).map((relation) => ({
        oid: relation.id,
        relname: relation.name,
        relnamespace: PUBLIC,
        reltype: relation.kind === "r" ? objectId(about.catalog, "row of", relation.name) : 0,
        relowner: OWNER,
        relam: relation.kind === "r" ? ACCESS.heap : relation.kind === "i" ? ACCESS.btree : 0,
        relfilenode: relation.id,
        reltuples: -1,
        relhasindex: (relation.table && indexesOf(relation.table).length > 0) ?? false,
        relpersistence: "p",
        relkind: relation.kind,
        relnatts: attributesOf(relation, about).length,
        relchecks: relation.table?.checks.length ?? 0,
        relhastriggers: isReferring(relation, about.catalog),
        relispopulated: true,
        relreplident: relation.kind === "r" ? "d" : "n",
      })),
  ),
  systemTable(
    "pg_catalog",
    "pg_attribute",
    "attrelid:oid attname:name atttypid:oid attstattarget:int2 attlen attnum attndims attcacheoff:int4 atttypmod attbyval:bool attalign:char attstorage attcompression attnotnull:bool atthasdef atthasmissing attidentity:char attgenerated attisdropped:bool attislocal attinhcount:int2 attcollation:oid attacl:text[] attoptions attfdwoptions attmissingval:text",
    (about) =>
      columnsOfRelations(about).map(
        ({ relation, name, number, type, modifier, size, column, of }) => ({
          attrelid: relation,
          attname: name,
          atttypid: type,
          attstattarget: -1,
          attlen: size,
          attnum: number,
          attcacheoff: -1,
          atttypmod: modifier,
          attalign: "i",
          attstorage: size < 0 ? "x" : "p",
          attcompression: "",
          attnotnull: of.kind === "r" && column?.notNull === true,
          atthasdef: of.kind === "r" && hasDefault(column),
          attidentity: of.kind === "r" ? identityOf(column) : "",
          attgenerated: of.kind === "r" && column?.generated !== undefined ? "s" : "",
          attislocal: true,
        }),
      ),
  ),
  systemTable("pg_catalog", "pg_attrdef", "oid:oid adrelid adnum:int2 adbin:text", (about) =>
    columnsOfRelations(about).flatMap(({ relation, name, number, column, of }) => {
      const text = column && of.kind === "r" ? defaultText(about.catalog, column) : undefined;
      if (text === undefined) return [];
      const oid = objectId(about.catalog, "default", `${of.name}.${name}`);
      return [{ oid, adrelid: relation, adnum: number, adbin: text }];
    }),
  ),
  systemTable(
    "pg_catalog",
    "pg_index",
    "indexrelid:oid indrelid indnatts:int2 indnkeyatts indisunique:bool indnullsnotdistinct indisprimary indisexclusion indimmediate indisclustered indisvalid indcheckxmin indisready indislive indisreplident indkey:int2vector indcollation:oidvector indclass indoption:int2vector indexprs:text indpred",
    ({ catalog }) =>
      relationsOf(catalog).flatMap(({ id, index }) => {
        if (index === undefined) return [];
        const { key, table, unique, primary } = index;
        const { expressions } = key;
        // An expression has the number 0.
        const numbers = key.columns.map((at) => at + 1);
        for (const { at } of expressions ?? []) numbers.splice(at, 0, 0);
        return [
          {
            indexrelid: id,
            indrelid: objectId(catalog, "relation", table.name),
            indnatts: numbers.length,
            indnkeyatts: numbers.length,
            indisunique: unique,
            indisprimary: primary,
            indimmediate: true,
            indisvalid: true,
            indisready: true,
            indislive: true,
            indkey: numbers,
            indcollation: numbers.map(() => 0),
            indclass: numbers.map(() => 0),
            indoption: numbers.map(() => 0),
            indexprs: expressions?.map(({ value }) => expressionText(value)).join(", ") ?? null,
            indpred: key.where === undefined ? null : expressionText(key.where),
          },
        ];
      }),
  ),
  systemTable(
    "pg_catalog",
    "pg_constraint",
    "oid:oid conname:name connamespace:oid contype:char condeferrable:bool condeferred convalidated conrelid:oid contypid conindid conparentid confrelid confupdtype:char confdeltype confmatchtype conislocal:bool coninhcount:int2 connoinherit:bool conkey:int2[] confkey conpfeqop:oid[] conppeqop conffeqop confdelsetcols:int2[] conexclop:oid[] conbin:text",
    ({ catalog }) =>
      constraintsOf(catalog).map(({ table, name, kind, columns, fields }) => ({
        oid: objectId(catalog, `constraint of ${table.name}`, name),
        conname: name,
        connamespace: PUBLIC,
        contype: kind,
        convalidated: true,
        conrelid: objectId(catalog, "relation", table.name),
        confupdtype: " ",
        confdeltype: " ",
        confmatchtype: kind === "f" ? "s" : " ",
        conislocal: true,
        conkey: columns,
        conbin: constraintText(catalog, table, name) ?? null,
        ...fields,
      })),
  ),
  systemTable(
    "pg_catalog",
    "pg_sequence",
    "seqrelid:oid seqtypid seqstart:int8 seqincrement seqmax seqmin seqcache seqcycle:bool",
    ({ catalog }) =>
      [...catalog.sequences].map(([name, sequence]) => ({
        seqrelid: objectId(catalog, "relation", name),
        seqtypid: typeId(
          sequence.type === "bigint" ? "int8" : sequence.type === "integer" ? "int4" : "int2",
        ).id,
        seqstart: sequence.start,
        seqincrement: sequence.increment,
        seqmax: sequence.most,
        seqmin: sequence.least,
        seqcache: sequence.cache,
        seqcycle: sequence.cycles,
      })),
  ),
  systemTable(
    "pg_catalog",
    "pg_depend",
    "classid:oid objid objsubid:int4 refclassid:oid refobjid refobjsubid:int4 deptype:char",
    ({ catalog }) =>
      [...catalog.tables.values()].flatMap((table) =>
        table.columns.flatMap((column, at) => {
          const { automatic } = column;
          if (automatic === undefined || findRelation(catalog, automatic.sequence) === undefined)
            return [];
          return [
            {
              classid: CLASSES.pg_class,
              objid: objectId(catalog, "relation", automatic.sequence),
              refclassid: CLASSES.pg_class,
              refobjid: objectId(catalog, "relation", table.name),
              refobjsubid: at + 1,
              deptype: automatic.identity === true ? "i" : "a",
            },
          ];
        }),
      ),
  ),
  systemTable(
    "pg_catalog",
    "pg_tables",
    "schemaname:name tablename tableowner tablespace hasindexes:bool hasrules hastriggers rowsecurity",
    ({ catalog, session }) =>
      [...catalog.tables.values()].map((table) => ({
        schemaname: "public",
        tablename: table.name,
        tableowner: session.user,
        hasindexes: indexesOf(table).length > 0,
        hastriggers: table.foreignKeys.length > 0,
      })),
  ),
  systemTable(
    "pg_catalog",
    "pg_views",
    "schemaname:name viewname viewowner definition:text",
    ({ catalog, session }) =>
      [...catalog.views.values()].map(({ name, query }) => ({
        schemaname: "public",
        viewname: name,
        viewowner: session.user,
        definition: `${queryText(query)};`,
      })),
  ),
  systemTable(
    "pg_catalog",
    "pg_indexes",
    "schemaname:name tablename indexname tablespace indexdef:text",
    ({ catalog }) =>
      relationsOf(catalog).flatMap(({ name, index }) =>
        index === undefined
          ? []
          : [
              {
                schemaname: "public",
                tablename: index.table.name,
                indexname: name,
                indexdef: indexText(index),
              },
            ],
      ),
  ),
  systemTable(
    "pg_catalog",
    "pg_sequences",
    "schemaname:name sequencename sequenceowner data_type start_value:int8 min_value max_value increment_by cycle:bool cache_size:int8 last_value",
    ({ catalog, session }) =>
      [...catalog.sequences].map(([name, sequence]) => ({
        schemaname: "public",
        sequencename: name,
        sequenceowner: session.user,
        data_type: sequence.type,
        start_value: sequence.start,
        min_value: sequence.least,
        max_value: sequence.most,
        increment_by: sequence.increment,
        cycle: sequence.cycles,
        cache_size: sequence.cache,
        last_value: null,
      })),
  ),
];

/** Object ids of the catalogue's own tables, which other tables refer to. */
export const CLASSES = {
  pg_type: 1247,
  pg_attribute: 1249,
  pg_proc: 1255,
  pg_class: 1259,
} as const;
