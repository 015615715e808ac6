// Verdicts at PostgreSQL's levels for small programs, most of them settled by theory or on real servers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { planProduct, solveProduct } from "../../../server/src/analysis/search/products/backend";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { PRODUCT_LEVELS } from "../../../server/src/isolation/levels";
import type { FileId } from "../../../server/src/protocol/source";

const solvers = openZ3();

const TABLES = `
CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE u (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE doctor (id integer PRIMARY KEY, shift integer NOT NULL, oncall boolean NOT NULL);
CREATE TABLE booking (id integer PRIMARY KEY, room integer NOT NULL);
CREATE TABLE hits (name text PRIMARY KEY, n integer NOT NULL);
CREATE TABLE person (id serial PRIMARY KEY, email text NOT NULL UNIQUE);
CREATE TABLE purse (id integer PRIMARY KEY, v integer NOT NULL CHECK (v >= 0));
CREATE TABLE child (id integer PRIMARY KEY, parent integer NOT NULL REFERENCES t (id));
CREATE TABLE log (what text);
`;

/** Pairs (and larger sets) with the worst severity of their anomalies: "a+b state". */
async function verdictsAt(
  transactions: Readonly<Record<string, string>>,
  levelName: string,
  most = 2,
): Promise<readonly string[]> {
  const scripts = Object.entries(transactions).map(
    ([name, body]) => `-- @transaction ${name}\nBEGIN;\n${body}\nCOMMIT;\n`,
  );
  // Any name will do for the only file.
  const file = { file: "test.sql" as FileId, text: TABLES + scripts.join("") };
  const program = readProgram([file], {});
  assert.equal(program.transactions.length, scripts.length);
  const flat = flattenProgram(program, { unroll: 1 });
  const level = PRODUCT_LEVELS.find((each) => each.name === levelName);
  assert.ok(level);
  const order = ["unused", "value", "state"];
  const worst = new Map<string, string>();
  for (let size = 2; size <= most; size += 1)
    for (const unit of planProduct(flat, level, size)) {
      const limits = { resourceLimit: 5_000_000, maxFindings: 10, stopped: () => false };
      const result = solveProduct(await solvers, program, flat, level, unit, limits);
      assert.deepEqual(result.undecided, []);
      for (const { confirmation } of result.findings) {
        assert.equal(confirmation.status, "confirmed", confirmation.reason);
        const names = confirmation.witness.instances.map((each) => each.transaction);
        const key = names.sort().join("+");
        const severity = confirmation.severity ?? "";
        if (order.indexOf(severity) > order.indexOf(worst.get(key) ?? "")) worst.set(key, severity);
      }
    }
  return [...worst].map(([key, severity]) => `${key} ${severity}`).sort();
}

interface Case {
  readonly transactions: Readonly<Record<string, string>>;
  readonly committed: readonly string[];
  readonly repeatable: readonly string[];
}

function check(name: string, expectation: Case): void {
  test(name, async () => {
    const { transactions, committed, repeatable } = expectation;
    assert.deepEqual(await verdictsAt(transactions, "postgres:read-committed"), committed);
    assert.deepEqual(await verdictsAt(transactions, "postgres:repeatable-read"), repeatable);
    assert.deepEqual(await verdictsAt(transactions, "postgres:serializable"), []);
  });
}

const SPLIT = "SELECT v FROM t WHERE id = :id \\gset\nUPDATE t SET v = :v + 1 WHERE id = :id;";
const ATOMIC = "UPDATE t SET v = v + 1 WHERE id = :id;";

check("a read and a write lose an update", {
  transactions: { split: SPLIT },
  committed: ["split+split state"],
  repeatable: [],
});

check("an atomic increment loses nothing, unless the other side reads first", {
  transactions: { atomic: ATOMIC, split: SPLIT },
  committed: ["atomic+split state", "split+split state"],
  repeatable: [],
});

check("FOR UPDATE protects a read and a write", {
  transactions: {
    locked:
      "SELECT v FROM t WHERE id = :id FOR UPDATE \\gset\nUPDATE t SET v = :v + 1 WHERE id = :id;",
  },
  committed: [],
  repeatable: [],
});

check("FOR SHARE on both sides protects as well, by deadlocks", {
  transactions: {
    shared:
      "SELECT v FROM t WHERE id = :id FOR SHARE \\gset\nUPDATE t SET v = :v + 1 WHERE id = :id;",
  },
  committed: [],
  repeatable: [],
});

check("a condition in the UPDATE itself is decided on the newest row", {
  transactions: { spend: "UPDATE t SET v = v - :n WHERE id = :id AND v >= :n;" },
  committed: [],
  repeatable: [],
});

check("two reads of one row may differ at READ COMMITTED", {
  transactions: {
    twice: "SELECT v FROM t WHERE id = :id;\nSELECT v FROM t WHERE id = :id;",
    atomic: ATOMIC,
  },
  committed: ["atomic+twice value"],
  repeatable: [],
});

check("read skew over two tables", {
  transactions: {
    both: "SELECT v FROM t WHERE id = :id;\nSELECT v FROM u WHERE id = :id;",
    move: "UPDATE t SET v = v - :n WHERE id = :id;\nUPDATE u SET v = v + :n WHERE id = :id;",
  },
  committed: ["both+move value"],
  repeatable: [],
});

check("write skew", {
  transactions: {
    take: "SELECT v AS a FROM t WHERE id = :id \\gset\nSELECT v AS b FROM u WHERE id = :id \\gset\n\\if :a + :b >= :n\nUPDATE t SET v = v - :n WHERE id = :id;\n\\endif",
    draw: "SELECT v AS a FROM t WHERE id = :id \\gset\nSELECT v AS b FROM u WHERE id = :id \\gset\n\\if :a + :b >= :n\nUPDATE u SET v = v - :n WHERE id = :id;\n\\endif",
  },
  committed: ["draw+draw state", "draw+take state", "take+take state"],
  repeatable: ["draw+take state"],
});

check("an UPDATE by condition misses rows that come to match", {
  transactions: {
    range: "UPDATE t SET v = v + 100 WHERE v >= 20;",
    swap: "UPDATE t SET v = v + 10 WHERE id = :a;\nUPDATE t SET v = v - 10 WHERE id = :b;",
  },
  committed: ["range+swap state"],
  repeatable: [],
});

check("a count decides about an insertion: phantoms", {
  transactions: {
    book: "SELECT count(*) AS n FROM booking WHERE room = :room \\gset\n\\if :n = 0\nINSERT INTO booking (id, room) VALUES (:id, :room);\n\\endif",
  },
  committed: ["book+book state"],
  repeatable: ["book+book state"],
});

check("a count decides about a change: on call", {
  transactions: {
    leave:
      "SELECT count(*) AS n FROM doctor WHERE shift = :shift AND oncall \\gset\n\\if :n >= 2\nUPDATE doctor SET oncall = false WHERE id = :id AND shift = :shift;\n\\endif",
  },
  committed: ["leave+leave state"],
  repeatable: ["leave+leave state"],
});

check("an upsert counts every hit", {
  transactions: {
    hit: "INSERT INTO hits (name, n) VALUES (:name, 1) ON CONFLICT (name) DO UPDATE SET n = hits.n + 1;",
  },
  committed: [],
  repeatable: [],
});

check("a unique key keeps a second registration out", {
  transactions: {
    register:
      "SELECT count(*) AS n FROM person WHERE email = :email \\gset\n\\if :n = 0\nINSERT INTO person (email) VALUES (:email);\n\\endif",
  },
  committed: [],
  repeatable: [],
});

check("a CHECK constraint stops what would break it", {
  transactions: { pay: "UPDATE purse SET v = v - :n WHERE id = :id;" },
  committed: [],
  repeatable: [],
});

check("rows that are only added are in nobody's way", {
  transactions: { note: "INSERT INTO log (what) VALUES (:what);" },
  committed: [],
  repeatable: [],
});

check("a rollback after a write leaves nothing to see", {
  transactions: {
    undo: "UPDATE t SET v = v + 1 WHERE id = :id;\nROLLBACK;",
    twice: "SELECT v FROM t WHERE id = :id;\nSELECT v FROM t WHERE id = :id;",
  },
  committed: [],
  repeatable: [],
});

check("a foreign key asks for its parent's existence and nothing else", {
  transactions: {
    adopt:
      "SELECT v FROM t WHERE id = :parent;\nINSERT INTO child (id, parent) VALUES (:id, :parent);",
    raise: "UPDATE t SET v = v + 1 WHERE id = :id;",
  },
  committed: [],
  repeatable: [],
});

check("a change between a check and an insertion is not the foreign key's business", {
  transactions: {
    adopt:
      "SELECT v FROM t WHERE id = :parent \\gset\n\\if :v > 0\nINSERT INTO child (id, parent) VALUES (:id, :parent);\n\\endif",
    close:
      "SELECT count(*) AS n FROM child WHERE parent = :id \\gset\n\\if :n = 0\nUPDATE t SET v = 0 WHERE id = :id;\n\\endif",
  },
  committed: ["adopt+close state"],
  repeatable: ["adopt+close state"],
});

check("two instances never take both branches of one decision", {
  transactions: {
    branch:
      "\\if :which > 0\nSELECT v FROM t WHERE id = :id;\n\\else\nUPDATE u SET v = v + 1 WHERE id = :id;\n\\endif",
    mirror: "SELECT v FROM u WHERE id = :id;\nUPDATE t SET v = v + 1 WHERE id = :id;",
  },
  committed: [],
  repeatable: [],
});

test("a transaction that only reads may show what no order gives: three at REPEATABLE READ", async () => {
  const balances = "SELECT v FROM t WHERE id = :id;\nSELECT v FROM u WHERE id = :id;";
  const transactions = {
    report: balances,
    deposit: "UPDATE t SET v = v + :n WHERE id = :id;",
    withdraw:
      "SELECT v AS a FROM t WHERE id = :id \\gset\nSELECT v AS b FROM u WHERE id = :id \\gset\n\\if :a + :b < :n\nUPDATE u SET v = v - :n - 1 WHERE id = :id;\n\\else\nUPDATE u SET v = v - :n WHERE id = :id;\n\\endif",
  };
  assert.deepEqual(await verdictsAt(transactions, "postgres:repeatable-read", 3), [
    "deposit+report+withdraw value",
  ]);
});

test("what was read whole is asked about first, and short transactions before long ones", () => {
  const step =
    "SELECT v AS a FROM t WHERE id = :id \\gset\nUPDATE t SET v = :a + 1 WHERE id = :id;\n";
  const text = [
    TABLES,
    `-- @transaction lossy\nBEGIN;\n${step}SELECT mystery(v) FROM t WHERE unheard_of(v);\nCOMMIT;`,
    `-- @transaction long\nBEGIN;\n${step.repeat(10)}COMMIT;`,
    `-- @transaction short\nBEGIN;\n${step}COMMIT;`,
  ].join("\n");
  // A file id of tests.
  const program = readProgram([{ file: "a.sql" as FileId, text }], {});
  const flat = flattenProgram(program, { unroll: 1 });
  assert.deepEqual(
    flat.transactions.map(({ losses }) => losses.length > 0),
    [true, false, false],
  );
  const level = PRODUCT_LEVELS.find(({ name }) => name === "postgres:read-committed");
  assert.ok(level);
  const alone = planProduct(flat, level, 2).filter(({ transactions: [a, b] }) => a === b);
  assert.deepEqual(
    alone.map(({ transactions: [each = -1] }) => flat.transactions[each]?.id),
    ["short", "long", "lossy"],
  );
});

test("long transactions that meet are asked about without comparing what they do, unless their level forbids it", () => {
  const steps = (table: string): string =>
    Array.from(
      { length: 40 },
      (_, id) => `UPDATE ${table} SET v = v + 1 WHERE id = ${String(id)};\n`,
    ).join("");
  const text = [
    TABLES,
    `-- @transaction first\nBEGIN;\n${steps("t")}COMMIT;`,
    `-- @transaction second\nBEGIN;\n${steps("t")}COMMIT;`,
    `-- @transaction apart\nBEGIN;\n${steps("u")}COMMIT;`,
  ].join("\n");
  // A file id of tests.
  const program = readProgram([{ file: "a.sql" as FileId, text }], {});
  const flat = flattenProgram(program, { unroll: 1 });
  const pairsAt = (name: string): readonly string[] => {
    const level = PRODUCT_LEVELS.find((each) => each.name === name);
    assert.ok(level);
    const named = (at: number): string => flat.transactions[at]?.id ?? "";
    return planProduct(flat, level, 2)
      .map(({ transactions }) => transactions.map(named).join("+"))
      .sort();
  };
  const meeting = ["first+first", "first+second", "second+first", "second+second"];
  assert.deepEqual(pairsAt("postgres:read-committed"), ["apart+apart", ...meeting]);
  assert.deepEqual(pairsAt("postgres:serializable"), []);
});
