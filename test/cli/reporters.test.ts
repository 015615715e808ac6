import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { paintFor } from "../../server/src/cli/io";
import { anomalyDetails } from "../../server/src/cli/reporters/anomalyText";
import type { TextStyle } from "../../server/src/cli/reporters/anomalyText";
import { jsonReport } from "../../server/src/cli/reporters/json";
import { textReport } from "../../server/src/cli/reporters/text";
import { hangingText, wrapText } from "../../server/src/cli/reporters/wrap";
import type { Anomaly, LevelReport } from "../../server/src/protocol/report";
import type { Outcome } from "../../server/src/protocol/witness";
import { LOST_UPDATE, UNCONFIRMED, report } from "./reports";
import { matchSnapshot } from "./snapshot";

function style(columns = 100, colours = false): TextStyle {
  return { paint: paintFor({ colours }), columns, keyOf: () => ["id"] };
}

function text(of: LevelReport, columns = 100, colours = false): string {
  return textReport(
    { report: of, notes: [], again: "bank.sql", files: 1 },
    style(columns, colours),
  );
}

/** The last paragraph, on one line. */
function summary(of: LevelReport): string {
  return text(of, 1000).trim().split("\n\n").at(-1)?.split("\n")[0] ?? "";
}

describe("the text report", () => {
  it("tells an anomaly as a paragraph", () => {
    matchSnapshot("anomaly.txt", text(report({})));
  });

  it("fits a narrow terminal", () => {
    const narrow = text(report({}), 60);
    matchSnapshot("anomaly-narrow.txt", narrow);
    for (const line of narrow.split("\n")) assert.ok(line.length <= 60 || line.includes("/"), line);
  });

  it("lists what is undecided", () => {
    const place = {
      file: "bank.sql",
      range: { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } },
    };
    const unknown = [
      { reason: "not read: binary, not text", transactions: [], file: "data.sql" },
      { reason: "the function f is not known", transactions: ["audit"], ...place },
      {
        reason: "time budget of 10 s; --budget 60s tries longer",
        transactions: ["audit", "deposit", "withdraw"],
      },
    ];
    matchSnapshot(
      "undecided.txt",
      text(report({ verdict: "unknown", anomalies: [UNCONFIRMED], unknown })),
    );
  });

  it("groups what is undecided by its reason where it is much, the most frequent first", () => {
    const at = (line: number) => ({
      file: "bank.sql",
      range: { start: { line, character: 0 }, end: { line, character: 9 } },
    });
    const unknown = [
      ...Array.from({ length: 12 }, (_, n) => ({
        reason: `the function f${String(n)}() is not known`,
        transactions: ["audit"],
        ...at(n),
      })),
      ...Array.from({ length: 14 }, (_, n) => ({
        reason: "rounds of this loop after the first are not searched",
        transactions: ["deposit"],
        ...at(n),
      })),
      { reason: "deposit, audit: the solver gave up", transactions: ["deposit", "audit"] },
    ];
    const told = text(report({ verdict: "unknown", anomalies: [], unknown }), 200).split("\n");
    assert.deepEqual(told.slice(0, 4), [
      "27 undecided, the most frequent first:",
      "  14  rounds of this loop after the first are not searched (as bank.sql:1:1 in deposit)",
      "  12  the function f0() is not known (as bank.sql:1:1 in audit)",
      "   1  the solver gave up (as deposit and audit)",
    ]);
    assert.equal(told[4], "--format json lists all.");
  });

  it("cuts long returned rows to the fields that differ", () => {
    const row = (state: string): string =>
      ["id = 1", "a = 1", "b = 2", "c = 3", "d = 4", `state = ${state}`].join(", ");
    const returned = (one: string, other: string): Outcome => ({
      final: {},
      status: { T1: "committed", T2: "committed" },
      returned: { T1: [row(one)], T2: [row(other)] },
    });
    const long: Anomaly = {
      ...LOST_UPDATE,
      severity: "value",
      witness: { ...LOST_UPDATE.witness, outcome: returned("open", "open") },
      serial: [{ order: ["T1", "T2"], outcome: returned("open", "closed") }],
    };
    const told = text(report({ anomalies: [long] }), 200);
    assert.match(told, /this run: returns state = open \(and 5 more\) to T2/u);
    assert.match(told, /returns state = closed \(and 5 more\) to T2/u);
  });

  it("names what it assumes", () => {
    const assumptions: LevelReport["assumptions"] = [
      { kind: "invariant", text: "account.balance >= 0", transactions: ["withdraw"] },
      { kind: "counter", text: "a.id < b.next", transactions: ["withdraw"] },
    ];
    const lines = text(report({ assumptions }), 200).split("\n");
    assert.ok(lines.includes("Assuming: account.balance >= 0; a.id < b.next (inferred)."));
    const many = Array.from({ length: 9 }, (_, n) => ({
      kind: "check" as const,
      text: `t.c${String(n)} > 0`,
      transactions: [],
    }));
    assert.match(text(report({ assumptions: many }), 400), /t\.c5 > 0; 3 more\./);
  });

  it("uses colours without changing the text", () => {
    const plain = text(report({}), 100, true).replaceAll(/\u001b\[\d+m/gu, "");
    assert.equal(plain, text(report({})));
    assert.notEqual(text(report({}), 100, true), plain);
  });

  const lines: readonly (readonly [string, Partial<LevelReport>])[] = [
    [
      "1 anomaly at postgres:read-committed among 2 transactions, up to 3 at a time; nothing undecided.",
      {},
    ],
    [
      "Nothing found at postgres:read-committed among 2 transactions, up to 3 at a time.",
      { verdict: "safe", anomalies: [] },
    ],
    [
      "Nothing found at postgres:read-committed among 2 transactions, up to 2 at a time; 1 question undecided.",
      {
        verdict: "unknown",
        anomalies: [],
        rests: { bound: 2 },
        unknown: [{ reason: "r", transactions: [] }],
      },
    ],
    [
      "Safe at postgres:read-committed among 2 transactions, proved for any number (no path); nothing undecided.",
      { verdict: "safe", anomalies: [], rests: { proved: "no path" } },
    ],
    [
      "Cancelled. Nothing found at postgres:read-committed among 2 transactions, not yet searched together so far.",
      { verdict: "cancelled", anomalies: [], rests: { bound: 1 } },
    ],
    [
      "No transactions in 1 file: nothing was checked at postgres:read-committed.",
      { verdict: "safe", anomalies: [], transactions: [] },
    ],
  ];
  for (const [line, changes] of lines) {
    it(`ends with: ${line}`, () => {
      assert.equal(summary(report(changes)), line);
    });
  }

  it("names levels of transactions that differ", () => {
    const levels = { default: "pg", perTransaction: { withdraw: "pg", deposit: "other" } };
    assert.match(text(report({ levels })), /\nAt a level of their own: deposit \(other\)\.\n/u);
  });

  it("does not name a level that no transaction runs at", () => {
    const at = (perTransaction: Readonly<Record<string, string>>): string =>
      summary(report({ levels: { default: "pg", perTransaction } }));
    assert.match(at({ withdraw: "a", deposit: "b" }), / at the transactions' own levels among /u);
    assert.match(at({ withdraw: "a", deposit: "a" }), / at a among /u);
  });

  it("shows one anomaly in full", () => {
    matchSnapshot("show.txt", `${anomalyDetails(LOST_UPDATE, style())}\n`);
  });
});

describe("the JSON report", () => {
  it("has a fixed order of keys", () => {
    matchSnapshot("report.json", jsonReport([{ report: report({}) }]));
  });

  it("has timings only on request", () => {
    const timings = { whole: 12.345, units: 3, cached: 1, queries: 9 };
    const [value] = JSON.parse(jsonReport([{ report: report({}), timings }])) as {
      timings: unknown;
    }[];
    assert.deepEqual(value?.timings, { whole: 12.3, units: 3, cached: 1, queries: 9 });
  });
});

describe("wrapping", () => {
  const cases: readonly (readonly [string, number, readonly string[]])[] = [
    ["a bb ccc", 4, ["a bb", "ccc"]],
    ["abcdefgh", 3, ["abc", "def", "gh"]],
    ["", 5, [""]],
    ["  a  ", 5, ["a"]],
    ["abcd ef", 4, ["abcd", "ef"]],
  ];
  for (const [input, width, lines] of cases) {
    it(`breaks ${JSON.stringify(input)} at ${String(width)}`, () => {
      assert.deepEqual(
        wrapText(input, width).map((line) => line.trim()),
        lines,
      );
    });
  }

  it("hangs further lines under the first", () => {
    assert.deepEqual(hangingText("1  ", "aaaaaaaaaa bbbbbbbbbb cc", 20), [
      "1  aaaaaaaaaa",
      "   bbbbbbbbbb cc",
    ]);
  });
});
