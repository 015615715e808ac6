// Runs of learnt transactions in which a statement has rows, or none, as it had in no recorded run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { confirm } from "../../../server/src/store/confirm";
import { instances, levelOf, programOf, rowsOf, table } from "./programs";

const TABLES = [table("t", { id: "int", v: "int" }), table("u", { id: "int", n: "int" })];

/** Status and reason where two instances of the script have read before the first of them goes on. */
function judged(script: string, start: Readonly<Record<number, number>> = { 1: 5 }): string {
  const { status, reason } = confirm(programOf({ Work: script }, TABLES), levelOf("pg:rc"), {
    instances: instances(["Work", {}], ["Work", {}]),
    initial: { t: rowsOf(start), u: [{ id: 1, n: 0 }] },
    schedule: ["T1.1", "T2.1", "T1.2", "T1.3", "T1.commit", "T2.2", "T2.3", "T2.commit"].map(
      (step) => {
        const [instance = "", statement = ""] = step.split(".");
        const sees = instance === "T2" && statement !== "1" ? ["T1"] : [];
        return {
          instance,
          statement: statement === "commit" ? "commit" : Number(statement),
          sees,
        };
      },
    ),
  });
  return reason === undefined ? status : `${status}: ${reason}`;
}

const deliver = (seen: string): string => `
SELECT v FROM t WHERE id = 1 \\gset
${seen}
DELETE FROM t WHERE id = 1;
UPDATE u SET n = n + :v WHERE id = 1;`;

test("what follows a change that finds no row, as in no recorded run, is no finding", () => {
  assert.equal(judged(deliver("")), "confirmed");
  assert.equal(judged(deliver("-- @isolens rows 0 to 1")), "confirmed");
  assert.equal(
    judged(deliver("-- @isolens rows 1 to 3")),
    'unconfirmed: no recorded run showed what follows where "DELETE FROM t WHERE id = 1" changes no row',
  );
});

test("rows as runs had them are a finding as before", () => {
  const withdraw = `
-- @isolens rows 1
SELECT v FROM t WHERE id = 1 \\gset
-- @isolens rows 1
UPDATE t SET v = :v - 1 WHERE id = 1;
INSERT INTO u (id, n) SELECT max(id) + 1, 1 FROM u;`;
  assert.equal(judged(withdraw), "confirmed");
});

test("a row is found where no recorded run found one", () => {
  const take = (seen: string): string => `
SELECT v FROM t WHERE id = 1 \\gset
${seen}
SELECT id FROM t WHERE v = 4;
UPDATE t SET v = :v - 1 WHERE id = 1;`;
  assert.equal(judged(take("-- @isolens rows 0 to 2")), "confirmed");
  assert.equal(
    judged(take("-- @isolens rows 0")),
    'unconfirmed: no recorded run showed what follows where "SELECT id FROM t WHERE v = 4" finds a row',
  );
});
