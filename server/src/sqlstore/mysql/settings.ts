// System variables of MySQL 8.0 and MariaDB 10.11 with what a session answers to SHOW VARIABLES and @@ where the client has
// set nothing. A name that is not here is unknown, as on the server.
import type { Dialect } from "../../program/dialect";

/** One `name value` a line; a value may be empty. */
const BOTH = `
error_count 0
warning_count 0
auto_increment_increment 1
auto_increment_offset 1
automatic_sp_privileges ON
autocommit ON
big_tables OFF
character_set_client utf8mb4
character_set_connection utf8mb4
character_set_database utf8mb4
character_set_filesystem binary
character_set_results utf8mb4
character_set_server utf8mb4
completion_type NO_CHAIN
connect_timeout 10
default_storage_engine InnoDB
default_tmp_storage_engine InnoDB
default_week_format 0
div_precision_increment 4
eq_range_index_dive_limit 200
event_scheduler OFF
explicit_defaults_for_timestamp ON
foreign_key_checks ON
general_log OFF
group_concat_max_len 1024
have_openssl YES
have_profiling YES
have_ssl DISABLED
have_symlink DISABLED
hostname localhost
init_connect 
innodb_autoinc_lock_mode 1
innodb_default_row_format dynamic
innodb_file_per_table ON
innodb_lock_wait_timeout 50
innodb_page_size 16384
innodb_strict_mode ON
interactive_timeout 28800
last_insert_id 0
lc_messages en_US
lc_time_names en_US
license GPL
local_infile ON
lock_wait_timeout 86400
log_bin OFF
lower_case_file_system OFF
lower_case_table_names 0
max_allowed_packet 16777216
max_connections 151
max_error_count 64
max_join_size 18446744073709551615
max_prepared_stmt_count 16382
max_sort_length 1024
max_sp_recursion_depth 0
max_user_connections 0
net_buffer_length 16384
net_read_timeout 30
net_retry_count 10
net_write_timeout 60
optimizer_switch index_merge=on
performance_schema OFF
port 3306
profiling OFF
protocol_version 10
read_only OFF
secure_file_priv 
server_id 1
skip_external_locking ON
skip_name_resolve OFF
skip_networking OFF
skip_show_database OFF
sql_auto_is_null OFF
sql_big_selects ON
sql_buffer_result OFF
sql_log_bin ON
sql_log_off OFF
sql_notes ON
sql_quote_show_create ON
sql_safe_updates OFF
sql_select_limit 18446744073709551615
sql_warnings OFF
system_time_zone UTC
thread_cache_size 9
time_zone SYSTEM
tls_version TLSv1.2,TLSv1.3
tmp_table_size 16777216
unique_checks ON
updatable_views_with_limit YES
version_comment Isolens
version_compile_machine x86_64
version_compile_os Linux
wait_timeout 28800
`;

const OF_MYSQL = `
activate_all_roles_on_login OFF
collation_connection utf8mb4_0900_ai_ci
collation_database utf8mb4_0900_ai_ci
collation_server utf8mb4_0900_ai_ci
cte_max_recursion_depth 1000
default_authentication_plugin caching_sha2_password
default_collation_for_utf8mb4 utf8mb4_0900_ai_ci
information_schema_stats_expiry 86400
max_execution_time 0
session_track_gtids OFF
session_track_schema ON
session_track_state_change OFF
sql_generate_invisible_primary_key OFF
sql_mode ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION
sql_require_primary_key OFF
super_read_only OFF
transaction_isolation REPEATABLE-READ
transaction_read_only OFF
version 8.0.36
`;

const OF_MARIADB = `
collation_connection utf8mb4_general_ci
collation_database utf8mb4_general_ci
collation_server utf8mb4_general_ci
idle_transaction_timeout 0
innodb_snapshot_isolation OFF
max_statement_time 0.000000
query_cache_size 1048576
query_cache_type OFF
sql_if_exists OFF
sql_mode STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION
storage_engine InnoDB
system_versioning_alter_history ERROR
tx_isolation REPEATABLE-READ
tx_read_only OFF
version 10.11.0-MariaDB
wsrep_on OFF
`;

function settingsIn(...texts: readonly string[]): ReadonlyMap<string, string> {
  const lines = texts.flatMap((text) => text.trim().split("\n"));
  return new Map(
    lines.map((line) => {
      const [name = "", ...rest] = line.split(" ");
      return [name, rest.join(" ")] as const;
    }),
  );
}

const MYSQL = settingsIn(BOTH, OF_MYSQL);
const MARIADB = settingsIn(BOTH, OF_MARIADB);

/** System variables of the product with their usual values. */
export function mysqlSettings(dialect: Dialect): ReadonlyMap<string, string> {
  return dialect === "mariadb" ? MARIADB : MYSQL;
}

/** A name of a system variable without what says whose it is. */
export function plainSetting(name: string): string {
  return name
    .replace(/^@@/, "")
    .replace(/^(session|global|local)\./i, "")
    .toLowerCase();
}

/** How a variable's value is kept: switches as ON and OFF. */
export function keptSetting(text: string, usual: string | undefined): string {
  if (usual !== "ON" && usual !== "OFF") return text;
  if (/^(1|on|true)$/i.test(text)) return "ON";
  return /^(0|off|false)$/i.test(text) ? "OFF" : text;
}

/** True if `@@name` is a number: counts, and switches as 1 and 0. */
export function isNumberSetting(name: string, dialect: Dialect): boolean {
  const usual = mysqlSettings(dialect).get(plainSetting(name)) ?? "";
  return /^(ON|OFF|\d+)$/.test(usual) && !/^(have_|event_scheduler|query_cache_type)/.test(name);
}

/** The value of `@@name` for a kept value. */
export function selectedSetting(name: string, value: string, dialect: Dialect): string {
  if (!isNumberSetting(name, dialect)) return value;
  return value === "ON" ? "1" : value === "OFF" ? "0" : value;
}
