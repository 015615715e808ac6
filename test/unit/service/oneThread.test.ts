// A job in a thread of its own is settled once, whatever becomes of the thread, and the next one runs.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { runInThread } from "../../../server/src/service/search/oneThread";

const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-thread-"));
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

const script = path.join(folder, "thread.mjs");
writeFileSync(
  script,
  `import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
const memory = [];
if (workerData === "ends") process.exit(7);
if (workerData === "fails") throw new Error("broken");
if (workerData === "fills memory") for (;;) memory.push(new Array(100_000).fill({}));
if (workerData === "hangs") { parentPort.postMessage("begun"); for (;;); }
parentPort.postMessage("done");
if (workerData === "fails late") throw new Error("too late");
`,
);

async function run(what: string, controller = new AbortController()): Promise<string> {
  const outcome = await runInThread<{ readonly said: string }, string>(
    {
      script,
      workerData: what,
      heapMegabytes: 32,
      askToStop: () => undefined,
      grace: 20,
      take: (message) => {
        if (message === "begun") controller.abort();
        return message === "done" ? { said: "done" } : undefined;
      },
      cancelled: () => ({ said: "cancelled" }),
      outOfMemory: () => ({ said: "no memory" }),
      gone: (code) => ({ said: `gone with ${String(code)}` }),
    },
    controller.signal,
  );
  return outcome.said;
}

describe("a job whose thread", () => {
  const endings = [
    ["ends", "gone with 7"],
    ["fills memory", "no memory"],
    ["hangs", "cancelled"],
    ["fails late", "done"],
  ] as const;
  for (const [what, said] of endings)
    it(`${what} says "${said}", and the next one runs`, async () => {
      assert.equal(await run(what), said);
      assert.equal(await run("works"), "done");
    });

  it("fails is refused with the reason, and the next one runs", async () => {
    await assert.rejects(run("fails"), /broken/);
    assert.equal(await run("works"), "done");
  });
});
