// Transactions at levels of their own, and pairs that are kept serializable: from configuration and comments to the report.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { FileId } from "../../../server/src/protocol/source";
import type { Session } from "../../../server/src/service/session";
import { parseConfiguration } from "../../../server/src/workspace/configuration";
import type { WorkspaceCheck } from "../../../server/src/service/workspaceCheck";
import { openTestSession } from "./testSession";

const TABLES = `
CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE b (id integer PRIMARY KEY, v integer NOT NULL);
`;

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

interface Scene {
  readonly transactions: Readonly<Record<string, readonly string[]>>;
  readonly configuration: string;
}

async function checkScene({ transactions, configuration }: Scene): Promise<WorkspaceCheck> {
  const parsed = parseConfiguration(configuration);
  assert.deepEqual(parsed.problems, []);
  const scripts = Object.entries(transactions).map(
    ([name, lines]) => `\n-- @transaction ${name}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`,
  );
  const project = {
    // Any name will do for the only file.
    files: [{ file: "app.sql" as FileId, text: TABLES + scripts.join("") }],
    context: [],
    configuration: { ...parsed.configuration, budget: 60_000 },
  };
  return session.checkWorkspace({ project }, new AbortController().signal);
}

/** "lost-update: one, two" of each anomaly, sorted; all of them confirmed and nothing undecided. */
async function told(scene: Scene): Promise<readonly string[]> {
  const { report } = await checkScene(scene);
  assert.deepEqual(report.unknown, []);
  return report.anomalies
    .map(({ kind, transactions, status, reason }) => {
      assert.equal(status, "confirmed", reason);
      return `${kind}: ${[...transactions].sort().join(", ")}`;
    })
    .sort();
}

function levels(level: string, own: Readonly<Record<string, string>>, pairs: unknown = []): string {
  const transactions = Object.fromEntries(
    Object.entries(own).map(([name, each]) => [name, { level: each }]),
  );
  return JSON.stringify({ level, transactions, serializablePairs: pairs });
}

/** Reads and writes back. */
const ADD = ["SELECT v FROM a WHERE id = :id \\gset", "UPDATE a SET v = :v + 1 WHERE id = :id;"];
const READ_BOTH = [
  "SELECT v AS x FROM a WHERE id = :id \\gset",
  "SELECT v AS y FROM b WHERE id = :id \\gset",
];
const decide = (table: string): readonly string[] => [
  ...READ_BOTH,
  "\\if :x + :y > 0",
  `UPDATE ${table} SET v = -1 WHERE id = :id;`,
  "\\endif",
];

const LOST: Scene["transactions"] = { one: ADD, two: ADD };
const SKEW: Scene["transactions"] = { one: decide("a"), two: decide("b") };

interface Case {
  readonly name: string;
  readonly scene: Scene;
  readonly expected: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "an update at READ COMMITTED overwrites one at REPEATABLE READ",
    scene: {
      transactions: LOST,
      configuration: levels("pg:rc", { two: "pg:rr" }),
    },
    expected: ["lost-update: one, one", "lost-update: one, two"],
  },
  {
    name: "an update at READ COMMITTED overwrites one at SERIALIZABLE",
    scene: { transactions: LOST, configuration: levels("pg:ser", { one: "pg:rc" }) },
    expected: ["lost-update: one, one", "lost-update: one, two"],
  },
  {
    name: "REPEATABLE READ and SERIALIZABLE lose no update to each other",
    scene: { transactions: LOST, configuration: levels("pg:rr", { two: "pg:ser" }) },
    expected: [],
  },
  {
    name: "SERIALIZABLE on one side is no fix for write skew",
    scene: { transactions: SKEW, configuration: levels("pg:rr", { two: "pg:ser" }) },
    expected: ["write-skew: one, two"],
  },
  {
    name: "SERIALIZABLE on both sides is one, whoever else is there",
    scene: {
      transactions: { ...SKEW, other: ["UPDATE a SET v = v + 1 WHERE id = :id;"] },
      configuration: levels("pg:ser", { other: "pg:rr" }),
    },
    expected: [],
  },
  {
    name: "a writer at PSI is overwritten by one without conflict detection",
    scene: { transactions: LOST, configuration: levels("psi", { one: "causal" }) },
    expected: ["lost-update: one, one", "lost-update: one, two"],
  },
  {
    name: "serializability on one side is no fix for write skew in theory either",
    scene: { transactions: SKEW, configuration: levels("si", { two: "ser" }) },
    expected: ["write-skew: one, two"],
  },
  {
    name: "a pair that is kept serializable has no anomaly",
    scene: {
      transactions: LOST,
      configuration: levels("eventual", {}, [
        ["one", "two"],
        ["two", "two"],
      ]),
    },
    expected: ["lost-update: one, one"],
  },
  {
    name: "pairs hold beside levels of single transactions",
    scene: {
      transactions: SKEW,
      configuration: levels("si", { two: "causal" }, [["one", "two"]]),
    },
    expected: ["lost-update: two, two"],
  },
];

describe("levels per transaction", () => {
  for (const { name, scene, expected } of CASES)
    it(name, async () => {
      assert.deepEqual(await told(scene), expected);
    });

  it("takes no raised transaction for a fix", async () => {
    const { report } = await checkScene({
      transactions: SKEW,
      configuration: levels("pg:rr", { two: "pg:ser" }),
    });
    assert.deepEqual(
      report.anomalies.map(({ preventedBy, allowedAt }) => [preventedBy, allowedAt]),
      [[["postgres:serializable"], ["postgres:read-committed", "postgres:repeatable-read"]]],
    );
    assert.match(
      report.anomalies[0]?.message ?? "",
      /which no order leaves together: one and two each decide on .* \(write skew\)\.$/,
    );
    const paper = await checkScene({
      transactions: SKEW,
      configuration: levels("causal", { two: "psi" }),
    });
    const both = paper.report.anomalies.find(
      ({ transactions }) => new Set(transactions).size === 2,
    );
    assert.deepEqual(both?.preventedBy, ["serializable"]);
  });

  it("reads SQL's own words in comments as levels of the product", async () => {
    const { report, program } = await checkScene({
      transactions: {
        one: ["-- @isolens level serializable", ...decide("a")],
        two: ["-- @isolens level repeatable read", ...decide("b")],
      },
      configuration: "{}",
    });
    assert.deepEqual(program.notes, []);
    assert.deepEqual(report.levels.perTransaction, {
      one: "postgres:serializable",
      two: "postgres:repeatable-read",
    });
  });

  it("says which levels and pairs held", async () => {
    const { report } = await checkScene({
      transactions: LOST,
      configuration: levels("psi", { two: "causal" }, [["two", "one"]]),
    });
    assert.deepEqual(report.levels, {
      default: "parallel-snapshot-isolation",
      perTransaction: { one: "parallel-snapshot-isolation", two: "causal" },
      serializablePairs: [["one", "two"]],
    });
  });

  it("names pairs that mean nothing, with their place", async () => {
    const names = await checkScene({
      transactions: LOST,
      configuration: '{ "level": "psi",\n  "serializablePairs": [["one", "twoo"]] }',
    });
    assert.deepEqual(names.remarks, [
      'isolens.json:2:25: the configuration names the transaction "twoo", which does not occur; did you mean "two"?',
    ]);
    const product = await checkScene({
      transactions: LOST,
      configuration: '{ "serializablePairs": [["one", "two"]] }',
    });
    assert.deepEqual(product.remarks, [
      'isolens.json:1:25: "serializablePairs" has no effect at postgres:read-committed; it means something at the papers\' levels',
    ]);
    assert.equal(product.report.levels.serializablePairs, undefined);
  });
});
