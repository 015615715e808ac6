// `Isolens: Explore Client Program`: runs a client program in every way that its level allows, from the palette, the
// explorer or the lens above it. Whether a document is one is told by its text.
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
import { looksLikeCodeClient, looksLikeJsonClient } from "../../../server/src/protocol/clientText";
import type { ExplorationSummary } from "../../../server/src/protocol/requests";
import type { Panel } from "./panel";
import type { ServerClient } from "./serverClient";

const JSON_LANGUAGES = ["json", "jsonc"];
const CODE_LANGUAGES = ["javascript", "typescript"];
const CANDIDATES = [...JSON_LANGUAGES, ...CODE_LANGUAGES].map((language) => ({
  language,
  scheme: "file",
}));

const LOOKED_AT_CHARACTERS = 20_000;
const SHOWN = 10_000;

export function registerExploreClient(server: ServerClient, panel: Panel): Disposable {
  const changed = new EventEmitter<void>();
  const explored = new Map<string, ExplorationSummary | "running">();

  async function explore(argument: unknown): Promise<void> {
    const uri = argument instanceof Uri ? argument : window.activeTextEditor?.document.uri;
    if (!uri) {
      window.setStatusBarMessage(
        "Isolens: open a client program, or choose one in the explorer",
        SHOWN,
      );
      return;
    }
    const key = uri.toString();
    if (explored.get(key) === "running") return;
    explored.set(key, "running");
    changed.fire();
    try {
      const summary = await server.request("isolens/explore", { uri: key });
      explored.set(key, summary);
      changed.fire();
      window.setStatusBarMessage(`Isolens: ${summary.message}`, SHOWN);
      const [first] = summary.violations;
      if (first !== undefined) await panel.open(first, "schedule");
    } catch (error) {
      explored.delete(key);
      server.log.error(`explore: ${String(error)}`);
      window.setStatusBarMessage(
        "Isolens: the client program could not be explored, see the output",
        SHOWN,
      );
      changed.fire();
    }
  }

  return Disposable.from(
    changed,
    commands.registerCommand("isolens.exploreClient", explore),
    languages.registerCodeLensProvider(CANDIDATES, {
      onDidChangeCodeLenses: changed.event,
      provideCodeLenses: (document) => lenses(document, explored.get(document.uri.toString())),
    }),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const key = document.uri.toString();
      const known = explored.get(key);
      if (contentChanges.length === 0 || known === undefined || known === "running") return;
      explored.delete(key);
      changed.fire();
      server.request("isolens/forgetExploration", { uri: key }).catch((error: unknown) => {
        server.log.warn(`explore: ${String(error)}`);
      });
    }),
  );
}

/** One line above the program: what was found, or the way to have it explored. */
function lenses(
  document: TextDocument,
  known: ExplorationSummary | "running" | undefined,
): CodeLens[] {
  if (!workspace.getConfiguration("isolens", document).get<boolean>("codeLens.enabled", true))
    return [];
  const end = document.positionAt(LOOKED_AT_CHARACTERS);
  const text = document.getText(new Range(0, 0, end.line, end.character));
  const isClient = JSON_LANGUAGES.includes(document.languageId)
    ? looksLikeJsonClient(text)
    : looksLikeCodeClient(text);
  if (!isClient) return [];
  const at = new Range(0, 0, 0, 0);
  const again = { command: "isolens.exploreClient", arguments: [document.uri] };
  if (known === "running") return [new CodeLens(at, { title: "Isolens: exploring", command: "" })];
  if (!known) return [new CodeLens(at, { title: "Explore client program", ...again })];
  const { message, violations } = known;
  if (violations.length === 0)
    return [new CodeLens(at, { title: `Isolens: ${message}`, ...again })];
  const show = { command: "isolens.showAnomaly", arguments: [{ ids: violations.slice(0, 1) }] };
  return [
    new CodeLens(at, { title: `Isolens: ${message} - show`, ...show }),
    new CodeLens(at, { title: "Explore again", ...again }),
  ];
}
