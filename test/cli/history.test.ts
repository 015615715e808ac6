// `isolens history` as scripts and people use it: verdicts and exit codes, formats, folders, bad files, conversion.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { HistoryReport } from "../../server/src/protocol/history";
import { isolens, makeFolder, type Folder } from "./cli";

const LOST_UPDATE = "r(1,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nw(1,2,2,2)\n";
const WRITE_SKEW = "r(1,0,1,1)\nr(2,0,1,1)\nw(1,1,1,1)\nr(1,0,2,2)\nr(2,0,2,2)\nw(2,2,2,2)\n";
const SERIAL = "w(1,1,1,1)\nr(1,1,2,2)\nw(1,2,2,2)\n";
const THIN_AIR = "w(1,1,1,1)\nr(1,7,2,2)\n";

let folder: Folder;

before(() => {
  folder = makeFolder({
    "lost.txt": LOST_UPDATE,
    "skew.txt": WRITE_SKEW,
    "serial.txt": SERIAL,
    "thin.txt": THIN_AIR,
    "runs/a.txt": SERIAL,
    "runs/deep/b.txt": LOST_UPDATE,
    "runs/notes.md": "# no history",
    "runs/broken.txt": `${SERIAL}w(1,`,
    "good/a.txt": SERIAL,
    "good/b.hist": "[x:=1] [x==1]\n",
    "none/notes.md": "# no history",
    "twice.txt": "w(1,1,1,1)\nw(1,1,2,2)\nr(1,1,3,3)\n",
    "empty.txt": "",
  });
});

after(() => {
  folder.remove();
});

const history = (...args: readonly string[]) => isolens(["history", ...args], { cwd: folder.path });

async function reportOf(...args: readonly string[]): Promise<HistoryReport> {
  const result = await history(...args, "--format", "json");
  assert.equal(result.error, "");
  // The output of the command line is as its own types say; the tests look at single fields.
  return JSON.parse(result.out) as HistoryReport;
}

describe("isolens history", () => {
  it("ends with 0, 1, 2 or 3", async () => {
    const cases: readonly (readonly [readonly string[], number])[] = [
      [["serial.txt"], 0],
      [["check", "serial.txt", "--level", "ser"], 0],
      [["lost.txt"], 1],
      [["lost.txt", "--level", "causal"], 0],
      [["skew.txt", "--level", "si"], 0],
      [["skew.txt", "--level", "all"], 1],
      [["thin.txt", "--level", "rc"], 1],
      [["twice.txt"], 2],
      [["empty.txt"], 3],
      [["missing.txt"], 3],
      [["none"], 3],
      [["good"], 0],
      [["good", "runs"], 1],
    ];
    for (const [args, code] of cases) {
      const result = await history(...args);
      assert.equal(result.code, code, `${args.join(" ")}\n${result.out}${result.error}`);
    }
  });

  it("prints JSON with a verdict for each level that was asked for", async () => {
    const report = await reportOf("lost.txt");
    assert.equal(report.formatVersion, 1);
    assert.equal(report.file, "lost.txt");
    assert.equal(report.transactions, 2);
    assert.equal(report.operations, 4);
    assert.deepEqual(report.verdicts, {
      "read-committed": "ok",
      "read-atomic": "ok",
      causal: "ok",
      "parallel-snapshot-isolation": "violated",
      "snapshot-isolation": "violated",
      serializable: "violated",
    });
    const some = await reportOf("lost.txt", "--level", "si,rc");
    assert.deepEqual(some.verdicts, { "read-committed": "ok", "snapshot-isolation": "violated" });
  });

  it("tells of each history of a folder in a line, and of what it could not read", async () => {
    const result = await history("runs");
    assert.equal(
      result.out,
      "runs/a.txt: serializability holds\n" +
        "runs/deep/b.txt: violates parallel snapshot isolation: lost update\n",
    );
    assert.match(result.error, /^isolens: runs\/broken\.txt, line 4: expected r\(key,/u);
    const json = await history("good", "--format", "json");
    const reports: unknown = JSON.parse(json.out);
    assert.ok(Array.isArray(reports) && reports.length === 2);
  });

  it("never calls a history fine that it does not understand", async () => {
    const twice = await reportOf("twice.txt");
    assert.deepEqual([...new Set(Object.values(twice.verdicts))], ["unknown"]);
    assert.match(twice.unknown ?? "", /written more than once/u);
  });

  it("says what is undecided when the time is over", async () => {
    const lines: string[] = [];
    for (let each = 1; each < 40_000; each += 1)
      lines.push(
        `r(1,${String(each - 1)},${String(each % 7)},${String(each)})`,
        `w(1,${String(each)},${String(each % 7)},${String(each)})`,
      );
    folder.write("long.txt", `${lines.join("\n")}\n`);
    const result = await history("long.txt", "--budget", "1ms");
    assert.equal(result.code, 2);
    assert.match(result.out, /undecided/u);
    assert.match(result.out, /the time of 1 ms was over/u);
  });

  it("draws one history as DOT and as SVG", async () => {
    const dot = await history("lost.txt", "--format", "dot");
    assert.match(dot.out, /^digraph history \{/u);
    assert.match(dot.out, /"T1" -> "T2"/u);
    const svg = await history("lost.txt", "--format", "svg");
    assert.match(svg.out, /^<svg xmlns=/u);
    assert.match(svg.out, /<\/svg>\n$/u);
    const many = await history("good", "--format", "svg");
    assert.equal(many.code, 3);
    assert.match(many.error, /draws one history, and these are 2/u);
  });
});

describe("isolens history convert", () => {
  it("writes text and JSON that are judged the same", async () => {
    const json = await history("convert", "lost.txt", "--to", "json", "--output", "lost.jsonl");
    assert.equal(json.code, 0, json.error);
    const text = await history("convert", "lost.jsonl", "--to", "text");
    assert.equal(text.out, LOST_UPDATE);
    assert.deepEqual(
      (await reportOf("lost.jsonl")).verdicts,
      (await reportOf("lost.txt")).verdicts,
    );
  });

  it("refuses what the text cannot say, and leaves the output alone", async () => {
    folder.write("list.edn", "{:type :ok :process 0 :value [[:append 1 1]]}\n");
    folder.write("kept.txt", "kept");
    const result = await history("convert", "list.edn", "--to", "text", "--output", "kept.txt");
    assert.equal(result.code, 3);
    assert.match(result.error, /not converted: the text format has no lists/u);
    assert.equal((await history("kept.txt")).code, 3);
  });
});
