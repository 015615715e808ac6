import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { COMMANDS, readArguments } from "../../server/src/cli/arguments";
import { ownEntry } from "../../server/src/protocol/dictionary";

/** Reads a command line, written with blanks, and compares what was understood or the complaint. */
function check(line: string, expected: string | Readonly<Record<string, unknown>>): void {
  const result = readArguments(line.split(" ").filter((word) => word !== ""));
  if (typeof expected === "string") {
    assert.deepEqual(result, { ok: false, message: expected });
    return;
  }
  assert.ok(result.ok, JSON.stringify(result));
  const read: Readonly<Record<string, unknown>> = { ...result.arguments };
  for (const [name, value] of Object.entries(expected)) {
    const own = ownEntry(read, name);
    const levels = Array.isArray(own) && name === "levels";
    assert.deepEqual(levels ? own.map((level: { name: string }) => level.name) : own, value, name);
  }
}

describe("the command line", () => {
  const understood: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    [
      "check a.sql",
      { command: "check", paths: ["a.sql"], levels: [], format: "text", timings: false },
    ],
    ["check a b --format json", { paths: ["a", "b"], format: "json" }],
    [
      "check a --level si --level pg:rr",
      { levels: ["snapshot-isolation", "postgres:repeatable-read"] },
    ],
    ["check a --level si,ser --level SI", { levels: ["snapshot-isolation", "serializable"] }],
    ["check a --level=Postgres:Read_Committed", { levels: ["postgres:read-committed"] }],
    [
      "check a --level my-store,./b.level.json,my-store",
      { levels: ["my-store", "./b.level.json"] },
    ],
    ["record --env A --env B,C", { env: ["A", "B,C"], port: 0 }],
    ["check a --unroll 2", { unroll: 2 }],
    ["check a --max-transactions 2 --budget 30s", { maxTransactions: 2, budget: 30_000 }],
    ["check a --config x.json --timings", { configurationFile: "x.json", timings: true }],
    ["--format json check a", { command: "check", format: "json" }],
    [
      "check a --format sarif -o b --all --show-suppressed --coverage",
      { format: "sarif", output: "b", all: true, showSuppressed: true, coverage: true },
    ],
    ["check a", { failOn: { anomalies: "all", unknown: true } }],
    ["check a --fail-on anomaly", { failOn: { anomalies: "all", unknown: false } }],
    ["check a --fail-on unknown", { failOn: { anomalies: "all", unknown: true } }],
    ["check a --fail-on never", { failOn: { anomalies: [], unknown: false } }],
    [
      "check a --fail-on lost-update,Phantom",
      { failOn: { anomalies: ["lost-update", "phantom"], unknown: false } },
    ],
    [
      "check a --fail-on phantom --fail-on unknown",
      { failOn: { anomalies: ["phantom"], unknown: true } },
    ],
    ["check a --baseline b.json", { baseline: "b.json" }],
    ["check -- --odd.sql", { paths: ["--odd.sql"] }],
    ["show a --anomaly 7c1f", { command: "show", anomaly: "7c1f" }],
    [
      "history a.txt",
      { command: "history", action: "check", paths: ["a.txt"], strict: false, format: "text" },
    ],
    ["history check a b --strict --format svg", { paths: ["a", "b"], strict: true, format: "svg" }],
    ["history a --budget 60s --timings", { budget: 60_000, timings: true }],
    [
      "history convert a --to json -o b",
      { command: "history", action: "convert", path: "a", to: "json", output: "b" },
    ],
    ["lsp --stdio", { command: "lsp" }],
    ["mcp", { command: "mcp" }],
    ["--help", { command: "help" }],
    ["check --help", { command: "help", topic: "check" }],
    ["help", { command: "help" }],
    ["--version", { command: "version" }],
    ["-V", { command: "version" }],
  ];
  for (const [line, expected] of understood) {
    it(`understands ${line}`, () => {
      check(line, expected);
    });
  }

  const refused: readonly (readonly [string, string])[] = [
    ["", `a command is missing: ${COMMANDS.slice(0, -1).join(", ")} or ${String(COMMANDS.at(-1))}`],
    ["chek a", 'there is no command "chek"; did you mean "check"?'],
    ["check", '"check" needs a file or a folder'],
    ["record --from a --keep", "--from runs nothing, so that --keep has no meaning"],
    ["record --log a --perturb b", "--log runs nothing, so that --perturb has no meaning"],
    ["record --log a --from b", "--from and --log are two things to learn from: give one"],
    ["record --perturb shop", "--perturb runs your tests again: they stand behind --"],
    ["history", '"history" needs a file or a folder'],
    ["history check", '"history" needs a file or a folder'],
    ["history a --format xml", '--format must be text, json, dot or svg, and is "xml"'],
    ["history a --config b", '"history" takes no option --config'],
    ["history a --to json", '--to and --output are for "history convert"'],
    ["history convert", '"history convert" needs one file'],
    ["history convert a", "--to must be text or json, and is missing"],
    ["history convert a --to edn", '--to must be text or json, and is "edn"'],
    ["history convert a --to text --level si", '"history convert" takes no option --level'],
    ["check a --strict", '"check" takes no option --strict'],
    ["check a --levle si", 'there is no option "levle"; did you mean "level"?'],
    ["check a --format xml", '--format must be text, json, sarif or github, and is "xml"'],
    ["show a --anomaly 1 --format sarif", '--format must be text or json, and is "sarif"'],
    ["show a --anomaly 1 --all", '"show" takes no option --all'],
    [
      "check a --baseline b --write-baseline b",
      "--baseline leaves findings out and --write-baseline writes them all: give one of the two",
    ],
    ["check a --baseline=", "--baseline needs the name of a file"],
    [
      "check a --fail-on lost-updat",
      '--fail-on: there is no kind of finding "lost-updat"; did you mean "lost-update"?',
    ],
    ["check a --fail-on never,unknown", "--fail-on never stands alone"],
    ["check a --budget soon", '--budget must be a duration, as 10s, 500ms or 2m, and is "soon"'],
    ["check a --budget 0s", '--budget must be a duration, as 10s, 500ms or 2m, and is "0s"'],
    ["check a --unroll 0", '--unroll must be a whole number from 1 to 8, and is "0"'],
    [
      "check a --max-transactions 1",
      '--max-transactions must be a whole number from 2 on, and is "1"',
    ],
    [
      "check a --max-transactions two",
      '--max-transactions must be a whole number from 2 on, and is "two"',
    ],
    ["check a --anomaly 1", '"check" takes no option --anomaly'],
    ["check a --level", "Option '--level <value>' argument missing"],
    ["check a --timings=yes", "Option '--timings' does not take an argument"],
    ["show a", '"show" needs --anomaly ID; "check" prints the ids'],
    ["show a --anomaly 1 --level si --level ser", '"show" takes one --level'],
    ["lsp", '"lsp" needs --stdio'],
    ["mcp a", '"mcp" takes no paths; its tools do'],
    ["lsp --stdio a", '"lsp" takes no paths; the editor tells the folders'],
    ["lsp --stdio --level si", '"lsp" takes no option --level'],
  ];
  for (const [line, message] of refused) {
    it(`refuses ${line}`, () => {
      check(line, message);
    });
  }
});
