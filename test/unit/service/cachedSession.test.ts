// Results kept between sessions: exactly what did not change is remembered, and what is remembered changes no byte.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { openPool } from "../../../server/src/engine/pool";
import { findLevel } from "../../../server/src/isolation/levels";
import type { FileId } from "../../../server/src/protocol/source";
import { openReports } from "../../../server/src/service/cache/reports";
import type { CacheOptions, CheckRequest } from "../../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import type { WorkspaceCheck } from "../../../server/src/service/workspaceCheck";
import { openTestSession } from "./testSession";

let folder = "";
/** One worker for all sessions: each would start its own. */
const pool = openPool({ script: path.join(__dirname, "fixtures", "worker.mjs") });

before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "isolens-cached-"));
});

after(async () => {
  await pool.dispose();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Six procedures over three tables; each table is read and written back by two of them. */
function sixProcedures(changed = ""): string {
  const tables = ["a", "b", "c"].map(
    (name) => `CREATE TABLE ${name} (id integer PRIMARY KEY, v integer NOT NULL);`,
  );
  const procedures = ["a", "b", "c"].flatMap((table) =>
    [1, 2].map((number) => {
      const name = `${table}${String(number)}`;
      const amount = name === changed ? 77 : number;
      return `
CREATE PROCEDURE ${name}(p integer) LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN
  SELECT v INTO x FROM ${table} WHERE id = p;
  UPDATE ${table} SET v = x + ${String(amount)} WHERE id = p;
END $$;`;
    }),
  );
  return [...tables, ...procedures].join("\n");
}

function request(text: string, level = "pg:rc"): CheckRequest {
  const found = findLevel(level);
  assert.ok(found);
  return {
    project: {
      // Any name will do for the only file.
      files: [{ file: "app.sql" as FileId, text }],
      context: [],
      configuration: { ...DEFAULT_CONFIGURATION, maxTransactions: 2, budget: 60_000 },
    },
    level: found,
  };
}

async function checkIn(
  cache: CacheOptions | undefined,
  asked: CheckRequest,
): Promise<WorkspaceCheck> {
  const session = await openTestSession({
    pool: { ...pool, dispose: () => Promise.resolve() },
    ...(cache && { cache }),
  });
  try {
    return await session.checkWorkspace(asked, new AbortController().signal);
  } finally {
    await session.dispose();
  }
}

describe("a second session", () => {
  const cacheIn = (name: string, build = "one"): CacheOptions => ({
    folder: path.join(folder, name),
    build,
  });

  it("solves nothing again, and says the same byte for byte", async () => {
    const asked = request(sixProcedures());
    const without = await checkIn(undefined, asked);
    const first = await checkIn(cacheIn("same"), asked);
    const second = await checkIn(cacheIn("same"), asked);
    assert.equal(first.counters.cached, 0);
    assert.equal(second.counters.cached, second.counters.units);
    assert.equal(second.counters.queries, 0);
    assert.equal(JSON.stringify(first.report), JSON.stringify(without.report));
    assert.equal(JSON.stringify(second.report), JSON.stringify(without.report));
    const other = await checkIn(cacheIn("same", "two"), asked);
    assert.equal(other.counters.cached, 0);
  });

  it("solves the tuples of an edited procedure and no others", async () => {
    const before = await checkIn(cacheIn("edit"), request(sixProcedures(), "causal"));
    const edited = request(sixProcedures("b2"), "causal");
    const after = await checkIn(cacheIn("edit"), edited);
    // b1 with itself and b2 with b1 and itself; a and c have three tuples each.
    assert.equal(before.counters.units, 9);
    assert.equal(after.counters.units - after.counters.cached, 2);
    const fresh = await checkIn(undefined, edited);
    assert.equal(JSON.stringify(after.report), JSON.stringify(fresh.report));
  });

  it("solves again what a damaged cache has lost, and says so", async () => {
    const cache = cacheIn("damaged");
    const asked = request(sixProcedures());
    const first = await checkIn(cache, asked);
    for (const name of fs.readdirSync(cache.folder)) {
      const file = path.join(cache.folder, name);
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("findings", "fundings"));
    }
    const second = await checkIn(cache, asked);
    assert.equal(second.counters.cached, 0);
    assert.equal(JSON.stringify(second.report), JSON.stringify(first.report));
    assert.match(second.remarks.join(), /damaged/);
  });
});

describe("whole answers", () => {
  it("come back for the same question only", async () => {
    const cache = { folder: path.join(folder, "whole"), build: "one" };
    const asked = request(sixProcedures());
    const check = await checkIn(undefined, asked);
    assert.ok(check.repeatable);
    openReports(cache).keep(asked, check);
    const found = openReports(cache).find(asked);
    assert.ok(found);
    assert.equal(JSON.stringify(found.report), JSON.stringify(check.report));
    assert.deepEqual(found.program.notes, check.program.notes);
    assert.deepEqual(found.remarks, check.remarks);
    assert.equal(found.counters.cached, check.counters.units);
    const { configuration } = asked.project;
    const others: readonly CheckRequest[] = [
      request(`${sixProcedures()} `),
      request(sixProcedures(), "pg:rr"),
      { ...asked, maxTransactions: 3 },
      { ...asked, unroll: 2 },
      {
        ...asked,
        project: { ...asked.project, configuration: { ...configuration, exclude: ["x"] } },
      },
    ];
    for (const other of others) assert.equal(openReports(cache).find(other), undefined);
    assert.equal(openReports({ ...cache, build: "two" }).find(asked), undefined);
    assert.ok(openReports(cache).find({ ...asked, budget: 5 }));
  });

  it("are not kept when the search was cut short", async () => {
    const cache = { folder: path.join(folder, "cut"), build: "one" };
    const asked = { ...request(sixProcedures()), budget: 0 };
    const check = await checkIn(undefined, asked);
    assert.ok(!check.repeatable);
    openReports(cache).keep(asked, check);
    assert.equal(openReports(cache).find(asked), undefined);
  });
});
