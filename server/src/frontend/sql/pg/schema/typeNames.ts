// Meaning of a type's name: pg_catalog comes first on every search path, so a table, domain or enumeration called
// `text` or `date` is meant only where its schema is written before it (PostgreSQL, 5.9.5 and 5.9.6).

/** The types of pg_catalog, without arrays and row types of its tables. */
const CATALOG: ReadonlySet<string> = new Set(
  (
    "aclitem any anyarray anycompatible anycompatiblearray anycompatiblemultirange anycompatiblenonarray " +
    "anycompatiblerange anyelement anyenum anymultirange anynonarray anyrange bit bool box bpchar bytea char cid cidr " +
    "circle cstring date datemultirange daterange event_trigger fdw_handler float4 float8 gtsvector index_am_handler " +
    "inet int2 int2vector int4 int4multirange int4range int8 int8multirange int8range internal interval json jsonb " +
    "jsonpath language_handler line lseg macaddr macaddr8 money name numeric nummultirange numrange oid oidvector path " +
    "pg_lsn pg_node_tree pg_snapshot point polygon record refcursor regclass regcollation regconfig regdictionary " +
    "regnamespace regoper regoperator regproc regprocedure regrole regtype table_am_handler text tid time timestamp " +
    "timestamptz timetz trigger tsm_handler tsmultirange tsquery tsrange tstzmultirange tstzrange tsvector " +
    "txid_snapshot unknown uuid varbit varchar void xid xid8 xml"
  ).split(" "),
);

/** Words that stand for a type only where they are not quoted, and those that CREATE TABLE takes for one in any spelling. */
const WORDS: ReadonlySet<string> = new Set(
  "bigint boolean character dec decimal double float int integer nchar real smallint national".split(
    " ",
  ),
);
const SERIALS: ReadonlySet<string> = new Set(
  "serial serial2 serial4 serial8 smallserial bigserial".split(" "),
);

/**
 * Key of a type's name: types of pg_catalog are unquoted, and a user's type of the same name is quoted.
 * The parser spells types of the grammar (`int`) as types of pg_catalog.
 */
export function typeKey(names: readonly string[]): string {
  const name = names.at(-1) ?? "";
  const schema = names.at(-2);
  if (schema === "pg_catalog") return name;
  if (schema === undefined && (CATALOG.has(name) || SERIALS.has(name))) return name;
  return ownTypeKey(name);
}

/** The key of a type that is written in code that has no tree: words without quotes may be of the grammar. */
export function writtenTypeKey(names: readonly string[], isQuoted: boolean): string {
  const [name = ""] = names;
  return !isQuoted && names.length === 1 && WORDS.has(name) ? name : typeKey(names);
}

/** The key of a type that the user defines. */
export function ownTypeKey(name: string): string {
  const isTaken = CATALOG.has(name) || WORDS.has(name) || SERIALS.has(name);
  return isTaken || /^"|\[\]$/.test(name) ? `"${name}"` : name;
}

/** The user's own name of the type that has this key; undefined for one of pg_catalog, and for arrays. */
export function ownTypeName(key: string): string | undefined {
  if (/^".*"$/s.test(key)) return key.slice(1, -1);
  const isOther = CATALOG.has(key) || WORDS.has(key) || SERIALS.has(key) || key.endsWith("[]");
  return isOther ? undefined : key;
}
