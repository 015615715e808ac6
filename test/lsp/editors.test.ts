// `isolens lsp` as other editors speak to it: each finds, explains, lists, offers fixes and runs the commands of the server, and
// is asked for nothing that it did not say it has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type {
  CodeAction,
  CodeLens,
  Diagnostic,
  DocumentSymbol,
  Hover,
  ShowMessageParams,
} from "vscode-languageserver-protocol/node";
import { withServerProcess } from "./client";
import { EDITORS, type EditorClient } from "./editorClients";

const isLostUpdate = ({ code }: Diagnostic): boolean => code === "lost-update";

const textOf = ({ message }: Diagnostic): string =>
  typeof message === "string" ? message : message.value;

describe("isolens lsp", () => {
  for (const editor of EDITORS)
    it(`serves ${editor.name}`, { timeout: 120_000 }, async () => {
      const asked: string[] = [];
      const answers = answersOf(editor, asked);
      const { rootAlone = false, capabilities } = editor;
      const options = { answers, rootAlone, capabilities };
      await withServerProcess(
        "command",
        "bank",
        async (server) => {
          const { client } = server;
          const uri = server.uri("bank.sql");
          const textDocument = { uri };
          const messages: string[] = [];
          client.onNotification("window/showMessage", ({ message }: ShowMessageParams) => {
            messages.push(message);
          });
          // A sign of two units of UTF-16 in front of a statement, whose place counts in these units in every editor.
          const whole = readFileSync(path.join(server.folder, "bank.sql"), "utf8");
          const text = whole.replace("  SELECT balance", "  /* 💶 */ SELECT balance");
          const { languageId } = editor;
          await client.sendNotification("textDocument/didOpen", {
            textDocument: { uri, languageId, version: 1, text },
          });
          const found = await server.diagnostics("bank.sql", (all) => all.some(isLostUpdate));
          const lost = found.find(isLostUpdate);
          assert.ok(lost);
          const { start } = lost.range;
          assert.equal(
            text.split("\n")[start.line]?.slice(start.character, start.character + 23),
            "SELECT balance INTO bal",
          );
          const shows = capabilities.textDocument?.publishDiagnostics?.relatedInformation === true;
          assert.equal(lost.relatedInformation !== undefined, shows);
          // Who shows no related places reads the steps in the message.
          assert.equal(/\n1\/\d+ T1 .* \(line \d+\)\n/u.test(textOf(lost)), !shows, textOf(lost));

          const hover: Hover = await client.sendRequest("textDocument/hover", {
            textDocument,
            position: start,
          });
          assert.match(JSON.stringify(hover.contents), /Lost update/u);
          assert.doesNotMatch(JSON.stringify(hover.contents), /command:/u);
          const symbols: readonly DocumentSymbol[] = await client.sendRequest(
            "textDocument/documentSymbol",
            { textDocument },
          );
          assert.ok(symbols.some(({ name }) => name === "withdraw"));

          const actions: readonly CodeAction[] = await client.sendRequest(
            "textDocument/codeAction",
            { textDocument, range: lost.range, context: { diagnostics: [lost] } },
          );
          const shown = actions.find(({ title }) => title === "Show how this comes about");
          const edits = actions.flatMap(({ edit }) => edit ?? []);
          assert.ok(edits.length > 0);
          if (capabilities.workspace?.workspaceEdit?.documentChanges !== true)
            assert.ok(edits.every(({ documentChanges }) => documentChanges === undefined));
          const lenses: readonly CodeLens[] = await client.sendRequest("textDocument/codeLens", {
            textDocument,
          });
          for (const command of [shown?.command, lenses[0]?.command]) {
            assert.ok(command);
            const answer: unknown = await client.sendRequest("workspace/executeCommand", {
              command: command.command,
              arguments: command.arguments,
            });
            assert.match(String(answer), /\n  1\. T1 /u);
            assert.equal(messages.pop(), answer);
          }

          // A line in front of it, sent as the editor sends changes: what is found moves along.
          const added = "  -- later\n";
          const lines = text.split("\n");
          const changed = [...lines.slice(0, start.line), "  -- later", ...lines.slice(start.line)];
          const at = { line: start.line, character: 0 };
          await client.sendNotification("textDocument/didChange", {
            textDocument: { uri, version: 2 },
            contentChanges: [
              editor.whole === true
                ? { text: changed.join("\n") }
                : { range: { start: at, end: at }, text: added },
            ],
          });
          await server.diagnostics("bank.sql", (all) =>
            all.some((each) => isLostUpdate(each) && each.range.start.line === start.line + 1),
          );
          assert.deepEqual(asked, []);
          assert.equal(await server.end(), 0);
        },
        {},
        options,
      );
    });
});

/** The editor's answers; what it is asked without having said that it has it is added to `asked`. */
function answersOf(
  { capabilities }: EditorClient,
  asked: string[],
): Readonly<Record<string, (params: unknown) => unknown>> {
  const { workspace = {}, window = {} } = capabilities;
  const registrable = new Map([
    ["workspace/didChangeConfiguration", workspace.didChangeConfiguration?.dynamicRegistration],
    ["workspace/didChangeWatchedFiles", workspace.didChangeWatchedFiles?.dynamicRegistration],
  ]);
  const methods = new Map<string, boolean | undefined>([
    ["workspace/configuration", workspace.configuration],
    ["window/workDoneProgress/create", window.workDoneProgress],
    ["workspace/codeLens/refresh", workspace.codeLens?.refreshSupport],
    ["workspace/inlayHint/refresh", workspace.inlayHint?.refreshSupport],
  ]);
  const answer =
    (method: string, isKnown: boolean) =>
    (params: unknown): unknown => {
      if (!isKnown) asked.push(method);
      return method === "workspace/configuration" ? itemsOf(params).map(() => null) : null;
    };
  return {
    ...Object.fromEntries(
      [...methods].map(([method, isKnown = false]) => [method, answer(method, isKnown)]),
    ),
    "client/registerCapability": (params) => {
      for (const method of registrationsOf(params))
        if (registrable.get(method) !== true) asked.push(`registration of ${method}`);
      return null;
    },
  };
}

function itemsOf(params: unknown): readonly unknown[] {
  const { items } = params as { readonly items: readonly unknown[] };
  return items;
}

function registrationsOf(params: unknown): readonly string[] {
  const { registrations } = params as {
    readonly registrations: readonly { readonly method: string }[];
  };
  return registrations.map(({ method }) => method);
}
