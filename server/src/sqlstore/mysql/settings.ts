// What a session of MySQL or MariaDB answers to SHOW VARIABLES and @@ where the client has set nothing.

export const MYSQL_SETTINGS: ReadonlyMap<string, string> = new Map([
  ["time_zone", "SYSTEM"],
  [
    "sql_mode",
    "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
  ],
  ["max_allowed_packet", "16777216"],
  ["innodb_lock_wait_timeout", "50"],
  ["lock_wait_timeout", "86400"],
  ["wait_timeout", "28800"],
  ["interactive_timeout", "28800"],
  ["version", "8.0.36"],
  ["version_comment", "Isolens"],
  ["lower_case_table_names", "0"],
  ["character_set_client", "utf8mb4"],
  ["collation_connection", "utf8mb4_general_ci"],
  ["auto_increment_increment", "1"],
]);
