import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { paintFor } from "../../server/src/cli/io";
import { anomalyDetails } from "../../server/src/cli/reporters/anomalyText";
import type { TextStyle } from "../../server/src/cli/reporters/anomalyText";
import { jsonReport } from "../../server/src/cli/reporters/json";
import { levelTable } from "../../server/src/cli/reporters/levelTable";
import { possibleLines } from "../../server/src/cli/reporters/openText";
import { textReport } from "../../server/src/cli/reporters/text";
import { hangingText, wrapText } from "../../server/src/cli/reporters/wrap";
import type { Anomaly, LevelReport, ReportTransaction } from "../../server/src/protocol/report";
import type { Note } from "../../server/src/program/program";
import type { FileId } from "../../server/src/protocol/source";
import type { Outcome } from "../../server/src/protocol/witness";
import { SAME_IN_ORDER } from "../../server/src/store/confirm";
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
    assert.deepEqual(told.slice(0, 7), [
      "27 undecided, the reasons that concern most transactions first:",
      "   1  the solver gave up (in 2 transactions, as deposit and audit)",
      "      -> a longer --budget may decide it",
      "  14  rounds of this loop after the first are not searched (as bank.sql:1:1 in deposit)",
      "      -> --unroll 2 searches a second round",
      "  12  the function f0() is not known (as bank.sql:1:1 in audit)",
      "--format json lists all.",
    ]);
  });

  it("tells of many transactions how far the search came, and how far each is decided", () => {
    const [deposit, withdraw] = report({}).transactions;
    assert.ok(deposit && withdraw);
    const search = { pairs: 1300, ruledOut: 1000, searched: 100 };
    const open = Array.from({ length: 21 }, () => ({
      reason: "time budget of 10 s; --budget 60s tries longer",
      transactions: [withdraw.name],
    }));
    const transactions = [
      { ...deposit, pairs: { sharing: 3, racing: 0, settled: 3 } },
      { ...withdraw, pairs: { sharing: 52, racing: 1, settled: 40 } },
    ];
    const of = { verdict: "unknown", transactions, search, unknown: open, files: [] } as const;
    const told = text(report({ ...of, rests: { bound: 1 } }), 300).split("\n");
    const place = ({ file, range }: ReportTransaction): string =>
      `${file}:${String(range.start.line + 1)}:${String(range.start.character + 1)}`;
    const lines = [
      "Searched: 1,300 pairs of transactions share a table (a transaction and itself are one); in 1,000 of them no race is possible, and 100 of the other 300 were searched to the end: time budget of 10 s; --budget 60s tries longer.",
      "Decided: 1 of the transactions race, 1 race with none, 0 are open (--coverage tells how far each is decided).",
      `  ${place(deposit)} ${deposit.name}: nothing found with all 3 that share its tables`,
      `  ${place(withdraw)} ${withdraw.name}: races with 1; nothing found with 40 of the 52 that share its tables`,
    ];
    for (const line of lines) assert.ok(told.includes(line), `${line}\n${told.join("\n")}`);
  });

  it("tells set-up that is left out once where it is much", () => {
    const note = (line: number): Note => ({
      severity: "information",
      code: "set-up",
      message: "left out",
      source: {
        file: "migrations/1.sql" as FileId,
        range: { start: { line, character: 0 }, end: { line, character: 9 } },
      },
    });
    const of = (count: number): string =>
      textReport(
        {
          report: report({}),
          notes: Array.from({ length: count }, (_, n) => note(n)),
          again: ".",
          files: 1,
          folder: "app",
        },
        style(200),
      );
    assert.match(of(1), /^app\/migrations\/1\.sql:1:1: left out$/mu);
    assert.match(
      of(9),
      /^9 parts of migrations, .* left out, .*\(as app\/migrations\/1\.sql:1:1\)\.$/mu,
    );
    assert.doesNotMatch(of(9), /: left out/u);
  });

  it("tells information in two sentences behind what is more, and whole where it is all or --all asks for it", () => {
    const mild: Anomaly = { ...LOST_UPDATE, id: "00000002", reportedAs: "information" };
    const both = report({ anomalies: [LOST_UPDATE, mild] });
    const head = /^\s+T1 withdraw\(/gmu;
    const told = text(both, 200);
    assert.equal(told.match(head)?.length, 1);
    assert.match(told, /^bank\.sql:\S+ {2}info: /mu);
    assert.match(told, /id 00000002: .*; isolens show tells its steps/u);
    assert.equal(text(report({ anomalies: [mild] }), 200).match(head)?.length, 1);
    const all = { report: both, notes: [], again: "bank.sql", files: 1, shown: { all: true } };
    assert.equal(textReport(all, style(200)).match(head)?.length, 2);
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

  it("tells the arguments that say the most, and how many more there are", () => {
    const { witness } = LOST_UPDATE;
    const given = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`a${String(n)}`, n]));
    const instances = witness.instances.map((each) => ({
      ...each,
      transaction: "withdraw (src/(app)/a.ts)",
      arguments: given,
    }));
    const many: Anomaly = { ...LOST_UPDATE, witness: { ...witness, instances } };
    const told = text(report({ anomalies: [many] }), 200);
    assert.match(told, /T1 withdraw\(a0 0, a1 1, .*a7 7, 4 more\)/u);
    assert.match(anomalyDetails(many, style(400)), /a11 11\)/u);
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

describe("the table of levels", () => {
  const found = report({ level: "postgres:read-committed" });
  const none = report({ level: "postgres:repeatable-read", verdict: "safe", anomalies: [] });
  const open = { ...none, level: "postgres:serializable", verdict: "unknown" as const };
  const table = (reports: readonly LevelReport[], columns = 100): readonly string[] =>
    levelTable(reports, style(columns));

  it("shows which level lets what through, and where that is not decided", () => {
    const unknown = [{ reason: "too long", transactions: ["withdraw"] }];
    assert.deepEqual(table([found, none, { ...open, unknown }]), [
      "                                 read-committed  repeatable-read  serializable",
      "lost update: withdraw, withdraw  yes             -                ?",
      "yes: executed and confirmed; -: nothing found; ?: not decided",
    ]);
    const elsewhere = [{ reason: "too long", transactions: ["audit"] }];
    assert.match(table([found, { ...none, unknown: elsewhere }])[1] ?? "", /yes +-$/u);
    assert.match(table([found, { ...none, verdict: "cancelled" }])[1] ?? "", /yes +\?$/u);
    assert.match(
      table([
        found,
        {
          ...none,
          anomalies: found.anomalies.map((each) => ({ ...each, status: "unconfirmed" as const })),
        },
      ])[1] ?? "",
      /yes +\?$/u,
    );
  });

  it("is not told of one level, nor where nothing is found", () => {
    assert.deepEqual(table([found]), []);
    assert.deepEqual(table([none, open]), []);
  });

  it("names levels of several products in full, and fits a narrow terminal", () => {
    const lines = table([found, { ...none, level: "mysql:repeatable-read" }], 76);
    assert.match(lines[0] ?? "", /postgres:read-committed {2}mysql:repeatable-read/u);
    for (const line of lines) assert.ok(line.length <= 76, line);
  });
});

describe("possible races", () => {
  const told = (reason: string): string =>
    possibleLines(report({ anomalies: [{ ...UNCONFIRMED, reason }] }), style(80)).join("\n");

  it("are told with what stands in the way", () => {
    assert.match(told("a function is not known"), /a function is not known\s+\(0badcafe\)/u);
  });

  it("are told with the code that no run could pass", () => {
    const range = { start: { line: 4, character: 2 }, end: { line: 4, character: 30 } };
    const obstacle = { file: "a.ts" as FileId, range };
    const reason = "cannot be executed: the condition f() is not understood";
    const lines = possibleLines(report({ anomalies: [{ ...UNCONFIRMED, reason, obstacle }] }), {
      ...style(120),
      lineOf: (file, line) => (file === "a.ts" && line === 4 ? "  if (f(x)) {" : undefined),
    });
    assert.deepEqual(lines.slice(-2), [
      "    not followed: a.ts:5:3: if (f(x)) {",
      "      the condition f() is not understood",
    ]);
  });

  it("are none where a run of the proposal gave what one order gives", () => {
    assert.equal(told(SAME_IN_ORDER), "");
  });
});
