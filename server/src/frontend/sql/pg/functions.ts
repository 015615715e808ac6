// PostgreSQL's functions: evaluated ones, generators, aggregates.
import type { FuncCall } from "libpg-query";
import type { AggregateFunction, Expression } from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";
import { lastName } from "./ast";

/** Functions that the analysis and the store evaluate by name. */
export const EVALUATED_FUNCTIONS: ReadonlySet<string> = new Set(
  "greatest least abs lower upper length mod".split(" "),
);

/** The length of an array: evaluated for array arguments. Nested arrays are not supported. */
export const LENGTHS: ReadonlySet<string> = new Set(["array_length", "cardinality"]);

type Fresh = Pick<Extract<Expression, { readonly kind: "fresh" }>, "why" | "type">;

const NOW: Fresh = { why: "now", type: "time" };

/** Functions that return a new value each time. */
export const FRESH = dictionary<Fresh | undefined>({
  nextval: { why: "sequence", type: "int" },
  gen_random_uuid: { why: "uuid", type: "text" },
  uuid_generate_v1: { why: "uuid", type: "text" },
  uuid_generate_v1mc: { why: "uuid", type: "text" },
  uuid_generate_v4: { why: "uuid", type: "text" },
  uuidv4: { why: "uuid", type: "text" },
  uuidv7: { why: "uuid", type: "text" },
  gen_random_bytes: { why: "random", type: "bytes" },
  gen_salt: { why: "random", type: "text" },
  now: NOW,
  clock_timestamp: NOW,
  statement_timestamp: NOW,
  transaction_timestamp: NOW,
  timeofday: NOW,
  random: { why: "random", type: "decimal" },
  txid_current: { why: "sequence", type: "int" },
  pg_current_xact_id: { why: "sequence", type: "int" },
});

const AGGREGATES = dictionary<AggregateFunction | undefined>({
  count: "count",
  sum: "sum",
  min: "min",
  max: "max",
  avg: "avg",
});

const OTHER_AGGREGATES: ReadonlySet<string> = new Set(
  (
    "array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg bool_and bool_or every bit_and " +
    "bit_or stddev stddev_pop stddev_samp variance var_pop var_samp percentile_cont percentile_disc mode any_value"
  ).split(" "),
);

/** The aggregate of a function; `other` for those that are only known to read their rows. */
export function aggregateOf(name: string): AggregateFunction | undefined {
  return AGGREGATES[name] ?? (OTHER_AGGREGATES.has(name) ? "other" : undefined);
}

/** True if a part of the tree contains an aggregate of the query itself, neither in a subquery nor over a window. */
export function hasAggregate(tree: unknown): boolean {
  if (Array.isArray(tree)) return tree.some(hasAggregate);
  if (typeof tree !== "object" || tree === null || "SubLink" in tree) return false;
  if ("FuncCall" in tree) {
    const { FuncCall: call } = tree as { readonly FuncCall: FuncCall };
    if (call.over === undefined && aggregateOf(lastName(call.funcname)) !== undefined) return true;
  }
  return Object.values(tree).some(hasAggregate);
}
