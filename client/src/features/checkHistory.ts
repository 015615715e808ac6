// `Isolens: Check History`: judges a recorded run, from the palette, the explorer or the lens above the run. Whether a
// document is one is told by its first lines, never by its name.
import {
  CodeLens,
  Disposable,
  EventEmitter,
  Range,
  Uri,
  commands,
  languages,
  window,
  workspace,
} from "vscode";
import type { TextDocument } from "vscode";
import { looksLikeHistory } from "../../../server/src/protocol/historyText";
import type { HistorySummary } from "../../../server/src/protocol/requests";
import type { Panel } from "./panel";
import type { ServerClient } from "./serverClient";

/** Documents whose first lines are looked at; their languages are those that the usual names give. */
const CANDIDATES = ["isolens-history", "plaintext", "json", "jsonl", "jsonc", "clojure", "log"].map(
  (language) => ({ language, scheme: "file" }),
);

const LOOKED_AT_LINES = 40;
const LOOKED_AT_CHARACTERS = 4000;
const SHOWN = 10_000;

export function registerCheckHistory(server: ServerClient, panel: Panel): Disposable {
  const changed = new EventEmitter<void>();
  const judged = new Map<string, HistorySummary | "running">();

  async function check(argument: unknown): Promise<void> {
    const uri = argument instanceof Uri ? argument : window.activeTextEditor?.document.uri;
    if (!uri) {
      window.setStatusBarMessage(
        "Isolens: open a recorded history, or choose one in the explorer",
        SHOWN,
      );
      return;
    }
    const key = uri.toString();
    judged.set(key, "running");
    changed.fire();
    try {
      const summary = await server.request("isolens/checkHistory", { uri: key });
      judged.set(key, summary);
      changed.fire();
      window.setStatusBarMessage(`Isolens: ${summary.message}`, SHOWN);
      if (summary.violation !== undefined) await panel.open(summary.violation, "cycle");
    } catch (error) {
      judged.delete(key);
      server.log.error(`history: ${String(error)}`);
      window.setStatusBarMessage("Isolens: the history could not be judged, see the output", SHOWN);
      changed.fire();
    }
  }

  return Disposable.from(
    changed,
    commands.registerCommand("isolens.checkHistory", check),
    languages.registerCodeLensProvider(CANDIDATES, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: (document) => lenses(document, judged.get(document.uri.toString())),
    }),
    // A lens that changed while another editor had the keyboard is shown again only when it is asked for.
    // One that did not change stays as it is: a lens that is drawn anew swallows the click that it is under.
    window.onDidChangeActiveTextEditor((editor) => {
      if (editor && judged.has(editor.document.uri.toString())) changed.fire();
    }),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const key = document.uri.toString();
      if (contentChanges.length === 0 || !judged.has(key)) return;
      judged.delete(key);
      changed.fire();
      server.request("isolens/forgetHistory", { uri: key }).catch((error: unknown) => {
        server.log.warn(`history: ${String(error)}`);
      });
    }),
  );
}

/** One line above the run: what it was judged as, or the way to have it judged. */
function lenses(document: TextDocument, known: HistorySummary | "running" | undefined): CodeLens[] {
  if (!workspace.getConfiguration("isolens", document).get<boolean>("codeLens.enabled", true))
    return [];
  const end = document.validatePosition(document.positionAt(LOOKED_AT_CHARACTERS));
  const head = document.getText(
    new Range(0, 0, Math.min(end.line, LOOKED_AT_LINES), end.character),
  );
  if (!looksLikeHistory(head)) return [];
  const at = new Range(0, 0, 0, 0);
  const again = { command: "isolens.checkHistory", arguments: [document.uri] };
  if (known === "running")
    return [new CodeLens(at, { title: "Isolens: judging this run", command: "" })];
  if (!known) return [new CodeLens(at, { title: "Check history", ...again })];
  const { message, violation } = known;
  if (violation === undefined)
    return [new CodeLens(at, { title: `Isolens: ${message}`, ...again })];
  const show = { command: "isolens.showAnomaly", arguments: [{ ids: [violation] }] };
  return [
    new CodeLens(at, { title: `Isolens: ${message} - show`, ...show }),
    new CodeLens(at, { title: "Check again", ...again }),
  ];
}
