// Functions and operators that expressions call by name without evaluation: the type of their result, and when it is NULL. All depend on
// their arguments only.
import type { ValueType } from "./expression";

export interface FunctionFacts {
  /** `other` if unknown. */
  readonly type: ValueType;
  /** `strict`: NULL iff an argument is; `never`: never NULL; `maybe`: possibly, for any arguments. */
  readonly nulls: "strict" | "never" | "maybe";
}

/** MySQL's `BINARY x` of a text: the same value, compared letter by letter. */
export const TEXT_AS_BYTES = "cast binary";

const UNKNOWN: FunctionFacts = { type: "other", nulls: "maybe" };

/** The facts about a call of that name; casts are named `cast TYPE`. Constant time. */
export function functionFacts(name: string): FunctionFacts {
  return FACTS.get(name.toLowerCase()) ?? UNKNOWN;
}

/** A function or operator as people name it: "the function lower", "the operator ->>", "the cast to date". */
export function functionTitle(name: string): string {
  if (/^(?:code:(?:millis|instant|Date\b)|time-)/u.test(name)) return "arithmetic with dates";
  const [, type] = /^cast (.*)$/u.exec(name) ?? [];
  if (type !== undefined) return `the cast to ${type}`;
  const plain = name.replace(/^(?:code:|json-)(?=.)/u, "");
  return `the ${/^\w/u.test(plain) ? "function" : "operator"} ${plain}`;
}

/** True if a code function is evaluated, or is composed of distinguishable parts. */
export function isEvaluatedCode(name: string): boolean {
  return EVALUATED.test(name) || TEXTS_ALONE.has(name);
}

const EVALUATED =
  /^code:(?:truth(?:_of_any)?|millis|instant|Date\.\w+|list|document|part|[^\w\s]+)$/u;

/** String methods in code: the number of leading arguments, including the receiver, that must be strings. */
export const TEXT_METHODS = {
  startsWith: 2,
  endsWith: 2,
  includes: 0,
  slice: 0,
  substring: 0,
  padStart: 0,
  replaceAll: 2,
  indexOf: 0,
  charAt: 0,
} as const;

export type TextMethod = keyof typeof TEXT_METHODS;

const TEXTS_ALONE: ReadonlyMap<string, number> = new Map(
  Object.entries(TEXT_METHODS).map(([name, count]) => [`code:${name}`, count]),
);

/** The number of string arguments of a call by `TEXT_METHODS`; undefined for other functions. */
export function textArguments(name: string): number | undefined {
  return TEXTS_ALONE.get(name);
}

/** True if a PostgreSQL function is known to depend only on its arguments (and session settings). */
export function isPure(name: string): boolean {
  return FACTS.has(name);
}

function rows(
  type: ValueType,
  nulls: FunctionFacts["nulls"],
  ...names: readonly string[]
): readonly (readonly [string, FunctionFacts])[] {
  return names.flatMap((each) => each.split(" ")).map((name) => [name, { type, nulls }] as const);
}

const FACTS: ReadonlyMap<string, FunctionFacts> = new Map([
  [TEXT_AS_BYTES, { type: "text", nulls: "strict" }] as const,
  ...rows(
    "decimal",
    "strict",
    "round trunc floor ceil ceiling power pow sqrt cbrt exp ln log log10",
  ),
  ...rows(
    "decimal",
    "strict",
    "div degrees radians pi sin cos tan asin acos atan atan2 similarity",
  ),
  ...rows("decimal", "strict", "word_similarity ts_rank ts_rank_cd earth_distance"),
  ...rows(
    "int",
    "strict",
    "sign ascii char_length character_length octet_length bit_length length",
  ),
  ...rows(
    "int",
    "strict",
    "position strpos hashtext hashtextextended gcd lcm width_bucket factorial",
  ),
  ...rows(
    "int",
    "strict",
    "cardinality jsonb_array_length json_array_length levenshtein bit_count",
  ),
  ...rows("int", "strict", "regexp_count regexp_instr crc32 scale min_scale family masklen"),
  ...rows(
    "text",
    "strict",
    "left right trim btrim ltrim rtrim replace translate reverse repeat lpad",
  ),
  ...rows(
    "text",
    "strict",
    "rpad initcap md5 encode split_part chr to_char quote_ident quote_literal",
  ),
  ...rows(
    "text",
    "strict",
    "upper lower regexp_replace to_hex convert_from jsonb_pretty jsonb_typeof",
  ),
  ...rows(
    "text",
    "strict",
    "json_typeof similar_to_escape similar_escape like_escape host unaccent to_ascii overlay normalize pg_size_pretty",
  ),
  ...rows("text", "strict", "inet_merge abbrev set_masklen format_type crypt"),
  // PostGIS
  ...rows("text", "strict", "st_astext st_asewkt st_asgeojson st_askml st_assvg st_geohash"),
  ...rows("bytes", "strict", "st_asbinary st_asewkb st_astwkb"),
  ...rows("decimal", "strict", "st_x st_y st_z st_distance st_distancesphere st_area st_length"),
  ...rows(
    "bool",
    "strict",
    "st_dwithin st_within st_contains st_covers st_coveredby st_intersects",
  ),
  ...rows("bool", "strict", "st_equals st_touches st_overlaps st_crosses st_disjoint"),
  ...rows("other", "maybe", "st_geomfromgeojson st_geomfromtext st_geomfromwkb st_geogfromtext"),
  ...rows("other", "maybe", "st_geomfromewkt st_geomfromtwkb st_makepoint st_point st_setsrid"),
  ...rows("other", "maybe", "st_transform st_buffer st_centroid st_makeenvelope st_simplify"),
  ...rows("bytes", "strict", "decode sha224 sha256 sha384 sha512 digest hmac convert_to set_byte"),
  ...rows("bytes", "strict", "int4send int8send uuid_send textsend"),
  ...rows("time", "strict", "to_date to_timestamp date_trunc make_date make_time make_timestamp"),
  ...rows("time", "strict", "make_timestamptz timezone date_bin"),
  ...rows("other", "strict", "make_interval justify_days justify_hours justify_interval age"),
  ...rows(
    "other",
    "strict",
    "string_to_array regexp_split_to_array to_tsvector to_tsquery plainto_tsquery setweight",
  ),
  ...rows("other", "strict", "phraseto_tsquery websearch_to_tsquery int4range int8range numrange"),
  ...rows("other", "strict", "tsrange tstzrange daterange point box network broadcast netmask"),
  ...rows("other", "strict", "array_remove array_replace array_fill jsonb_object json_object"),
  ...rows("json", "strict", "to_json to_jsonb row_to_json jsonb_strip_nulls json_strip_nulls"),
  ...rows("json", "strict", "array_to_json jsonb_concat jsonb_path_query_array"),
  ...rows("bool", "strict", "starts_with regexp_like isfinite overlaps jsonb_path_exists isempty"),
  ...rows("bool", "strict", "jsonb_contains jsonb_exists jsonb_exists_any jsonb_exists_all"),
  ...rows("bool", "maybe", "jsonb_path_match"),
  ...rows("decimal", "maybe", "to_number date_part extract"),
  ...rows(
    "int",
    "maybe",
    "array_length array_upper array_lower array_ndims array_position get_byte",
  ),
  ...rows("text", "maybe", "substr substring concat_ws format jsonb_extract_path_text"),
  ...rows("text", "maybe", "json_extract_path_text regexp_substr array_to_string"),
  ...rows(
    "json",
    "maybe",
    "jsonb_extract_path json_extract_path jsonb_set jsonb_set_lax jsonb_insert",
  ),
  ...rows("json", "maybe", "jsonb_path_query_first"),
  ...rows(
    "other",
    "maybe",
    "regexp_match array_cat array_positions lower_inc upper_inc trim_array",
  ),
  // Truthiness in program code.
  ...rows("bool", "never", "code:truth code:truth_of_any"),
  // Date arithmetic in code.
  ...rows("int", "strict", "code:millis"),
  ...rows("time", "strict", "code:instant code:date.addmonths code:date.adddays"),
  ...rows(
    "time",
    "strict",
    "code:date.startofsecond code:date.startofminute code:date.startofhour",
  ),
  ...rows("time", "strict", "code:date.startofday code:date.startofmonth code:date.startofyear"),
  // Called for a side effect that concerns no table.
  ...rows("other", "never", "pg_notify pg_sleep"),
  ...rows("text", "never", "concat quote_nullable"),
  ...rows("int", "never", "num_nulls num_nonnulls"),
  ...rows(
    "json",
    "never",
    "jsonb_build_object json_build_object jsonb_build_array json_build_array",
  ),
  ...rows("other", "never", "array row array_append array_prepend"),
  // Operators under their own names.
  ...rows(
    "bool",
    "strict",
    "~ ~* !~ !~* ~~ @> <@ && ? ?| ?& @@ @@@ @? ^@ <<= >>= -|- &< &> similar",
  ),
  ...rows("json", "maybe", "-> #>"),
  ...rows("text", "maybe", "->> #>>"),
  ...rows("json", "strict", "json-|| json-- #-"),
  ...rows("time", "strict", "time-+ time-- time-* time-/"),
  ...rows("int", "strict", "& | # << >> ~-"),
  ...rows("decimal", "strict", "^ |/ ||/ @ <-> <=> <#> <+>"),
  ...rows(
    "bool",
    "maybe",
    "=-any <>-any <-any <=-any >-any >=-any =-all <>-all <-all <=-all >-all >=-all",
  ),
  ...rows("other", "maybe", "element slice"),
]);
