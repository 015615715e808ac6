// Functions of arguments that nobody evaluates are arguments of the transaction.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withOutsideFunctions } from "../../../../server/src/frontend/code/outsideFunctions";
import { readOver } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE token (id int PRIMARY KEY, hash text NOT NULL, uses int NOT NULL);";

async function read(body: string) {
  const text = `import { Pool } from "pg";
import { createHash } from "crypto";
import { hashOf, limitFor } from "elsewhere";
const pool = new Pool();
export async function f(id: number, code: string) {
  ${body}
}`;
  const { transactions, tables } = await readOver(DDL, { "a.ts": text }, "postgres");
  const program = { schema: { tables }, transactions, notes: [], files: [] };
  return withOutsideFunctions(program).transactions;
}

const CLEAR = (hash: string) => `await pool.query("DELETE FROM token WHERE hash = $1", [${hash}]);`;

describe("a function of arguments", () => {
  it("is one argument, whatever it is made of, and the same for the same", async () => {
    const digest = `createHash("sha256").update(code).digest("hex")`;
    const [one] = await read(CLEAR(digest) + CLEAR(digest));
    assert.ok(one);
    const name = "createHash().update().digest(code)";
    assert.equal(printed([one]).filter((line) => line.includes(`hash = :${name}`)).length, 2);
    assert.deepEqual(
      one.parameters.map((each) => [each.name, each.of?.arguments, each.of?.isInjective]),
      [
        ["code", undefined, undefined],
        [name, ["code"], true],
      ],
    );
  });

  it("is told from the same function of something else, and of another constant", async () => {
    const [one] = await read(CLEAR("hashOf(code, 1)") + CLEAR("hashOf(code, 2)") + CLEAR("hashOf(id, 1)")); // prettier-ignore
    assert.deepEqual(
      one?.parameters.flatMap(({ name, of }) => (of ? [[name, of.function]] : [])),
      [
        ["hashOf(code)", "hashOf(·, 1)"],
        ["hashOf(code) 2", "hashOf(·, 2)"],
        ["hashOf(id)", "hashOf(·, 1)"],
      ],
    );
  });

  it("is none where it depends on rows, or is evaluated", async () => {
    const row = `const { rows } = await pool.query("SELECT hash FROM token WHERE id = $1", [id]);`;
    for (const each of [
      `${row} if (rows[0].hash.startsWith("a")) { ${CLEAR("code")} }`,
      `if (code.startsWith("a")) { ${CLEAR("code")} }`,
    ]) {
      const found = await read(each);
      assert.ok(found.every(({ parameters }) => parameters.every(({ of }) => of === undefined)));
    }
  });
});
