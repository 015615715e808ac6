// Fixes at the lightbulb: verified edits come first, their undoing is one step, and none is offered for a text that changed.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CancellationTokenSource,
  CodeActionTriggerKind,
} from "vscode-languageserver-protocol/node";
import type { CodeAction, Diagnostic } from "vscode-languageserver-protocol/node";
import { withServer, type Harness } from "./harness";

const FILE = "a.sql";
const TEXT = "transaction A\nanomaly lost-update\nfix Lock the row\n";

async function actionsFor(
  harness: Harness,
  diagnostics: readonly Diagnostic[],
  triggerKind: CodeActionTriggerKind = CodeActionTriggerKind.Automatic,
): Promise<readonly CodeAction[]> {
  const [first] = diagnostics;
  assert.ok(first);
  return harness.client.sendRequest("textDocument/codeAction", {
    textDocument: { uri: harness.uri(FILE) },
    range: first.range,
    context: { diagnostics, triggerKind },
  });
}

describe("fixes at the lightbulb", () => {
  it("come before what suppresses, with the version of the document", async () => {
    const capabilities = { workspace: { workspaceEdit: { documentChanges: true } } };
    await withServer({ files: { [FILE]: TEXT }, capabilities }, async (harness) => {
      await harness.open(FILE, TEXT);
      const diagnostics = await harness.diagnostics(FILE, ["1 lost-update"]);
      const [fix, ...others] = await actionsFor(harness, diagnostics);
      assert.equal(fix?.title, "Lock the row");
      assert.equal(fix.kind, "quickfix");
      assert.equal(fix.isPreferred, true);
      const at = { line: 1, character: "anomaly lost-update".length };
      assert.deepEqual(fix.edit?.documentChanges, [
        {
          textDocument: { uri: harness.uri(FILE), version: 1 },
          edits: [{ range: { start: at, end: at }, newText: " -- fixed" }],
        },
      ]);
      assert.deepEqual(
        others.map(({ title }) => title),
        [
          "Show how this comes about",
          "Suppress lost-update here",
          "Suppress lost-update in this file",
        ],
      );
    });
  });

  it("are plain changes for clients that know no versions", async () => {
    await withServer({ files: { [FILE]: TEXT } }, async (harness) => {
      await harness.open(FILE, TEXT);
      const [fix] = await actionsFor(harness, await harness.diagnostics(FILE, ["1 lost-update"]));
      assert.deepEqual(Object.keys(fix?.edit?.changes ?? {}), [harness.uri(FILE)]);
    });
  });

  it("say why there is none where the client can show it", async () => {
    const capabilities = { textDocument: { codeAction: { disabledSupport: true } } };
    const text = TEXT.replace("fix", "nix");
    await withServer({ files: { [FILE]: text }, capabilities }, async (harness) => {
      await harness.open(FILE, text);
      const [none] = await actionsFor(harness, await harness.diagnostics(FILE, ["1 lost-update"]));
      assert.equal(none?.disabled?.reason, "nothing says how");
      assert.equal(none.edit, undefined);
    });
  });

  it("are waited for a moment where a key asks for them, and for longer where nobody waits", async () => {
    const text = `${TEXT}-- slowly\n`;
    await withServer({ files: { [FILE]: text } }, async (harness) => {
      await harness.open(FILE, text);
      const diagnostics = await harness.diagnostics(FILE, ["1 lost-update"]);
      const invoked = actionsFor(harness, diagnostics, CodeActionTriggerKind.Invoked);
      const unasked = actionsFor(harness, diagnostics, CodeActionTriggerKind.Automatic);
      const first = await Promise.race([invoked, unasked.then(() => [])]);
      assert.deepEqual(
        first.map(({ title }) => title),
        [
          "Lock the row",
          "Show how this comes about",
          "Suppress lost-update here",
          "Suppress lost-update in this file",
        ],
      );
      assert.equal((await unasked).length, 4);
      assert.equal(await harness.request("isolens/cancel", {}), 1);
    });
  });

  it("are looked for while a hover over their finding is read", async () => {
    const text = `${TEXT}-- slowly\n`;
    await withServer({ files: { [FILE]: text } }, async (harness) => {
      await harness.open(FILE, text);
      await harness.diagnostics(FILE, ["1 lost-update"]);
      await harness.client.sendRequest("textDocument/hover", {
        textDocument: { uri: harness.uri(FILE) },
        position: { line: 1, character: 2 },
      });
      assert.equal(await harness.request("isolens/cancel", {}), 1);
    });
  });

  it("are not looked for any more where the request is cancelled", async () => {
    const text = `${TEXT}-- slowly\n`;
    await withServer({ files: { [FILE]: text } }, async (harness) => {
      await harness.open(FILE, text);
      const [diagnostic] = await harness.diagnostics(FILE, ["1 lost-update"]);
      assert.ok(diagnostic);
      const params = {
        textDocument: { uri: harness.uri(FILE) },
        range: diagnostic.range,
        context: { diagnostics: [diagnostic] },
      };
      const id = { id: "A-lost-update" };
      for (const [method, asked] of [
        ["textDocument/codeAction", params],
        ["isolens/fixes", id],
      ] as const) {
        const source = new CancellationTokenSource();
        const answer = harness.client.sendRequest(method, asked, source.token);
        // Requests are begun in their order: the search runs.
        await harness.request("isolens/summaries", {});
        source.cancel();
        await answer;
        assert.equal(await harness.request("isolens/cancel", {}), 0, method);
      }
      // Somebody else waits for the same search.
      const source = new CancellationTokenSource();
      const given = harness.client.sendRequest("isolens/fixes", id, source.token);
      const kept = harness.request("isolens/fixes", id);
      await harness.request("isolens/summaries", {});
      source.cancel();
      assert.equal(await given, null);
      assert.equal((await kept)?.isPartial, true);
      assert.equal(await harness.request("isolens/cancel", {}), 1);
    });
  });

  it("are given by their anomaly's id, with documents, and not for a text that has changed", async () => {
    const settings = { check: "manual" };
    await withServer({ files: { [FILE]: TEXT }, settings }, async (harness) => {
      await harness.open(FILE, TEXT);
      await harness.request("isolens/check", {});
      await harness.diagnostics(FILE, ["1 lost-update"]);
      const answer = await harness.request("isolens/fixes", { id: "A-lost-update" });
      assert.deepEqual(
        answer?.fixes.map(({ kind }) => kind),
        ["row-lock"],
      );
      assert.deepEqual(answer?.uris, { [FILE]: harness.uri(FILE) });
      assert.equal(await harness.request("isolens/fixes", { id: "nobody" }), null);
      const start = { line: 1, character: 0 };
      await harness.edit(FILE, { start, end: start }, "-- ");
      assert.equal(await harness.request("isolens/fixes", { id: "A-lost-update" }), null);
    });
  });
});
