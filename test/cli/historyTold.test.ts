// Text and figures of a recorded run: values as the file has them, every transaction connected, colours that need no
// style sheet.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { HistoryReport } from "../../server/src/protocol/history";
import { isolens, makeFolder, type Folder } from "./cli";

/** A read skew: the last two each see the other's lists half; elements are written by a transaction that matters little. */
function lists(before: number): string {
  const first = Array.from({ length: before }, (_, at) => at + 1);
  const appended = first.map((each) => `[:append 255 ${String(each)}]`).join(" ");
  const seen = first.join(" ");
  return `{:type :ok :process 1 :value [${appended} [:append 256 1] [:append 256 2]]}
{:type :ok :process 2 :value [[:append 255 ${String(before + 1)}]]}
{:type :ok :process 3 :value [[:append 256 4] [:r 255 [${seen} ${String(before + 1)}]] [:r 256 [1 2 4]]]}
{:type :ok :process 4 :value [[:r 255 [${seen}]] [:append 256 3]]}
`;
}

/** Neither list continues the other: there is no dependency between those that read. */
const APART = `{:type :ok :process 1 :value [[:append 1 1]]}
{:type :ok :process 2 :value [[:append 1 2]]}
{:type :ok :process 3 :value [[:append 1 3]]}
{:type :ok :process 4 :value [[:r 1 [1 2]]]}
{:type :ok :process 5 :value [[:r 1 [1 3]]]}
`;

let folder: Folder;

before(() => {
  folder = makeFolder({ "short.edn": lists(4), "long.edn": lists(40), "apart.edn": APART });
});

after(() => {
  folder.remove();
});

async function told(file: string): Promise<HistoryReport> {
  const { out } = await isolens(["history", file, "--format", "json"], { cwd: folder.path });
  // The output of the command line is as its own types say.
  return JSON.parse(out) as HistoryReport;
}

describe("isolens history", () => {
  it("tells a list as the file has it, whoever wrote its elements", async () => {
    const { violation } = await told("short.edn");
    const texts =
      violation?.story.flatMap(({ operations }) => operations.map(({ text }) => text)) ?? [];
    assert.ok(texts.includes("reads key 255 = [1 2 3 4 5]"), texts.join("\n"));
    assert.ok(texts.includes("reads key 255 = [1 2 3 4]"));
    assert.match(violation?.message ?? "", /reads key 255 = \[1 2 3 4\] and misses/u);
  });

  it("marks what it leaves out of a long list", async () => {
    const { violation } = await told("long.edn");
    const values = violation?.story.flatMap(({ operations }) =>
      operations.map(({ value }) => value),
    );
    assert.ok(
      values?.some((value) => /^\[1 \.\.\. 40 41\]$/u.test(value)),
      values?.join("\n"),
    );
  });

  for (const file of ["short.edn", "long.edn", "apart.edn"]) {
    it(`connects every transaction that it tells: ${file}`, async () => {
      const { violation } = await told(file);
      assert.ok(violation);
      const edges = [...violation.edges, ...(violation.support ?? [])];
      const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
      const names = violation.story.map(({ name }) => name);
      assert.deepEqual(
        names.filter((name) => !connected.has(name)),
        [],
      );
      for (const format of ["dot", "svg"]) {
        const drawn = await isolens(["history", file, "--format", format], { cwd: folder.path });
        const lines = drawn.out.match(format === "dot" ? / -> /gu : /marker-end=/gu) ?? [];
        assert.equal(lines.length, edges.length);
      }
    });
  }

  it("draws with colours that stand at the shapes", async () => {
    const { out } = await isolens(["history", "short.edn", "--format", "svg"], {
      cwd: folder.path,
    });
    assert.doesNotMatch(out, /var\(/u);
    for (const [shape] of out.matchAll(/<(?:rect|text|path)\b[^>]*>/gu)) {
      assert.match(shape, / fill="(?:#[0-9a-f]{6}|none)"/u);
      if (shape.includes('fill="none"')) assert.match(shape, / stroke="#[0-9a-f]{6}"/u);
    }
  });
});
