// What is known of PostgreSQL's functions: which are evaluated, which give new values, which aggregate.
import type { AggregateFunction, Expression, ValueType } from "../../../program/expression";

/** Functions that the analysis and the store evaluate by name. */
export const EVALUATED: ReadonlySet<string> = new Set(
  "greatest least abs lower upper length mod".split(" "),
);

/** The length of an array: evaluated where the array is an argument. Arrays of arrays are not looked into. */
export const LENGTHS: ReadonlySet<string> = new Set(["array_length", "cardinality"]);

/**
 * Functions whose value depends on nothing but their arguments: equal for equal arguments, otherwise not known
 * to the analysis.
 */
export const IMMUTABLE: ReadonlySet<string> = new Set(
  (
    "round trunc floor ceil ceiling sign power sqrt exp ln log div concat concat_ws substr substring left right " +
    "trim btrim ltrim rtrim replace translate reverse repeat lpad rpad initcap position strpos char_length " +
    "character_length octet_length md5 sha256 encode decode split_part ascii chr format to_char to_number to_date " +
    "to_timestamp date_trunc date_part extract make_date make_interval age array_length cardinality array_append " +
    "array_remove array_prepend array_cat array_position jsonb_build_object json_build_object jsonb_set to_jsonb " +
    "to_json row_to_json jsonb_build_array hashtext hashtextextended gcd lcm width_bucket quote_ident quote_literal"
  ).split(" "),
);

type Fresh = Pick<Extract<Expression, { readonly kind: "fresh" }>, "why" | "type">;

const NOW: Fresh = { why: "now", type: "time" };

/** Functions that give a new value each time. */
export const FRESH: Readonly<Record<string, Fresh | undefined>> = {
  nextval: { why: "sequence", type: "int" },
  gen_random_uuid: { why: "uuid", type: "text" },
  uuid_generate_v1: { why: "uuid", type: "text" },
  uuid_generate_v4: { why: "uuid", type: "text" },
  uuidv4: { why: "uuid", type: "text" },
  uuidv7: { why: "uuid", type: "text" },
  gen_random_bytes: { why: "random", type: "bytes" },
  now: NOW,
  clock_timestamp: NOW,
  statement_timestamp: NOW,
  transaction_timestamp: NOW,
  timeofday: NOW,
  random: { why: "random", type: "decimal" },
  txid_current: { why: "sequence", type: "int" },
  pg_current_xact_id: { why: "sequence", type: "int" },
};

const AGGREGATES: Readonly<Record<string, AggregateFunction | undefined>> = {
  count: "count",
  sum: "sum",
  min: "min",
  max: "max",
  avg: "avg",
};

const OTHER_AGGREGATES: ReadonlySet<string> = new Set(
  (
    "array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg bool_and bool_or every bit_and " +
    "bit_or stddev stddev_pop stddev_samp variance var_pop var_samp percentile_cont percentile_disc mode any_value"
  ).split(" "),
);

/** Which aggregate a function is; `other` for those that are only known to read their rows. */
export function aggregateOf(name: string): AggregateFunction | undefined {
  return AGGREGATES[name] ?? (OTHER_AGGREGATES.has(name) ? "other" : undefined);
}

/** The type that a well-known function returns. */
export function resultType(name: string): ValueType {
  return TYPES[name] ?? "other";
}

const TYPES: Readonly<Record<string, ValueType | undefined>> = {
  ...each("int", "char_length character_length octet_length position strpos ascii array_length"),
  ...each(
    "int",
    "cardinality array_position hashtext hashtextextended gcd lcm width_bucket sign div",
  ),
  ...each("decimal", "round trunc floor ceil ceiling power sqrt exp ln log date_part extract"),
  ...each("text", "concat concat_ws substr substring left right trim btrim ltrim rtrim replace"),
  ...each("text", "translate reverse repeat lpad rpad initcap md5 encode split_part chr format"),
  ...each("text", "to_char quote_ident quote_literal"),
  ...each("time", "to_date to_timestamp date_trunc make_date"),
  ...each("json", "jsonb_build_object json_build_object jsonb_set to_jsonb to_json row_to_json"),
};

function each(type: ValueType, names: string): Record<string, ValueType> {
  return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}
