// Clients that can less than ours, or do not do what they say.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CodeLens, DocumentSymbol } from "vscode-languageserver-protocol/node";
import { withServer } from "./harness";

const BANK = `transaction withdraw
  anomaly lost-update`;

describe("a client that shows no related places", () => {
  it("has the steps as lines of the message", async () => {
    const capabilities = { textDocument: {} };
    await withServer({ files: { "a.sql": BANK }, capabilities }, async (harness) => {
      await harness.open("a.sql", BANK);
      const [found] = await harness.diagnostics("a.sql", ["1 lost-update"]);
      assert.equal(found?.relatedInformation, undefined);
      assert.match(
        typeof found?.message === "string" ? found.message : "",
        /\n1\/2 T1 reads .*\(line 2\)\n2\/2 T2 reads .*\(line 2\)$/u,
      );
    });
  });
});

describe("a client that is not to be asked for its settings", () => {
  it("tells them with each change, as the section or around it; a change without any leaves them", async () => {
    const capabilities = { workspace: {} };
    await withServer({ files: { "a.sql": BANK }, capabilities }, async ({ client, ...harness }) => {
      await harness.open("a.sql", BANK);
      await harness.diagnostics("a.sql", ["1 lost-update"]);
      const change = (settings: unknown) =>
        client.sendNotification("workspace/didChangeConfiguration", { settings });
      await change({ isolens: { level: "postgres:serializable" } });
      await harness.status(({ level }) => level.name === "postgres:serializable");
      await change(null);
      await change({ level: "postgres:repeatable-read" });
      await harness.status(({ level }) => level.name === "postgres:repeatable-read");
    });
  });
});

describe("a client that refuses what it said it has", () => {
  it("is served all the same", async () => {
    const capabilities = {
      workspace: {
        configuration: true,
        didChangeConfiguration: { dynamicRegistration: true },
        didChangeWatchedFiles: { dynamicRegistration: true },
      },
    };
    const refuses = ["client/registerCapability", "workspace/configuration"];
    await withServer({ files: { "a.sql": BANK }, capabilities, refuses }, async (harness) => {
      await harness.open("a.sql", BANK);
      await harness.diagnostics("a.sql", ["1 lost-update"]);
    });
  });
});

describe("a client that asks once, when it opens a document", () => {
  it("has symbols and lenses of what is read, before anything is found", async () => {
    let release = (): void => undefined;
    const decided = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = (): Promise<void> => decided;
    await withServer({ files: { "a.sql": BANK }, before }, async (harness) => {
      await harness.open("a.sql", BANK);
      const textDocument = { uri: harness.uri("a.sql") };
      const symbols: readonly DocumentSymbol[] = await harness.client.sendRequest(
        "textDocument/documentSymbol",
        { textDocument },
      );
      assert.deepEqual(
        symbols.map(({ name, detail }) => [name, detail]),
        [["withdraw", ""]],
      );
      const lenses: readonly CodeLens[] = await harness.client.sendRequest(
        "textDocument/codeLens",
        {
          textDocument,
        },
      );
      assert.deepEqual(
        lenses.map(({ command }) => command?.title),
        ["Isolens: checking at PostgreSQL READ COMMITTED"],
      );
      release();
      await harness.diagnostics("a.sql", ["1 lost-update"]);
    });
  });
});
