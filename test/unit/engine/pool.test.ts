import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, it } from "node:test";
import type { Job } from "../../../server/src/engine/jobs";
import { openPool } from "../../../server/src/engine/pool";
import type { JobResult, PoolOptions, SolvePool } from "../../../server/src/engine/pool";

const script = path.join(__dirname, "fixtures", "fakeWorker.mjs");
const pools: SolvePool[] = [];

afterEach(async () => {
  delete process.env["ISOLENS_FAKE_WORKER"];
  await Promise.all(pools.splice(0).map((pool) => pool.dispose()));
});

function open(options: Partial<PoolOptions> = {}, mode?: string): SolvePool {
  if (mode !== undefined) process.env["ISOLENS_FAKE_WORKER"] = mode;
  const pool = openPool({ script, graceMilliseconds: 50, ...options });
  pools.push(pool);
  return pool;
}

/** The fake worker does what the level says. */
function job(what: string): Job {
  const program = { schema: { tables: [] }, transactions: [], notes: [], files: [] };
  return { program, levels: what, units: [], resourceLimit: 0, maxFindings: 1 };
}

const never = (): AbortSignal => new AbortController().signal;

function told(result: JobResult): string {
  if (result.kind === "solved") return result.results[0]?.undecided[0] ?? "";
  return result.kind === "failed"
    ? `${result.failure.code}: ${result.failure.message}`
    : result.kind;
}

async function run(pool: SolvePool, what: string, signal = never()): Promise<string> {
  return told(await pool.solve(job(what), signal));
}

describe("the solver pool", () => {
  it("answers jobs in order, also before the worker is ready", async () => {
    const pool = open();
    const all = await Promise.all([run(pool, "echo"), run(pool, "echo"), run(pool, "echo")]);
    assert.deepEqual(all, ["thread", "thread", "thread"]);
  });

  it("answers the next job after a crash, and says why the last one has no result", async () => {
    const pool = open();
    assert.equal(await run(pool, "exit"), "crashed: the solver's thread ended with code 7");
    assert.equal(await run(pool, "throw"), "crashed: the solver's thread failed: broken");
    assert.equal(await run(pool, "error crashed"), "crashed: as asked");
    assert.equal(await run(pool, "error internal"), "internal: as asked");
    assert.equal(await run(pool, "echo"), "thread");
  });

  it("survives a worker that runs out of memory", async () => {
    const pool = open({ heapMegabytes: 32 });
    assert.equal(await run(pool, "memory"), "memory: the solver's thread ran out of memory");
    assert.equal(await run(pool, "echo"), "thread");
  });

  it("cancels at once and goes on, whether the worker obeys or not", async () => {
    const pool = open();
    await run(pool, "echo");
    for (const what of ["obey", "hang"]) {
      const controller = new AbortController();
      const running = run(pool, what, controller.signal);
      const waiting = run(pool, "echo", controller.signal);
      const next = run(pool, "echo");
      controller.abort();
      assert.equal(await running, "cancelled");
      assert.equal(await waiting, "cancelled");
      assert.equal(await next, "thread");
    }
    assert.equal(await run(pool, "echo", AbortSignal.abort()), "cancelled");
  });

  it("says that the solver is missing, for every waiting job, and tries again for the next", async () => {
    const mark = path.join(os.tmpdir(), `isolens-pool-${String(process.pid)}`);
    writeFileSync(mark, "");
    const pool = open({}, `first ${mark}`);
    const both = await Promise.all([run(pool, "echo"), run(pool, "echo")]);
    assert.deepEqual(both, ["missing: not yet", "missing: not yet"]);
    assert.equal(await run(pool, "echo"), "thread");
  });

  it("says so when the script is missing or does not start in time", async () => {
    assert.match(
      await run(open({ script: "/nowhere/worker.js" }), "echo"),
      /^missing: .*\/nowhere\/worker\.js/u,
    );
    const silent = open({ startMilliseconds: 100 }, "silent");
    assert.match(await run(silent, "echo"), /^missing: the solver did not start within/u);
  });

  it("falls back to another Node executable where threads cannot run the solver", async () => {
    const pool = open({ nodePath: process.execPath }, "no threads");
    assert.equal(await run(pool, "echo"), "process");
    assert.equal(await run(pool, "exit"), "crashed: the solver's process ended with code 7");
    const controller = new AbortController();
    const running = run(pool, "hang", controller.signal);
    controller.abort();
    assert.equal(await running, "cancelled");
    assert.equal(await run(pool, "echo"), "process");
  });

  it("says so when neither can run it", async () => {
    const pool = open({ nodePath: "/nowhere/node" }, "no threads");
    assert.match(await run(pool, "echo"), /^missing: .*\/nowhere\/node/u);
    const other = open({ nodePath: process.execPath }, "no solver");
    assert.equal(await run(other, "echo"), "missing: no solver here");
  });

  it("starts a second worker only when jobs wait", async () => {
    const pool = open({ workers: 2 });
    const controller = new AbortController();
    const blocked = run(pool, "hang", controller.signal);
    assert.equal(await run(pool, "echo"), "thread");
    controller.abort();
    assert.equal(await blocked, "cancelled");
  });

  it("cancels what runs when it is disposed of", async () => {
    const pool = open();
    const running = run(pool, "hang");
    const waiting = run(pool, "echo");
    await pool.dispose();
    assert.equal(await running, "cancelled");
    assert.equal(await waiting, "cancelled");
    assert.equal(await run(pool, "echo"), "cancelled");
  });
});
