// Verdicts that are known: histories judged by brute force, and recorded ones with the verdicts that their sources,
// PolySI or AWDIT gave. The recorded ones stand outside of the repository; those that are absent are listed by name.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { it } from "node:test";
import { checkHistory, type CheckResult } from "../../../server/src/history/check";
import { startReading } from "../../../server/src/history/formats/readHistory";
import type { History } from "../../../server/src/history/history";
import { explainViolation } from "../../../server/src/history/violation";
import { findHistories } from "../../../server/src/service/history/files";
import { readHistory } from "../../../server/src/service/history/readHistory";
import { isMinimal } from "./minimal";

const root = path.resolve(import.meta.dirname, "../../..");
const shared = path.join(
  process.env["ISOLENS_SHARED"] ?? path.join(root, "..", "shared"),
  "data/histories",
);

/** One letter per level from RC to SER: o holds, v is violated. */
function verdicts(result: CheckResult): string {
  return [...result.verdicts.values()].map((verdict) => verdict.charAt(0)).join("");
}

it("judges all small histories as brute force does", () => {
  const lines = readFileSync(path.join(root, "test/data/histories/tiny-bruteforce.jsonl"), "utf8");
  for (const line of lines.trim().split("\n")) {
    // Lines of this file are { levels: six booleans by name, text }.
    const { levels, text } = JSON.parse(line) as { levels: Record<string, boolean>; text: string };
    const expected = Object.values(levels).map((holds) => (holds ? "o" : "v"));
    const history = textHistory(text);
    const result = checkHistory(history);
    assert.equal(verdicts(result), expected.join(""), text);
    if (!expected.includes("v")) continue;
    const violation = explainViolation(history, result);
    assert.ok(violation, text);
    assert.equal(isMinimal(violation, false), "minimal", text);
  }
});

function textHistory(text: string): History {
  const reading = startReading("text", text.length);
  reading.file("history.txt");
  assert.equal(reading.feed(new TextEncoder().encode(`${text}\n`)), undefined);
  assert.equal(reading.endFile(), undefined);
  return reading.finish();
}

interface Expected {
  /** As `verdicts`. */
  readonly verdicts: string;
  readonly kind?: string;
  readonly transactions?: number;
}

const RECORDED: Readonly<Record<string, Expected>> = {
  "polysi/violations/galera.txt": { verdicts: "ooovvv", kind: "lost-update", transactions: 3 },
  "polysi/violations/dgraph.bincode": { verdicts: "oovvvv", kind: "causality-violation" },
  "isovista/dgraph_si.txt": { verdicts: "oovvvv", kind: "causality-violation" },
  "isovista/pg_ser_bug.txt": { verdicts: "ooooov", kind: "write-skew" },
  "isovista/sample_history.txt": { verdicts: "oooooo" },
  "polysi/25_400_8_10000_0.5_uniform.bincode": { verdicts: "oooooo" },
  "polysi/25_400_8_10000_0.95_uniform.bincode": { verdicts: "oooooo" },
  "polysi/cobra-rubis-10000": { verdicts: "oooooo" },
  "polysi/fig7_20_100_15_10000_0.5_zipf-0.bincode": { verdicts: "ooooov" },
  "polysi/fig7_20_100_15_10000_0_uniform-0.bincode": { verdicts: "oooooo" },
  "polysi/fig7_20_100_15_1000_0.5_uniform-0.bincode": { verdicts: "ooooov" },
  "polysi/fig7_20_10_15_10000_0.5_uniform-0.bincode": { verdicts: "oooooo" },
  "polysi/fig7_30_100_15_10000_0.5_uniform-0.bincode": { verdicts: "ooooov" },
  "awdit/none/hb-cycle.txt": { verdicts: "vvvvvv" },
  "awdit/causal/long-fork.txt": { verdicts: "oooovv", kind: "long-fork" },
  "awdit/causal/lost-update.txt": { verdicts: "ooovvv", kind: "lost-update" },
  "awdit/causal/fully-ser.txt": { verdicts: "oooooo" },
  "awdit/causal/l100e1000sqrt.txt": { verdicts: "ooovvv" },
  "awdit/causal/l50e1000sqrt.txt": { verdicts: "ooovvv" },
  "synthetic/si-zipf-10k.txt": { verdicts: "ooooov", kind: "write-skew" },
  ...folder("awdit/read-committed", "ovvvvv"),
  ...folder("awdit/read-atomic", "oovvvv"),
  ...mutated(),
};

for (const [name, expected] of Object.entries(RECORDED))
  it(`judges ${name}`, async (context) => {
    const file = path.join(shared, name);
    if (!existsSync(file)) {
      context.diagnostic(`not run: ${name}`);
      return;
    }
    const { inputs, problems } = await findHistories(name, shared);
    const [input] = inputs;
    assert.ok(input !== undefined && inputs.length === 1, problems.join());
    const reading = readHistory(input, { progress: () => undefined, stopped: () => false });
    assert.ok(reading?.ok === true, name);
    const result = checkHistory(reading.history);
    const found = verdicts(result);
    assert.equal(found, expected.verdicts);
    if (!found.includes("v")) return;
    const violation = explainViolation(reading.history, result);
    assert.ok(violation);
    assert.equal(isMinimal(violation, false), "minimal");
    if (expected.kind !== undefined) assert.equal(violation.kind.name, expected.kind);
    if (expected.transactions !== undefined)
      assert.equal(violation.transactions.length, expected.transactions);
  });

function folder(name: string, verdictsOfAll: string): Readonly<Record<string, Expected>> {
  const directory = path.join(shared, name);
  const files = existsSync(directory) ? readdirSync(directory) : [];
  return Object.fromEntries(files.map((file) => [`${name}/${file}`, { verdicts: verdictsOfAll }]));
}

/** The lines of VERDICTS.txt are a file, a JSON object of six booleans, and what was changed. */
function mutated(): Readonly<Record<string, Expected>> {
  const file = path.join(shared, "mutated/VERDICTS.txt");
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", levels = "{}"] = line.split(" ");
      const holds = Object.values(JSON.parse(levels) as Record<string, boolean>);
      return [name, { verdicts: holds.map((each) => (each ? "o" : "v")).join("") }];
    }),
  );
}
