// Small random schemas with triggers, and a transaction that fires them: what a server leaves in its tables, and what
// the store does with what the front end makes of it.
import type { Dialect } from "../../../server/src/program/dialect";
import { dictionary, ownEntry, setEntry } from "../../../server/src/protocol/dictionary";
import { readRandom, type Choose } from "../analysis/productsHarness";
import { literal } from "../../../server/src/replay/literal";
import type { Row } from "../../../server/src/protocol/witness";
import { statementsOf } from "../../../server/src/service/statements";
import { runSerial } from "../../../server/src/store/run";
import type { LiveSession } from "../../../server/src/replay/servers/liveSession";

const TABLES = dictionary<string>({
  t: "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, n int)",
  u: "CREATE TABLE u (id int PRIMARY KEY, v int, n int)",
  log: "CREATE TABLE log (what text, a int, b int)",
  counter: "CREATE TABLE counter (name text PRIMARY KEY, total int NOT NULL)",
});

/** The rows at the start. */
export const ROWS = dictionary<readonly Row[]>({
  t: [
    { id: 1, v: 10, n: null },
    { id: 2, v: 20, n: 2 },
    { id: 3, v: 30, n: 3 },
  ],
  u: [
    { id: 1, v: 1, n: 0 },
    { id: 2, v: null, n: 5 },
  ],
  log: [],
  counter: [
    { name: "t", total: 0 },
    { name: "u", total: 7 },
  ],
});

export interface TriggerProgram {
  readonly functions: readonly string[];
  readonly triggers: readonly string[];
  readonly statements: readonly string[];
}

type Timing = "BEFORE" | "AFTER";
type Event = "INSERT" | "UPDATE" | "DELETE";
type List = readonly [string, ...string[]];

/** One to three triggers and up to two statements. */
export function randomTriggers(choose: Choose): TriggerProgram {
  const functions: string[] = [];
  const triggers: string[] = [];
  const count = choose([1, 1, 2, 2, 3]);
  for (let number = 1; number <= count; number += 1) {
    const table = choose(["t", "t", "t", "u", "log"]);
    const timing = choose<Timing>(["BEFORE", "AFTER"]);
    const events = choose<readonly Event[]>([
      ["INSERT"],
      ["UPDATE"],
      ["DELETE"],
      ["INSERT", "UPDATE"],
      ["UPDATE", "DELETE"],
      ["INSERT", "UPDATE", "DELETE"],
    ]);
    const perRow = choose([true, true, true, false]);
    const name = `g${String(number)}`;
    functions.push(
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$\n${body(choose, table, timing, events, perRow)}\n$$`,
    );
    const isUpdateOfV =
      table !== "log" && events.includes("UPDATE") && choose([false, false, true]);
    const named = events.map((each) => (each === "UPDATE" && isUpdateOfV ? "UPDATE OF v" : each));
    const when =
      perRow && table !== "log" && choose([false, false, true]) ? condition(choose, events) : "";
    triggers.push(
      `CREATE TRIGGER ${choose(["z", "a"])}${name} ${timing} ${named.join(" OR ")} ON ${table} FOR EACH ${perRow ? "ROW" : "STATEMENT"}${when && ` WHEN (${when})`} EXECUTE FUNCTION ${name}()`,
    );
  }
  const fires = (sql: string): boolean =>
    triggers.some((trigger) => trigger.includes(` ON ${/\b(t|u|log)\b/.exec(sql)?.[1] ?? ""} `));
  const statements: string[] = [];
  for (let left = choose([1, 1, 2, 2, 3]); left > 0; left -= 1) {
    const first = change(choose);
    // Tables without triggers are tried less often.
    statements.push(fires(first) ? first : change(choose));
  }
  return { functions, triggers, statements };
}

function condition(choose: Choose, events: readonly Event[]): string {
  const both: List = [
    "OLD.v IS DISTINCT FROM NEW.v",
    "NEW.v > OLD.v",
    "NEW.n IS NULL OR OLD.n IS NULL",
  ];
  if (events.every((each) => each === "UPDATE")) return choose(both);
  const name = events.includes("INSERT") ? "NEW" : "OLD";
  const isOnly = events.every((each) => each !== (name === "NEW" ? "DELETE" : "INSERT"));
  if (!isOnly) return choose(["true", "pg_trigger_depth() < 2"]);
  return choose([`${name}.v > 15`, `${name}.n IS NOT NULL`, `${name}.id <> 2`]);
}

function body(
  choose: Choose,
  table: string,
  timing: Timing,
  events: readonly Event[],
  perRow: boolean,
): string {
  const lines: string[] = [];
  const count = choose([1, 1, 2]);
  for (let at = 0; at < count; at += 1) {
    const branches = perRow
      ? events.map((event) => [event, rowLine(choose, table, timing, event)] as const)
      : events.map((event) => [event, effect(choose, table, "7", "NULL")] as const);
    const [only] = branches;
    if (branches.length === 1 && only !== undefined) lines.push(only[1]);
    else
      lines.push(
        branches
          .map(
            ([event, line], index) =>
              `${index === 0 ? "IF" : "ELSIF"} TG_OP = '${event}' THEN ${line}`,
          )
          .join("\n  ") + " END IF;",
      );
  }
  const isDeletion = events.includes("DELETE");
  const result =
    !perRow || timing === "AFTER"
      ? choose(["RETURN NULL", "RETURN NULL", "RETURN NEW"])
      : !isDeletion
        ? "RETURN NEW"
        : events.length === 1
          ? "RETURN OLD"
          : choose([
              "RETURN COALESCE(NEW, OLD)",
              "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW",
            ]);
  return `DECLARE k int;\nBEGIN\n  ${lines.join("\n  ")}\n  ${result};\nEND`;
}

/** The work for one row. */
function rowLine(choose: Choose, table: string, timing: Timing, event: Event): string {
  const row = event === "DELETE" ? "OLD" : event === "INSERT" ? "NEW" : choose(["NEW", "OLD"]);
  const [key, value] = table === "log" ? [`${row}.a`, `${row}.b`] : [`${row}.id`, `${row}.v`];
  const line = (): string => {
    if (timing === "AFTER" || event === "DELETE" || choose([false, false, true]))
      return effect(choose, table, key, value);
    const mine = table === "log" ? "b" : "n";
    const other = table === "log" ? "a" : "v";
    const changes: List = [
      `NEW.${mine} := coalesce(NEW.${mine}, 0) + 1;`,
      `NEW.${mine} := NEW.${other} * 2;`,
      `NEW.${other} := NEW.${other} + 5;`,
      ...(event === "UPDATE"
        ? [`NEW.${mine} := OLD.${other};`, `NEW.${other} := OLD.${other} + 1;`]
        : []),
      `NEW.${mine} := (SELECT count(*) FROM t);`,
      `SELECT v INTO k FROM u WHERE id = ${key}; NEW.${mine} := k;`,
      `SELECT total INTO NEW.${mine} FROM counter WHERE name = 't';`,
      `IF NEW.${other} IS NULL THEN NEW.${other} := 3; END IF;`,
    ];
    return choose(changes);
  };
  const tests: List = [
    `${value} > 15`,
    `${key} = 2`,
    `${value} IS NULL`,
    ...(event === "UPDATE" && table !== "log" ? ["NEW.v <> OLD.v", "NEW.id = OLD.id"] : []),
    `EXISTS (SELECT 1 FROM u WHERE id = ${key})`,
  ];
  switch (choose(["plain", "plain", "plain", "if", "if", "skip", "raise"])) {
    case "if":
      return `IF ${choose(tests)} THEN ${line()} END IF;`;
    case "skip":
      return `IF ${choose(tests)} THEN RETURN NULL; END IF; ${line()}`;
    case "raise":
      return `IF ${choose(tests)} THEN RAISE EXCEPTION 'no'; END IF; ${line()}`;
    default:
      return line();
  }
}

/** A change of another table. */
function effect(choose: Choose, table: string, key: string, value: string): string {
  const logs: List = [
    `INSERT INTO log (what, a, b) VALUES (TG_OP, ${key}, ${value});`,
    `INSERT INTO log SELECT TG_TABLE_NAME, id, ${value} FROM u WHERE id >= ${key};`,
    `INSERT INTO log VALUES (TG_WHEN, (SELECT count(*) FROM t), ${value});`,
  ];
  const others: List = [
    `UPDATE counter SET total = total + 1 WHERE name = '${table}';`,
    `UPDATE counter SET total = total + coalesce(${value}, 1) WHERE name = 't';`,
    `INSERT INTO counter VALUES (TG_OP, 1) ON CONFLICT (name) DO UPDATE SET total = counter.total + 1;`,
    `SELECT count(*) INTO k FROM t WHERE v > 10; UPDATE counter SET total = total + k WHERE name = 'u';`,
  ];
  const chained: List = [
    `UPDATE u SET n = coalesce(n, 0) + 1 WHERE id = ${key};`,
    `UPDATE u SET v = coalesce(v, 0) + 1;`,
    `DELETE FROM u WHERE id = ${key};`,
    `INSERT INTO u VALUES (${key} + 10, ${value}, 1) ON CONFLICT DO NOTHING;`,
  ];
  const all = [
    ...(table === "log" ? [] : [...logs, ...logs]),
    ...others,
    ...(table === "t" ? chained : []),
  ];
  const [first = "NULL;", ...rest] = all;
  return choose([first, ...rest]);
}

function change(choose: Choose): string {
  return choose([
    "INSERT INTO t VALUES (4, 12, NULL)",
    "INSERT INTO t (v, id) VALUES (40, 4), (50, 5)",
    "INSERT INTO t (id, v) VALUES (2, 3)",
    "INSERT INTO t (id, v, n) SELECT id + 10, coalesce(v, 0), n FROM u",
    "INSERT INTO t VALUES (2, 99, 1) ON CONFLICT (id) DO NOTHING",
    "INSERT INTO t VALUES (6, 60, 6) ON CONFLICT (id) DO NOTHING",
    "INSERT INTO t VALUES (2, 99, 1) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v",
    "INSERT INTO t VALUES (7, 70, 7) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v",
    "UPDATE t SET v = v + 1 WHERE id = 2",
    "UPDATE t SET n = 4 WHERE id = 1",
    "UPDATE t SET v = v * 2 WHERE v >= 20",
    "UPDATE t SET n = v, v = coalesce(n, 1)",
    "UPDATE t SET id = 9 WHERE id = 3",
    "UPDATE t SET v = (SELECT coalesce(max(n), 0) FROM u) WHERE id = 1",
    "UPDATE t SET n = u.n FROM u WHERE u.id = t.id",
    "UPDATE t SET v = 0 WHERE id = 77",
    "DELETE FROM t WHERE id = 2",
    "DELETE FROM t WHERE v > 10",
    "DELETE FROM t USING u WHERE u.id = t.id AND u.n > 0",
    "UPDATE u SET n = n + 1 WHERE id = 2",
    "UPDATE u SET v = 8",
    "INSERT INTO u VALUES (3, 3, 3)",
    "DELETE FROM u WHERE id = 1",
    "INSERT INTO log VALUES ('x', 1, 2)",
    "UPDATE log SET b = 5",
  ]);
}

/** The program as a file. */
export function triggersText({ functions, triggers, statements }: TriggerProgram): string {
  const definitions = [...Object.values(TABLES), ...functions, ...triggers];
  return `${definitions.join(";\n")};\n-- @transaction change\nBEGIN;\n${statements.join(";\n")};\nCOMMIT;\n`;
}

export interface TriggerComparison {
  /** `open`: something of it was not understood, or the store refuses it. */
  readonly kind: "same" | "different" | "open";
  readonly server: string;
  readonly store: string;
}

/** Runs the program on the server, whose tables are gone afterwards, and in the store. */
export async function compareTriggers(
  session: LiveSession,
  program: TriggerProgram,
): Promise<TriggerComparison> {
  const { reasons, state } = await inStore(triggersText(program));
  const server = await onServer(session, program);
  if (reasons.length > 0) return { kind: "open", server, store: reasons.join("; ") };
  return { kind: state === server ? "same" : "different", server, store: state };
}

/** The rows that the store leaves, or why it cannot say. */
export async function inStore(
  text: string,
  dialect: Dialect = "postgres",
): Promise<{ readonly reasons: readonly string[]; readonly state: string }> {
  const program = await readRandom(text, dialect);
  const lost = program.transactions.flatMap(({ body, taint }) => [
    ...taint.map(({ reason }) => reason),
    ...statementsOf(body).flatMap((each) => each.taint.map(({ reason }) => reason)),
  ]);
  if (lost.length > 0) return { reasons: [...new Set(lost)], state: "" };
  const [transaction] = program.transactions;
  const started = [{ instance: "T1", transaction: transaction?.id ?? "", arguments: {} }];
  const result = runSerial(program, { instances: started, initial: ROWS }, ["T1"]);
  if (!result.ok) return { reasons: [result.reason], state: "" };
  return { reasons: [], state: stateText(result.execution.outcome.final) };
}

async function onServer(session: LiveSession, program: TriggerProgram): Promise<string> {
  const must = async (sql: string): Promise<readonly Row[]> => {
    const result = await session.execute(sql);
    if (!result.ok) throw new Error(`${result.message} in ${sql}`);
    return result.rows;
  };
  for (const sql of Object.values(TABLES)) await must(sql);
  for (const [name, rows] of Object.entries(ROWS))
    for (const row of rows)
      await must(`INSERT INTO ${name} VALUES (${Object.values(row).map(literal).join(", ")})`);
  for (const sql of [...program.functions, ...program.triggers]) await must(sql);
  await must("BEGIN");
  for (const sql of program.statements) if (!(await session.execute(sql)).ok) break;
  // After an error this undoes all.
  await session.execute("COMMIT");
  const final: Record<string, readonly Row[]> = {};
  for (const name of Object.keys(TABLES))
    setEntry(final, name, await must(`SELECT * FROM ${name}`));
  await must(`DROP TABLE ${Object.keys(TABLES).join(", ")}`);
  for (const sql of program.functions)
    await must(`DROP FUNCTION ${/FUNCTION (\w+)/.exec(sql)?.[1] ?? ""}`);
  return stateText(final);
}

/** All rows, in an order that does not tell which came first. */
export function stateText(final: Readonly<Record<string, readonly Row[]>>): string {
  return Object.keys(TABLES)
    .map((name) => {
      const columns = /\((.*)\)/.exec(TABLES[name] ?? "")?.[1]?.split(", ") ?? [];
      const names = columns.map((column) => column.split(" ")[0] ?? "");
      const rows = (ownEntry(final, name) ?? ROWS[name] ?? []).map((row) =>
        names.map((column) => String(ownEntry(row, column) ?? null)).join(","),
      );
      return `${name}: ${rows.sort().join(" ")}`;
    })
    .join("\n");
}
