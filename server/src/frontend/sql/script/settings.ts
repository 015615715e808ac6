// SET of MySQL's and MariaDB's settings: unmodelled ones that affect transactions.
import type { Dialect } from "../../../program/dialect";
import { unfollowedSettingIn } from "../pg/settings";
import type { Span } from "../text/split";
import { nameOf, tokensOf } from "../text/tokens";

/** Transaction settings, which are read elsewhere, and words after SET that are no settings. */
const READ_ELSEWHERE = new Set(
  (
    "transaction transaction_isolation tx_isolation autocommit names character charset password role default " +
    "resource"
  ).split(" "),
);

/** Settings that affect neither the statements on InnoDB tables nor their locks. */
const QUIET =
  /^(?:character_set_\w+|collation_\w+|time_zone|sql_mode|sql_notes|sql_warnings|sql_log_bin|sql_log_off|sql_quote_show_create|sql_safe_updates|sql_big_selects|sql_auto_is_null|sql_require_primary_key|foreign_key_checks|unique_checks|timestamp|insert_id|identity|last_insert_id|group_concat_max_len|optimizer_\w+|profiling\w*|lc_\w+|general_log\w*|slow_\w+|long_query_time|log_\w+|session_track_\w+|block_encryption_mode|information_schema_\w+|standard_compliant_cte|statement_\w+|max_\w+|min_\w+|net_\w+|\w+_(?:timeout|size|length|time|file|trust_function_creators)|explicit_defaults_for_timestamp|cte_max_recursion_depth|rand_seed\d|pseudo_\w+|gtid_\w+|binlog_\w+|server_id|read_rnd_\w+|windowing_use_high_precision|div_precision_increment|debug\w*|global_\w+|event_scheduler)$/;

const SCOPES = new Set(["session", "global", "local", "persist", "persist_only"]);

/** The unmodelled setting of that dialect that a statement changes. */
export function unfollowedSettingOf(
  dialect: Dialect,
  text: string,
  span: Span,
): string | undefined {
  if (dialect === "postgres") return unfollowedSettingIn(text, span);
  return dialect === "mysql" || dialect === "mariadb" ? unfollowedSetting(text, span) : undefined;
}

/**
 * The unmodelled setting that a statement changes, under its SQL name; undefined for irrelevant settings, user variables, and other
 * statements. Linear in the statement.
 */
export function unfollowedSetting(text: string, { start, end }: Span): string | undefined {
  if (!/^set\b/i.test(text.slice(start, start + 4))) return undefined;
  const tokens = tokensOf(text, start, Math.min(end, start + 2000));
  const word = (at: number): string => tokens[at]?.word ?? "";
  if (word(1) === "statement" && word(2) !== "=") return "SET STATEMENT";
  let depth = 0;
  for (let at = 0; at < tokens.length; at++) {
    if (word(at) === "(") depth++;
    if (word(at) === ")") depth--;
    if (at > 0 && (word(at) !== "," || depth > 0)) continue;
    const name = settingAt(text, tokens, at + 1);
    if (name !== undefined && !READ_ELSEWHERE.has(name) && !QUIET.test(name)) return name;
  }
  return undefined;
}

/** `x`, `SESSION x`, `@@x`, `@@session.x` there; undefined for `@x`. */
function settingAt(
  text: string,
  tokens: ReturnType<typeof tokensOf>,
  from: number,
): string | undefined {
  let at = from;
  const word = (ahead: number): string => tokens[at + ahead]?.word ?? "";
  if (word(0) === "@" && word(1) !== "@") return undefined;
  while (word(0) === "@") at++;
  if (SCOPES.has(word(0)) && !/^:?=$/.test(word(1))) at += word(1) === "." ? 2 : 1;
  const token = tokens[at];
  return token === undefined ? undefined : nameOf(text, token).toLowerCase();
}

/** The message about such a setting. */
export function settingRemark(setting: string): string {
  return `What ${setting} changes is not followed.`;
}
