// The databases of one server: the first one, in which everybody is whose name for it was not made by CREATE DATABASE, and
// those that were, each with tables, transactions and a history of its own.
import type { Databases, SqlOutcome } from "../sqlstore/session";
import {
  createMockDatabase,
  type MockDatabase,
  type MockOptions,
  type MockResult,
} from "./mockDatabase";
import type { ClientNames, MockSession } from "./session";
import type { RecordedHistory, RecordedOperation } from "./store/recordHistory";

/** The databases as clients connect to them. */
export interface MockServer extends Pick<MockDatabase, "history" | "reset"> {
  /** A session in the database of the client's name. `from`: it was there before, and ends where it has to move. */
  open(client?: ClientNames, from?: MockSession): MockSession;
  /** Runs SQL over what is there in the end in the first database. */
  atEnd(sql: string, parameters?: readonly unknown[]): SqlOutcome;
}

export type MockServerResult =
  { readonly ok: true; readonly server: MockServer } | Extract<MockResult, { readonly ok: false }>;

interface Made {
  readonly database: MockDatabase;
  /** Sessions that are in it. */
  sessions: number;
}

/** The first database has the schema and its rows. */
export function createMockServer(options: MockOptions): MockServerResult {
  const made = new Map<string, Made>();
  /** Where each session is; absent for the first database. */
  const places = new WeakMap<MockSession, Made>();
  /** Histories of databases that were dropped. */
  const over: RecordedHistory[] = [];
  // MySQL's names are in lower case here, as its tables' are.
  const folded = (name: string): string =>
    options.dialect === "postgres" ? name : name.toLowerCase();

  const databases: Databases = {
    has: (name) => made.has(folded(name)),
    names: () => [...made.keys()],
    create(name) {
      const { schema: _schema, onReset, ...others } = options;
      const result = createMockDatabase({
        ...others,
        databases,
        ...(onReset && {
          onReset: (history: RecordedHistory) => {
            onReset(inDatabase(history, name));
          },
        }),
      });
      if (result.ok) made.set(folded(name), { database: result.database, sessions: 0 });
    },
    drop(name) {
      const database = made.get(folded(name))?.database;
      made.delete(folded(name));
      if (database !== undefined && options.isForgetful !== true)
        over.push(inDatabase(database.history(), name));
    },
    sessions: (name) => made.get(folded(name))?.sessions ?? 0,
  };
  const first = createMockDatabase({ ...options, databases });
  if (!first.ok) return first;
  const main = first.database;

  function open(client: ClientNames = {}, from?: MockSession): MockSession {
    const place = made.get(folded(client.database ?? ""));
    if (from !== undefined && places.get(from) === place) return from;
    const settings = from?.settings?.();
    from?.close();
    const named = { ...client, ...(settings && { settings }) };
    if (place === undefined) return main.open(named);
    place.sessions++;
    const session = place.database.open(named, () => {
      place.sessions--;
    });
    places.set(session, place);
    return session;
  }

  return {
    ok: true,
    server: {
      open,
      atEnd: (sql, parameters) => main.atEnd(sql, parameters),
      history: () => {
        const others = [...made].map(([name, { database }]) =>
          inDatabase(database.history(), name),
        );
        const { format, version, sessions } = main.history();
        const all = [...over, ...others].flatMap((each) => each.sessions);
        return { format, version, sessions: [...sessions, ...all] };
      },
      reset(seed) {
        main.reset(seed);
        for (const { database } of made.values()) database.reset(seed);
      },
    },
  };
}

/** A history whose keys and transactions are told from those of other databases. */
function inDatabase(history: RecordedHistory, name: string): RecordedHistory {
  const key = (each: string): string => `${name}.${each}`;
  return {
    ...history,
    sessions: history.sessions.map((session) =>
      session.map(({ id, status, ops }) => ({
        id: key(id),
        status,
        ops: ops.map((op): RecordedOperation =>
          "r" in op ? { r: [key(op.r[0]), op.r[1]] } : { w: [key(op.w[0]), op.w[1]] },
        ),
      })),
    ),
  };
}
