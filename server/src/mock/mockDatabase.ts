// The mock database as a whole: SQL over a store whose reads return what a level allows. Schema and first rows come from
// a text of SQL; afterwards any number of sessions may run side by side.
import type { PgParser } from "../frontend/sql/pg/pgParser";
import type { Key, Reply, Request, Value } from "../exploration/client";
import { randomNumbers } from "../exploration/randomNumbers";
import type { ProductLevel } from "../isolation/levels";
import { createDatabase, type Database } from "../sqlstore/database";
import { createAdvisoryLocks } from "../sqlstore/advisoryLocks";
import { createMemoryStore, createSequences, type CountedSequences } from "../sqlstore/memory";
import type { LockingRule } from "../sqlstore/run/rows";
import {
  createSqlSession,
  runNow,
  type Databases,
  type SqlOutcome,
  type SqlSession,
} from "../sqlstore/session";
import type { SqlError } from "../sqlstore/sqlError";
import { openMockSession } from "./mockSession";
import type { ClientNames, MockSession } from "./session";
import {
  createMockStore,
  type MockLevel,
  type MockStore,
  type StoreSession,
} from "./store/mockStore";
import type { Patience, Strategy } from "./store/policy";
import { beginsWith, isWeak, type StrongUntil, type WeakFor } from "./strength";
import { createTurns } from "./turns";
import { tracedStatement, type TracedStatement } from "./trace";
import type { RecordedHistory } from "./store/recordHistory";

export interface MockOptions {
  readonly dialect: "postgres" | "mysql" | "mariadb";
  /** PostgreSQL's own parser, which its dialect needs. */
  readonly parser?: PgParser;
  readonly level: MockLevel;
  readonly seed: number;
  readonly strategy: Strategy;
  /** Tables and first rows. */
  readonly schema?: string;
  /** Statements are answered after a moment that differs from one to the next, so that sessions overtake each other. */
  readonly delay?: boolean;
  /** Seconds that a statement waits for a lock unless its session says otherwise, 0 for ever; 50 if absent, as InnoDB. */
  readonly lockTimeout?: number;
  /** Nobody asks for the history: at a product's level what is over may be forgotten. */
  readonly isForgetful?: boolean;
  /** At the literature's levels keys that are created side by side are overwritten; refused if absent. */
  readonly overwritesKeys?: boolean;
  /** Until then all reads are strong, and what is there then is the start. */
  readonly strongUntil?: StrongUntil;
  /** Only these transactions read what the level allows, all others the newest versions; all do if empty or absent. */
  readonly weakFor?: readonly WeakFor[];
  /** Databases of the server beside it; CREATE DATABASE changes nothing if absent. */
  readonly databases?: Databases;
  /** Told of each statement with its answer. */
  readonly onStatement?: (statement: TracedStatement) => void;
  /** Told of the history of what ends with a reset. */
  readonly onReset?: (history: RecordedHistory) => void;
}

export interface MockDatabase {
  /** A session of that user in a database of that name; both are names only. Tells when it is closed. */
  open(client?: ClientNames, closed?: () => void): MockSession;
  /** Reads and writes since the start, or since the last reset. */
  history(): RecordedHistory;
  /** Runs SQL over what is there in the end, alone and without a trace in the history. */
  atEnd(sql: string, parameters?: readonly unknown[]): SqlOutcome;
  /** As at the start: the first rows, no transactions. Sessions stay open; their transactions are rolled back. */
  reset(seed?: number): void;
}

export type MockResult =
  | { readonly ok: true; readonly database: MockDatabase }
  /** Refusal of the schema's text. */
  | { readonly ok: false; readonly error: SqlError };

/** The line, from one, of a place in a text. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** A day of its own, so that two runs write the same. */
const FIRST_MOMENT = Date.UTC(2026, 0, 1) * 1000;
const TICK = 1000;
const LOCK_TIMEOUT = 50;

/** Runs the schema's text and takes what it leaves as the start. */
export function createMockDatabase(options: MockOptions): MockResult {
  const { dialect, parser, level, strategy, schema = "", isForgetful = false } = options;
  const { overwritesKeys = false } = options;
  const seconds = options.lockTimeout ?? LOCK_TIMEOUT;
  const lockTimeout = dialect === "postgres" ? `${String(seconds)}s` : String(seconds);
  const sql = createDatabase({ dialect, ...(parser && { parser }) });
  let ticks = 0;
  const now = (): number => FIRST_MOMENT + TICK * ticks++;
  const start = prepareStart(sql, schema, now);
  if (!start.ok) return start;
  let { seed } = options;
  let { initial } = start;
  let sequences = start.sequences();
  let startOfSequences = sequences.copy();
  let isLoading = options.strongUntil !== undefined;
  let isStartAsked = false;
  let generation = 0;
  const openedAt = Date.now();
  let store: MockStore = isLoading
    ? createMockStore({
        level: loadingLevel(level),
        initial,
        seed,
        strategy: "latest",
        isForgetful: true,
      })
    : createMockStore({ level, initial, seed, strategy, isForgetful, overwritesKeys });
  let count = 0;
  const hearers = new Set<Hearer>();
  const sessions = new Map<number, MockSession>();
  const locksOf = createAdvisoryLocks(true);
  const turns = createTurns();

  /** A session of the store that is there now; after a reset the next request opens one of the new store. */
  function openStoreSession(): StoreSession {
    let patience: Patience | undefined;
    let isStrong = false;
    let own = store.open();
    let from = generation;
    return {
      ask(request: Request): Reply | Promise<Reply> {
        if (isLoading && request.kind === "begin") endLoading();
        if (from !== generation) {
          own = store.open();
          own.patience(patience);
          own.strong(isStrong);
          from = generation;
          if (request.kind !== "begin") return RESET;
        }
        return own.ask(request);
      },
      patience(limit) {
        patience = limit;
        own.patience(limit);
      },
      strong(wanted) {
        isStrong = wanted;
        own.strong(wanted);
      },
      arrived() {
        own.arrived();
      },
      close: () => {
        own.close();
      },
    };
  }

  /** Rows of the loading phase become the start, as soon as no transaction is open. */
  function endLoading(): void {
    const { strongUntil } = options;
    const isOver =
      isStartAsked ||
      (strongUntil?.kind === "seconds" && Date.now() - openedAt >= strongUntil.seconds * 1000);
    if (!isOver || !store.isIdle()) return;
    isLoading = false;
    initial = store.finalState();
    startOfSequences = sequences.copy();
    generation++;
    const indexes = store.indexes();
    store = createMockStore({
      level,
      initial,
      seed,
      strategy,
      isForgetful,
      overwritesKeys,
      indexes,
    });
  }

  /** Begins when rows are loaded. */
  function history(): RecordedHistory {
    return isLoading ? NO_HISTORY : store.history();
  }

  function reset(next = seed): void {
    seed = next;
    options.onReset?.(history());
    generation++;
    ticks = 0;
    sequences = startOfSequences.copy();
    store = createMockStore({ level, initial, seed, strategy, isForgetful, overwritesKeys });
  }

  return {
    ok: true,
    database: {
      history,
      atEnd(text, parameters = []) {
        const { answer } = createMemoryStore(store.finalState());
        const session = createSqlSession(sql, {
          sequences: createSequences(),
          now: () => FIRST_MOMENT,
          random: () => 0.5,
          rule: "snapshot",
        });
        return runNow(session.execute(text, parameters), answer);
      },
      reset,
      open(client = {}, closed = () => undefined) {
        const random = randomNumbers(seed * 7919 + count++);
        const pause = randomNumbers(seed * 104_729 + count);
        const number = count;
        const locks = locksOf(number);
        const hearer: Hearer = { channels: new Set(), listener: () => undefined };
        hearers.add(hearer);
        const session = createSqlSession(sql, {
          sequences: {
            next: (name, first, increment) => sequences.next(name, first, increment),
            reached: (name, value) => {
              sequences.reached(name, value);
            },
            set: (name, next) => sequences.set?.(name, next),
          },
          now,
          random: () => random(2 ** 30) / 2 ** 30,
          rule: lockingRule(level),
          ...(typeof level !== "string" && { level: sqlLevel(level) }),
          hasIndexes: true,
          identifier: count,
          ...(options.databases && { databases: options.databases }),
          locks,
          interrupt(session, what) {
            const found = sessions.get(session);
            if (what === "statement") found?.cancel?.();
            else found?.end?.();
            return found !== undefined;
          },
          isDue: turns.isDue,
          channels: {
            listen(channel, isWanted) {
              if (isWanted) hearer.channels.add(channel);
              else hearer.channels.delete(channel);
            },
            forget: () => {
              hearer.channels.clear();
            },
            notify(channel, payload) {
              for (const { channels, listener } of hearers)
                if (channels.has(channel)) listener(channel, payload, number);
            },
          },
          settings: new Map([
            [dialect === "postgres" ? "lock_timeout" : "innodb_lock_wait_timeout", lockTimeout],
            ...(client.applicationName === undefined
              ? []
              : [["application_name", client.applicationName] as const]),
            ...(client.settings ?? []),
          ]),
          ...(client.user !== undefined && { user: client.user }),
          ...(client.database !== undefined && { database: client.database }),
        });
        const storeSession = openStoreSession();
        const startAsked = (): void => {
          isStartAsked = true;
        };
        const opened = openMockSession({
          sql,
          session,
          turns,
          start: startAsked,
          ...(options.onStatement && {
            answered: (text, values, outcome) =>
              options.onStatement?.(tracedStatement(number, text, values, outcome)),
          }),
          beforeText(text) {
            const { user } = client;
            const applicationName = session.setting("application_name");
            storeSession.strong(!isWeak(options.weakFor ?? [], { user, applicationName, text }));
          },
          afterText(text) {
            const { strongUntil } = options;
            if (strongUntil?.kind === "statement" && beginsWith(text, strongUntil.text))
              startAsked();
          },
          store: {
            ...storeSession,
            close() {
              if (hearers.delete(hearer)) closed();
              sessions.delete(number);
              locks.transactionEnded();
              locks.releaseAll();
              storeSession.close();
            },
          },
          reset: () => {
            reset();
          },
          notified(listener) {
            hearer.listener = listener;
          },
          ...(options.delay === true && { pause: () => pause(LONGEST_PAUSE) }),
        });
        sessions.set(number, opened);
        return opened;
      },
    },
  };
}

const NO_HISTORY: RecordedHistory = { format: "isolens-history", version: 1, sessions: [] };

/** A session with what it listens to. */
interface Hearer {
  readonly channels: Set<string>;
  listener: (channel: string, payload: string, sender: number) => void;
}

/** Milliseconds. */
const LONGEST_PAUSE = 20;

const RESET: Reply = {
  kind: "failed",
  code: "40001",
  message: "the database was reset while this transaction was open",
};

type Start =
  | {
      readonly ok: true;
      readonly initial: ReadonlyMap<Key, Value>;
      /** Sequences as the schema's text left them. */
      readonly sequences: () => CountedSequences;
    }
  | { readonly ok: false; readonly error: SqlError };

function prepareStart(sql: Database, schema: string, now: () => number): Start {
  const memory = createMemoryStore();
  const counting = createSequences();
  const session: SqlSession = createSqlSession(sql, {
    sequences: counting,
    now,
    random: () => 0.5,
    rule: "snapshot",
  });
  if (schema.trim() !== "") {
    const outcome = runNow(session.execute(schema), memory.answer);
    if (!outcome.ok) return outcome;
  }
  return {
    ok: true,
    initial: new Map(memory.state()),
    sequences: () => counting.copy(),
  };
}

/** While rows are loaded all is serializable; a product's level is what it is. */
function loadingLevel(level: MockLevel): MockLevel {
  return typeof level === "string" ? "serializable" : level;
}

/** As SET TRANSACTION says it. */
function sqlLevel({ name }: ProductLevel): string {
  return name.slice(name.indexOf(":") + 1).replaceAll("-", " ");
}

/** Where statements that write look for their rows. */
function lockingRule(level: MockLevel): LockingRule {
  if (typeof level === "string") return "snapshot";
  return level.candidates === "current" ? "current" : "recheck";
}
