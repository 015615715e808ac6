import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CodeAction, CodeLens, Diagnostic } from "vscode-languageserver-protocol/node";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { withServer, type Harness } from "./harness";

const ANOMALY = "transaction a\n  anomaly lost-update\n  anomaly write-skew";

async function actions(
  harness: Harness,
  file: string,
  diagnostic: Diagnostic | undefined,
): Promise<readonly CodeAction[]> {
  assert.ok(diagnostic);
  return harness.client.sendRequest("textDocument/codeAction", {
    textDocument: { uri: harness.uri(file) },
    range: diagnostic.range,
    context: { diagnostics: [diagnostic] },
  });
}

/** The only edit of an action on a document. */
function editOf(action: CodeAction | undefined, uri: string) {
  const [edit] = ownEntry(action?.edit?.changes, uri) ?? [];
  assert.ok(edit);
  return edit;
}

describe("suppressions in the editor", () => {
  it("are written by a quick fix, here or for the file, and the anomaly goes", async () => {
    await withServer({ files: { "a.sql": ANOMALY } }, async (harness) => {
      await harness.open("a.sql", ANOMALY);
      const [first] = await harness.diagnostics("a.sql", ["1 lost-update", "2 write-skew"]);
      const offered = await actions(harness, "a.sql", first);
      assert.deepEqual(
        offered.map(({ title, kind }) => [title, kind]),
        [
          ["Show how this comes about", "quickfix"],
          ["Suppress lost-update here", "quickfix"],
          ["Suppress lost-update in this file", "quickfix"],
        ],
      );
      const here = editOf(offered[1], harness.uri("a.sql"));
      await harness.edit("a.sql", here.range, here.newText);
      await harness.diagnostics("a.sql", ["3 write-skew"]);
      const [second] = await harness.diagnostics("a.sql", ["3 write-skew"]);
      const file = editOf((await actions(harness, "a.sql", second))[2], harness.uri("a.sql"));
      await harness.edit("a.sql", file.range, file.newText);
      await harness.diagnostics("a.sql", []);
      await harness.status(({ anomalies, health }) => anomalies === 0 && health === "ok");
      const lenses: readonly CodeLens[] = await harness.client.sendRequest(
        "textDocument/codeLens",
        { textDocument: { uri: harness.uri("a.sql") } },
      );
      assert.deepEqual(
        lenses.map(({ command }) => command?.title),
        ["No other anomaly at PostgreSQL READ COMMITTED than 2 suppressed"],
      );
    });
  });

  it("that suppress nothing fade, and a quick fix removes them", async () => {
    const text = `-- @isolens ignore-file phantom, lost-update -- why\n${ANOMALY}`;
    await withServer({ files: { "a.sql": text } }, async (harness) => {
      await harness.open("a.sql", text);
      const found = await harness.diagnostics("a.sql", ["3 write-skew", "0 suppression-unused"]);
      const unused = found[1];
      assert.equal(unused?.severity, 4);
      assert.deepEqual(unused.tags, [1]);
      const [fix] = await actions(harness, "a.sql", unused);
      const edit = editOf(fix, harness.uri("a.sql"));
      await harness.edit("a.sql", edit.range, edit.newText);
      await harness.diagnostics("a.sql", ["3 write-skew"]);
    });
  });

  it("are not called useless at another level than the configured one", async () => {
    const text = `-- @isolens ignore-file lost-update, write-skew -- why\n${ANOMALY}`;
    await withServer({ files: { "a.sql": text } }, async (harness) => {
      await harness.open("a.sql", text);
      await harness.request("isolens/check", {});
      await harness.request("isolens/check", { level: "postgres:serializable" });
      await harness.diagnostics("a.sql", []);
    });
  });
});

describe("severities in the editor", () => {
  it("come from the settings, and before them from isolens.json", async () => {
    const settings = { severities: { "lost-update": "error", "write-skew": "hint", phantom: 3 } };
    const files = { "a.sql": ANOMALY, "b/isolens.json": "{}", "b/b.sql": ANOMALY };
    await withServer({ files, settings }, async (harness) => {
      await harness.open("a.sql", ANOMALY);
      const found = await harness.diagnostics("a.sql", ["1 lost-update", "2 write-skew"]);
      assert.deepEqual(
        found.map(({ severity }) => severity),
        [1, 4],
      );
    });
    const own = { ...files, "isolens.json": '{ "severities": { "lost-update": "off" } }' };
    await withServer({ files: own, settings }, async (harness) => {
      await harness.open("a.sql", ANOMALY);
      await harness.diagnostics("a.sql", ["2 write-skew"]);
      assert.deepEqual(
        (await harness.request("isolens/anomalies", {})).map(({ kind }) => kind),
        ["write-skew"],
      );
    });
  });
});

describe("a baseline in the editor", () => {
  const configuration = '{ "baseline": "known.json" }';

  it("leaves out what it has, and says what it has in vain", async () => {
    const entry = (kind: string) => ({
      fingerprint: kind,
      kind,
      transactions: ["a", "a"],
      statements: [`anomaly ${kind}`.replace("-", " - ")],
    });
    const baseline = {
      format: "isolens-baseline",
      version: 1,
      findings: [entry("lost-update"), entry("phantom")],
    };
    const files = {
      "a.sql": ANOMALY,
      "isolens.json": configuration,
      "known.json": JSON.stringify(baseline),
    };
    await withServer({ files }, async (harness) => {
      await harness.open("a.sql", ANOMALY);
      await harness.diagnostics("a.sql", ["2 write-skew"]);
      const [old, remark] = await harness.diagnostics("isolens.json", [
        "0 configuration",
        "0 configuration",
      ]);
      assert.match(textOf(old), /^this baseline is of version 1, /u);
      assert.match(textOf(remark), /^1 entry is not found any more: phantom of a, a; /u);
      assert.equal(remark?.severity, 3);
    });
  });

  it("that is damaged is said at its name", async () => {
    const files = { "a.sql": ANOMALY, "isolens.json": configuration, "known.json": "{" };
    await withServer({ files }, async (harness) => {
      await harness.open("a.sql", ANOMALY);
      const [problem] = await harness.diagnostics("isolens.json", ["0 configuration"]);
      assert.match(textOf(problem), /^known\.json:1:1: the baseline is damaged: /u);
      await harness.diagnostics("a.sql", ["1 lost-update", "2 write-skew"]);
    });
  });
});

function textOf(diagnostic: { readonly message: unknown } | undefined): string {
  return typeof diagnostic?.message === "string" ? diagnostic.message : "";
}
