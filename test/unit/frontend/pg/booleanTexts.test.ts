// Texts beside Boolean columns of PostgreSQL.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Expression } from "../../../../server/src/program/expression";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import type { FileId } from "../../../../server/src/protocol/source";
import { parser } from "./programs";

/** The literals of a query's condition. */
async function literals(condition: string): Promise<readonly unknown[]> {
  const text = `CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean, name text);
BEGIN; SELECT id FROM doctor WHERE ${condition}; COMMIT;`;
  const { transactions } = readProgram([{ file: "a.sql" as FileId, text }], { pg: await parser() });
  const found: Expression[] = [];
  for (const { body } of transactions)
    walkCommand(body, {
      expression: (each) => {
        if (each.kind === "literal") found.push(each);
      },
    });
  return found.flatMap((each) => (each.kind === "literal" ? [each.value] : []));
}

test("a text that is compared with a Boolean column is a Boolean in PostgreSQL", async () => {
  assert.deepEqual(await literals("on_call = 'true'"), [true]);
  assert.deepEqual(await literals("on_call = 'f' OR 't' = on_call"), [false, true]);
  assert.deepEqual(await literals("on_call IN ('1')"), [true]);
  assert.deepEqual(await literals("name = 'true'"), ["true"]);
});
