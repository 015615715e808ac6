// The parsers of the SQL front end; the engine loads them.
import type { PgParser } from "./pg/pgParser";

export interface SqlParsers {
  /** PostgreSQL's own parser; without it node-sql-parser reads the statements and routines stay unread. */
  readonly pg?: PgParser;
}
