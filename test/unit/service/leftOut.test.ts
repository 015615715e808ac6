// The gaps of a level's rules are told with the anomalies whose statements use them, at the statement; and statements
// that were not understood exactly leave the verdict open, by name.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findLevel } from "../../../server/src/isolation/levels";
import type { LevelReport } from "../../../server/src/protocol/report";
import type { FileId } from "../../../server/src/protocol/source";
import type { Session } from "../../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { openTestSession } from "./testSession";

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

const TABLES =
  "CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL, g integer NOT NULL); " +
  "CREATE TABLE b (id integer PRIMARY KEY, v integer NOT NULL);\n";

/** Transactions begin at lines 2, 12, 22, ... of the file; `lines` follow BEGIN. */
function script(transactions: readonly (readonly string[])[]): string {
  const parts = transactions.map((lines, at) => {
    const text = [`-- @transaction t${String(at)}`, "BEGIN;", ...lines, "COMMIT;"];
    return [...text, ...Array<string>(10 - text.length).fill("")].join("\n");
  });
  return TABLES + parts.join("\n");
}

async function check(level: string, text: string): Promise<LevelReport> {
  const found = findLevel(level);
  assert.ok(found);
  const project = {
    files: [{ file: "app.sql" as FileId, text }],
    context: [],
    configuration: { ...DEFAULT_CONFIGURATION, maxTransactions: 2, budget: 60_000 },
  };
  const { report } = await session.checkWorkspace(
    { project, level: found },
    new AbortController().signal,
  );
  return report;
}

/** "line words" of what is left out, over all anomalies. */
async function leftOut(
  level: string,
  transactions: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const { anomalies } = await check(level, script(transactions));
  assert.ok(anomalies.length > 0, "an anomaly");
  const all = anomalies.flatMap((anomaly) => anomaly.leftOut ?? []);
  return [
    ...new Set(all.map(({ reason, range }) => `${String(range.start.line + 1)} ${reason}`)),
  ].sort();
}

const READ = "SELECT v AS x FROM a WHERE id = 1 \\gset";
const ADD = "UPDATE a SET v = :x + 1 WHERE id = 1;";
const SKEWED = [
  ["SELECT v AS y FROM b WHERE id = 1 \\gset", "UPDATE a SET v = :y + 1 WHERE id = 1;"],
] as const;

interface Case {
  readonly name: string;
  readonly level: string;
  readonly transactions: readonly (readonly string[])[];
  /** How the lines begin. */
  readonly says: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "nothing at plain reads and writes by key",
    level: "pg:rc",
    transactions: [[READ, ADD]],
    says: [],
  },
  {
    name: "nothing at levels of axioms",
    level: "causal",
    transactions: [[READ, "UPDATE a SET v = :x + (SELECT count(*) FROM b) WHERE g = 1;"]],
    says: [],
  },
  {
    name: "subqueries of changes",
    level: "pg:rc",
    transactions: [
      ["UPDATE a SET v = v + (SELECT sum(v) FROM b) WHERE id = 1;"],
      ["UPDATE b SET v = v + (SELECT sum(v) FROM a) WHERE id = 1;"],
    ],
    says: ["4 how subqueries"],
  },
  {
    name: "returning to a savepoint, for which others wait",
    level: "oracle:read-committed",
    transactions: [
      [
        READ,
        "SAVEPOINT s;",
        "UPDATE a SET v = 5 WHERE id = 2;",
        "ROLLBACK TO s;",
        "UPDATE b SET v = :x WHERE id = 1;",
      ],
      ...SKEWED,
    ],
    says: ["7 who waits for a lock"],
  },
  {
    name: "nothing where savepoints give up locks as the server does",
    level: "pg:rc",
    transactions: [
      [
        READ,
        "SAVEPOINT s;",
        "UPDATE a SET v = 5 WHERE id = 2;",
        "ROLLBACK TO s;",
        "UPDATE b SET v = :x WHERE id = 1;",
      ],
      ...SKEWED,
    ],
    says: [],
  },
  {
    name: "values of sequences",
    level: "pg:rc",
    transactions: [
      [
        "SELECT count(*) AS n FROM a WHERE g = 3 \\gset",
        "INSERT INTO a VALUES (nextval('s'), :n, 3);",
      ],
    ],
    says: ["5 values of sequences"],
  },
  {
    name: "errors of INSERT in MySQL",
    level: "mariadb:rc",
    transactions: [
      ["SELECT count(*) AS n FROM a WHERE g = 3 \\gset", "INSERT INTO a VALUES (:k, :n, 3);"],
    ],
    says: ["5 an error of this INSERT"],
  },
  {
    name: "indexes and the order of locks, where what is searched is locked",
    level: "mariadb:rr",
    transactions: [[READ, "UPDATE a SET v = :x + 1 WHERE g = 3;"]],
    says: ["5 locks and gaps of indexes", "5 rows are locked in the order"],
  },
  {
    name: "lock escalation",
    level: "sqlserver:rcsi",
    transactions: [[READ, "UPDATE a SET v = :x + 1 WHERE g = 3;"]],
    says: ["5 SQL Server may replace", "5 rows are locked in the order"],
  },
];

describe("what the rules of a level leave out", () => {
  for (const { name, level, transactions, says } of CASES)
    it(`${name} (${level})`, async () => {
      // The search chooses whether a run waits.
      const told = (await leftOut(level, transactions)).filter(
        (each) => !/^\d+ waits end/u.test(each),
      );
      assert.equal(told.length, says.length, told.join("\n"));
      says.forEach((start, at) => {
        assert.ok(told[at]?.startsWith(start), `${told[at] ?? ""}: ${start}`);
      });
    });

  it("is told of runs that wait, at the statement that waits", async () => {
    const blind = ["UPDATE a SET v = 1 WHERE id = 1;", "UPDATE a SET v = v + 1 WHERE id = 2;"];
    const { anomalies } = await check(
      "pg:rc",
      script([
        ["SELECT v AS y FROM a WHERE id = 2 \\gset", ...blind, "UPDATE b SET v = :y WHERE id = 1;"],
      ]),
    );
    for (const { steps, leftOut: said = [] } of anomalies) {
      const waits = steps.some(({ waitedFor }) => waitedFor !== undefined);
      assert.equal(
        said.some(({ reason }) => reason.startsWith("waits end")),
        waits,
      );
    }
    assert.ok(anomalies.length > 0);
  });
});

describe("statements that are not understood exactly", () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      "a trigger",
      [READ, "UPDATE a SET g = 1 WHERE id = 1;"],
      /^the trigger t: its function f is not known/u,
    ],
    ["an unknown statement", ["CALL other();", "UPDATE b SET v = 1 WHERE id = 1;"], /./u],
  ];
  for (const [name, lines, reason] of cases)
    it(`${name}: the verdict stays open, the statement is named`, async () => {
      const trigger =
        name === "a trigger"
          ? "\nCREATE TRIGGER t AFTER UPDATE ON a FOR EACH ROW EXECUTE FUNCTION f();"
          : "";
      const { verdict, unknown } = await check("pg:ser", script([lines]) + trigger);
      assert.equal(verdict, "unknown");
      const said = unknown.find((each) => reason.test(each.reason));
      assert.ok(said, JSON.stringify(unknown));
      assert.ok(said.range, "a place");
    });
});
