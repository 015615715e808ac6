// Locks that may be refused, and rows that are passed by: what excludes whom, and what goes on without the lock.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LevelReport } from "../../../server/src/protocol/report";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { analyse, analyseProgram, sql } from "./analyse";

const RC = "postgres:read-committed";

function told({ anomalies, unknown }: LevelReport): readonly string[] {
  return [...anomalies.map(({ kind }) => kind), ...unknown.map(({ reason }) => reason)];
}

async function verdictOf(text: string, level = RC): Promise<string> {
  const report = await analyse([sql(text)], level, 2);
  return report.verdict === "unknown" ? told(report).join() : report.verdict;
}

const ACC = "CREATE TABLE acc (id int PRIMARY KEY, v int NOT NULL);";
const LOSES = "SELECT v INTO x FROM acc WHERE id = p; UPDATE acc SET v = x - q WHERE id = p;";

function routine(...body: readonly string[]): string {
  return `${ACC} CREATE FUNCTION f(p int, q int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE x int; got bool; BEGIN ${body.join(" ")} RETURN true; END $$;`;
}

function firstOf(
  schedule: LevelReport["anomalies"][number]["witness"]["schedule"],
  instance: string,
): number {
  return schedule.findIndex((each) => each.instance === instance);
}

describe("a lock of PostgreSQL that may be refused", () => {
  const cases = [
    [
      "returns without it",
      "IF NOT pg_try_advisory_xact_lock(p) THEN RETURN false; END IF;",
      "safe",
    ],
    ["fails without it", "IF NOT pg_try_advisory_lock(p) THEN RAISE 'busy'; END IF;", "safe"],
    [
      "asks into a variable",
      "got := pg_try_advisory_xact_lock(p); IF NOT got THEN RETURN false; END IF;",
      "safe",
    ],
    [
      "asks by SELECT",
      "SELECT pg_try_advisory_xact_lock(1, p) INTO got; IF NOT got THEN RETURN false; END IF;",
      "safe",
    ],
    ["does not look", "PERFORM pg_try_advisory_xact_lock(p);", "anomaly"],
    [
      "goes on without it",
      "IF NOT pg_try_advisory_xact_lock(p) THEN got := false; END IF;",
      "anomaly",
    ],
    [
      "locks something else",
      "IF NOT pg_try_advisory_xact_lock(q) THEN RETURN false; END IF;",
      "anomaly",
    ],
    [
      "shares it",
      "IF NOT pg_try_advisory_xact_lock_shared(p) THEN RETURN false; END IF;",
      "anomaly",
    ],
  ] as const;
  for (const [name, asks, verdict] of cases)
    it(name, async () => {
      assert.equal(await verdictOf(routine(asks, LOSES)), verdict);
    });

  it("protects nothing that it is asked for perhaps", async () => {
    const asks =
      "IF q <= 0 THEN RETURN false; END IF; IF q > 0 AND NOT pg_try_advisory_xact_lock(p) THEN RETURN false; END IF;";
    assert.match(await verdictOf(routine(asks, LOSES)), /may not be asked for/);
  });

  it("is asked for once for each argument", async () => {
    const asks = "FOR i IN 1..2 LOOP got := pg_try_advisory_xact_lock(p); END LOOP;";
    assert.match(await verdictOf(routine(asks, "IF got THEN", LOSES, "END IF;")), /several times/);
  });

  it("is given up before the commit", async () => {
    const asks = "IF NOT pg_try_advisory_lock(p) THEN RETURN false; END IF;";
    const unlock = (key: string): string => `PERFORM pg_advisory_unlock(${key});`;
    assert.equal(await verdictOf(routine(asks, LOSES, unlock("p"))), "anomaly");
    assert.equal(
      await verdictOf(routine(asks, LOSES, "PERFORM pg_advisory_unlock_all();")),
      "anomaly",
    );
  });

  it("is not refused in a run that is told where nobody has it", async () => {
    const functions = `${ACC}
CREATE FUNCTION careful(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(p) THEN RETURN; END IF;
  UPDATE acc SET v = (SELECT v FROM acc WHERE id = p) - 1 WHERE id = p;
END $$;
CREATE FUNCTION careless(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int;
BEGIN
  PERFORM pg_try_advisory_xact_lock(p);
  SELECT v INTO x FROM acc WHERE id = p;
  UPDATE acc SET v = x + 1 WHERE id = p;
END $$;`;
    const { anomalies, unknown } = await analyse([sql(functions)], RC, 2);
    // Both ask first of all.
    const confirmed = anomalies.filter(({ status }) => status === "confirmed");
    const asked = confirmed.map(({ witness: { instances, schedule } }) =>
      instances
        .toSorted((a, b) => firstOf(schedule, a.instance) - firstOf(schedule, b.instance))
        .map((each) => each.arguments["lock 1 granted"]),
    );
    assert.ok(asked.length > 0);
    for (const each of asked) assert.deepEqual(each, [true, false]);
    const reasons = unknown.map(({ reason }) => reason).join("\n");
    assert.match(reasons, /nobody in this run has the lock/);
  });

  it("has somebody who holds it where a run is told", async () => {
    const report = await analyse(
      [sql(routine("PERFORM pg_try_advisory_xact_lock(p);", LOSES))],
      RC,
      2,
    );
    const [anomaly] = report.anomalies;
    const granted = anomaly?.witness.instances.map((each) => each.arguments["lock 1 granted"]);
    assert.deepEqual(granted, [true, false]);
  });

  it("is told by one step, with its answer", async () => {
    const code = `import { Pool } from "pg";
const pool = new Pool();
export async function add(id: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("SELECT pg_try_advisory_xact_lock($1) AS got", [id]);
  const { rows } = await client.query("SELECT v FROM acc WHERE id = $1", [id]);
  await client.query("UPDATE acc SET v = $1 WHERE id = $2", [rows[0].v + 1, id]);
  await client.query("COMMIT");
}`;
    const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
    const files = [sql(ACC, "schema.sql"), sql(code, "a.ts")];
    const program = reader.read({ files, context: [], configuration: DEFAULT_CONFIGURATION });
    const { anomalies } = await analyseProgram(program, RC, 2);
    const effects = anomalies[0]?.steps.map(({ effect }) => effect.replace(/ .*/u, "")) ?? [];
    const told = effects.filter((each) => each !== "commits").toSorted();
    assert.deepEqual(told, ["is", "reads", "reads", "takes", "writes", "writes"]);
  });

  it("is an assumption of what is safe", async () => {
    const asks = "IF NOT pg_try_advisory_xact_lock(p) THEN RETURN false; END IF;";
    const { assumptions } = await analyse([sql(routine(asks, LOSES))], RC, 2);
    assert.deepEqual(
      assumptions.map(({ kind }) => kind),
      ["refusals"],
    );
  });
});

describe("SKIP LOCKED", () => {
  const JOBS =
    "CREATE TABLE job (id int PRIMARY KEY, tenant int NOT NULL, state text NOT NULL, worker int);";
  const TAKE =
    "SELECT id, tenant INTO j, t FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED; IF NOT FOUND THEN RETURN; END IF;";
  const claim = (
    body: string,
  ): string => `${JOBS} CREATE FUNCTION f(w int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE j int; t int; n int; BEGIN ${body} END $$;`;
  const WRITE = "UPDATE job SET state = 'runs', worker = w WHERE id = j;";

  it("gives each of several workers another job", async () => {
    assert.equal(await verdictOf(claim(`${TAKE} ${WRITE}`)), "safe");
  });

  it("does not protect a limit that is counted", async () => {
    const counts =
      "SELECT count(*) INTO n FROM job WHERE tenant = t AND state = 'runs'; IF n > 1 THEN RETURN; END IF;";
    assert.equal(await verdictOf(claim(`${TAKE} ${counts} ${WRITE}`)), "anomaly");
  });

  it("does not protect a job without its lock", async () => {
    assert.equal(
      await verdictOf(claim(`${TAKE.replace("FOR UPDATE SKIP LOCKED", "")} ${WRITE}`)),
      "anomaly",
    );
  });
});
