// Interface of real servers: sessions that execute one statement after the other, and who waits for whom. Nothing here
// knows a product; `postgres.ts` and `mariadb.ts` are the two that do.
import type { ConnectionOptions } from "node:tls";
import type { ProductLevel } from "../../isolation/levels";
import type { Actor } from "./actor";
import type { LiveSession } from "./liveSession";

/** A server that answers. */
export interface LiveServer {
  /** Product and version as the server tells them, "PostgreSQL 18.4". */
  readonly version: string;
  readonly product: "postgres" | "mariadb";
  /** Opens a session; rejects when the server does not take it. */
  open(): Promise<LiveSession>;
  /**
   * Makes a user of that name with rights on these schemas, the first of them the run's own, and on nothing else. Rejects
   * with `NoActor` where that cannot be, and leaves nothing behind then.
   */
  actor(admin: LiveSession, name: string, schemas: readonly string[]): Promise<Actor>;
  /**
   * Of all sessions those whose statement waits for a lock at this moment, with the ids of those it waits for where the
   * server tells them. This is the server's own knowledge, not a matter of time.
   */
  waits(): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Statements that begin a transaction at the level. Throws for a level of another product. */
  begin(level: ProductLevel): readonly string[];
  /** Statements after which the transactions that the session begins are at the level. */
  prepare(level: ProductLevel): readonly string[];
  /** Ends a session whatever it does; its statement at hand rejects. */
  kill(session: LiveSession): Promise<void>;
  close(): Promise<void>;
}

/** Where a server listens. */
export interface ServerAddress {
  /** A folder (PostgreSQL) or file (MariaDB) of a local socket, instead of host and port. */
  readonly socket?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** Options of TLS, where the connection is to be encrypted (PostgreSQL). */
  readonly encryption?: ConnectionOptions;
}

/** True if some of those that wait do so for each other: the server will end that by itself. */
export function hasDeadlock(waits: ReadonlyMap<number, readonly number[]>): boolean {
  const reaches = (from: number, wanted: number, seen: ReadonlySet<number>): boolean =>
    (waits.get(from) ?? []).some(
      (next) =>
        next === wanted || (!seen.has(next) && reaches(next, wanted, new Set([...seen, next]))),
    );
  return [...waits.keys()].some((session) => reaches(session, session, new Set([session])));
}
