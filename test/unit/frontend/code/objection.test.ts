// Objection: models in files of their own, transactions that are given or not, and what is not followed.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id serial PRIMARY KEY, owner text NOT NULL, balance int NOT NULL);
`;

const MODEL = `import { Model } from "objection";
export class Base extends Model {}
export class Account extends Base {
  static tableName = "accounts";
  static relationMappings = { self: { relation: Model.ManyToManyRelation, modelClass: Account } };
  id!: number;
  balance!: number;
}`;

async function read(text: string, model = MODEL): Promise<readonly string[]> {
  return printed(await transactionsOf(DDL, { "model.ts": model, "a.ts": text }));
}

const SELECT =
  "accounts.id as id, accounts.owner as owner, accounts.balance as balance from accounts";

describe("Objection", () => {
  it("knows models of other files, and the transactions that callers give", async () => {
    const text = `import { Account } from "./model";
import type { TransactionOrKnex } from "objection";
export async function debit(id: number, amount: number, trx?: TransactionOrKnex) {
  const account = await Account.query(trx).findById(id);
  await account.$query(trx).patch({ balance: account.balance - amount });
}`;
    const lines = await read(text);
    assert.match(lines.join("\n"), /r1 = select .* where \(accounts\.id = :id\)/u);
    assert.match(lines.join("\n"), /update accounts set balance = \(r1\.balance - :amount\)/u);
  });

  it("binds models to a transaction", async () => {
    const text = `import { transaction } from "objection";
import { Account } from "./model";
export const reset = (id: number) =>
  transaction(Account, async (Bound, trx) => {
    await Bound.query().findById(id).forUpdate();
    await Account.query(trx).patch({ balance: 0 }).where("id", id);
  });`;
    assert.deepEqual(await read(text), [
      "reset explicit",
      `  r1 = select ${SELECT} where (accounts.id = :id) for update`,
      "  update accounts set balance = 0 where (accounts.id = :id)",
      "  return",
    ]);
  });

  it("says what it does not follow", async () => {
    const text = `import { Account } from "./model";
export async function all() {
  await Account.query().withGraphFetched("self");
  await Account.query().upsertGraph({ id: 1, balance: 2 });
}`;
    const hooks = MODEL.replace("id!: number;", "$beforeUpdate() { this.balance = 1; }");
    const found = await transactionsOf(DDL, { "model.ts": hooks, "a.ts": text });
    const said = found.flatMap(losses).join("\n");
    assert.match(said, /the relation self of rows is not followed/u);
    assert.match(said, /\$beforeUpdate of a model is not followed/u);
    assert.match(printed(found).join("\n"), /opaque/u);
  });
});
