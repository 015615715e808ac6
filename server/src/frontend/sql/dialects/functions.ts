// Table of the functions of MySQL, MariaDB, SQL Server and SQLite.
import type { AggregateFunction, Expression, ValueType } from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";

type Fresh = Pick<Extract<Expression, { readonly kind: "fresh" }>, "why" | "type">;

const NOW: Fresh = { why: "now", type: "time" };
const UUID: Fresh = { why: "uuid", type: "text" };
const RANDOM: Fresh = { why: "random", type: "decimal" };

/** Functions that return the current date. */
export const DATES: ReadonlySet<string> = new Set(["current_date", "curdate", "utc_date"]);

/** Functions that return a new value each time. */
export const FRESH: ReadonlyMap<string, Fresh> = new Map([
  ...words("now sysdate current_timestamp current_time curtime localtime", NOW),
  ...words("localtimestamp utc_timestamp utc_time unix_timestamp getdate getutcdate", NOW),
  ...words(
    "sysdatetime sysutcdatetime sysdatetimeoffset datetime julianday strftime unixepoch",
    NOW,
  ),
  ...words("uuid uuid_short newid newsequentialid sys_guid", UUID),
  ...words("rand random randomblob", RANDOM),
  ...words("nextval", { why: "sequence", type: "int" } as const),
]);

/** The name under which the analysis and the store evaluate a function. */
export const EVALUATED_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["abs", "abs"],
  ["lower", "lower"],
  ["lcase", "lower"],
  ["upper", "upper"],
  ["ucase", "upper"],
  ["char_length", "length"],
  ["character_length", "length"],
  ["len", "length"],
]);

/** Session state, by the path that contexts use. */
export const SESSION_MEMORY: ReadonlyMap<string, string> = new Map([
  ["row_count", "row_count()"],
  ["changes", "row_count()"],
  ["rowcount", "row_count()"],
  ["found_rows", "found_rows()"],
  ["last_insert_id", "last_insert_id()"],
  ["last_insert_rowid", "last_insert_id()"],
  ["scope_identity", "last_insert_id()"],
  ["identity", "last_insert_id()"],
]);

const AGGREGATES = dictionary<AggregateFunction | undefined>({
  count: "count",
  count_big: "count",
  sum: "sum",
  min: "min",
  max: "max",
  avg: "avg",
});

const OTHER_AGGREGATES: ReadonlySet<string> = new Set(
  (
    "group_concat string_agg json_arrayagg json_objectagg json_group_array json_group_object bit_and bit_or bit_xor " +
    "std stddev stddev_pop stddev_samp stdev stdevp var_pop var_samp variance var varp total"
  ).split(" "),
);

/** The aggregate of a function; `other` for those that are only known to read their rows. */
export function aggregateOf(name: string): AggregateFunction | undefined {
  return AGGREGATES[name] ?? (OTHER_AGGREGATES.has(name) ? "other" : undefined);
}

/** Functions that depend on their arguments only, with their result type. */
export const DETERMINISTIC: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ...words<ValueType>(
    "round floor ceil ceiling truncate sign power pow sqrt exp ln log log2 log10 div",
    "decimal",
  ),
  ...words<ValueType>("pi degrees radians sin cos tan crc32", "decimal"),
  ...words<ValueType>(
    "length octet_length bit_length locate position instr charindex ascii ord field find_in_set",
    "int",
  ),
  ...words<ValueType>(
    "year month day dayofmonth dayofweek dayofyear hour minute second week weekday quarter",
    "int",
  ),
  ...words<ValueType>(
    "datediff timestampdiff to_days time_to_sec extract datepart strcmp isnumeric",
    "int",
  ),
  ...words<ValueType>(
    "substr substring substring_index left right trim ltrim rtrim replace reverse repeat",
    "text",
  ),
  ...words<ValueType>(
    "lpad rpad concat_ws md5 sha sha1 sha2 hex unhex char format date_format elt insert",
    "text",
  ),
  ...words<ValueType>(
    "monthname dayname quote soundex space to_base64 from_base64 replicate stuff printf",
    "text",
  ),
  ...words<ValueType>(
    "date time timestamp date_add date_sub adddate subdate addtime subtime dateadd",
    "time",
  ),
  ...words<ValueType>(
    "str_to_date from_unixtime last_day makedate maketime timestampadd from_days eomonth",
    "time",
  ),
  ...words<ValueType>(
    "json_object json_array json_extract json_set json_value json_unquote json_merge",
    "json",
  ),
]);

function words<Value>(names: string, value: Value): readonly (readonly [string, Value])[] {
  return names.split(" ").map((name) => [name, value] as const);
}
