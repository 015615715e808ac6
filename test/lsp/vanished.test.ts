// A folder that is deleted while it is open: what is open in the editor is still checked, and the rest goes.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { FileChangeType, type Diagnostic } from "vscode-languageserver-protocol/node";
import type { CheckSummary, ServerStatus, TreeFile } from "../../server/src/protocol/requests";
import { withServerProcess } from "./client";

const isLostUpdate = ({ code }: Diagnostic): boolean => code === "lost-update";

test("a folder that is deleted while it is open", { timeout: 120_000 }, async () => {
  const text = readFileSync("test/apps/bank/bank.sql", "utf8");
  const others = { shop: { "bank.sql": text, "isolens.json": "{}" } };
  await withServerProcess(
    "stdio",
    "bank",
    async (server) => {
      const { client } = server;
      const messages: string[] = [];
      client.onNotification("isolens/status", ({ health, message }: ServerStatus) => {
        if (health === "degraded") messages.push(message);
      });
      const uri = server.uri("bank.sql");
      for (const each of [uri, server.uri("../shop/bank.sql")])
        await client.sendNotification("textDocument/didOpen", {
          textDocument: { uri: each, languageId: "sql", version: 1, text },
        });
      await server.diagnostics("bank.sql", (all) => all.some(isLostUpdate));
      await server.diagnostics("../shop/bank.sql", (all) => all.some(isLostUpdate));

      rmSync(path.join(server.folder, "..", "shop"), { recursive: true });
      await client.sendNotification("workspace/didChangeWatchedFiles", {
        changes: ["bank.sql", "isolens.json"].map((file) => ({
          uri: server.uri(`../shop/${file}`),
          type: FileChangeType.Deleted,
        })),
      });
      await client.sendRequest("isolens/check", { uri: server.uri("../shop/bank.sql") });
      await server.diagnostics("../shop/bank.sql", (all) => all.some(isLostUpdate));
      await client.sendNotification("textDocument/didClose", {
        textDocument: { uri: server.uri("../shop/bank.sql") },
      });
      await server.diagnostics("../shop/bank.sql", (all) => all.length === 0);
      const tree: readonly TreeFile[] = await client.sendRequest("isolens/tree", {});
      assert.deepEqual(
        tree.map((file) => file.uri),
        [uri],
      );

      // Now the folder of what is open: the editor still has its text.
      rmSync(server.folder, { recursive: true });
      await client.sendNotification("workspace/didChangeWatchedFiles", {
        changes: [{ uri: server.uri("isolens.json"), type: FileChangeType.Deleted }],
      });
      const summaries: readonly CheckSummary[] = await client.sendRequest("isolens/check", { uri });
      assert.ok(
        summaries.some(({ anomalies }) => anomalies > 0),
        JSON.stringify(summaries),
      );
      const changed = text.replace("SELECT balance INTO bal FROM account WHERE id = acc;", "SELECT balance INTO bal FROM account WHERE id = acc FOR UPDATE;"); // prettier-ignore
      await client.sendNotification("textDocument/didChange", {
        textDocument: { uri, version: 2 },
        contentChanges: [{ text: changed }],
      });
      await server.diagnostics("bank.sql", (all) => !all.some(isLostUpdate));
      assert.deepEqual(messages, []);
      assert.equal(await server.end(), 0);
    },
    others,
  );
});
