import type { CodeAction, CodeActionParams, Diagnostic } from "vscode-languageserver/node";
import type { Range } from "../../protocol/source";
import { SUPPRESSIBLE } from "../../service/suppressions";
import { nearestNames } from "../../workspace/nearest";
import { findFile, type ServerState } from "../serverState";
import { ignoreHere, ignoreInFile, removal, type CommentEdit } from "../suppressionEdits";
import { toQuickFix } from "../toLsp";

/**
 * Quick fixes of our diagnostics at a place: an anomaly can be suppressed here or in its file, a comment that suppresses
 * nothing can go, and a kind that nobody knows can become the one that was meant.
 */
export function handleCodeAction(state: ServerState, params: CodeActionParams): CodeAction[] {
  const { textDocument, context } = params;
  const { only } = context;
  if (only !== undefined && !only.some((kind) => kind === "" || kind === "quickfix")) return [];
  const text = textOf(state, textDocument.uri);
  if (text === undefined) return [];
  const own = context.diagnostics.filter(({ source }) => source === "isolens");
  return own.flatMap((diagnostic) =>
    fixesOf(text, textDocument.uri, diagnostic).map(([title, edit]) =>
      toQuickFix(title, textDocument.uri, edit, diagnostic),
    ),
  );
}

type Fix = readonly [title: string, edit: CommentEdit];

function fixesOf(text: string, uri: string, { code, range }: Diagnostic): readonly Fix[] {
  switch (code) {
    case "suppression-unused":
    case "suppression-repeated":
      return [["Remove what suppresses nothing", removal(text, range)]];
    case "suppression-unattached":
      return [["Remove this comment", removal(text, range)]];
    case "suppression-unknown": {
      const near = nearestNames(partOf(text, range), SUPPRESSIBLE);
      return near.map((name) => [`Change to ${name}`, { range, newText: name }] as const);
    }
    default: {
      if (typeof code !== "string" || !SUPPRESSIBLE.includes(code)) return [];
      // The end of a URI is that of the file's name.
      return [
        [`Suppress ${code} here`, ignoreHere(text, uri, range.start.line, code)],
        [`Suppress ${code} in this file`, ignoreInFile(text, uri, code)],
      ];
    }
  }
}

function partOf(text: string, { start, end }: Range): string {
  const line = text.split(/\r\n|\r|\n/u)[start.line] ?? "";
  return line.slice(start.character, end.character);
}

/** The text as the editor has it, or of a file that is not open. */
function textOf(state: ServerState, uri: string): string | undefined {
  const open = state.documents.get(uri)?.getText();
  if (open !== undefined) return open;
  const found = findFile(state, uri);
  return found?.project.files.find(({ file }) => file === found.file)?.text;
}
