// A session of a real server.
import type { Row } from "../../protocol/witness";

/** One connection. */
export interface LiveSession {
  /** The server's number for it: what `waits` speaks of. */
  readonly id: number;
  /** Executes a statement; a refusal of the server is a value, a lost connection rejects. */
  execute(sql: string): Promise<StatementResult>;
  close(): Promise<void>;
}

export type StatementResult =
  | { readonly ok: true; readonly rows: readonly Row[]; readonly affected: number }
  /** `code` is the SQLSTATE at PostgreSQL and the error's number at MariaDB. */
  | { readonly ok: false; readonly code: string; readonly message: string };
