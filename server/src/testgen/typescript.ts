// A generated test for Node's test runner and the client `pg`.
import { quoteName } from "../replay/literal";
import { failureOf, headOf } from "./comments";
import { GATE, rowsOf, STANDING } from "./gateSql";
import type { PlannedSession, TestPlan } from "./plan";

/** The test as a file. It needs the package "pg", and a server in DATABASE_URL or PGHOST, PGUSER, .... */
export function typescriptTest(plan: TestPlan): string {
  return [
    ...headOf(plan).map((line) => `// ${line}`.trimEnd()),
    "//",
    "// Run: DATABASE_URL=postgres://user@host/database node --test THIS_FILE (before Node 22.18: npx tsx --test THIS_FILE).",
    IMPORTS,
    "",
    "/** Where the SQL files are, seen from this file. */",
    `const FOLDER = ${text(plan.folder)};`,
    "",
    "/** Tables and routines: files to load, or what they define. */",
    `const DEFINITIONS: readonly { readonly file: string; readonly text?: string }[] = [`,
    ...plan.definitions.map(({ file, text: copy }) =>
      copy === undefined
        ? `  { file: ${text(file)} },`
        : `  {\n    file: ${text(file)},\n    text: ${block(copy)},\n  },`,
    ),
    "];",
    "",
    "/** Where sessions stop inside of routines: before the statement that begins so. */",
    "const ANCHORS = [",
    ...plan.anchors.map(
      ({ place, file, routine, text: begins, occurrence }) =>
        `  { place: ${String(place)}, file: ${text(file)}, routine: ${text(routine)}, occurrence: ${String(occurrence)},\n    text: ${text(begins)} },`,
    ),
    "];",
    "",
    `const LEVEL = ${text(plan.sessions[0]?.level ?? "")};`,
    "",
    "const SESSIONS: readonly Session[] = [",
    ...plan.sessions.flatMap((session) => sessionLines(session, plan)),
    "];",
    "",
    "/** Who goes on to which place; 0 is where a session begins. */",
    'const SCHEDULE: readonly { session: string; place: number | "commit" }[] = [',
    ...plan.schedule.map(
      ({ session, place, text: what }) =>
        `  { session: ${text(session)}, place: ${typeof place === "number" ? String(place) : text(place)} }, // ${what}`,
    ),
    "];",
    "",
    "const FIRST_ROWS = [",
    ...plan.initial.map((sql) => `  ${text(sql)},`),
    "];",
    "",
    "/** Columns that are compared; columns that the server makes up are left out. */",
    "const TABLES = [",
    ...plan.tables.map(
      ({ name, without }) => `  { name: ${text(quoteName(name))}, without: ${text(without)} },`,
    ),
    "];",
    "",
    `const FAILURE = ${text(failureOf(plan))};`,
    HARNESS.replace("@TITLE", () => text(plan.title))
      .replace("@GATE", () => block(GATE))
      .replace("@STANDING", () => block(STANDING("$1", "$2")))
      .replace("@ROWS", () => block(rowsOf("@TABLE", "$1"))),
  ].join("\n");
}

function sessionLines(
  { name, transaction, from, level, values, script }: PlannedSession,
  plan: TestPlan,
): readonly string[] {
  return [
    "  {",
    `    name: ${text(name)}, // ${transaction}, ${from}`,
    `    level: ${level === plan.sessions[0]?.level ? "LEVEL" : text(level)},`,
    `    values: ${text(Object.entries(values))},`,
    "    script: [",
    ...script.map((line) => `      ${text(line)},`),
    "    ],",
    "  },",
  ];
}

/** Any plain value as an expression. */
function text(value: unknown): string {
  return JSON.stringify(value);
}

/** A template literal with a long text. */
function block(sql: string): string {
  return `\`${sql.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll("${", "\\${")}\``;
}

const IMPORTS = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import pg from "pg";`;

const HARNESS = String.raw`
// From here on nothing is particular to this anomaly.

type Value = number | string | boolean | null;

interface Session {
  readonly name: string;
  readonly level: string;
  readonly values: readonly (readonly [name: string, value: Value])[];
  /** Statements with :name for values, and psql's \gset, \set, \if, \elif, \else, \endif. */
  readonly script: readonly string[];
}

interface Ended {
  readonly committed: boolean;
  /** Its result, or why it was rolled back. */
  readonly result: string;
}

interface Outcome {
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly sessions: Readonly<Record<string, Ended>>;
}

/** Places that are no line of a script and no anchor: before BEGIN, before the next try, before COMMIT. */
const BEGIN = 0;
const AGAIN = 9998;
const COMMIT = 9999;
const SCHEMA = "isolens_test_" + process.pid;
const MOST_TRIES = 100;
/** Random ids and times of today: no two runs give the same. */
const MADE_UP = new RegExp("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|" + new Date().toISOString().slice(0, 10) + "[T ][0-9:.+Z-]+", "g");

// Numbers as numbers, also those that pg gives as text.
for (const type of [20, 1700]) pg.types.setTypeParser(type, Number);

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(process.env["DATABASE_URL"]);
  await client.connect();
  await client.query("SET search_path = " + SCHEMA + ", public");
  return client;
}

/** The file's text with gates before the statements where sessions stop. */
function withGates(file: string, sql: string): string {
  const places: { at: number; place: number }[] = [];
  for (const anchor of ANCHORS.filter((each) => each.file === file)) {
    const words = anchor.text.split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    const header = new RegExp("\\b(?:function|procedure)\\s+\"?" + anchor.routine + "\"?\\s*\\(", "i").exec(sql);
    const body = sql.slice(header?.index ?? 0);
    const next = /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\b/i.exec(body);
    const matches = [...body.slice(0, next?.index ?? body.length).matchAll(new RegExp(words.join("\\s+"), "g"))];
    // A statement that is no longer there needs no gate.
    const match = matches[anchor.occurrence - 1];
    if (header && match) places.push({ at: header.index + match.index, place: anchor.place });
  }
  let text = sql;
  for (const { at, place } of places.sort((a, b) => b.at - a.at))
    text = text.slice(0, at) + "PERFORM isolens_gate(" + place + "); " + text.slice(at);
  return text;
}

async function define(client: pg.Client): Promise<void> {
  await client.query("CREATE SCHEMA " + SCHEMA);
  await client.query("SET check_function_bodies = off");
  await client.query(@GATE);
  for (const { file, text } of DEFINITIONS) {
    const path = new URL(FOLDER + "/" + file, import.meta.url);
    await client.query(withGates(file, text ?? readFileSync(path, "utf8")));
  }
}

async function outcome(client: pg.Client, ended: ReadonlyMap<string, Ended>): Promise<Outcome> {
  const tables = new Map<string, readonly string[]>();
  for (const { name, without } of TABLES) {
    const { rows } = await client.query(@ROWS.replace("@TABLE", name), [without]);
    tables.set(name, rows.map(({ row }) => String(row)));
  }
  return { tables: Object.fromEntries(tables), sessions: Object.fromEntries(ended) };
}

/** A value as SQL has it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "number") return value < 0 ? "(" + value + ")" : String(value);
  if (typeof value === "boolean") return String(value);
  const text = value instanceof Date ? value.toISOString() : String(value);
  return "'" + text.replaceAll("'", "''") + "'";
}

/** Runs the lines of a script in the transaction that is open; false if it rolls itself back. */
async function runScript(client: pg.Client, session: Session, returned: unknown[]): Promise<boolean> {
  const values = new Map<string, unknown>(session.values);
  const bind = (line: string): string =>
    line.replace(/(?<![:\p{L}\p{N}_]):([\p{L}_][\p{L}\p{N}_]*)/gu, (all, name: string) =>
      values.has(name) ? literal(values.get(name)) : all,
    );
  const evaluate = async (expression: string): Promise<unknown> => {
    const { rows } = await client.query("SELECT (" + bind(expression) + ") AS value");
    return rows[0].value;
  };
  // The state of each \if that is open: whether its lines run, and whether one of its branches did.
  const branches: { runs: boolean; ran: boolean }[] = [];
  let isFirst = true;
  for (const [index, line] of session.script.entries()) {
    const [, command, rest = ""] = /^\\(\w+)\s*(.*)$/s.exec(line) ?? [];
    const isOn = branches.every(({ runs }) => runs);
    const branch = branches.at(-1);
    const isOuterOn = branches.slice(0, -1).every(({ runs }) => runs);
    if (command === "if") {
      const runs = isOn && Boolean(await evaluate(rest));
      branches.push({ runs, ran: runs });
    } else if ((command === "elif" || command === "else") && branch) {
      const runs = isOuterOn && !branch.ran && (command === "else" || Boolean(await evaluate(rest)));
      branches[branches.length - 1] = { runs, ran: branch.ran || runs };
    } else if (command === "endif") branches.pop();
    else if (!isOn) continue;
    else if (command === "set") {
      const [, name = "", expression = ""] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
      values.set(name, /^[A-Za-z_]\w*$/.test(expression) ? expression : await evaluate(expression));
    } else if (line === "COMMIT") return true;
    else if (line === "ROLLBACK") return false;
    else {
      if (!isFirst) await client.query("SELECT isolens_gate(" + (index + 1) + ")");
      isFirst = false;
      const [, sql = line, prefix] = /^(.*?)\s*\\gset\s*(\S*)$/s.exec(line) ?? [];
      const { rows, rowCount } = await client.query(bind(sql));
      values.set("ROW_COUNT", rowCount);
      if (prefix === undefined) returned.push(...rows.map((row) => JSON.stringify(row).replace(MADE_UP, "made up")));
      else for (const [name, value] of Object.entries(rows[0] ?? {})) values.set(prefix + name, value);
    }
  }
  return true;
}

/** Runs a session to its end; what the server rolls back because of others is tried again. */
async function run(client: pg.Client, session: Session): Promise<Ended> {
  for (let tries = 1; ; tries++) {
    const returned: unknown[] = [];
    try {
      await client.query("SELECT isolens_gate(" + (tries === 1 ? BEGIN : AGAIN) + ")");
      if (tries > 1) await client.query("SET isolens.run = ''");
      await client.query("BEGIN ISOLATION LEVEL " + session.level);
      const commits = await runScript(client, session, returned);
      await client.query("SELECT isolens_gate(" + COMMIT + ")");
      await client.query(commits ? "COMMIT" : "ROLLBACK");
      return { committed: commits, result: commits ? returned.join(" ") : "it rolls itself back" };
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      await client.query("ROLLBACK");
      const isRetried = error.code === "40001" || error.code === "40P01";
      if (!isRetried || tries === MOST_TRIES) return { committed: false, result: error.code + " " + error.message };
    }
  }
}

/** All sessions at the same time, in the order of the schedule as far as the server lets them. */
async function together(admin: pg.Client): Promise<Outcome> {
  for (const sql of FIRST_ROWS) await admin.query(sql);
  const runId = (await admin.query("SELECT pg_backend_pid() AS pid")).rows[0].pid;
  const places = [BEGIN, AGAIN, COMMIT, ...ANCHORS.map(({ place }) => place)];
  const ended = new Map<string, Ended>();
  const clients: pg.Client[] = [];
  const pids = new Map<string, number>();
  const runs: Promise<void>[] = [];
  const lock = (what: string, session: string, place: number) =>
    admin.query("SELECT pg_advisory_" + what + "($1, $2)", [runId, number(session) * 10000 + place]);
  try {
    for (const session of SESSIONS) {
      const client = await connect();
      clients.push(client);
      const lines = session.script.map((_, index) => index + 1);
      for (const place of new Set([...places, ...lines])) await lock("lock", session.name, place);
      pids.set(session.name, (await client.query("SELECT pg_backend_pid() AS pid")).rows[0].pid);
      await client.query("SET isolens.run = '" + runId + "'");
      await client.query("SET isolens.session = '" + number(session.name) + "'");
      runs.push(run(client, session).then((end) => void ended.set(session.name, end)));
    }
    /** Waits until the session has ended, waits for another one, or stands at a gate, whose place is returned. */
    const settle = async (session: string): Promise<number | undefined> => {
      for (let asked = 0; asked < 6000 && !ended.has(session); asked++) {
        const { gate, waits } = (await admin.query(@STANDING, [pids.get(session), runId])).rows[0];
        if (gate !== null) return gate;
        if (waits) return undefined;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.ok(ended.has(session), session + " neither goes on nor waits for anyone");
      return undefined;
    };
    const release = async (session: string, place: number): Promise<number | undefined> => {
      await lock("unlock", session, place);
      // Held again, for the next time that the session comes here.
      await lock("lock", session, place);
      return settle(session);
    };
    for (const { session, place } of SCHEDULE) {
      let at = await settle(session);
      if (at === BEGIN) at = await release(session, BEGIN);
      if (place !== "commit") {
        if (at === place) await release(session, place);
        continue;
      }
      while (at !== undefined && at !== AGAIN) at = await release(session, at);
    }
    await admin.query("SELECT pg_advisory_unlock_all()");
    await Promise.all(runs);
    return await outcome(admin, ended);
  } finally {
    await admin.query("SELECT pg_advisory_unlock_all()");
    await Promise.allSettled(runs);
    for (const client of clients) await client.end();
  }
}

function number(session: string): number {
  return 1 + SESSIONS.findIndex(({ name }) => name === session);
}

/** The sessions one after the other. */
async function inOrder(admin: pg.Client, order: readonly string[]): Promise<Outcome> {
  for (const sql of FIRST_ROWS) await admin.query(sql);
  const ended = new Map<string, Ended>();
  for (const name of order) {
    const session = SESSIONS.find((each) => each.name === name);
    if (session) ended.set(name, await run(admin, session));
  }
  return outcome(admin, ended);
}

function orders(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length === 0) return [[]];
  return names.flatMap((name) => orders(names.filter((each) => each !== name)).map((rest) => [name, ...rest]));
}

/** A session that was rolled back and one that did not run are the same. */
function compared({ tables, sessions }: Outcome): string {
  const given = Object.entries(sessions).filter(([, { committed }]) => committed);
  return JSON.stringify([tables, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function shown({ tables, sessions }: Outcome): string {
  const rows = Object.entries(tables).map(([table, each]) => "    " + table + ": " + each.join(" "));
  const ends = Object.entries(sessions).map(
    ([name, { committed, result }]) => "    " + name + (committed ? " committed " : " was rolled back: ") + result,
  );
  return [...rows, ...ends].join("\n");
}

test(@TITLE, async () => {
  const admin = await connect();
  try {
    await define(admin);
    const concurrent = await together(admin);
    const all = SESSIONS.map(({ name }) => name);
    const committed = all.filter((name) => concurrent.sessions[name]?.committed);
    const serial: { order: readonly string[]; result: Outcome }[] = [];
    for (const order of [...orders(all), ...(committed.length < all.length ? orders(committed) : [])])
      serial.push({ order, result: await inOrder(admin, order) });
    assert.ok(
      serial.some(({ result }) => compared(result) === compared(concurrent)),
      FAILURE + "\n  at the same time:\n" + shown(concurrent) +
        serial.map(({ order, result }) => "\n  " + order.join(", then ") + ":\n" + shown(result)).join(""),
    );
  } finally {
    await admin.query("DROP SCHEMA IF EXISTS " + SCHEMA + " CASCADE");
    await admin.end();
  }
});
`;
