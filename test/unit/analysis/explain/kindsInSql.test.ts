// Each kind of anomaly by a smallest program: found and named at a level that lets it through, gone at a stronger one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ANOMALY_KINDS } from "../../../../server/src/analysis/explain/kinds/kinds";
import { analyse, sql } from "../../truth/analyse";

interface Case {
  readonly kind: string;
  /** A level that lets it through, and one that does not. */
  readonly levels: readonly [string, string];
  /** Each transaction's statements over t(id, v); a last ROLLBACK ends it. */
  readonly transactions: readonly string[];
}

const read = (id: number, name: string): string =>
  `SELECT v AS ${name} FROM t WHERE id = ${id} \\gset`;
const show = (id: number): string => `SELECT v FROM t WHERE id = ${id};`;
const write = (id: number, value: string): string => `UPDATE t SET v = ${value} WHERE id = ${id};`;
const count = "SELECT count(*) FROM t WHERE v >= 15;";

const RU = "mariadb:read-uncommitted";
const RC = "postgres:read-committed";
const RR = "postgres:repeatable-read";
const SERIALIZABLE = "postgres:serializable";

const CASES: readonly Case[] = [
  {
    kind: "dirty-write",
    levels: ["eventual", "read-committed"],
    transactions: [write(1, "11") + write(2, "21"), write(1, "12") + write(2, "22")],
  },
  {
    kind: "aborted-read",
    levels: [RU, "mariadb:read-committed"],
    transactions: [`${write(1, "101")} ROLLBACK;`, show(1)],
  },
  {
    kind: "intermediate-read",
    levels: ["sqlserver:read-uncommitted", "sqlserver:read-committed"],
    transactions: [write(1, "101") + write(1, "11"), show(1)],
  },
  {
    kind: "circular-information-flow",
    levels: ["mysql:read-uncommitted", "mysql:read-committed"],
    transactions: [write(1, "11") + show(2), write(2, "22") + show(1)],
  },
  {
    kind: "observed-transaction-vanishes",
    levels: [RU, "mariadb:read-committed"],
    // The second row is looked at only where the first one showed the writer.
    transactions: [
      write(1, "7") + write(2, "8"),
      `${read(1, "seen")}\n\\if :seen = 7\n${show(2)}\n\\endif`,
    ],
  },
  {
    kind: "fractured-read",
    levels: ["sqlserver:read-committed", "sqlserver:read-committed-snapshot"],
    transactions: ["SELECT sum(v) FROM t;", write(2, "v - 5") + write(1, "v + 5")],
  },
  {
    kind: "non-repeatable-read",
    levels: [RC, RR],
    transactions: [show(1) + show(1), write(1, "7")],
  },
  {
    kind: "read-skew",
    levels: [RC, RR],
    transactions: [show(1) + show(2), write(1, "v - 5") + write(2, "v + 5")],
  },
  {
    kind: "lost-update",
    levels: [RC, RR],
    transactions: [
      `${read(1, "a")}\n${write(1, ":a + 1")}`,
      `${read(1, "a")}\n${write(1, ":a + 2")}`,
    ],
  },
  {
    kind: "phantom",
    levels: ["sqlserver:repeatable-read", "sqlserver:serializable"],
    transactions: [count + count, "INSERT INTO t (id, v) VALUES (3, 30);"],
  },
  {
    kind: "predicate-many-preceders",
    levels: [RC, "oracle:read-committed"],
    transactions: [write(2, "30") + write(1, "20"), "DELETE FROM t WHERE v = 20;"],
  },
  {
    kind: "write-skew",
    levels: [RR, SERIALIZABLE],
    transactions: [`${read(2, "b")}\n${write(1, ":b")}`, `${read(1, "a")}\n${write(2, ":a")}`],
  },
  {
    kind: "predicate-write-skew",
    levels: [RR, SERIALIZABLE],
    transactions: [
      `${count} INSERT INTO t (id, v) VALUES (3, 30);`,
      `${count} INSERT INTO t (id, v) VALUES (4, 40);`,
    ],
  },
  {
    kind: "read-only-anomaly",
    levels: [RR, SERIALIZABLE],
    // Fekete, O'Neil and O'Neil: a deposit, a withdrawal with a charge, and a report.
    transactions: [
      write(2, "v + 20"),
      `${read(1, "x")}\n${read(2, "y")}\n\\if :x + :y < 10\n${write(1, "v - 11")}\n\\else\n${write(1, "v - 10")}\n\\endif`,
      show(1) + show(2),
    ],
  },
  {
    kind: "causality-violation",
    levels: ["read-atomic", "causal"],
    transactions: [write(1, "11"), `${read(1, "a")}\n${write(2, ":a")}`, show(2) + show(1)],
  },
  {
    kind: "long-fork",
    levels: ["parallel-snapshot-isolation", "snapshot-isolation"],
    transactions: [write(1, "11"), write(2, "21"), show(1) + show(2)],
  },
  {
    kind: "serialization-anomaly",
    levels: [RR, SERIALIZABLE],
    transactions: [
      `${read(1, "a")}\n${write(2, ":a + 1")}`,
      `${read(2, "a")}\n${write(3, ":a + 1")}`,
      `${read(3, "a")}\n${write(1, ":a + 1")}`,
    ],
  },
];

for (const { kind, levels, transactions } of CASES)
  test(`${kind}: at ${levels[0]}, not at ${levels[1]}`, async () => {
    const scripts = transactions.map((body, at) => {
      const end = body.endsWith("ROLLBACK;") ? "" : "\nCOMMIT;";
      return `-- @transaction t${at + 1}\nBEGIN;\n${body}${end}`;
    });
    const files = [
      sql(["CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);", ...scripts].join("\n")),
    ];
    const size = kind === "long-fork" ? 4 : Math.max(2, transactions.length);
    const weak = await analyse(files, levels[0], size);
    const found = weak.anomalies.filter((each) => each.status === "confirmed");
    const kinds = found.map((each) => each.kind);
    assert.ok(kinds.includes(kind), `found: ${kinds.join(", ")}`);
    for (const anomaly of found) {
      // A dirty read has no cycle, everything else has one.
      const dirty = ANOMALY_KINDS.find((each) => each.name === anomaly.kind)?.of === "dirty-read";
      assert.equal(anomaly.cycle.length === 0, dirty);
      assert.equal(anomaly.dirtyRead !== undefined, dirty);
      if (!dirty) continue;
      const read = anomaly.steps.find((each) => each.instance === anomaly.dirtyRead?.to.instance);
      assert.match(
        read?.because ?? "",
        /^it sees what T1 wrote and has not committed, which .+ later$/,
      );
    }
    const strong = await analyse(files, levels[1], size);
    assert.deepEqual(
      strong.anomalies.filter((each) => each.kind === kind),
      [],
    );
  });

test("every kind has its program", () => {
  assert.deepEqual(
    CASES.map((each) => each.kind).sort(),
    ANOMALY_KINDS.map((each) => each.name).sort(),
  );
});

test("a counter that two raise alike at MySQL is a lost update: the second finds its value there already", async () => {
  const text = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction t1
BEGIN;
${read(1, "a")}
${write(1, ":a + 1")}
COMMIT;`;
  const { anomalies } = await analyse([sql(text)], "mysql:repeatable-read", 2);
  const [anomaly] = anomalies;
  assert.equal(anomaly?.kind, "lost-update");
  const effects = anomaly?.steps.map((each) => each.effect) ?? [];
  const kept = "leaves t[1] as it is: the values are there already";
  assert.ok(
    effects.some((each) => each.startsWith(kept)),
    effects.join("; "),
  );
});

test("a column that a transaction only reads is not said to be overwritten by it", async () => {
  const text = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL, w integer NOT NULL, n integer NOT NULL);
-- @transaction t1
BEGIN;
${read(1, "a")}
UPDATE t SET w = :a, n = 1 WHERE id = 1;
COMMIT;
-- @transaction t2
BEGIN;
UPDATE t SET v = 7, n = 2 WHERE id = 1;
COMMIT;`;
  const { anomalies } = await analyse([sql(text)], RC, 2);
  const told = anomalies.filter(({ status }) => status === "confirmed").map((each) => each.message);
  assert.ok(told.length > 0);
  for (const each of told) assert.doesNotMatch(each, /overwrites t\.v/u);
  assert.ok(
    told.some((each) =>
      each.includes("decides on t.v as it was before t2, then changes the same row"),
    ),
    told.join("; "),
  );
});

test("a column that is written from an old value is a lost update, also where its version is counted in place", async () => {
  const text = `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL, version integer NOT NULL);
-- @transaction t1
BEGIN;
${read(1, "a")}
UPDATE t SET v = :a + 1, version = version + 1 WHERE id = 1;
COMMIT;`;
  const { anomalies } = await analyse([sql(text)], RC, 2);
  assert.deepEqual(
    anomalies.map((each) => each.kind),
    ["lost-update"],
  );
});
