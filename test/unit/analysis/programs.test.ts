// Verdicts on whole small programs, by the construct that decides them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "../truth/analyse";

const TABLES = `
CREATE TABLE team (id integer PRIMARY KEY, name text NOT NULL, cap integer NOT NULL);
CREATE TABLE player (id integer PRIMARY KEY, team integer NOT NULL, salary integer NOT NULL);
CREATE TABLE guest (id integer PRIMARY KEY, team integer NOT NULL);
CREATE TABLE member (team integer, person integer, PRIMARY KEY (team, person));
`;

const HIRE = "INSERT INTO player VALUES (:id, :team, :salary);";

function check(
  name: string,
  body: string,
  expected: Readonly<Record<string, readonly string[]>>,
): void {
  test(name, async () => {
    const file = sql(`${TABLES}-- @transaction t\nBEGIN;\n${body}\nCOMMIT;\n`);
    for (const [level, wanted] of Object.entries(expected)) {
      const report = await analyse([file], level, 2);
      // Statements that were weakened stay open beside what was found; nothing else does.
      const open = report.unknown.filter(({ reason }) => !reason.startsWith("weakened: "));
      assert.deepEqual(open, [], level);
      assert.deepEqual(verdicts(report), wanted, level);
    }
  });
}

const RACE = {
  "postgres:read-committed": ["t+t state"],
  "postgres:repeatable-read": ["t+t state"],
};

check(
  "a sum over a join decides an insertion",
  `SELECT coalesce(sum(p.salary), 0) AS paid, coalesce(max(t.cap), 0) AS cap
     FROM player p JOIN team t ON t.id = p.team WHERE t.id = :team \\gset
\\if :paid + :salary <= :cap
${HIRE}
\\endif`,
  RACE,
);

check(
  "what is left after an outer join decides an insertion",
  `SELECT t.cap - coalesce(sum(p.salary), 0) AS rest
     FROM team t LEFT JOIN player p ON p.team = t.id WHERE t.id = :team GROUP BY t.id, t.cap \\gset
\\if :rest >= :salary
${HIRE}
\\endif`,
  { ...RACE, "snapshot-isolation": ["t+t state"] },
);

check(
  "a group that HAVING chooses decides an insertion",
  `SELECT count(*) AS n FROM player GROUP BY team HAVING team = :team \\gset
\\if :n < 3
${HIRE}
\\endif`,
  RACE,
);

check(
  "a union decides an insertion",
  `SELECT count(*) = 0 AS free FROM guest WHERE id = :id \\gset
SELECT EXISTS (SELECT 1 FROM player WHERE team = :team UNION ALL SELECT 1 FROM guest WHERE team = :team) AS taken \\gset
\\if NOT :taken
${HIRE}
\\endif`,
  RACE,
);

check(
  "a number of distinct values decides an insertion",
  `SELECT count(DISTINCT salary) AS n FROM player WHERE team = :team \\gset
\\if :n < 2
${HIRE}
\\endif`,
  RACE,
);

check(
  "the next number of a sequence is given twice",
  `SELECT max(salary + 1) AS n FROM player WHERE team = :team \\gset
INSERT INTO player VALUES (:id, :team, :n);`,
  RACE,
);

check(
  "a limit that takes many rows to reach is passed",
  `SELECT count(*) AS n FROM player WHERE team = :team \\gset
\\if :n < 9
${HIRE}
\\endif`,
  RACE,
);

check(
  "a limit under a lock holds at read committed alone",
  `SELECT cap FROM team WHERE id = :team FOR UPDATE \\gset
SELECT count(*) AS n FROM member WHERE team = :team \\gset
\\if :n < :cap
INSERT INTO member VALUES (:team, :person);
\\endif`,
  { "postgres:read-committed": [], "postgres:repeatable-read": ["t+t state"] },
);

test("a lost update in the rounds of a loop is executed and shown", async () => {
  const report = await analyse(
    [
      sql(`
CREATE TABLE product (id integer PRIMARY KEY, stock integer NOT NULL);
CREATE TABLE line (id bigserial PRIMARY KEY, product integer REFERENCES product, qty integer NOT NULL);
CREATE TABLE cart (customer integer, product integer, qty integer NOT NULL, PRIMARY KEY (customer, product));
CREATE PROCEDURE place(buyer integer) LANGUAGE plpgsql AS $$
DECLARE r record; s integer;
BEGIN
  FOR r IN SELECT product, qty FROM cart WHERE customer = buyer LOOP
    SELECT stock INTO s FROM product WHERE id = r.product;
    UPDATE product SET stock = s - r.qty WHERE id = r.product;
    INSERT INTO line (product, qty) VALUES (r.product, r.qty);
  END LOOP;
  DELETE FROM cart WHERE customer = buyer;
END $$;`),
    ],
    "postgres:read-committed",
    2,
  );
  const lost = report.anomalies.find(({ kind }) => kind === "lost-update");
  assert.equal(lost?.status, "confirmed");
  assert.ok(lost.tables.includes("product"));
});
