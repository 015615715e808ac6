import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JobResult, SolvePool } from "../../../server/src/engine/pool";
import { findLevel } from "../../../server/src/isolation/levels";
import type { Anomaly } from "../../../server/src/protocol/report";
import type { FileId } from "../../../server/src/protocol/source";
import { openSession } from "../../../server/src/service/session";
import type { Session } from "../../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import type { Configuration } from "../../../server/src/workspace/configuration";
import type { WorkspaceCheck } from "../../../server/src/service/workspaceCheck";
import { openTestSession } from "./testSession";

const TABLES = `
CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE b (id integer PRIMARY KEY, v integer NOT NULL);
`;

function script(name: string, ...statements: readonly string[]): string {
  return `\n-- @transaction ${name}\nBEGIN;\n${statements.join("\n")}\nCOMMIT;\n`;
}

/** Reads and writes back: a lost update wherever reads may be stale. */
function add(name: string, table: string, amount = 1): string {
  return script(
    name,
    `SELECT v FROM ${table} WHERE id = :id \\gset`,
    `UPDATE ${table} SET v = :v + ${String(amount)} WHERE id = :id;`,
  );
}

/** One statement: nothing is lost at any level of PostgreSQL. */
function increment(name: string, table: string): string {
  return script(name, `UPDATE ${table} SET v = v + 1 WHERE id = :id;`);
}

function project(text: string, changes: Partial<Configuration> = {}) {
  return {
    // Test data: the only place where this name is made.
    files: [{ file: "app.sql" as FileId, text }],
    context: [],
    configuration: { ...DEFAULT_CONFIGURATION, ...changes },
  };
}

const never = (): AbortSignal => new AbortController().signal;

function levelOf(name: string) {
  const level = findLevel(name);
  assert.ok(level, name);
  return level;
}

/** "lost-update: add, add" of each anomaly, sorted. */
function told({ report }: WorkspaceCheck): readonly string[] {
  return report.anomalies
    .map(({ kind, transactions }) => `${kind}: ${[...transactions].sort().join(", ")}`)
    .sort();
}

/** Everything of a report but where things stand. */
function withoutPlaces(check: WorkspaceCheck): unknown {
  const text = JSON.stringify(check.report, (key, value: unknown) =>
    key === "range" ? undefined : value,
  );
  return JSON.parse(text);
}

describe("a session with the real solver", () => {
  let session: Session;

  before(async () => {
    session = await openTestSession();
  });

  after(async () => {
    await session.dispose();
  });

  const check = (text: string, level: string, changes: Partial<Configuration> = {}) =>
    session.checkWorkspace(
      { project: project(text, { budget: 60_000, ...changes }), level: levelOf(level) },
      never(),
    );

  it("finds what a level lets through", async () => {
    const text = TABLES + add("add", "a") + increment("increment", "b");
    assert.deepEqual(told(await check(text, "pg:rc")), ["lost-update: add, add"]);
    const other = await check(text, "pg:rr");
    assert.equal(other.report.verdict, "safe");
    assert.deepEqual(other.report.rests, { bound: 3 });
  });

  it("solves only tuples of changed transactions again", async () => {
    const before = TABLES + add("one", "a") + add("two", "a") + add("three", "b");
    const first = await check(before, "prefix");
    assert.equal(first.counters.cached, 0);
    const second = await check(before, "prefix");
    assert.equal(second.counters.cached, second.counters.units);
    assert.deepEqual(second.report, first.report);
    const third = await check(
      TABLES + add("one", "a") + add("two", "a", 7) + add("three", "b"),
      "prefix",
    );
    const again = third.counters.units - third.counters.cached;
    // Of one-one, one-two, two-two and three-three, the two with the changed transaction.
    assert.equal(third.counters.units, 4);
    assert.equal(again, 2);
  });

  it("gives remembered results their new places", async () => {
    const text = add("moved", "a");
    const before = await check(TABLES + text, "causal");
    const after = await check(`${TABLES}\n\n-- a remark\n\n${text}`, "causal");
    assert.equal(after.counters.cached, after.counters.units);
    assert.deepEqual(withoutPlaces(after), withoutPlaces(before));
    const line = (anomaly: Anomaly | undefined): number =>
      anomaly?.cycle[0]?.from.range.start.line ?? -1;
    assert.equal(line(after.report.anomalies[0]), line(before.report.anomalies[0]) + 4);
    assert.deepEqual(
      after.report.anomalies[0]?.steps.map(({ range }) => range.start.line),
      before.report.anomalies[0]?.steps.map(({ range }) => range.start.line + 4),
    );
  });

  it("reports the same whether it remembers or not", async () => {
    const text = TABLES + add("x", "a") + add("y", "a") + increment("z", "a");
    const remembered = await check(text, "pg:rc");
    const fresh = await openTestSession({ workers: 2 });
    const other = await fresh.checkWorkspace(
      { project: project(text, { budget: 60_000 }), level: levelOf("pg:rc") },
      never(),
    );
    await fresh.dispose();
    assert.deepEqual(other.report, remembered.report);
  });

  it("streams anomalies and counts truthfully", async () => {
    const found: string[] = [];
    const counts: (readonly [number, number])[] = [];
    await session.checkWorkspace(
      { project: project(TABLES + add("p", "a") + add("q", "a")), level: levelOf("read-atomic") },
      never(),
      {
        found: ({ kind, transactions }) =>
          found.push(`${kind}: ${[...transactions].sort().join(", ")}`),
        progress: (done, total) => counts.push([done, total]),
      },
    );
    assert.deepEqual(found.sort(), ["lost-update: p, p", "lost-update: p, q", "lost-update: q, q"]);
    for (const [done, total] of counts) assert.ok(done <= total);
    assert.deepEqual(counts.at(-1), [3, 3]);
  });

  it("says at which levels of the product an anomaly is allowed", async () => {
    const take = script(
      "take",
      "SELECT v FROM a WHERE id = :id \\gset a_",
      "SELECT v FROM b WHERE id = :id \\gset b_",
      "\\if :a_v + :b_v > 0",
      "UPDATE a SET v = :a_v - 1 WHERE id = :id;",
      "\\endif",
    );
    const give = take
      .replace("take", "give")
      .replace("UPDATE a SET v = :a_v", "UPDATE b SET v = :b_v");
    const { report } = await check(TABLES + take + give, "pg:rr");
    assert.deepEqual(
      report.anomalies.map(({ kind, allowedAt, preventedBy }) => [kind, allowedAt, preventedBy]),
      [
        [
          "write-skew",
          ["postgres:read-committed", "postgres:repeatable-read"],
          ["postgres:serializable"],
        ],
      ],
    );
  });

  it("uses what the configuration says of transactions", async () => {
    const move = script(
      "move",
      "SELECT v FROM a WHERE id = :src \\gset",
      "UPDATE a SET v = :v - 1 WHERE id = :src;",
      "UPDATE a SET v = v + 1 WHERE id = :dst;",
    );
    const start = { line: 0, character: 0 };
    const range = { start, end: start };
    const configured = await check(TABLES + move, "pg:rc", {
      distinct: [
        { transaction: "move", left: "src", right: "dst", range },
        { transaction: "mvoe", left: "src", right: "dst", range },
      ],
      transactionLevels: { move: levelOf("pg:rr") },
    });
    assert.deepEqual(configured.report.levels.perTransaction, { move: "postgres:repeatable-read" });
    assert.deepEqual(configured.program.transactions[0]?.preconditions.length, 1);
    assert.deepEqual(configured.remarks, [
      'the configuration names the transaction "mvoe", which does not occur; did you mean "move"?',
    ]);
  });

  it("answers at once when it is cancelled, and completely afterwards", async () => {
    const names = ["c1", "c2", "c3", "c4", "c5", "c6"];
    const text = TABLES + names.map((name, n) => add(name, "a", n + 1)).join("");
    const controller = new AbortController();
    const running = session.checkWorkspace(
      { project: project(text), level: levelOf("eventual") },
      controller.signal,
      {
        progress: (done) => {
          if (done === 1) controller.abort();
        },
      },
    );
    const { report } = await running;
    assert.ok(["cancelled", "anomaly"].includes(report.verdict));
    assert.ok(report.unknown.some(({ reason }) => reason === "cancelled"));
    assert.deepEqual(report.rests, { bound: 1 });
    const whole = await check(text, "eventual");
    assert.equal(whole.report.anomalies.length, 21);
  });

  it("is undecided when the budget ends", async () => {
    const text = TABLES + add("slow", "a", 99);
    const { report } = await check(text, "eventual", { budget: 1 });
    assert.equal(report.verdict, "unknown");
    assert.deepEqual(report.unknown, [
      { reason: "time budget of 1 ms; --budget 60s tries longer", transactions: ["slow", "slow"] },
    ]);
    assert.deepEqual(report.rests, { bound: 1 });
  });

  it("has nothing against an empty project", async () => {
    const { report } = await check("", "pg:rc");
    assert.equal(report.verdict, "safe");
    assert.deepEqual(report.coverage, { statements: 0, exact: 0, over: 0, approx: 0, opaque: 0 });
  });

  it("tells what it weakened, at its place", async () => {
    const guarded = script("guess", "UPDATE a SET v = mystery(v) WHERE id = :id;");
    const { report } = await check(TABLES + guarded, "pg:rc");
    const weakened = report.unknown.filter(({ reason }) => reason.startsWith("weakened: "));
    assert.ok(weakened.length > 0);
    for (const { range, transactions } of weakened) {
      assert.equal(range?.start.line, 6);
      assert.deepEqual(transactions, ["guess"]);
    }
    // No level answers for a function that nobody knows.
    const serial = await check(TABLES + guarded, "pg:ser");
    assert.equal(serial.report.verdict, "unknown");
    const ofRows = script("guess", "UPDATE a SET v = (SELECT max(v) FROM a GROUP BY CUBE (id));");
    assert.equal((await check(TABLES + ofRows, "pg:rc")).report.verdict, "unknown");
    assert.equal((await check(TABLES + ofRows, "pg:ser")).report.verdict, "safe");
  });

  it("leaves open what runs beside the transactions, or after the first round of a loop", async () => {
    const routine = (body: string): string =>
      `CREATE PROCEDURE p(n int) LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;\n`;
    const open: readonly (readonly [string, RegExp])[] = [
      [
        routine("UPDATE a SET v = 1 WHERE id = n;") +
          "CREATE TRIGGER g AFTER UPDATE ON a FOR EACH ROW EXECUTE FUNCTION elsewhere();\n",
        /the trigger g: its function elsewhere is not known/u,
      ],
      [
        "CREATE TABLE child (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE);\n" +
          routine("DELETE FROM a WHERE v = n;"),
        /deleting from a also changes child/u,
      ],
      [
        routine(
          "FOR i IN 1..n LOOP PERFORM v FROM a WHERE id = i; UPDATE a SET v = 1 WHERE id = i; END LOOP;",
        ),
        /rounds of this loop after the first/u,
      ],
    ];
    const blind = routine("FOR i IN 1..n LOOP UPDATE a SET v = i WHERE id = n; END LOOP;");
    assert.equal((await check(TABLES + blind, "pg:rc")).report.verdict, "safe");
    for (const [text, reason] of open) {
      const { report } = await check(TABLES + text, "pg:rc");
      assert.notEqual(report.verdict, "safe", text);
      assert.ok(
        report.unknown.some((each) => reason.test(each.reason)),
        text,
      );
    }
  });

  it("does not call safe what it did not understand", async () => {
    const { report } = await check(TABLES + script("odd", "SELEC v FROM a;"), "pg:rc");
    assert.equal(report.verdict, "unknown");
    assert.equal(report.unknown[0]?.range?.start.line, 6);
  });
});

describe("a session without a solver", () => {
  /** A pool that gives one answer to everything. */
  function pool(result: JobResult): SolvePool {
    return {
      warm: () => undefined,
      solve: () => Promise.resolve(result),
      dispose: () => Promise.resolve(),
    };
  }

  async function reasons(result: JobResult): Promise<readonly string[]> {
    const session = await openSession({ tool: "isolens test", pool: pool(result) });
    const text = TABLES + add("one", "a") + add("two", "a");
    const { report } = await session.checkWorkspace(
      { project: project(text), level: levelOf("si") },
      never(),
    );
    const other = await session.checkWorkspace(
      { project: project(text), level: levelOf("eventual") },
      never(),
    );
    assert.equal(other.report.verdict, "unknown");
    assert.deepEqual(report.anomalies, []);
    return other.report.unknown.map(
      ({ reason, transactions }) => `${reason}: ${transactions.join(", ")}`,
    );
  }

  it("says once that it is missing", async () => {
    const failure = { code: "missing", message: "no WebAssembly here" } as const;
    assert.deepEqual(await reasons({ kind: "failed", failure }), [
      "the solver is not available: no WebAssembly here: one, two",
    ]);
  });

  it("names the tuples on which it crashed", async () => {
    const failure = { code: "memory", message: "out of memory" } as const;
    const said = await reasons({ kind: "failed", failure });
    assert.ok(said.includes("out of memory: one, one"), said.join("\n"));
  });

  it("keeps what a solver could not decide", async () => {
    const results = [{ findings: [], undecided: ["resource limit"], queries: 1 }];
    const said = await reasons({ kind: "solved", results });
    assert.deepEqual(said.slice(0, 3), [
      "resource limit: one, one",
      "resource limit: one, two",
      "resource limit: two, two",
    ]);
  });
});
