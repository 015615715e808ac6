// The part of pg_catalog that is about types and the server: what no table of the user's changes, but for enumerations.
import type { SessionFacts } from "../compile/node";
import { typeIds } from "../pg/typeIds";
import { isNumeric, isTemporal, isText, type SqlType } from "../values/types";
import { ACCESS } from "./pgRelations";
import { POSTGRES_SETTINGS } from "./pgSettings";
import { columnType, DATABASE, NAMESPACES, objectId, OWNER } from "./objects";
import { systemTable, type SystemTable } from "./systemTable";

const { pg_catalog: CATALOG, public: PUBLIC } = NAMESPACES;

interface TypeRow {
  readonly oid: number;
  readonly typname: string;
  readonly typlen: number;
  readonly typcategory: string;
  readonly typtype: string;
  readonly typelem?: number;
  readonly typarray?: number;
  readonly typnamespace?: number;
}

/** Types that columns of the catalogue have in PostgreSQL, though they are plain texts and numbers here. */
const OTHER_TYPES: readonly TypeRow[] = [
  { oid: 22, typname: "int2vector", typlen: -1, typcategory: "A", typtype: "b", typelem: 21 },
  { oid: 24, typname: "regproc", typlen: 4, typcategory: "N", typtype: "b", typarray: 1008 },
  { oid: 30, typname: "oidvector", typlen: -1, typcategory: "A", typtype: "b", typelem: 26 },
  { oid: 705, typname: "unknown", typlen: -2, typcategory: "X", typtype: "p" },
  { oid: 2205, typname: "regclass", typlen: 4, typcategory: "N", typtype: "b", typarray: 2210 },
  { oid: 2206, typname: "regtype", typlen: 4, typcategory: "N", typtype: "b", typarray: 2211 },
  { oid: 2278, typname: "void", typlen: 4, typcategory: "P", typtype: "p" },
  { oid: 2249, typname: "record", typlen: -1, typcategory: "P", typtype: "p", typarray: 2287 },
];

const BUILT_IN: readonly TypeRow[] = [
  ...OTHER_TYPES,
  ...typeIds().flatMap(({ type, id, array, size }): TypeRow[] => [
    {
      oid: id,
      typname: type,
      typlen: size,
      typcategory: categoryOf(type),
      typtype: type.endsWith("range") ? "r" : "b",
      typarray: array,
    },
    {
      oid: array,
      typname: `_${type}`,
      typlen: -1,
      typcategory: "A",
      typtype: "b",
      typelem: id,
    },
  ]),
].sort((a, b) => a.oid - b.oid);

function categoryOf(type: SqlType): string {
  if (type === "bool") return "B";
  if (type === "interval") return "T";
  if (isNumeric(type)) return "N";
  if (type === "char") return "Z";
  if (type.endsWith("range")) return "R";
  if (isText(type)) return "S";
  return isTemporal(type) ? "D" : "U";
}

export const PG_SERVER: readonly SystemTable[] = [
  systemTable(
    "pg_catalog",
    "pg_type",
    "oid:oid typname:name typnamespace:oid typowner typlen:int2 typbyval:bool typtype:char typcategory typispreferred:bool typisdefined typdelim:char typrelid:oid typsubscript:text typelem:oid typarray typinput:text typoutput typreceive typsend typmodin typmodout typanalyze typalign:char typstorage typnotnull:bool typbasetype:oid typtypmod:int4 typndims typcollation:oid typdefaultbin:text typdefault typacl:text[]",
    ({ catalog }) => {
      const own = [...catalog.enumerations.keys()].flatMap((name): TypeRow[] => {
        const [oid, array] = [objectId(catalog, "type", name), objectId(catalog, "array of", name)];
        const place = { typnamespace: PUBLIC };
        return [
          {
            oid,
            typname: name,
            typlen: 4,
            typcategory: "E",
            typtype: "e",
            typarray: array,
            ...place,
          },
          {
            oid: array,
            typname: `_${name}`,
            typlen: -1,
            typcategory: "A",
            typtype: "b",
            typelem: oid,
            ...place,
          },
        ];
      });
      const domains = [...catalog.domains.values()].flatMap(({ name, declared, notNull }) => {
        const [oid, array] = [objectId(catalog, "type", name), objectId(catalog, "array of", name)];
        const { id, modifier, size } = columnType(catalog, declared);
        const place = { typnamespace: PUBLIC };
        const base = { typtype: "d", typbasetype: id, typtypmod: modifier, typnotnull: notNull };
        const category = categoryOf(declared.type);
        return [
          {
            oid,
            typname: name,
            typlen: size,
            typcategory: category,
            typarray: array,
            ...base,
            ...place,
          },
          {
            oid: array,
            typname: `_${name}`,
            typlen: -1,
            typcategory: "A",
            typtype: "b",
            typelem: oid,
            ...place,
          },
        ];
      });
      return [...BUILT_IN, ...own, ...domains].map((row) => ({
        typnamespace: CATALOG,
        typowner: OWNER,
        typisdefined: true,
        typdelim: ",",
        typinput: inputOf(row),
        typoutput: inputOf(row).replace(/in$/, "out"),
        typreceive: inputOf(row).replace(/in$/, "recv"),
        typsend: inputOf(row).replace(/in$/, "send"),
        typtypmod: -1,
        ...row,
      }));
    },
  ),
  systemTable(
    "pg_catalog",
    "pg_cursors",
    "name:text statement is_holdable:bool is_binary is_scrollable creation_time:timestamptz",
    ({ session }) => (session.cursors?.() ?? []).map((name) => ({ name, is_scrollable: true })),
  ),
  systemTable(
    "pg_catalog",
    "pg_prepared_statements",
    "name:text statement prepare_time:timestamptz parameter_types:text[] from_sql:bool",
  ),
  systemTable(
    "pg_catalog",
    "pg_enum",
    "oid:oid enumtypid enumsortorder:float4 enumlabel:name",
    ({ catalog }) =>
      [...catalog.enumerations].flatMap(([name, labels]) =>
        labels.map((label, at) => ({
          oid: objectId(catalog, `label of ${name}`, label),
          enumtypid: objectId(catalog, "type", name),
          enumsortorder: at + 1,
          enumlabel: label,
        })),
      ),
  ),
  systemTable("pg_catalog", "pg_namespace", "oid:oid nspname:name nspowner:oid nspacl:text[]", () =>
    Object.entries(NAMESPACES).map(([nspname, oid]) => ({ oid, nspname, nspowner: OWNER })),
  ),
  systemTable(
    "pg_catalog",
    "pg_database",
    "oid:oid datname:name datdba:oid encoding:int4 datlocprovider:char datistemplate:bool datallowconn datconnlimit:int4 datfrozenxid:oid datminmxid dattablespace datcollate:text datctype daticulocale datcollversion datacl:text[]",
    ({ session }) =>
      databaseNames(session).map((datname, at) => ({
        oid: DATABASE + at,
        datname,
        datdba: OWNER,
        encoding: 6,
        datlocprovider: "c",
        datallowconn: true,
        datconnlimit: -1,
        dattablespace: 1663,
        datcollate: "C.UTF-8",
        datctype: "C.UTF-8",
      })),
  ),
  systemTable(
    "pg_catalog",
    "pg_settings",
    "name:text setting unit category short_desc extra_desc context vartype source min_val max_val enumvals:text[] boot_val:text reset_val sourcefile sourceline:int4 pending_restart:bool",
    ({ setting }) =>
      [...POSTGRES_SETTINGS.keys()].sort().map((name) => {
        const value = setting(name);
        return { name, setting: value, context: "user", vartype: "string", source: "default" };
      }),
  ),
  systemTable(
    "pg_catalog",
    "pg_roles",
    "oid:oid rolname:name rolsuper:bool rolinherit rolcreaterole rolcreatedb rolcanlogin rolreplication rolconnlimit:int4 rolpassword:text rolvaliduntil:timestamptz rolbypassrls:bool rolconfig:text[]",
    ({ session }) => [
      {
        oid: OWNER,
        rolname: session.user,
        rolsuper: true,
        rolinherit: true,
        rolcreaterole: true,
        rolcreatedb: true,
        rolcanlogin: true,
        rolconnlimit: -1,
      },
    ],
  ),
  systemTable(
    "pg_catalog",
    "pg_user",
    "usename:name usesysid:oid usecreatedb:bool usesuper userepl usebypassrls passwd:text",
    ({ session }) => [
      { usename: session.user, usesysid: OWNER, usecreatedb: true, usesuper: true },
    ],
  ),
  systemTable("pg_catalog", "pg_am", "oid:oid amname:name amhandler:text amtype:char", () => [
    { oid: ACCESS.heap, amname: "heap", amhandler: "heap_tableam_handler", amtype: "t" },
    { oid: ACCESS.btree, amname: "btree", amhandler: "bthandler", amtype: "i" },
  ]),
  systemTable("pg_catalog", "pg_tablespace", "oid:oid spcname:name spcowner:oid", () => [
    { oid: 1663, spcname: "pg_default", spcowner: OWNER },
  ]),
  systemTable(
    "pg_catalog",
    "pg_collation",
    "oid:oid collname:name collnamespace:oid collowner collprovider:char collisdeterministic:bool collencoding:int4 collcollate:text collctype",
    () => [
      {
        oid: 100,
        collname: "default",
        collnamespace: CATALOG,
        collowner: OWNER,
        collprovider: "d",
        collisdeterministic: true,
        collencoding: -1,
      },
    ],
  ),
  systemTable(
    "pg_catalog",
    "pg_extension",
    "oid:oid extname:name extowner:oid extnamespace extrelocatable:bool extversion:text",
    () => [
      {
        oid: 13_500,
        extname: "plpgsql",
        extowner: OWNER,
        extnamespace: CATALOG,
        extversion: "1.0",
      },
    ],
  ),
  systemTable(
    "pg_catalog",
    "pg_range",
    "rngtypid:oid rngsubtype rngmultitypid rngcollation rngsubopc rngcanonical:text rngsubdiff",
    () =>
      RANGES.map(([range, subtype, multirange]) => ({
        rngtypid: range,
        rngsubtype: subtype,
        rngmultitypid: multirange,
      })),
  ),
  ...[
    // Objects that this store has none of.
    ["pg_description", "objoid:oid classoid objsubid:int4 description:text"],
    ["pg_shdescription", "objoid:oid classoid description:text"],
    [
      "pg_proc",
      "oid:oid proname:name pronamespace:oid proowner prolang procost:float4 prorows provariadic:oid prokind:char prosecdef:bool proleakproof proisstrict proretset provolatile:char proparallel pronargs:int2 pronargdefaults prorettype:oid proargtypes:oidvector proallargtypes:oid[] proargmodes:char[] proargnames:text[] prosrc:text probin",
    ],
    ["pg_inherits", "inhrelid:oid inhparent inhseqno:int4 inhdetachpending:bool"],
    [
      "pg_trigger",
      "oid:oid tgrelid tgparentid tgname:name tgfoid:oid tgtype:int2 tgenabled:char tgisinternal:bool tgconstrrelid:oid tgconstrindid tgconstraint tgdeferrable:bool tginitdeferred tgnargs:int2 tgattr:int2vector tgargs:text tgqual tgoldtable:name tgnewtable",
    ],
    [
      "pg_rewrite",
      "oid:oid rulename:name ev_class:oid ev_type:char ev_enabled is_instead:bool ev_qual:text ev_action",
    ],
    [
      "pg_policy",
      "oid:oid polname:name polrelid:oid polcmd:char polpermissive:bool polroles:oid[] polqual:text polwithcheck",
    ],
    [
      "pg_statistic_ext",
      "oid:oid stxrelid stxname:name stxnamespace:oid stxowner stxstattarget:int2 stxkeys:int2vector stxkind:char[] stxexprs:text",
    ],
    ["pg_publication", "oid:oid pubname:name pubowner:oid puballtables:bool"],
    ["pg_publication_rel", "oid:oid prpubid prrelid prqual:text prattrs:int2vector"],
    ["pg_publication_namespace", "oid:oid pnpubid pnnspid"],
    ["pg_foreign_table", "ftrelid:oid ftserver ftoptions:text[]"],
    ["pg_foreign_server", "oid:oid srvname:name srvowner:oid srvfdw"],
    ["pg_partitioned_table", "partrelid:oid partstrat:char partnatts:int2"],
    ["pg_language", "oid:oid lanname:name"],
    [
      "pg_opclass",
      "oid:oid opcmethod opcname:name opcnamespace:oid opcowner opcfamily opcintype opcdefault:bool opckeytype:oid",
    ],
    ["pg_opfamily", "oid:oid opfmethod opfname:name opfnamespace:oid opfowner"],
    [
      "pg_operator",
      "oid:oid oprname:name oprnamespace:oid oprowner oprkind:char oprleft:oid oprright oprresult",
    ],
    ["pg_cast", "oid:oid castsource casttarget castfunc castcontext:char castmethod"],
    ["pg_aggregate", "aggfnoid:text aggkind:char"],
    ["pg_ts_config", "oid:oid cfgname:name cfgnamespace:oid"],
    ["pg_foreign_data_wrapper", "oid:oid fdwname:name fdwowner:oid"],
    ["pg_default_acl", "oid:oid defaclrole defaclnamespace defaclobjtype:char defaclacl:text[]"],
    ["pg_seclabels", "objoid:oid classoid objsubid:int4 objtype:text provider label"],
    ["pg_largeobject_metadata", "oid:oid lomowner lomacl:text[]"],
    ["pg_stat_replication", "pid:int4 usename:name state:text"],
    ["pg_matviews", "schemaname:name matviewname matviewowner definition:text"],
    ["pg_auth_members", "roleid:oid member grantor admin_option:bool"],
    ["pg_locks", "locktype:text database:oid relation pid:int4 mode:text granted:bool"],
    [
      "pg_stat_activity",
      "datid:oid datname:name pid:int4 usename:name application_name:text state query wait_event_type wait_event",
    ],
    ["pg_event_trigger", "oid:oid evtname:name"],
  ].map(([name = "", columns = ""]) => systemTable("pg_catalog", name, columns)),
];

/** Object ids of ranges, of what they are ranges of, and of their multiranges. */
const RANGES = [
  [3904, 23, 4451],
  [3906, 1700, 4532],
  [3908, 1114, 4533],
  [3910, 1184, 4534],
  [3912, 1082, 4535],
  [3926, 20, 4536],
] as const;

/** Functions that read the texts of types; their numbers are their places. */
export function inputFunctions(): readonly string[] {
  return [...new Set(BUILT_IN.map(inputOf))];
}

/** The name of the function that reads a type's text. */
function inputOf({ typname, typcategory, typtype }: TypeRow): string {
  if (typtype === "e") return "enum_in";
  if (typcategory === "A" && typname.startsWith("_")) return "array_in";
  return /_|^(date|numeric|json|jsonb|uuid|time|timestamp|timestamptz|interval)/.test(typname)
    ? `${typname}_in`
    : `${typname}in`;
}

/** The name of a type with that id, for people; undefined for types that are not there. */
export function typeNameOf(id: number): string | undefined {
  return BUILT_IN.find((each) => each.oid === id)?.typname;
}

/** The id of the built-in type of that short name. */
export function typeNamedIn(name: string): number | undefined {
  return BUILT_IN.find((each) => each.typname === name)?.oid;
}

/** The session's own first. */
function databaseNames({ database, databases }: SessionFacts): readonly string[] {
  return [...new Set([database, ...(databases?.() ?? [])])];
}
