// A task on one document, such as judging a recorded run: started from the palette, the explorer or the lens above the document, with its
// outcome in that lens until the document changes.
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
import type { DocumentFilter, TextDocument } from "vscode";
import type { ServerClient } from "./serverClient";

export interface DocumentTask<Summary extends DocumentOutcome> {
  readonly command: string;
  /** The language ids of candidate documents. */
  readonly languages: readonly string[];
  /** True if a document is of the task's kind, judged by its text. */
  readonly applies: (document: TextDocument) => boolean;
  /** False if the task may not run, after reporting why. */
  readonly mayRun?: () => boolean;
  readonly run: (uri: string) => Promise<Summary>;
  /** Removes the diagnostics of an edited document. */
  readonly forget: (uri: string) => Promise<unknown>;
  /** The anomaly for the panel: the first that was found. */
  readonly found: (summary: Summary) => string | undefined;
  readonly open: (anomaly: string) => Promise<void>;
  readonly words: {
    /** The lens before, during and after the run. */
    readonly offer: string;
    readonly running: string;
    readonly again: string;
    /** The message if no document is open. */
    readonly none: string;
    readonly failed: string;
    /** The name in the log. */
    readonly name: string;
  };
}

export interface DocumentOutcome {
  readonly message: string;
}

const SHOWN = 10_000;
/** Limit of a lens title in characters. */
const LONGEST_TITLE = 100;

/** Milliseconds until the panel has the keyboard focus. */
const REDRAW = 1000;

/** Registers the task's command and lens. A document has one run at a time. */
export function registerDocumentTask<Summary extends DocumentOutcome>(
  server: Pick<ServerClient, "log">,
  task: DocumentTask<Summary>,
): Disposable {
  const changed = new EventEmitter<void>();
  const outcomes = new Map<string, Summary | "running">();
  /** Documents edited during their run: the outcome belongs to the old text. */
  const overtaken = new Set<string>();
  const { words } = task;

  function forget(key: string): void {
    outcomes.delete(key);
    changed.fire();
    task.forget(key).catch((error: unknown) => {
      server.log.warn(`${words.name}: ${String(error)}`);
    });
  }

  async function run(argument: unknown): Promise<void> {
    const uri = argument instanceof Uri ? argument : window.activeTextEditor?.document.uri;
    if (!uri) {
      window.setStatusBarMessage(`Isolens: ${words.none}`, SHOWN);
      return;
    }
    const key = uri.toString();
    if (outcomes.get(key) === "running" || task.mayRun?.() === false) return;
    outcomes.set(key, "running");
    changed.fire();
    try {
      const summary = await task.run(key);
      if (overtaken.delete(key)) {
        forget(key);
        window.setStatusBarMessage(
          `Isolens: the text has changed; ${words.again.toLowerCase()}`,
          SHOWN,
        );
        return;
      }
      outcomes.set(key, summary);
      changed.fire();
      window.setStatusBarMessage(`Isolens: ${summary.message}`, SHOWN);
      const found = task.found(summary);
      if (found === undefined) return;
      await task.open(found);
      changed.fire();
      // The editor draws no lenses while the panel takes the keyboard focus, and sends no event afterwards.
      setTimeout(() => {
        changed.fire();
      }, REDRAW);
    } catch (error) {
      overtaken.delete(key);
      outcomes.delete(key);
      server.log.error(`${words.name}: ${String(error)}`);
      window.setStatusBarMessage(`Isolens: ${words.failed}, see the output`, SHOWN);
      changed.fire();
    }
  }

  /** One line above the document: its outcome, or the command. */
  function lenses(document: TextDocument): CodeLens[] {
    const isOn = workspace.getConfiguration("isolens", document).get("codeLens.enabled", true);
    if (!isOn || !task.applies(document)) return [];
    const at = new Range(0, 0, 0, 0);
    const again = { command: task.command, arguments: [document.uri] };
    const known = outcomes.get(document.uri.toString());
    if (known === "running")
      return [new CodeLens(at, { title: `Isolens: ${words.running}`, command: "" })];
    if (!known) return [new CodeLens(at, { title: words.offer, ...again })];
    const found = task.found(known);
    const title = `Isolens: ${shortened(known.message)}`;
    const told = { title, tooltip: known.message };
    if (found === undefined) return [new CodeLens(at, { ...told, ...again })];
    const show = { command: "isolens.showAnomaly", arguments: [{ ids: [found] }] };
    return [
      new CodeLens(at, { ...told, ...show, title: `${title} - show` }),
      new CodeLens(at, { title: words.again, ...again }),
    ];
  }

  const selector = task.languages.map((language): DocumentFilter => ({ language, scheme: "file" }));
  return Disposable.from(
    changed,
    commands.registerCommand(task.command, run),
    languages.registerCodeLensProvider(selector, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: lenses,
    }),
    // A lens that changed while another editor had the focus is only redrawn on request. Unchanged lenses are kept: redrawing one swallows
    // a click on it.
    window.onDidChangeActiveTextEditor((editor) => {
      const isShown = editor ? outcomes.has(editor.document.uri.toString()) : outcomes.size > 0;
      if (isShown) changed.fire();
    }),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const key = document.uri.toString();
      const known = outcomes.get(key);
      if (contentChanges.length === 0 || known === undefined) return;
      if (known === "running") overtaken.add(key);
      else forget(key);
    }),
  );
}

/** A lens has a single, unwrapped line: the explanation after a colon moves to its tooltip. */
function shortened(message: string): string {
  if (message.length <= LONGEST_TITLE) return message;
  const head = message.slice(0, LONGEST_TITLE);
  const cut = Math.max(head.lastIndexOf(": "), head.lastIndexOf("; "), head.lastIndexOf(", "));
  return `${head.slice(0, cut > 0 ? cut : LONGEST_TITLE)} ...`;
}

/** The first lines of a document, up to a number of characters. */
export function headOf(document: TextDocument, characters: number, lines = Infinity): string {
  const end = document.validatePosition(document.positionAt(characters));
  return document.getText(new Range(0, 0, Math.min(end.line, lines), end.character));
}
