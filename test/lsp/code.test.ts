// The built server on application code: what is found across files stands on the statements, follows edits of the file
// and of what it imports, and goes when it is repaired.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { CodeLens, Diagnostic } from "vscode-languageserver-protocol/node";
import { withServerProcess } from "./client";

const DB = `import { Pool, type PoolClient } from "pg";
export const pool = new Pool();
export async function balanceOf(client: PoolClient, id: number): Promise<number> {
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  return rows[0].balance;
}
`;

const TAKE = `import { balanceOf, pool } from "./db.js";

export async function take(id: number, amount: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const balance = await balanceOf(client, id);
    if (balance < amount) throw new Error("not enough");
    await client.query("UPDATE account SET balance = $1 WHERE id = $2", [balance - amount, id]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
`;

const ofTake = ({ code, relatedInformation = [] }: Diagnostic): boolean =>
  code === "lost-update" &&
  relatedInformation.some(({ location }) => location.uri.endsWith("/src/take.ts"));

test(
  "a TypeScript function that reads through a helper of another file",
  { timeout: 120_000 },
  async () => {
    await withServerProcess("stdio", "bank", async (server) => {
      const { client, folder } = server;
      mkdirSync(path.join(folder, "src"));
      writeFileSync(path.join(folder, "src/db.ts"), DB);
      writeFileSync(path.join(folder, "src/take.ts"), TAKE);
      const uri = server.uri("src/take.ts");
      const open = (file: string, text: string): Promise<void> =>
        client.sendNotification("textDocument/didOpen", {
          textDocument: { uri: server.uri(file), languageId: "typescript", version: 1, text },
        });
      const change = (file: string, version: number, text: string): Promise<void> =>
        client.sendNotification("textDocument/didChange", {
          textDocument: { uri: server.uri(file), version },
          contentChanges: [{ text }],
        });
      await open("src/take.ts", TAKE);
      await server.diagnostics("src/db.ts", (all) => all.some(ofTake));
      await client.sendRequest("isolens/check", { uri });
      const lenses: readonly CodeLens[] = await client.sendRequest("textDocument/codeLens", {
        textDocument: { uri },
      });
      assert.deepEqual(
        lenses.map(({ range }) => range.start.line),
        [2],
      );

      const atomic = TAKE.replace("balance = $1 WHERE", "balance = balance - $1 WHERE").replace(
        "[balance - amount, id]",
        "[amount, id]",
      );
      await change("src/take.ts", 2, atomic);
      await server.diagnostics("src/db.ts", (all) => !all.some(ofTake));
      // Half-typed: no crash, and nothing is told that is not so any more.
      await change("src/take.ts", 3, TAKE.slice(0, TAKE.indexOf("const balance")));
      await change("src/take.ts", 4, TAKE);
      await server.diagnostics("src/db.ts", (all) => all.some(ofTake));

      await open("src/db.ts", DB);
      await change("src/db.ts", 2, DB.replace("WHERE id = $1", "WHERE id = $1 FOR UPDATE"));
      await server.diagnostics("src/db.ts", (all) => !all.some(ofTake));
      assert.equal(await server.end(), 0);
    });
  },
);

test(
  "code of two folders of one workspace, each with a database and modules of its own",
  { timeout: 120_000 },
  async () => {
    const isOf =
      (file: string) =>
      ({ code, relatedInformation = [] }: Diagnostic): boolean =>
        code === "lost-update" &&
        relatedInformation.some(({ location }) => location.uri.endsWith(file));
    const locked = DB.replace("WHERE id = $1", "WHERE id = $1 FOR UPDATE");
    const shop = {
      "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);",
      "code/db.ts": locked,
      "code/take.ts": TAKE,
    };
    await withServerProcess(
      "stdio",
      "bank",
      async (server) => {
        const { client, folder } = server;
        mkdirSync(path.join(folder, "src"));
        writeFileSync(path.join(folder, "src/db.ts"), DB);
        writeFileSync(path.join(folder, "src/take.ts"), TAKE);
        const other = "../shop/code/db.ts";
        const open = (file: string, text: string): Promise<void> =>
          client.sendNotification("textDocument/didOpen", {
            textDocument: { uri: server.uri(file), languageId: "typescript", version: 1, text },
          });
        await open("src/take.ts", TAKE);
        await open(other, locked);
        await server.diagnostics("src/db.ts", (all) => all.some(isOf("/src/take.ts")));
        await client.sendRequest("isolens/check", { uri: server.uri(other) });
        const told = await server.diagnostics(other, () => true);
        assert.ok(!told.some(({ code }) => code === "lost-update"));

        await client.sendNotification("textDocument/didChange", {
          textDocument: { uri: server.uri(other), version: 2 },
          contentChanges: [{ text: DB }],
        });
        const found = await server.diagnostics(other, (all) =>
          all.some(isOf("/shop/code/take.ts")),
        );
        assert.ok(!found.some(isOf("/src/take.ts")));
        const first = await server.diagnostics("src/db.ts", (all) =>
          all.some(isOf("/src/take.ts")),
        );
        assert.ok(!first.some(isOf("/shop/code/take.ts")));
        assert.equal(await server.end(), 0);
      },
      { shop },
    );
  },
);
