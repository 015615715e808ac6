// Interface of real servers: sessions that execute one statement after the other, and the waits between them. Independent of products;
// `postgres.ts` and `mariadb.ts` implement it.
import type { ConnectionOptions } from "node:tls";
import type { ProductLevel } from "../../isolation/levels";
import type { Actor } from "./actor";
import type { LiveSession } from "./liveSession";

/** A connected server. */
export interface LiveServer {
  /** The server's own product and version, "PostgreSQL 18.4". */
  readonly version: string;
  readonly product: "postgres" | "mariadb";
  /** Opens a session; rejects if the server refuses it. */
  open(): Promise<LiveSession>;
  /**
   * Creates a user of that name with rights on these schemas only; the first is the run's own. Rejects with `NoActor` if that is
   * impossible, leaving nothing behind.
   */
  actor(admin: LiveSession, name: string, schemas: readonly string[]): Promise<Actor>;
  /**
   * The sessions whose statement waits for a lock at this moment, with the ids of the holders if the server tells them. This is the
   * server's own knowledge, not a matter of timing.
   */
  waits(): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Statements that begin a transaction at the level. Throws for a level of another product. */
  begin(level: ProductLevel): readonly string[];
  /** Statements that set the level of the session's later transactions. */
  prepare(level: ProductLevel): readonly string[];
  /** Ends a busy session; its current statement rejects. */
  kill(session: LiveSession): Promise<void>;
  close(): Promise<void>;
}

/** Where a server listens. */
export interface ServerAddress {
  /** The folder (PostgreSQL) or file (MariaDB) of a local socket, instead of host and port. */
  readonly socket?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** TLS options, for an encrypted connection (PostgreSQL). */
  readonly encryption?: ConnectionOptions;
}

/** True if some sessions wait for each other: the server will resolve that itself. */
export function hasDeadlock(waits: ReadonlyMap<number, readonly number[]>): boolean {
  const reaches = (from: number, wanted: number, seen: ReadonlySet<number>): boolean =>
    (waits.get(from) ?? []).some(
      (next) =>
        next === wanted || (!seen.has(next) && reaches(next, wanted, new Set([...seen, next]))),
    );
  return [...waits.keys()].some((session) => reaches(session, session, new Set([session])));
}
