// Functions that throw or go on, and do nothing else: what is not understood of them is one question.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Transaction } from "../../../../server/src/program/program";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";

const POOL = `import { Pool } from "pg";\nexport const pool = new Pool();`;

/** A class that looks rules up that others register. */
const RULES = `const rules = new Map();
export const allow = (kind, rule) => { rules.set(kind, [...(rules.get(kind) ?? []), rule]); };
const find = (kind) => { const found = []; for (const [key, each] of rules.entries()) if (key === kind) found.push(...each); return found; };
export function authorize(user, kind, thing) {
  if (!thing) throw new Error("nothing");
  for (const rule of find(kind)) if (rule.includes(user.role + thing)) return;
  throw new Error("no");
}
export function ask(user, kind, thing) {
  for (const rule of find(kind)) if (rule(user, thing)) return;
  throw new Error("no");
}
export async function authorizeLater(user, kind, thing) {
  for (const rule of await find(kind)) if (rule.includes(user.role + thing)) return;
  throw new Error("no");
}
export let refused = 0;
export function counted(user, kind, thing) {
  for (const rule of find(kind)) { refused += 1; if (rule(user, thing)) return; }
  throw new Error("no");
}
export function isAllowed(user, kind, thing) { return find(kind).some((rule) => rule(user, thing)); }`;

async function read(call: string): Promise<Transaction> {
  const found = await transactionsOf(ACCOUNTS_AND_LOG, {
    "pool.ts": POOL,
    "rules.ts": RULES,
    "a.ts": `import { pool } from "./pool";
import { allow, ask, authorize, authorizeLater, counted, isAllowed } from "./rules";
export async function run(user: User, id: number) {
  const { rows } = await pool.query("SELECT * FROM accounts WHERE id = $1", [id]);
  ${call}
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [rows[0].balance + 1, id]);
}`,
  });
  const run = found.find(({ name }) => name === "run");
  assert.ok(run);
  return run;
}

const reasons = ({ taint }: Transaction): readonly string[] => taint.map(({ reason }) => reason);
const hasLoop = ({ body }: Transaction): boolean => JSON.stringify(body).includes(`"kind":"loop"`);
const asks = ({ body }: Transaction, what: string): boolean =>
  JSON.stringify(body).includes(`"kind":"parameter","name":"${what}() fails"`);

describe("a function that throws and runs no statement", () => {
  for (const [what, call, name] of [
    ["an input, where nothing of it was read", `authorize(user, "edit", id);`, "authorize"],
    ["the same in an async function", `await authorizeLater(user, "edit", id);`, "authorizeLater"],
  ] as const)
    it(`is ${what}`, async () => {
      const run = await read(call);
      assert.deepEqual(reasons(run), []);
      assert.ok(asks(run, name));
      assert.equal(hasLoop(run), false);
    });

  it("is an input and a loss, where nobody knows what it calls", async () => {
    const run = await read(`ask(user, "edit", id);`);
    assert.deepEqual(reasons(run), ["whether ask() uses the database is not known"]);
    assert.ok(asks(run, "ask"));
    assert.equal(hasLoop(run), false);
  });

  it("is a function of what was read, where it depends on that, and a loss", async () => {
    const run = await read(`authorize(user, "edit", rows[0]);`);
    assert.deepEqual(reasons(run), ["whether authorize() refuses what was read is not known"]);
    const body = JSON.stringify(run.body);
    assert.match(body, /"name":"code:authorize","arguments":\[[^\]]*"field":"balance"/u);
    assert.doesNotMatch(body, /"kind":"variable","name":"i\d/u);
    assert.equal(hasLoop(run), false);
  });

  it("is understood where it can be", async () => {
    const run = await read(`if (rows[0].balance < 5) throw new Error("too little");`);
    assert.deepEqual(reasons(run), []);
    assert.match(JSON.stringify(run.body), /"field":"balance"/u);
  });

  it("is followed where it writes what is older, or somebody asks for its result", async () => {
    for (const call of [`counted(user, "edit", id);`, `if (!isAllowed(user, "e", id)) throw 1;`])
      assert.equal(asks(await read(call), "counted"), false);
  });
});
