// The gaps of the papers' levels: settled facts about small programs, each found, executed and classified.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { planPapers, solvePapers } from "../../../server/src/analysis/search/literature/backend";
import { openZ3 } from "../../../server/src/engine/z3";
import type { Z3 } from "../../../server/src/engine/z3";
import type { PaperLevelName } from "../../../server/src/isolation/levels";
import { LIMITS, fromApp, fromSql, levelOf, minimalSets, search } from "./papersHarness";
import type { Subject } from "./papersHarness";

let z3: Z3;

before(async () => {
  z3 = await openZ3();
});

after(() => {
  z3.dispose();
});

const ORDER: readonly PaperLevelName[] = [
  "eventual",
  "read-committed",
  "read-atomic",
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
];

const UP_TO_READ_COMMITTED = ORDER.slice(0, 2);
const UP_TO_PREFIX = ORDER.slice(0, 5);

/** The one anomaly of that pair: its tables and levels. Other pairs of the program are not asked about. */
function check(
  subject: Subject,
  expected: {
    readonly pair: string;
    readonly tables: string;
    readonly allowedAt: readonly string[];
  },
): void {
  const found = search(z3, subject, "eventual", 2);
  assert.deepEqual(
    found
      .filter(({ names }) => names === expected.pair)
      .map(({ names, finding }) => ({
        pair: names,
        tables: finding.tables.join(" "),
        allowedAt: finding.allowedAt,
      })),
    [expected],
  );
  const one = found.find(({ names }) => names === expected.pair);
  const prevented = one?.finding.preventedBy ?? [];
  assert.deepEqual(
    [...expected.allowedAt, ...prevented].sort(),
    [...ORDER, "serializable"].sort(),
    "every level is decided",
  );
}

function checkNone(subject: Subject, level: PaperLevelName, size = 2): void {
  assert.deepEqual(minimalSets(search(z3, subject, level, size)), []);
}

const T = "CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL, w integer NOT NULL);\n";
const U = "CREATE TABLE u (id integer PRIMARY KEY, v integer NOT NULL);\n";

function script(name: string, ...statements: string[]): string {
  return `-- @transaction ${name}\nBEGIN;\n${statements.join("\n")}\nCOMMIT;\n`;
}

const WITHDRAW = fromSql(
  T +
    script(
      "withdraw",
      "SELECT v FROM t WHERE id = :id \\gset",
      "\\if :v >= :amount",
      "UPDATE t SET v = :v - :amount WHERE id = :id;",
      "\\endif",
    ),
);

const SKEW = fromSql(
  T +
    script(
      "take",
      "SELECT v FROM t WHERE id = :mine \\gset mine_",
      "SELECT v FROM t WHERE id = :other \\gset other_",
      "\\if :mine_v + :other_v > 0",
      "UPDATE t SET v = :mine_v - 1 WHERE id = :mine;",
      "\\endif",
    ).replace("BEGIN", "-- @isolens distinct mine, other\nBEGIN"),
);

describe("truth: bank", () => {
  test("row 1: withdraw loses updates up to prefix", () => {
    check(WITHDRAW, { pair: "withdraw withdraw", tables: "t", allowedAt: UP_TO_PREFIX });
  });

  test("row 2: withdraw is safe at PSI and SI, with two and three", () => {
    for (const level of ["parallel-snapshot-isolation", "snapshot-isolation"] as const) {
      checkNone(WITHDRAW, level, 2);
      checkNone(WITHDRAW, level, 3);
    }
  });
});

describe("truth: SmallBank", () => {
  const benchmark = fromApp("smallbank");

  test("row 5: twelve pairs at eventual, none with Balance", () => {
    const pairs = minimalSets(search(z3, benchmark, "eventual", 2));
    const letters = pairs.map((pair) =>
      pair
        .split(" ")
        .map((name) => name.slice(0, 1))
        .join(""),
    );
    assert.deepEqual(letters, [
      "AA",
      "AD",
      "AS",
      "AT",
      "AW",
      "DD",
      "DS",
      "DW",
      "SS",
      "SW",
      "TT",
      "WW",
    ]);
  });

  test("row 4: benchmark form at SI", () => {
    const pairs = search(z3, benchmark, "snapshot-isolation", 2);
    assert.deepEqual(minimalSets(pairs), ["Amalgamate Amalgamate", "Amalgamate WriteCheck"]);
    const triples = search(z3, benchmark, "snapshot-isolation", 3);
    assert.deepEqual(minimalSets(triples, pairs), [
      "Amalgamate Balance DepositChecking",
      "Amalgamate Balance SendPayment",
      "Amalgamate Balance TransactSavings",
      "Balance TransactSavings WriteCheck",
    ]);
  });

  test("row 3: classic form at SI has no pair and exactly one triple", () => {
    const classic = fromSql(CLASSIC);
    const pairs = search(z3, classic, "snapshot-isolation", 2);
    assert.deepEqual(minimalSets(pairs), []);
    const triples = search(z3, classic, "snapshot-isolation", 3);
    assert.deepEqual(minimalSets(triples, pairs), ["Balance TransactSavings WriteCheck"]);
  });
});

describe("truth: row 6, nothing is planned at serializable", () => {
  for (const name of ["smallbank", "micro", "inventory"]) {
    test(name, () => {
      const { flat } = fromApp(name);
      assert.deepEqual(planPapers(flat, levelOf("serializable"), 2), []);
      assert.deepEqual(planPapers(flat, levelOf("serializable"), 3), []);
    });
  }
});

describe("truth: row 14, micro programs", () => {
  test("lost update", () => {
    const subject = fromSql(
      T +
        script(
          "add",
          "SELECT v FROM t WHERE id = :id \\gset",
          "UPDATE t SET v = :v + 1 WHERE id = :id;",
        ),
    );
    check(subject, { pair: "add add", tables: "t", allowedAt: UP_TO_PREFIX });
  });

  test("an increment in one statement loses updates as well, up to prefix", () => {
    const subject = fromSql(T + script("add", "UPDATE t SET v = v + 1 WHERE id = :id;"));
    check(subject, { pair: "add add", tables: "t", allowedAt: UP_TO_PREFIX });
  });

  test("write skew everywhere below serializable", () => {
    check(SKEW, { pair: "take take", tables: "t", allowedAt: ORDER });
  });

  test("non-repeatable read at read committed and below", () => {
    const subject = fromSql(
      T +
        script("twice", "SELECT v FROM t WHERE id = :id;", "SELECT v FROM t WHERE id = :id;") +
        script("set", "UPDATE t SET v = :value WHERE id = :id;"),
    );
    check(subject, { pair: "set twice", tables: "t", allowedAt: UP_TO_READ_COMMITTED });
  });

  test("dirty read only at eventual", () => {
    const subject = fromSql(
      T +
        script(
          "write",
          "UPDATE t SET v = :a WHERE id = :id;",
          "UPDATE t SET v = :b WHERE id = :id;",
        ) +
        script("read", "SELECT v FROM t WHERE id = :id;"),
    );
    check(subject, { pair: "read write", tables: "t", allowedAt: ["eventual"] });
  });

  test("half a transaction in one statement, only at eventual", () => {
    const subject = fromSql(
      T +
        U +
        script(
          "write",
          "UPDATE t SET v = :a WHERE id = :id;",
          "UPDATE u SET v = :a WHERE id = :id;",
        ) +
        script("read", "SELECT t.v, u.v AS uv FROM t JOIN u ON u.id = t.id WHERE t.id = :id;"),
    );
    check(subject, { pair: "read write", tables: "t u", allowedAt: ["eventual"] });
  });

  test("read skew over two tables at read committed and below", () => {
    const subject = fromSql(
      T +
        U +
        script(
          "write",
          "UPDATE t SET v = :a WHERE id = :id;",
          "UPDATE u SET v = :a WHERE id = :id;",
        ) +
        script("read", "SELECT v FROM t WHERE id = :id;", "SELECT v FROM u WHERE id = :id;"),
    );
    check(subject, { pair: "read write", tables: "t u", allowedAt: UP_TO_READ_COMMITTED });
  });

  test("dirty write only at eventual", () => {
    const subject = fromSql(
      T +
        U +
        script(
          "mine",
          "UPDATE t SET v = :a WHERE id = :id;",
          "UPDATE u SET v = :a WHERE id = :id;",
        ),
    );
    check(subject, { pair: "mine mine", tables: "t u", allowedAt: ["eventual"] });
  });

  test("blind writes of one row in one statement are safe", () => {
    checkNone(
      fromSql(T + script("set", "UPDATE t SET v = :a, w = :a WHERE id = :id;")),
      "eventual",
    );
  });

  test("the write skew of the inventory's coupons: count, compare, insert", () => {
    const found = search(z3, fromApp("inventory"), "snapshot-isolation", 2);
    assert.deepEqual(minimalSets(found), ["redeem redeem"]);
  });

  test("long fork needs four: three show nothing at PSI", () => {
    const subject = fromSql(
      T +
        U +
        script("left", "UPDATE t SET v = :a WHERE id = :id;") +
        script("right", "UPDATE u SET v = :a WHERE id = :id;") +
        script("both", "SELECT v FROM t WHERE id = :id;", "SELECT v FROM u WHERE id = :id;"),
    );
    checkNone(subject, "parallel-snapshot-isolation", 2);
    checkNone(subject, "parallel-snapshot-isolation", 3);
  });
});

describe("truth: row 16", () => {
  test("no instance takes both branches of an if", () => {
    const subject = fromSql(
      T +
        U +
        script(
          "either",
          "\\if :which > 0",
          "UPDATE t SET v = :a WHERE id = :id;",
          "\\else",
          "UPDATE u SET v = :a WHERE id = :id;",
          "\\endif",
        ) +
        script("read", "SELECT v FROM t WHERE id = :id;", "SELECT v FROM u WHERE id = :id;"),
    );
    for (const level of ["eventual", "read-committed"] as const) checkNone(subject, level);
  });
});

describe("phantoms, keys and NULLs", () => {
  const KEYED = "CREATE TABLE k (id integer PRIMARY KEY, v integer);\n";

  test("two inserts of one key both succeed only where replicas meet later", () => {
    const subject = fromSql(KEYED + script("add", "INSERT INTO k (id, v) VALUES (:id, :v);"));
    check(subject, { pair: "add add", tables: "k", allowedAt: ["eventual"] });
  });

  test("an upsert after an insert of the same key sees it", () => {
    const upsert =
      "INSERT INTO k (id, v) VALUES (:id, 1) ON CONFLICT (id) DO UPDATE SET v = k.v + 1;";
    const subject = fromSql(KEYED + script("hit", upsert));
    check(subject, { pair: "hit hit", tables: "k", allowedAt: UP_TO_PREFIX });
  });

  test("inserts of generated keys do not meet", () => {
    const subject = fromSql(
      "CREATE TABLE g (id serial PRIMARY KEY, v integer);\n" +
        script("add", "INSERT INTO g (v) VALUES (:v);"),
    );
    checkNone(subject, "eventual");
  });

  test("a guard on a count is a phantom below serializable", () => {
    const subject = fromSql(
      KEYED +
        script(
          "join",
          "SELECT count(*) AS n FROM k WHERE v = :group \\gset",
          "\\if :n < 1",
          "INSERT INTO k (id, v) VALUES (:id, :group);",
          "\\endif",
        ),
    );
    const found = search(z3, subject, "snapshot-isolation", 2);
    assert.deepEqual(minimalSets(found), ["join join"]);
  });

  test("a count read twice changes up to read committed", () => {
    const subject = fromSql(
      KEYED +
        script(
          "count",
          "SELECT count(*) AS a FROM k WHERE v = 1;",
          "SELECT count(*) AS b FROM k WHERE v = 1;",
        ) +
        script("add", "INSERT INTO k (id, v) VALUES (:id, 1);"),
    );
    check(subject, { pair: "add count", tables: "k", allowedAt: UP_TO_READ_COMMITTED });
  });

  test("a row that stops matching a mutable predicate", () => {
    const subject = fromSql(
      T +
        script(
          "claim",
          "SELECT id FROM t WHERE w = 0 ORDER BY id LIMIT 1 \\gset",
          "UPDATE t SET w = :who WHERE id = :id;",
        ),
    );
    const found = search(z3, subject, "prefix", 2);
    assert.deepEqual(minimalSets(found), ["claim claim"]);
    checkNone(subject, "snapshot-isolation");
  });

  test("a deletion that misses an update is as if it had come first", () => {
    const subject = fromSql(
      T +
        script("drop", "DELETE FROM t WHERE id = :id AND v = 0;") +
        script("use", "UPDATE t SET v = v + 1 WHERE id = :id;"),
    );
    const found = search(z3, subject, "eventual", 2);
    assert.deepEqual(minimalSets(found), ["use use"]);
  });

  test("a row that vanishes between two statements, up to read committed", () => {
    const subject = fromSql(
      T +
        script("drop", "DELETE FROM t WHERE id = :id;") +
        script(
          "look",
          "SELECT count(*) AS n FROM t WHERE id = :id;",
          "SELECT v FROM t WHERE id = :id;",
        ),
    );
    check(subject, { pair: "drop look", tables: "t", allowedAt: UP_TO_READ_COMMITTED });
  });

  test("upsert of a counter loses updates up to prefix", () => {
    const subject = fromSql(
      T +
        script(
          "hit",
          "INSERT INTO t (id, v, w) VALUES (:id, 1, 0) ON CONFLICT (id) DO UPDATE SET v = t.v + 1;",
        ),
    );
    check(subject, { pair: "hit hit", tables: "t", allowedAt: UP_TO_PREFIX });
  });
});

describe("search", () => {
  test("stops when it is asked to and says so", () => {
    const { program, flat } = WITHDRAW;
    const base = levelOf("eventual");
    let polls = 0;
    const stopped = (): boolean => {
      polls += 1;
      return polls > 2;
    };
    const [unit] = planPapers(flat, base, 2);
    assert.ok(unit);
    const result = solvePapers(z3, program, flat, base, unit, { ...LIMITS, stopped });
    assert.deepEqual(result.findings, []);
    assert.match(result.undecided.join(), /withdraw, withdraw: the search was stopped/);
  });

  test("a limit that is too small leaves the pair undecided", () => {
    const { program, flat } = fromApp("smallbank");
    const base = levelOf("snapshot-isolation");
    const [unit] = planPapers(flat, base, 2);
    assert.ok(unit);
    const result = solvePapers(z3, program, flat, base, unit, { ...LIMITS, resourceLimit: 100 });
    assert.deepEqual(result.findings, []);
    assert.match(result.undecided.join(), /the solver gave up/);
  });

  test("transactions of very many statements are undecided, at once", () => {
    const updates = [...Array(80).keys()].map(
      (n) => `UPDATE t SET v = v + 1 WHERE id = :k${String(n)};`,
    );
    const { program, flat } = fromSql(T + script("many", ...updates));
    const base = levelOf("eventual");
    const [unit] = planPapers(flat, base, 2);
    assert.ok(unit);
    const result = solvePapers(z3, program, flat, base, unit, LIMITS);
    assert.deepEqual(result.undecided, ["many, many: too many statements to search together"]);
  });

  test("the same question has the same answer", () => {
    const once = JSON.stringify(search(z3, SKEW, "snapshot-isolation", 2));
    assert.equal(JSON.stringify(search(z3, SKEW, "snapshot-isolation", 2)), once);
  });

  test("witness values are small, keys count from 1", () => {
    for (const { finding } of search(z3, WITHDRAW, "eventual", 2)) {
      for (const { arguments: values } of finding.confirmation.witness.instances) {
        for (const value of Object.values(values)) {
          assert.ok(typeof value === "number" && value >= 1 && value <= 9, String(value));
        }
      }
    }
  });

  test("a stronger level never shows more pairs", () => {
    const subject = fromApp("inventory");
    let weaker: readonly string[] | undefined;
    for (const level of [
      "eventual",
      "read-committed",
      "read-atomic",
      "causal",
      "prefix",
      "snapshot-isolation",
    ] as const) {
      const pairs = minimalSets(search(z3, subject, level, 2));
      for (const pair of pairs) assert.ok(weaker?.includes(pair) ?? true, `${pair} at ${level}`);
      weaker = pairs;
    }
  });
});

const CLASSIC = `
CREATE TABLE account (name text PRIMARY KEY, custid integer NOT NULL UNIQUE);
CREATE TABLE saving (custid integer PRIMARY KEY, balance integer NOT NULL);
CREATE TABLE checking (custid integer PRIMARY KEY, balance integer NOT NULL);
${script(
  "Balance",
  "SELECT custid FROM account WHERE name = :'n' \\gset",
  "SELECT balance FROM saving WHERE custid = :custid;",
  "SELECT balance FROM checking WHERE custid = :custid;",
)}
${script(
  "DepositChecking",
  "SELECT custid FROM account WHERE name = :'n' \\gset",
  "UPDATE checking SET balance = balance + :v WHERE custid = :custid;",
)}
${script(
  "TransactSavings",
  "SELECT custid FROM account WHERE name = :'n' \\gset",
  "SELECT balance FROM saving WHERE custid = :custid \\gset",
  "\\if :balance + :v >= 0",
  "UPDATE saving SET balance = :balance + :v WHERE custid = :custid;",
  "\\endif",
)}
-- @isolens distinct n0, n1
${script(
  "Amalgamate",
  "SELECT custid AS c0 FROM account WHERE name = :'n0' \\gset",
  "SELECT custid AS c1 FROM account WHERE name = :'n1' \\gset",
  "SELECT balance AS s FROM saving WHERE custid = :c0 \\gset",
  "SELECT balance AS c FROM checking WHERE custid = :c0 \\gset",
  "UPDATE saving SET balance = 0 WHERE custid = :c0;",
  "UPDATE checking SET balance = 0 WHERE custid = :c0;",
  "UPDATE checking SET balance = balance + :s + :c WHERE custid = :c1;",
)}
${script(
  "WriteCheck",
  "SELECT custid FROM account WHERE name = :'n' \\gset",
  "SELECT balance AS s FROM saving WHERE custid = :custid \\gset",
  "SELECT balance AS c FROM checking WHERE custid = :custid \\gset",
  "\\if :s + :c < :v",
  "UPDATE checking SET balance = balance - (:v + 1) WHERE custid = :custid;",
  "\\else",
  "UPDATE checking SET balance = balance - :v WHERE custid = :custid;",
  "\\endif",
)}
`;

test("what would give two rows one value of a unique key is no anomaly where keys are kept", () => {
  const taking = (unique: string): Subject =>
    fromSql(`CREATE TABLE a (id integer PRIMARY KEY, w integer NOT NULL${unique});
-- @transaction take
BEGIN;
SELECT count(*) AS n FROM a WHERE w = :p \\gset
UPDATE a SET w = :p WHERE id = :k AND :n = 0;
COMMIT;
`);
  const found = (unique: string): number =>
    search(z3, taking(unique), "snapshot-isolation", 2).length;
  assert.equal(found(""), 1);
  assert.equal(found(" UNIQUE"), 0);
});
