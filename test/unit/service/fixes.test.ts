// Fixes are offered where they hold: each is applied, read again and searched again.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { Anomaly } from "../../../server/src/protocol/report";
import type { FixReport } from "../../../server/src/protocol/fixes";
import type { FileId } from "../../../server/src/protocol/source";
import { causesOf } from "../../../server/src/service/findings/causes";
import type { ProjectTexts } from "../../../server/src/service/readProject";
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

const ACCOUNT = "CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);\n";

function project(text: string, file = "a.sql"): ProjectTexts {
  // A file id is any name that is unique in its workspace.
  const files = [{ file: file as FileId, text }];
  return { files, context: [], configuration: DEFAULT_CONFIGURATION };
}

async function fixesOf(
  texts: ProjectTexts,
  isIt: (anomaly: Anomaly) => boolean = () => true,
): Promise<FixReport> {
  const signal = AbortSignal.timeout(60_000);
  const { report } = await session.checkWorkspace({ project: texts }, signal);
  const anomaly = report.anomalies.find(isIt);
  assert.ok(anomaly, "nothing is found");
  return session.fixes({ project: texts, anomaly }, signal);
}

const UPDATE = "UPDATE item SET stock = old * 9 + n WHERE id = p;";

/** A run alone would be refused by the check, though not with the arguments of the witness. */
const CHECKED: readonly (readonly [string, boolean, string, RegExp])[] = [
  [
    "a query gives its variable another value",
    false,
    "IF n > 90000000 THEN SELECT count(*) INTO old FROM item; END IF;",
    /gets another value/u,
  ],
  [
    "the count of rows does",
    false,
    "IF n > 90000000 THEN GET DIAGNOSTICS old = ROW_COUNT; END IF;",
    /gets another value/u,
  ],
  [
    "another UPDATE changes it before",
    false,
    "IF n > 90000000 THEN UPDATE item SET stock = 0 WHERE id = p; END IF;",
    /may change the row/u,
  ],
  [
    "it is changed round by round",
    false,
    `FOR i IN 1..n LOOP ${UPDATE} END LOOP;`,
    /may change the row/u,
  ],
  [
    "MySQL counts no row that stays as it is",
    true,
    "IF old > n THEN SET new = old - n; ELSE SET new = 7; END IF;",
    /ROW_COUNT/u,
  ],
];

describe("fixes", () => {
  it("guard no UPDATE by ROW_COUNT() where MySQL may leave the row as it is", async () => {
    const routine = (change: string): string => `-- @isolens dialect mysql
CREATE TABLE item (id integer PRIMARY KEY, stock integer NOT NULL) ENGINE=InnoDB;
DELIMITER //
CREATE PROCEDURE take(IN p integer, IN n integer)
BEGIN
  DECLARE old integer;
  SELECT stock INTO old FROM item WHERE id = p;
  IF old < 5 THEN SIGNAL SQLSTATE '45000'; END IF;
  UPDATE item SET stock = ${change} WHERE id = p;
END //
DELIMITER ;
`;
    const guards = async (change: string): Promise<boolean> => {
      const { fixes } = await fixesOf(project(routine(change)));
      return fixes.some(({ kind }) => kind === "guarded-update");
    };
    assert.equal(await guards("old - n"), false);
    assert.equal(await guards("old - 1"), true);
  });

  it("lock the row that a routine reads, and go for all that share the read", async () => {
    const folder = path.join(__dirname, "..", "..", "apps", "bank");
    const text = ["schema.sql", "bank.sql"]
      .map((file) => readFileSync(path.join(folder, file), "utf8"))
      .join("\n");
    const { fixes } = await fixesOf(
      project(text),
      ({ transactions }) => transactions.join() === "withdraw,withdraw",
    );
    const guarded = fixes.find(({ kind }) => kind === "guarded-update");
    assert.deepEqual(
      guarded?.edits.map(({ newText }) => newText),
      [
        "balance",
        " AND balance >= amount RETURNING balance INTO bal",
        "\n  IF NOT FOUND THEN\n    RAISE EXCEPTION 'insufficient funds';\n  END IF;",
        "bal",
      ],
    );
    assert.equal(fixes[0], guarded);
    assert.match(guarded?.title ?? "", /, and check there$/u);
    const lock = fixes.find(({ kind }) => kind === "row-lock");
    assert.deepEqual(
      lock?.edits.map(({ newText }) => newText),
      [" FOR UPDATE"],
    );
    assert.match(lock?.now ?? "", /^The second withdraw waits for the first withdraw, then finds/u);
    assert.equal(lock?.alsoRemoves.length, 2);
  });

  it("lock the row that counted rows refer to, where it stands in no statement yet", async () => {
    const text = `CREATE TABLE course (id integer PRIMARY KEY);
CREATE TABLE enrolment (student integer, course integer REFERENCES course (id), PRIMARY KEY (student, course));
CREATE FUNCTION enroll(who integer, what integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  SELECT count(*) INTO taken FROM enrolment WHERE course = what;
  IF taken >= 3 THEN
    RETURN false;
  END IF;
  INSERT INTO enrolment (student, course) VALUES (who, what);
  RETURN true;
END $$;
`;
    const { fixes, advice } = await fixesOf(project(text));
    const anchor = fixes.find(({ kind }) => kind === "anchor-lock");
    assert.deepEqual(
      anchor?.edits.map(({ newText }) => newText),
      ["PERFORM 1 FROM course WHERE id = what FOR UPDATE;\n  "],
    );
    assert.ok(advice.some(({ kind }) => kind === "raised-level"));
    // Three may come: a key would let one come.
    assert.ok(fixes.every(({ kind }) => kind !== "unique-key"));
  });

  for (const [what, isMysql, lines, reason] of CHECKED)
    it(`check no version where ${what}`, async () => {
      const text = isMysql
        ? `CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL) ENGINE = InnoDB;
DELIMITER //
CREATE PROCEDURE take(p int, n int)
BEGIN
  DECLARE old, new int;
  SELECT stock INTO old FROM item WHERE id = p;
  ${lines}
  UPDATE item SET stock = new WHERE id = p;
END //
DELIMITER ;
`
        : `CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);
CREATE FUNCTION take(p int, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE old int;
BEGIN
  SELECT stock INTO old FROM item WHERE id = p;
  ${lines.includes(UPDATE) ? lines : `${lines}\n  ${UPDATE}`}
END $$;
`;
      const { fixes, advice } = await fixesOf(project(text));
      assert.ok(fixes.every(({ kind }) => kind !== "version-check"));
      const told = advice.find(({ kind }) => kind === "version-check");
      assert.match(told?.reason ?? "", reason);
    });

  it("raise all levels of an anomaly where a lock would not help", async () => {
    const text = `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction put
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT sum(v) AS total FROM a WHERE id <> :id \\gset
UPDATE a SET v = :total WHERE id = :id;
COMMIT;
`;
    const { fixes } = await fixesOf(project(text));
    assert.deepEqual(
      fixes.map(({ kind, edits }) => [kind, edits.map(({ newText }) => newText)]),
      [["raised-level", ["SERIALIZABLE"]]],
    );
  });

  it("are offered where an anomaly comes to light that was possible before, and tell of it", async () => {
    const check = `CREATE TABLE savings (custid integer PRIMARY KEY, bal integer NOT NULL);
CREATE TABLE checking (custid integer PRIMARY KEY, bal integer NOT NULL);
-- @transaction change
BEGIN;
UPDATE savings SET bal = bal - :amount WHERE custid = :c;
COMMIT;
-- @transaction write
BEGIN;
SELECT bal FROM savings WHERE custid = :c \\gset savings_
SELECT bal FROM checking WHERE custid = :c \\gset checking_
\\if :savings_bal + :checking_bal < :amount
UPDATE checking SET bal = bal - (:amount + 1) WHERE custid = :c;
\\else
UPDATE checking SET bal = bal - :amount WHERE custid = :c;
\\endif
COMMIT;
`;
    const { fixes, advice } = await fixesOf(project(check));
    const lock = fixes.find(({ kind }) => kind === "row-lock");
    assert.deepEqual(
      lock?.costs.slice(1),
      ["causality violation of write and change is possible as before"],
      JSON.stringify(advice),
    );
  });

  it("mend one cause where another of the same kind stays in the same pair, and tell of that", async () => {
    const visit = `CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL, points integer NOT NULL);
-- @transaction visit
BEGIN;
SELECT balance FROM account WHERE id = :id \\gset
UPDATE account SET balance = :balance - 1 WHERE id = :id;
SELECT points FROM account WHERE id = :other \\gset
UPDATE account SET points = :points + 1 WHERE id = :other;
COMMIT;
`;
    // Both are told to begin with.
    const { report } = await session.checkWorkspace(
      { project: project(visit) },
      AbortSignal.timeout(60_000),
    );
    assert.deepEqual(
      report.anomalies
        .map(({ kind, cycle }) => `${kind} ${cycle[0]?.from.text.slice(0, 14) ?? ""}`)
        .sort(),
      ["lost-update SELECT balance", "lost-update SELECT points "],
    );
    assert.equal(new Set(report.anomalies.map(({ id }) => id)).size, 2);
    assert.equal(causesOf(report.anomalies).length, 2);
    const { fixes, advice } = await fixesOf(project(visit));
    const lock = fixes.find(({ kind }) => kind === "row-lock");
    assert.deepEqual(
      lock?.edits.map(({ newText }) => newText),
      [" FOR UPDATE"],
      JSON.stringify(advice),
    );
    // No look comes before its UPDATE that could pass in vain.
    const guarded = fixes.find(({ kind }) => kind === "guarded-update");
    assert.equal(guarded?.title, "Compute in the UPDATE of account in visit");
    assert.ok(guarded.costs.every((cost) => !cost.includes("refused")));
    const [edit] = lock?.edits ?? [];
    const [mended, stays] =
      edit?.range.start.line === 3 ? ["balance", "points"] : ["points", "balance"];
    assert.match(
      lock?.costs.at(-1) ?? "",
      new RegExp(`another lost update of visit stays: what \`SELECT ${stays} FROM`, "u"),
    );
    // With both mended, nothing is left, and nothing is told.
    const one = visit.replace(/(SELECT (\w+) .*?) \\gset/gu, (all, read: string, column) =>
      column === mended ? `${read} FOR UPDATE \\gset` : all,
    );
    const last = await fixesOf(project(one));
    const second = last.fixes.find(({ kind }) => kind === "row-lock");
    assert.ok(second, JSON.stringify(last.advice));
    assert.ok(
      second.costs.every((cost) => !cost.includes("stays")),
      second.costs.join(),
    );
  });

  it("are a key only where a look-up asks whether there is a row, by equalities alone", async () => {
    const text = (
      condition: string,
      more = "",
    ): string => `CREATE TABLE desk (id integer PRIMARY KEY);
CREATE TABLE booking (id integer PRIMARY KEY, desk integer NOT NULL, day integer NOT NULL, gone boolean NOT NULL);
CREATE FUNCTION book(the_id integer, the_desk integer, the_day integer, most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  SELECT count(*) INTO taken FROM booking WHERE desk = the_desk AND day = the_day${more};
  IF ${condition} THEN
    RETURN false;
  END IF;
  INSERT INTO booking (id, desk, day, gone) VALUES (the_id, the_desk, the_day, false);
  RETURN true;
END $$;
`;
    const kindsOf = async (texts: string): Promise<readonly string[]> =>
      (await fixesOf(project(texts))).fixes.map(({ kind }) => kind);
    assert.ok((await kindsOf(text("taken > 0"))).includes("unique-key"));
    // A value that happens to be none is no absence.
    const value = text("taken > 0").replace("count(*)", "day");
    for (const other of [
      value,
      text("taken > 1"),
      text("taken >= most"),
      text("taken > 0", " AND NOT gone"),
    ])
      assert.ok(!(await kindsOf(other)).includes("unique-key"), other);
  });

  it("are a key whose table and columns are quoted where SQL needs it", async () => {
    const text = `CREATE TABLE "order" (id integer PRIMARY KEY, "deskId" integer NOT NULL, "user" integer NOT NULL);
CREATE FUNCTION book(the_id integer, the_desk integer, the_user integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  SELECT count(*) INTO taken FROM "order" WHERE "deskId" = the_desk AND "user" = the_user;
  IF taken > 0 THEN
    RETURN false;
  END IF;
  INSERT INTO "order" (id, "deskId", "user") VALUES (the_id, the_desk, the_user);
  RETURN true;
END $$;
`;
    const { fixes } = await fixesOf(project(text));
    const key = fixes.find(({ kind }) => kind === "unique-key");
    assert.deepEqual(key?.edits.map(({ newText }) => newText.trim()).slice(0, 2), [
      'ALTER TABLE "order" ADD CONSTRAINT "order_deskId_user_key" UNIQUE ("deskId", "user");',
      'ON CONFLICT ("deskId", "user") DO NOTHING',
    ]);
  });

  it("are not written into generated files", async () => {
    const text = `-- Code generated by a tool. Do not edit.\n${ACCOUNT}
-- @transaction add
BEGIN;
SELECT balance FROM account WHERE id = :id \\gset
UPDATE account SET balance = :balance + 1 WHERE id = :id;
COMMIT;
`;
    const { fixes, advice } = await fixesOf(project(text));
    assert.deepEqual(fixes, []);
    assert.ok(advice.some(({ reason }) => reason.includes("the file is generated")));
  });
});
