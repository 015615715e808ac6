// Checks in a thread of their own: texts go there once, an abort is answered whatever the thread does, and a thread that
// does not come back is replaced.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import type { Checker, CheckEvents } from "../../../server/src/lsp/checker";
import { threadChecker } from "../../../server/src/lsp/threadChecker";
import type { FileId } from "../../../server/src/protocol/source";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import type { Project } from "../../../server/src/workspace/projects";

const NOTHING: CheckEvents = {
  reading: () => undefined,
  read: () => undefined,
  progress: () => undefined,
  found: () => undefined,
};

function project(folder: string, texts: Readonly<Record<string, string>>): Project {
  return {
    folder,
    configuration: DEFAULT_CONFIGURATION,
    configurationProblems: [],
    // File ids of tests.
    files: Object.entries(texts).map(([file, text]) => ({ file: file as FileId, text })),
    context: [],
    skipped: [],
  };
}

async function withChecker(patience: number, body: (checker: Checker) => Promise<void>) {
  const script = path.join(__dirname, "fixtures", "checkThread.mjs");
  const data = { tool: "isolens test" };
  const checker = threadChecker({ script, data, grace: 0, patience, heapMegabytes: 32 });
  try {
    await body(checker);
  } finally {
    await checker.dispose();
  }
}

const { level } = DEFAULT_CONFIGURATION;
const never = new AbortController().signal;

test("texts are sent when they changed, and progress comes back", () =>
  withChecker(1000, async (checker) => {
    const told: string[] = [];
    const reading = (done: number, total: number): void => {
      told.push(`${String(done)} of ${String(total)}`);
    };
    const check = async (of: Project): Promise<readonly string[]> =>
      (await checker.check(of, level, never, { ...NOTHING, reading })).remarks;
    const first = project("/a", { "x.ts": "1", "y.ts": "2" });
    assert.deepEqual(await check(first), ["x.ts 1", "y.ts 2"]);
    assert.deepEqual(await check(project("/a", { "x.ts": "3", "y.ts": "2" })), [
      "x.ts 3",
      "y.ts as before",
    ]);
    assert.deepEqual(await check(project("/b", { "x.ts": "3" })), ["x.ts 3"]);
    assert.deepEqual(told, ["1 of 2", "1 of 2", "1 of 2"]);
  }));

test("an abort is answered by a thread that hangs, which is replaced; what it had found is kept", () =>
  withChecker(0, async (checker) => {
    const early = new AbortController();
    const found = (): void => {
      early.abort();
    };
    const events = { ...NOTHING, found };
    const { report } = await checker.check(project("/hangs", {}), level, early.signal, events);
    assert.equal(report.verdict, "anomaly");
    assert.deepEqual(
      report.anomalies.map(({ id }) => id),
      ["a"],
    );
    assert.deepEqual(
      report.unknown.map(({ reason }) => reason),
      ["cancelled"],
    );

    const controller = new AbortController();
    const hanging = checker.check(project("/hangs", {}), level, controller.signal, NOTHING);
    const waiting = checker.check(project("/a", { "x.ts": "1" }), level, never, NOTHING);
    controller.abort();
    assert.equal((await hanging).report.verdict, "cancelled");
    assert.deepEqual((await waiting).remarks, ["x.ts 1"]);
  }));

for (const [folder, why] of [
  ["/ends", /the thread that reads ended with code 7/],
  ["/fails", /broken/],
  ["/fills", /there is not enough memory to read this workspace/],
] as const)
  test(`a thread that ${folder.slice(1)} says so to all who wait for it, and the next check gets another`, () =>
    withChecker(1000, async (checker) => {
      const texts = { "x.ts": "1" };
      assert.deepEqual((await checker.check(project("/a", texts), level, never, NOTHING)).remarks, [
        "x.ts 1",
      ]);
      const both = await Promise.allSettled([
        checker.check(project(folder, {}), level, never, NOTHING),
        checker.check(project("/a", texts), level, never, NOTHING),
      ]);
      for (const each of both) {
        assert.ok(each.status === "rejected");
        assert.match(String(each.reason), why);
      }
      // The new thread knows no text of before.
      const next = await checker.check(project("/a", texts), level, never, NOTHING);
      assert.deepEqual(next.remarks, ["x.ts 1"]);
    }));

test("what is aborted before it begins starts no thread", async () => {
  const checker = threadChecker({ script: "/nowhere.js", data: { tool: "isolens test" } });
  const { report } = await checker.check(project("/a", {}), level, AbortSignal.abort(), NOTHING);
  assert.equal(report.verdict, "cancelled");
  await assert.rejects(checker.check(project("/a", {}), level, never, NOTHING));
});
