// The measured litmus programs, written as psql scripts: each must be read without any loss.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { precisionOf } from "../../../../server/src/program/precision";
import { describeTransactions, programOf } from "./program";

interface LitmusStatement {
  readonly sql: string;
  readonly into?: string;
  readonly as?: string;
  readonly when?: string;
}

interface Litmus {
  readonly id: string;
  readonly name: string;
  readonly transactions: readonly (readonly LitmusStatement[])[];
}

const SCHEMA = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n";

/** Our own data file, whose shape its index describes. */
function litmusPrograms(): readonly Litmus[] {
  const file = new URL("../../../data/litmus.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as readonly Litmus[];
}

/** A statement as a client of psql would write it, its registers as variables. */
function script({ sql, into, as, when }: LitmusStatement): string {
  const plain = into === undefined ? `${sql};` : withRegister(sql, into, as ?? "");
  return when === undefined ? plain : `\\if ${when}\n${plain}\n\\endif`;
}

function withRegister(sql: string, into: string, as: string): string {
  if (as === "affected rows") return `${sql};\n\\set ${into} :ROW_COUNT`;
  const from = sql.slice(sql.indexOf(" FROM "));
  if (as === "number of rows" || as === "sum of v") {
    const value = as === "sum of v" ? "sum(v)" : "count(*)";
    // An aggregate cannot lock its rows; the scan without the lock reads the same.
    return `SELECT ${value} AS ${into}${from.replace(/ FOR (UPDATE|SHARE)$/, "")} \\gset`;
  }
  return `SELECT v AS ${into}${from} \\gset`;
}

for (const litmus of litmusPrograms()) {
  test(`${litmus.id} ${litmus.name}`, () => {
    const transactions = litmus.transactions.map((statements, at) => {
      const ended = statements.some((statement) => statement.sql === "ROLLBACK");
      const body = statements.map(script).join("\n");
      return `-- @transaction T${at + 1}\nBEGIN;\n${body}\n${ended ? "" : "COMMIT;\n"}`;
    });
    const program = programOf({ "litmus.sql": SCHEMA + transactions.join("\n") });
    assert.deepEqual(program.notes, []);
    assert.equal(program.transactions.length, litmus.transactions.length);
    program.transactions.forEach((transaction, at) => {
      const statements = litmus.transactions[at] ?? [];
      const rollbacks = statements.filter(({ sql }) => sql === "ROLLBACK").length;
      let count = 0;
      walkCommand(transaction.body, {
        statement: (statement) => {
          count++;
          assert.equal(precisionOf(statement.taint), "exact", statement.text);
        },
      });
      assert.equal(count, statements.length - rollbacks);
      // Registers are variables of the transaction, so nothing is left for the caller to give.
      assert.deepEqual(transaction.parameters, [], describeTransactions(program).join("\n"));
      assert.equal(transaction.id, `T${at + 1}`);
    });
  });
}

test("registers reach the statements that use them", () => {
  const [skew] = litmusPrograms().filter(({ id }) => id === "L36");
  const text = (skew?.transactions[0] ?? []).map(script).join("\n");
  const program = programOf({ "l.sql": `${SCHEMA}BEGIN;\n${text}\nCOMMIT;` });
  assert.deepEqual(describeTransactions(program), [
    "l ()",
    "  r1 = select count(*) as n from t where (t.id = 5)",
    "  @n := r1.n",
    "  if (@n < 1)",
    "    insert t {id = 5, v = 1}",
  ]);
  const counted = programOf({
    "l.sql": `${SCHEMA}BEGIN;\nUPDATE t SET v = 1;\n\\set n :ROW_COUNT\n\\if :n\nDELETE FROM t;\n\\endif\nCOMMIT;`,
  });
  assert.deepEqual(describeTransactions(counted), [
    "l ()",
    "  update t set v = 1",
    "  @n := affected(l/1)",
    "  if (@n <> 0)",
    "    delete t",
  ]);
});
