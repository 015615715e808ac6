// The parsers that the SQL front end may use. Loading them is the engine's business.
import type { PgParser } from "./pg/pgParser";

export interface SqlParsers {
  /** PostgreSQL's own grammar; without it node-sql-parser reads the statements and routines stay unread. */
  readonly pg?: PgParser;
}
