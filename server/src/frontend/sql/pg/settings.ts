// SET of PostgreSQL's settings: those without effect on rows and keys.
import type { VariableSetStmt } from "libpg-query";
import type { Span } from "../text/split";

/**
 * Settings of the planner, formats, logs and timeouts, custom ones, and those read elsewhere: transactions, constraints, and roles. A
 * timeout aborts a transaction that a concurrent one could have aborted as well.
 */
const QUIET =
  /^(?:application_name|bytea_output|client_\w+|cpu_\w+|cursor_\w+|datestyle|deadlock_timeout|default_(?:statistics_target|text_search_config|transaction_\w+|tablespace|table_access_method|toast_compression)|effective_\w+|enable_\w+|extra_float_digits|from_collapse_limit|geqo\w*|gin_\w+|hash_mem_multiplier|idle_\w+|intervalstyle|jit\w*|join_collapse_limit|lc_\w+|lock_timeout|log\w*|maintenance_\w+|max_\w+|min_parallel_\w+|parallel_\w+|plan_cache_mode|random_page_cost|search_path|seq_page_cost|statement_timeout|synchronous_commit|temp_\w+|timezone|track_\w+|transaction_\w+|work_mem|xmlbinary|xmloption|check_function_bodies|standard_conforming_strings|backslash_quote|escape_string_warning|vacuum_\w+|session characteristics|transaction|commit_delay|commit_siblings|wal_\w+|constraints|role|row_security|session authorization|session_authorization|time zone|password_encryption|default_with_oids)$/i;

/** The unmodelled setting that the statement changes; undefined for an irrelevant one. */
export function unfollowedSetting({ kind, name = "" }: VariableSetStmt): string | undefined {
  if (kind === "VAR_RESET_ALL") return undefined;
  return isQuiet(name) ? undefined : name.toLowerCase();
}

/** The same for a script's statement. Linear in its first words. */
export function unfollowedSettingIn(text: string, { start, end }: Span): string | undefined {
  const found = SET.exec(text.slice(start, Math.min(end, start + 200)));
  const name = found?.[1]?.replaceAll('"', "").replaceAll(/\s+/g, " ");
  return name === undefined || isQuiet(name) ? undefined : name.toLowerCase();
}

const SET =
  /^set\s+(?:(?:session|local)\s+(?!authorization|characteristics))?((?:time\s+zone|session\s+authorization|session\s+characteristics)\b|"?[\w.]+"?)/i;

/** Settings with a dot are custom, except those of PL/pgSQL. */
const isQuiet = (name: string): boolean =>
  QUIET.test(name) || (name.includes(".") && !/^plpgsql\./i.test(name));
