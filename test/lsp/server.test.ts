// The built server over both transports: finds, explains, follows an edit, changes the level, and ends cleanly.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { CodeLens, Diagnostic } from "vscode-languageserver-protocol/node";
import type { CheckSummary } from "../../server/src/protocol/requests";
import { withServerProcess, type Transport } from "./client";

const TRANSPORTS: readonly Transport[] = ["stdio", "node-ipc"];

const isLostUpdate = ({ code }: Diagnostic): boolean => code === "lost-update";

for (const transport of TRANSPORTS) {
  test(`over ${transport}`, { timeout: 120_000 }, async () => {
    await withServerProcess(transport, "bank", async (server) => {
      const { client } = server;
      const uri = server.uri("bank.sql");
      const text = readFileSync(path.join(server.folder, "bank.sql"), "utf8");
      const textDocument = { uri, languageId: "sql", version: 1, text };
      await client.sendNotification("textDocument/didOpen", { textDocument });

      const found = await server.diagnostics("bank.sql", (all) => all.some(isLostUpdate));
      const lost = found.find(isLostUpdate);
      assert.match(JSON.stringify(lost?.message), /withdraw/);
      assert.match(lost?.relatedInformation?.[0]?.message ?? "", /^1\/\d+ T1 /);

      await client.sendRequest("isolens/check", { uri });
      const lenses: readonly CodeLens[] = await client.sendRequest("textDocument/codeLens", {
        textDocument: { uri },
      });
      const names = ["withdraw", "deposit", "transfer", "balance_of"];
      assert.equal(lenses.length, names.length);

      const strong: readonly CheckSummary[] = await client.sendRequest("isolens/check", {
        level: "postgres:serializable",
        uri,
      });
      assert.equal(strong[0]?.anomalies, 0);
      await server.diagnostics("bank.sql", (all) => !all.some(isLostUpdate));
      await client.sendRequest("isolens/check", { uri });
      await server.diagnostics("bank.sql", (all) => all.some(isLostUpdate));

      // Broken in the middle of typing: the last good reading stands, but for what was deleted.
      await client.sendNotification("textDocument/didChange", {
        textDocument: { uri, version: 2 },
        contentChanges: [{ text: text.slice(0, text.indexOf("UPDATE account")) }],
      });
      const codes = (all: readonly Diagnostic[]) => all.map(({ code }) => code).join();
      await server.diagnostics("bank.sql", (all) => codes(all) === "lost-update");
      await client.sendNotification("textDocument/didChange", {
        textDocument: { uri, version: 3 },
        contentChanges: [{ text }],
      });
      await server.diagnostics("bank.sql", (all) => codes(all).includes("non-repeatable-read"));
      assert.equal(await server.end(), 0);
    });
  });
}
