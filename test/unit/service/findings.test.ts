// Fingerprints, comments, baselines, severities and groups of findings, on anomalies made by hand.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  isShown,
  isTold,
  type Anomaly,
  type LevelReport,
} from "../../../server/src/protocol/report";
import type { FileId, Range, SourceRange } from "../../../server/src/protocol/source";
import {
  joinedEntries,
  oldBaselineText,
  uselessEntriesText,
  useBaseline,
} from "../../../server/src/service/findings/baselineUse";
import {
  judgeFindings,
  messageOf,
  reportedAs,
} from "../../../server/src/service/findings/findings";
import {
  contentOf,
  fingerprintOf,
  plainStatement,
} from "../../../server/src/service/findings/fingerprint";
import {
  openParts,
  unusedSuppressions,
  type PlacedSuppression,
} from "../../../server/src/service/findings/suppressions";
import { baselineText, parseBaseline, type Baseline } from "../../../server/src/workspace/baseline";

const line = (at: number): Range => ({
  start: { line: at, character: 0 },
  end: { line: at, character: 20 },
});

interface Made extends Partial<Anomaly> {
  /** Texts of the statements, the first in line 0 and so on. */
  readonly statements?: readonly string[];
  readonly file?: string;
}

function anomaly(
  id: string,
  { statements = ["SELECT a", "UPDATE a"], file = "a.sql", ...more }: Made = {},
): Anomaly {
  const ends = statements.map((text, at) => ({ instance: "T1", file, range: line(at), text }));
  const [from, to = from] = ends;
  assert.ok(from && to);
  return {
    id,
    kind: "lost-update",
    severity: "state",
    title: "A change is lost",
    harm: "amount",
    status: "confirmed",
    transactions: ["a", "b"],
    tables: ["t"],
    cycle: [{ dependency: "rw", from, to, table: "t", columns: [] }],
    witness: {
      instances: [],
      initial: {},
      schedule: [],
      outcome: { final: {}, status: {}, returned: {} },
    },
    serial: [],
    steps: [],
    message: "Lost update.",
    preventedBy: [],
    allowedAt: [],
    ...more,
  };
}

function report(anomalies: readonly Anomaly[], more: Partial<LevelReport> = {}): LevelReport {
  const names = [...new Set(anomalies.flatMap(({ transactions }) => transactions))];
  return {
    tool: "test",
    formatVersion: 1,
    level: "l",
    levels: { default: "l", perTransaction: {} },
    verdict: "anomaly",
    rests: { bound: 3 },
    transactions: names.map((name) => ({
      name,
      file: "a.sql",
      range: line(0),
      precision: "exact",
    })),
    anomalies,
    unknown: [],
    assumptions: [],
    coverage: { statements: 0, exact: 0, over: 0, approx: 0, opaque: 0 },
    ...more,
  };
}

const source = (at: number): SourceRange => ({ file: "a.sql" as FileId, range: line(at) });

function comment(
  about: PlacedSuppression["about"],
  kinds: readonly string[],
  at = 9,
): PlacedSuppression {
  return {
    about,
    kinds: kinds.map((name) => ({ name, source: source(at) })),
    reason: "why",
    source: source(at),
  };
}

describe("a fingerprint", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["UPDATE  t\n SET a=1", "update t set a = 1;"],
    ["SELECT 'A  b' -- c\nFROM t", "select 'A  b' from /* d */ t"],
    ['SELECT "X", `y` // z', 'select "X" , `y`'],
    ["SELECT 'it''s -- no'", "select 'it''s -- no' -- yes"],
  ];
  for (const [a, b] of texts) {
    it(`is the same for ${JSON.stringify(a)} and ${JSON.stringify(b)}`, () => {
      assert.equal(plainStatement(a), plainStatement(b));
    });
  }

  it("tells texts apart that differ in quotes, words or signs", () => {
    const different = ["a = 'X'", "a = 'x'", "a = x", "ab", "a b", "a <= b", "a < b", "a - b"];
    assert.equal(new Set(different.map(plainStatement)).size, different.length);
  });

  it("knows neither places nor files nor the order of transactions", () => {
    const of = (made: Made): string => fingerprintOf(contentOf(anomaly("1", made)));
    assert.equal(of({}), of({ file: "other/b.sql", transactions: ["b", "a"] }));
    assert.equal(of({}), of({ transactions: ["a (x/a.sql)", "b"] }));
    assert.equal(of({}), of({ transactions: ["a (x/(app)/[id]/a.tsx)", "b"] }));
    assert.notEqual(of({}), of({ kind: "write-skew" }));
    assert.notEqual(of({}), of({ transactions: ["a", "c"] }));
    assert.notEqual(of({}), of({ statements: ["SELECT a", "UPDATE b"] }));
  });
});

describe("comments", () => {
  const judge = (placed: readonly PlacedSuppression[], made: Made = {}) =>
    judgeFindings(report([anomaly("1", made)]), { severities: {}, placed });

  const cases: readonly (readonly [string, PlacedSuppression["about"], boolean])[] = [
    ["of a transaction that takes part", { kind: "transactions", ids: ["b"] }, true],
    ["of another transaction", { kind: "transactions", ids: ["c"] }, false],
    ["of a statement that takes part", { kind: "statements", sources: [source(1)] }, true],
    ["of another statement", { kind: "statements", sources: [source(5)] }, false],
    ["of its file", { kind: "file", file: "a.sql" }, true],
    ["of another file", { kind: "file", file: "b.sql" }, false],
  ];
  for (const [name, about, covers] of cases) {
    it(`${name} ${covers ? "suppress" : "do not suppress"}`, () => {
      for (const kinds of [["lost-update"], ["all"], ["phantom", "lost-update"]]) {
        const { report: told } = judge([comment(about, kinds)]);
        const { suppressed } = told.anomalies[0] ?? {};
        assert.deepEqual(
          suppressed,
          covers ? { by: "comment", reason: "why", file: "a.sql", range: line(9) } : undefined,
        );
      }
      assert.equal(judge([comment(about, ["phantom"])]).report.anomalies[0]?.suppressed, undefined);
    });
  }

  it("that suppress nothing are said, kind by kind", () => {
    const placed = [
      comment({ kind: "file", file: "a.sql" }, ["lost-update", "phantom"], 1),
      comment({ kind: "transactions", ids: ["a"] }, ["phantom", "read-skew"], 2),
    ];
    const { used } = judge(placed);
    const messages = unusedSuppressions(placed, used, openParts(report([]))).map(
      ({ message }) => message,
    );
    assert.deepEqual(messages, [
      "No phantom is found in this file: it need not be suppressed.",
      "No phantom or read-skew is found here: the comment suppresses nothing.",
    ]);
  });

  it("are not said to be useless where something is open", () => {
    const placed = [comment({ kind: "file", file: "a.sql" }, ["phantom"])];
    const said = (unknown: LevelReport["unknown"]): number =>
      unusedSuppressions(placed, new Set(), openParts(report([anomaly("1")], { unknown }))).length;
    assert.equal(said([]), 1);
    assert.equal(said([{ reason: "r", transactions: [] }]), 0);
    assert.equal(said([{ reason: "r", transactions: ["a"] }]), 0);
    assert.equal(said([{ reason: "r", transactions: [], file: "a.sql" }]), 0);
    assert.equal(said([{ reason: "r", transactions: [], file: "b.sql" }]), 1);
  });
});

describe("severities", () => {
  const cases: readonly (readonly [
    Made,
    Readonly<Record<string, "error" | "hint" | "off" | "warning">>,
    string,
  ])[] = [
    [{}, {}, "error"],
    [{ harm: "value" }, {}, "warning"],
    [{ harm: "returned", severity: "value" }, {}, "information"],
    [{ harm: "noted" }, {}, "information"],
    [{ harm: "noted" }, { "lost-update": "error" }, "error"],
    [{}, { "lost-update": "error" }, "error"],
    [{}, { "lost-update": "off" }, "off"],
    [{}, { unused: "error" }, "error"],
    [{ severity: "unused" }, {}, "off"],
    [{ severity: "unused" }, { unused: "warning" }, "warning"],
    [{ severity: "unused" }, { unused: "warning", "lost-update": "off" }, "off"],
    [{ severity: "unused" }, { "lost-update": "error" }, "off"],
    [{ status: "unconfirmed" }, {}, "information"],
    [{ status: "unconfirmed" }, { "lost-update": "error" }, "information"],
    [{ status: "unconfirmed" }, { "lost-update": "off" }, "off"],
  ];
  for (const [made, severities, expected] of cases) {
    it(`${JSON.stringify(made)} with ${JSON.stringify(severities)} is ${expected}`, () => {
      assert.equal(reportedAs(anomaly("1", made), severities), expected);
    });
  }
});

describe("groups", () => {
  const told = (...all: readonly Anomaly[]) =>
    judgeFindings(report(all), { severities: {}, placed: [] }).report.anomalies;

  it("have one representative for each cause", () => {
    const { report: judged } = judgeFindings(
      report([
        anomaly("1"),
        anomaly("2", { transactions: ["a", "c"], kind: "write-skew" }),
        anomaly("3", { transactions: ["c", "a"] }),
        anomaly("4", { transactions: ["a", "d"], statements: ["select  A", "update c"] }),
        anomaly("5", { transactions: ["a", "a"], statements: ["select b", "update a"] }),
      ]),
      { severities: {}, placed: [] },
    );
    const { anomalies: all, causes } = judged;
    assert.deepEqual(
      all.map(({ representative }) => representative),
      [undefined, "1", undefined, "1", undefined],
    );
    const [first] = all;
    assert.equal(first && messageOf(first, causes), "Lost update. It races with b, c and d.");
    assert.equal(first && messageOf(first), "Lost update.");
    assert.deepEqual(
      all.filter((each) => isShown(each)).map(({ id }) => id),
      ["1", "3", "5"],
    );
    assert.equal(all.filter((each) => isTold(each)).length, 5);
    assert.equal(all.filter((each) => isShown(each, { all: true })).length, 5);
  });

  it("have no suppressed representative", () => {
    const placed = [comment({ kind: "transactions", ids: ["b"] }, ["lost-update"])];
    const { anomalies } = judgeFindings(
      report([anomaly("1"), anomaly("2", { transactions: ["a", "c"] })]),
      { severities: {}, placed },
    ).report;
    assert.deepEqual(
      anomalies.filter((each) => isShown(each)).map(({ id }) => id),
      ["2"],
    );
  });

  it("are made anew when a report is judged again", () => {
    const once = told(anomaly("1"), anomaly("2", { transactions: ["a", "c"] }));
    assert.deepEqual(told(...once), once);
  });
});

describe("comments at a cause", () => {
  const judge = (placed: readonly PlacedSuppression[], ...all: readonly Anomaly[]) =>
    judgeFindings(report(all), { severities: {}, placed })
      .report.anomalies.filter(({ suppressed }) => suppressed === undefined)
      .map(({ id }) => id);
  const worst = anomaly("1");
  const other = anomaly("2", { transactions: ["a", "c"], kind: "write-skew" });

  it("accept all that comes of it where they name the kind by which it is told", () => {
    const places: readonly PlacedSuppression["about"][] = [
      { kind: "transactions", ids: ["a"] },
      { kind: "statements", sources: [source(0)] },
      { kind: "statements", sources: [source(1)] },
      { kind: "file", file: "a.sql" },
    ];
    for (const about of places)
      assert.deepEqual(judge([comment(about, ["lost-update"])], worst, other), []);
    // Another kind than the worst: that alone.
    assert.deepEqual(judge([comment(places[0] ?? assert.fail(), ["write-skew"])], worst, other), [
      "1",
    ]);
    // At a partner: what it takes part in.
    const atPartner = comment({ kind: "transactions", ids: ["b"] }, ["lost-update"]);
    assert.deepEqual(judge([atPartner], worst, other), ["2"]);
  });
});

describe("a baseline", () => {
  const readBack = (text: string): Baseline => {
    const read = parseBaseline("/b.json", text);
    assert.ok("entries" in read);
    return read;
  };
  const written = (...anomalies: readonly Anomaly[]): Baseline =>
    readBack(baselineText(joinedEntries([anomalies], undefined)));
  const writtenOld = (...anomalies: readonly Anomaly[]): Baseline => {
    const findings = anomalies.map((each) => ({
      fingerprint: fingerprintOf(contentOf(each)),
      ...contentOf(each),
      reason: `why ${each.kind}`,
    }));
    return readBack(JSON.stringify({ format: "isolens-baseline", version: 1, findings }));
  };
  const accepted = (baseline: Baseline, ...anomalies: readonly Anomaly[]): readonly string[] => {
    const policy = { severities: {}, placed: [], baseline: useBaseline(baseline) };
    return judgeFindings(report(anomalies), policy)
      .report.anomalies.filter(({ suppressed }) => suppressed?.by === "baseline")
      .map(({ id }) => id);
  };
  const both = ["SELECT a", "UPDATE a"];

  it("stands for a cause after moves, reformatting and renaming, with other partners and kinds", () => {
    const baseline = written(anomaly("1"), anomaly("2", { transactions: ["c", "d"] }));
    assert.equal(baseline.entries.length, 2);
    const same: readonly Made[] = [
      {},
      { file: "b.sql" },
      { transactions: ["a (b.sql)", "b"] },
      { transactions: ["a", "z"] },
      { transactions: ["a", "a"] },
      { kind: "phantom" },
      { statements: ["select  a -- now", "UPDATE a SET b"] },
    ];
    for (const made of same)
      assert.deepEqual(accepted(baseline, anomaly("9", made)), ["9"], JSON.stringify(made));
    const renamed = anomaly("9", { transactions: ["x", "y"] });
    assert.deepEqual(accepted(baseline, renamed), ["9"]);
    // Both entries were met by their own causes: the third is new.
    const others = [anomaly("7"), anomaly("8", { transactions: ["c", "y"] })];
    assert.deepEqual(accepted(baseline, renamed, ...others), ["7", "8"]);
    const foreign: readonly Made[] = [
      { statements: ["SELECT b", "UPDATE a"] },
      { transactions: ["x", "y"], statements: ["SELECT a", "UPDATE c"] },
      { tables: ["u"], cycle: anomaly("0").cycle.map((edge) => ({ ...edge, table: "u" })) },
    ];
    for (const made of foreign)
      assert.deepEqual(accepted(baseline, anomaly("9", made)), [], JSON.stringify(made));
  });

  it("stands for its read where another read explains more by now", () => {
    const instances = ["T1", "T2"].map((instance) => ({ instance, arguments: {} }));
    const skew = (id: string, one: string, other: string): Anomaly => {
      const end = (instance: string, text: string, at: number) => ({
        instance,
        file: "a.sql",
        range: line(at),
        text,
      });
      const plain = anomaly(id, { kind: "write-skew", transactions: [one, other] });
      const edge = (from: string, name: string, to: string) => ({
        dependency: "rw" as const,
        from: end(from, `SELECT ${name}`, 0),
        to: end(to, "UPDATE x", 1),
        table: "t",
        columns: [],
      });
      const own = instances.map((each, at) => ({ ...each, transaction: at === 0 ? one : other }));
      return {
        ...plain,
        cycle: [edge("T1", one, "T2"), edge("T2", other, "T1")],
        witness: { ...plain.witness, instances: own },
      };
    };
    const [first, second, third] = [skew("1", "a", "b"), skew("2", "c", "b"), skew("3", "d", "b")];
    const policy = { severities: {}, placed: [] };
    const causes = (...all: readonly Anomaly[]) =>
      judgeFindings(report(all), policy).report.causes?.map(({ transactions }) => transactions);
    assert.deepEqual(causes(first), [["a"]]);
    assert.deepEqual(causes(first, second, third), [["b"]]);
    assert.deepEqual(accepted(written(first), first, second, third), ["1"]);
  });

  it("stands for as many causes as it had", () => {
    const copy = (id: string): Anomaly =>
      anomaly(id, { file: `${id}.sql`, transactions: [`a (${id}.sql)`, "b"] });
    const two = written(copy("1"), copy("2"));
    assert.equal(two.entries[0]?.count, 2);
    assert.equal(accepted(two, copy("1"), copy("2"), copy("3")).length, 2);
    assert.equal(accepted(written(copy("1")), copy("1"), copy("2"), copy("3")).length, 1);
    // Cycles of one cause are one.
    assert.equal(written(anomaly("1"), anomaly("2")).entries[0]?.count, 1);
  });

  it("of several levels has as many as the level with most, and all of their kinds", () => {
    const copy = anomaly("2", { transactions: ["a (b.sql)", "b"], kind: "phantom" });
    const entries = joinedEntries([[anomaly("1")], [anomaly("1"), copy], [copy]], undefined);
    assert.deepEqual(
      entries.map(({ count, kinds }) => [count, kinds]),
      [[2, ["lost-update", "phantom"]]],
    );
  });

  it("keeps the reasons that stand in it, and in one of the old version", () => {
    const before = written(anomaly("1"));
    const known = {
      ...before,
      entries: before.entries.map((each) => ({ ...each, reason: "known" })),
    };
    assert.equal(joinedEntries([[anomaly("1")]], known)[0]?.reason, "known");
    const again = anomaly("2", { kind: "phantom" });
    const [joined] = joinedEntries([[anomaly("1"), again]], writtenOld(anomaly("1"), again));
    assert.equal(joined?.reason, "why lost-update; why phantom");
  });

  it("of the old version stands for its anomalies, and says what to do", () => {
    const old = writtenOld(anomaly("1"));
    assert.deepEqual(accepted(old, anomaly("9", { file: "b.sql" })), ["9"]);
    assert.deepEqual(accepted(old, anomaly("9", { transactions: ["x", "y"] })), ["9"]);
    assert.deepEqual(accepted(old, anomaly("9", { statements: [...both, "UPDATE b"] })), ["9"]);
    assert.deepEqual(accepted(old, anomaly("9", { kind: "phantom" })), []);
    assert.deepEqual(accepted(old, anomaly("8"), anomaly("9", { transactions: ["a", "z"] })), [
      "8",
    ]);
    assert.match(oldBaselineText(old) ?? "", /version 1.*; --write-baseline writes it anew/u);
    assert.equal(oldBaselineText(written(anomaly("1"))), undefined);
  });

  it("is asked after comments", () => {
    const baseline = useBaseline(written(anomaly("1")));
    const placed = [comment({ kind: "file", file: "a.sql" }, ["all"])];
    const { anomalies } = judgeFindings(report([anomaly("1")]), {
      severities: {},
      placed,
      baseline,
    }).report;
    assert.equal(anomalies[0]?.suppressed?.by, "comment");
    assert.equal(baseline.met().size, 0);
  });

  it("says which entries stand for nothing, where that can be said", () => {
    const baseline = written(anomaly("1"), anomaly("2", { transactions: ["c", "d"] }));
    const use = useBaseline(baseline);
    const found = report([anomaly("1")]);
    judgeFindings(found, { severities: {}, placed: [], baseline: use });
    const text = (isWhole: boolean, more: Partial<LevelReport> = {}): string | undefined =>
      uselessEntriesText(baseline, [use], [{ report: { ...found, ...more }, isWhole }]);
    assert.equal(
      text(true),
      "1 entry is not found any more: lost-update of c; --write-baseline writes it anew",
    );
    assert.equal(text(false), undefined);
    assert.equal(text(true, { unknown: [{ reason: "r", transactions: [] }] }), undefined);
    assert.equal(
      text(true, { unknown: [{ reason: "r", transactions: ["c (a.sql)"] }] }),
      undefined,
    );
  });
});
