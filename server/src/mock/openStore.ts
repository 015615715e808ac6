// The mock database as a library for tests: started and stopped within the process, its history judged on the spot.
import { loadPgParser } from "../engine/pgParser";
import { checkHistory, HISTORY_LEVELS } from "../history/check";
import { startReading } from "../history/formats/readHistory";
import { formatValue } from "../sqlstore/values/format";
import { mockLevel } from "./level";
import { listen } from "./listen";
import { createMockServer, type MockServer } from "./databases";
import { lineAt } from "./mockDatabase";
import type { TracedStatement } from "./trace";
import { strongUntilOf, weakForOf, type WeakFor } from "./strength";
import type { RecordedHistory } from "./store/recordHistory";

export interface StoreOptions {
  /** Whose clients may connect; `postgres` if absent. */
  readonly protocol?: "postgres" | "mysql";
  /** A level by its name, as `read-committed`, `causal` or `postgres:repeatable-read`. */
  readonly level: string;
  /** SQL that makes the tables and the first rows. */
  readonly schema?: string;
  /** The same seed gives the same choices to the same client; 1 if absent. */
  readonly seed?: number;
  /** Which of the versions that the level allows reads prefer; `uniform` if absent. */
  readonly strategy?: "uniform" | "latest" | "stale";
  /** Answers come after a moment that differs from one to the next. */
  readonly delay?: boolean;
  /** Seconds that a statement waits for a lock unless its session says otherwise, 0 for ever; 50 if absent. */
  readonly lockTimeout?: number;
  /** As `--overwrite-keys`: keys that are created side by side are overwritten, as in MonkeyDB's store. */
  readonly overwriteKeys?: boolean;
  /** As `--strong-until`: seconds, or how the statement begins that ends the loading of first rows. */
  readonly strongUntil?: string;
  /** As `--weak-for`: whose reads are as weak as the level allows. */
  readonly weakFor?: readonly string[];
  /** 0 or absent: a free one. */
  readonly port?: number;
}

export interface OpenedStore {
  readonly host: "127.0.0.1";
  readonly port: number;
  /** For clients that take one; any user and database will do. */
  readonly url: string;
  /** Reads and writes since the start, or since the last reset. */
  history(): RecordedHistory;
  /** The levels of the literature with the verdict on the run so far. */
  verdicts(): Readonly<Record<string, "ok" | "violated" | "unknown">>;
  /** Runs a query over what is there in the end, as texts; the history does not mention it. Throws for bad SQL. */
  rows(sql: string): readonly Readonly<Record<string, string | null>>[];
  /** Statements of clients since the start or the last reset, in the order in which it was answered. */
  statements(): readonly TracedStatement[];
  /** The first rows again, an empty history, and another seed if one is given. Transactions that are open are rolled back. */
  reset(seed?: number): void;
  /** Ends all connections and gives the port back. */
  close(): Promise<void>;
}

/** Loaded once, since each test may open a store of its own. */
let parser: ReturnType<typeof loadPgParser> | undefined;

/** Starts a database on 127.0.0.1. Rejects for an unknown level, a schema that is refused, or a port that is taken. */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const { protocol = "postgres", schema, delay, lockTimeout, port = 0 } = options;
  const { seed = 1, strategy = "uniform" } = options;
  const named = mockLevel(options.level);
  if (!named.known) throw new Error(`there is no level "${options.level}"`);
  if (named.level === undefined) throw new Error(named.reason);
  let statements: TracedStatement[] = [];
  const made = createMockServer({
    onStatement: (each) => statements.push(each),
    dialect: protocol,
    ...(protocol === "postgres" && { parser: await (parser ??= loadPgParser()) }),
    level: named.level,
    seed,
    strategy,
    ...(schema !== undefined && { schema }),
    ...(delay !== undefined && { delay }),
    ...(lockTimeout !== undefined && { lockTimeout }),
    overwritesKeys: options.overwriteKeys ?? false,
    ...(options.strongUntil !== undefined && { strongUntil: strongUntilOf(options.strongUntil) }),
    weakFor: (options.weakFor ?? []).map(weakFor),
  });
  if (!made.ok) {
    const { position, message } = made.error;
    const line = position === undefined ? "" : `, line ${String(lineAt(schema ?? "", position))}`;
    throw new Error(`the schema is refused${line}: ${message}`);
  }
  const { server } = made;
  const listening = await listen({ protocol, port, open: server.open });
  const address = `127.0.0.1:${String(listening.port)}`;
  return {
    host: "127.0.0.1",
    port: listening.port,
    url: `${protocol === "postgres" ? "postgresql" : "mysql"}://app@${address}/app`,
    history: () => server.history(),
    verdicts: () => verdictsOf(server.history()),
    rows: (sql) => rowsOf(server, sql),
    statements: () => statements,
    reset(next) {
      server.reset(next);
      statements = [];
    },
    close: () => listening.close(),
  };
}

function weakFor(text: string): WeakFor {
  const found = weakForOf(text);
  if (found === undefined) throw new Error(`"${text}" is no application_name=, user= or comment=`);
  return found;
}

/** Verdicts of the checker of histories on a run at each level of the literature. Throws if it cannot be read. */
export function verdictsOf(
  history: RecordedHistory,
): Readonly<Record<string, "ok" | "violated" | "unknown">> {
  const bytes = new TextEncoder().encode(JSON.stringify(history));
  const reading = startReading("json", bytes.length);
  reading.file("history");
  const fault = reading.feed(bytes) ?? reading.endFile();
  if (fault) throw new Error(`the history is not readable: ${fault.message}`);
  const { verdicts } = checkHistory(reading.finish());
  return Object.fromEntries(
    HISTORY_LEVELS.map((level) => [level, verdicts.get(level) ?? "unknown"] as const),
  );
}

function rowsOf(
  server: MockServer,
  sql: string,
): readonly Readonly<Record<string, string | null>>[] {
  const outcome = server.atEnd(sql);
  if (!outcome.ok) throw new Error(outcome.error.message);
  const last = outcome.results.at(-1);
  return (last?.rows ?? []).map((row) =>
    Object.fromEntries(
      (last?.columns ?? []).map(({ name, type }, at) => {
        const value = row[at] ?? null;
        return [name, value === null ? null : formatValue(value, type)] as const;
      }),
    ),
  );
}
