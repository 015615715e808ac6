// Functions of arguments that nobody evaluates are arguments of the transaction.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withOutsideFunctions } from "../../../../server/src/frontend/code/roots/externalFunctions";
import { readOver } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE token (id int PRIMARY KEY, hash text NOT NULL, uses int NOT NULL);";

async function read(body: string) {
  return readOf(body, "elsewhere");
}

async function readOf(body: string, module: string) {
  const files = { "a.ts": file(body, module) };
  const { transactions, tables } = await readOver(DDL, files, "postgres");
  const program = { schema: { tables }, transactions, notes: [], files: [] };
  return withOutsideFunctions(program).transactions;
}

function file(body: string, module: string): string {
  return `import { Pool } from "pg";
import { createHash } from "crypto";
import { hashOf, hashBucket } from "${module}";
const pool = new Pool();
export async function f(id: number, code: string) {
  ${body}
}`;
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

  it("is one of what is calculated from arguments and constants", async () => {
    const [one] = await read(CLEAR('hashOf("a:" + code)') + CLEAR('hashOf("a:" + code)') + CLEAR('hashOf("b:" + code)') + CLEAR("hashOf(id > 1 ? code : null)")); // prettier-ignore
    assert.ok(one);
    const names = one.parameters.flatMap(({ name, of }) => (of ? [[name, of.arguments]] : []));
    assert.deepEqual(names, [
      ["hashOf(code)", ["code"]],
      ["hashOf(code) 2", ["code"]],
      ["hashOf(id, code)", ["id", "code"]],
    ]);
    assert.equal(printed([one]).filter((line) => line.endsWith("hash = :hashOf(code))")).length, 2);
  });

  it("is told from the same function of something else, and of another constant", async () => {
    const [one] = await read(CLEAR("hashOf(code, 1)") + CLEAR("hashOf(code, 2)") + CLEAR("hashOf(id, 1)")); // prettier-ignore
    assert.deepEqual(
      one?.parameters.flatMap(({ name, of }) => (of ? [[name, of.function]] : [])),
      [
        ["hashOf(code)", "elsewhere:hashOf(·, 1)"],
        ["hashOf(code) 2", "elsewhere:hashOf(·, 2)"],
        ["hashOf(id)", "elsewhere:hashOf(·, 1)"],
      ],
    );
  });

  it("is injective as a digest of a known package, of nothing but one argument as it is", async () => {
    const sha = (of: string) => `createHash("sha256")${of}.digest("hex")`;
    for (const [made, isInjective] of [
      [sha(".update(code)"), true],
      [sha(`.update(${sha(".update(code)")})`), true],
      [sha(".update(hashBucket(code))"), undefined],
      [sha(".update(code).update(String(id))"), undefined],
      ["hashBucket(code)", undefined],
      ["hashOf.hashCode(code)", undefined],
    ] as const) {
      const [one] = await read(CLEAR(made));
      const found = one?.parameters.flatMap(({ of }) => of ?? []);
      assert.deepEqual([made, found?.map((each) => each.isInjective)], [made, [isInjective]]);
    }
  });

  it("is named as people write it, with its first arguments alone", async () => {
    const [one] = await read(CLEAR("hashOf(id, code, process.env.SALT, hashOf(code)).text.short"));
    assert.deepEqual(
      one?.parameters.flatMap(({ name, of }) => (of ? [name] : [])),
      ["hashOf(id, code, ...).text.short"],
    );
  });

  it("is told from a function of the same name of another module", async () => {
    const functionIn = async (module: string) => {
      const [one] = await readOf(CLEAR("hashOf(code)"), module);
      return one?.parameters.flatMap(({ of }) => of?.function ?? []);
    };
    assert.deepEqual(await functionIn("elsewhere"), ["elsewhere:hashOf(·)"]);
    assert.deepEqual(await functionIn("another"), ["another:hashOf(·)"]);
    assert.deepEqual(await functionIn("./unread"), ["a.ts:hashOf(·)"]);
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
