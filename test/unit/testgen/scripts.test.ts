// Generated scripts of several sessions, run as a reader would: each step in the window of its session. They give what
// they say on a real PostgreSQL and on the mock database, and something else at SERIALIZABLE.
import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";
import type { TemporaryServer } from "../../../server/src/replay/servers/temporary";
import { serverFor } from "../../support/liveServers";
import { pythonWith } from "../../support/programs";
import { app } from "../truth/analyse";
import {
  findIn,
  generated,
  openTestFolder,
  runPython,
  type FoundIn,
  type TestFolder,
} from "./testgenCases";

const LEVEL = "postgres:read-committed";
const APPS = ["bank", "smallbank"] as const;

interface Script {
  readonly setUp: readonly string[];
  readonly steps: readonly {
    readonly session: string;
    readonly sql: readonly string[];
    readonly waits: boolean;
  }[];
  readonly selects: readonly string[];
  /** The rows that it says to leave, as it writes them. */
  readonly rows: readonly string[];
}

function readScript(text: string): Script {
  const [head = "", ...rest] = text.split(/^-- (?=\d+\. )/m);
  const [last = "", ending = ""] = (rest.pop() ?? "").split("-- After: in any window\n");
  const [selects = "", told = ""] = ending.split(/^-- At .* this gives:\n/m);
  const [rows = ""] = told.split(/^-- T\d.* one after the other /m);
  return {
    setUp: statements(head),
    steps: [...rest, last].map((step) => ({
      session: /^\d+\. (T\d+)/.exec(step)?.[1] ?? "",
      sql: statements(step.slice(step.indexOf("\n"))),
      waits: step.includes("waits until"),
    })),
    selects: statements(selects),
    rows: rows
      .split("\n")
      .filter((line) => /^-- {3}(?!T\d+: )/.test(line))
      .map((line) => line.slice(5))
      .sort(),
  };
}

/** The statements of a part of a script: none holds a semicolon. */
function statements(text: string): readonly string[] {
  const plain = text.replace(/^--.*$/gm, "");
  return plain.split(";").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
}

/** Runs a script and returns the rows that it leaves, and whether a session was refused. */
async function play(
  script: Script,
  connect: () => Promise<pg.Client>,
): Promise<{ readonly rows: readonly string[]; readonly refused: boolean }> {
  const admin = await connect();
  for (const sql of script.setUp) await admin.query(sql);
  const windows = new Map<string, { readonly client: pg.Client; done: Promise<unknown> }>();
  let refused = false;
  for (const { session, sql, waits } of script.steps) {
    const window = windows.get(session) ?? { client: await connect(), done: Promise.resolve() };
    windows.set(session, window);
    for (const each of sql)
      window.done = window.done.then(() =>
        window.client.query(each).catch(() => {
          refused = true;
        }),
      );
    if (!waits) await window.done;
  }
  for (const { client, done } of windows.values()) {
    await done;
    await client.end();
  }
  const rows: string[] = [];
  for (const sql of script.selects) {
    const table = /FROM (\S+)$/.exec(sql)?.[1] ?? "";
    const found = await admin.query<Record<string, unknown>>(sql);
    if (found.rowCount === 0) rows.push(`${table}: no rows`);
    for (const row of found.rows) {
      const cells = Object.entries(row).map(([name, value]) => `${name} = ${shown(value)}`);
      rows.push(`${table}: ${cells.join(", ")}`);
    }
  }
  await admin.end();
  return { rows: rows.sort(), refused };
}

function shown(value: unknown): string {
  if (value === null) return "NULL";
  return typeof value === "string" ? `'${value}'` : JSON.stringify(value);
}

function raised({ steps, ...script }: Script): Script {
  const strict = (sql: string): string => sql.replace("READ COMMITTED", "SERIALIZABLE");
  return { ...script, steps: steps.map((step) => ({ ...step, sql: step.sql.map(strict) })) };
}

/** The script gives what it says at its level; at SERIALIZABLE it does not. */
async function checkScript(
  script: Script,
  run: (script: Script) => ReturnType<typeof play>,
): Promise<void> {
  assert.ok(script.steps.length > 0 && script.rows.length > 0);
  assert.deepEqual(await run(script), { rows: script.rows, refused: false });
  const strict = await run(raised(script));
  assert.ok(strict.refused, "nobody was refused at SERIALIZABLE");
  assert.notDeepEqual(strict.rows, script.rows);
}

describe("generated scripts and tests", () => {
  let temporary: TemporaryServer | undefined;
  const all = new Map<string, FoundIn>();
  const folders: TestFolder[] = [];
  before(async () => {
    temporary = await serverFor("postgres", { diagnostic: () => undefined });
    for (const name of APPS) all.set(name, await findIn(app(name), LEVEL));
  });
  after(async () => {
    for (const folder of folders) folder.remove();
    await temporary?.stop();
  });

  async function scriptsOf(name: string): Promise<readonly Script[]> {
    const found = all.get(name);
    assert.ok(found);
    const texts = await Promise.all(
      found.anomalies.slice(0, MOST).map((anomaly) => generated(found, anomaly, "sql")),
    );
    return texts.map((made) => {
      assert.ok(made.ok, made.ok ? "" : made.reason);
      return readScript(made.text);
    });
  }

  function serverOrNote(context: TestContext): TemporaryServer | undefined {
    if (!temporary) context.diagnostic("not run: PostgreSQL (generated scripts)");
    return temporary;
  }

  for (const name of APPS) {
    test(`scripts of ${name} do on PostgreSQL what they say`, async (context) => {
      const server = serverOrNote(context);
      if (!server) return;
      let count = 0;
      for (const script of await scriptsOf(name))
        await checkScript(script, async (each) => {
          const schema = `script_${String(count++)}`;
          const connect = async (): Promise<pg.Client> => {
            const { socket = "", user, database } = server.address;
            const client = new pg.Client({ host: socket, user, database });
            await client.connect();
            await client.query(
              `CREATE SCHEMA IF NOT EXISTS ${schema}; SET search_path = ${schema}`,
            );
            return client;
          };
          return play(each, connect);
        });
    });

    test(`scripts of ${name} do on the mock database what they say`, async () => {
      for (const script of await scriptsOf(name))
        await checkScript(script, async (each) => {
          const isRaised = each.steps.some(({ sql }) => sql.join().includes("SERIALIZABLE"));
          const level = isRaised ? "postgres:serializable" : LEVEL;
          const store = await openStore({ level, strategy: "latest" });
          try {
            return await play(each, async () => {
              const client = new pg.Client({ connectionString: store.url });
              await client.connect();
              return client;
            });
          } finally {
            await store.close();
          }
        });
    });

    test(`tests of ${name} in Python fail before the fix and pass after it`, async (context) => {
      const server = serverOrNote(context);
      const python = await pythonWith(context, "psycopg");
      if (!server || python === undefined) return;
      if ((await pythonWith(context, "pytest")) === undefined) return;
      const found = all.get(name);
      assert.ok(found);
      const folder = openTestFolder(found.files);
      folders.push(folder);
      const [anomaly] = found.anomalies;
      assert.ok(anomaly);
      const made = await generated(found, anomaly, "python");
      assert.ok(made.ok, made.ok ? "" : made.reason);
      folder.write("test_anomaly.py", made.text);
      const broken = await runPython(folder, python, server.address);
      assert.match(broken, /gives what no order one after the other gives/);
      assert.match(broken, /1 failed/);
      const fixed = made.text.replace(/^LEVEL = .*$/m, 'LEVEL = "SERIALIZABLE"');
      folder.write("test_anomaly.py", fixed);
      assert.match(await runPython(folder, python, server.address), /1 passed/);
    });
  }
});

/** Of each application. */
const MOST = 3;
