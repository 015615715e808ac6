// Wires the language server: life cycle, documents, settings, watched files, and one handler per request.
import {
  CodeActionKind,
  DidChangeWatchedFilesNotification,
  TextDocumentSyncKind,
  TextDocuments,
  type CodeActionParams,
  type CodeLensParams,
  type Connection,
  type DocumentSymbolParams,
  type ExecuteCommandParams,
  type HoverParams,
  type InlayHintParams,
  type InitializeParams,
  type InitializeResult,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { reasonOf } from "../protocol/fault";
import type { InitializationOptions } from "../protocol/requests";
import { payloadOf } from "./anomalies";
import { createExplorations, type Explorations } from "./explorations";
import { createFixes, type Fixes } from "./fixes";
import { createHistories, type Histories } from "./histories";
import type { Checker } from "./checker";
import { createChecks, type Checks } from "./checks";
import {
  toAnomalyId,
  toExploreParams,
  toHistoryParams,
  toInitializationOptions,
  toPushedSettings,
  toTextEdit,
  toTrust,
} from "./fromLsp";
import { handleAllocation } from "./handlers/allocation";
import { handleCheck } from "./handlers/check";
import { handleCodeAction } from "./handlers/codeAction";
import { handleCodeLens } from "./handlers/codeLens";
import { handleFixes } from "./handlers/fixes";
import { handleDocumentSymbol } from "./handlers/documentSymbol";
import { handleExecuteCommand, SERVER_COMMANDS } from "./handlers/executeCommand";
import { handleHover } from "./handlers/hover";
import { handleInlayHint } from "./handlers/inlayHint";
import { handleLevels } from "./handlers/levels";
import { handleAnomalies } from "./handlers/listAnomalies";
import { handleTryLevel } from "./handlers/tryLevel";
import { handleTree } from "./handlers/tree";
import { featuresOf } from "./clientFeatures";
import { readSettings, watchSettings } from "./clientSettings";
import { documentMessages } from "./clientShapes";
import { createServerState, settingsOf, type ServerState } from "./serverState";
import type { TextEdit } from "./editRange";
import { textDifference } from "./textDifference";
import { withFailureAnswer, onCustomRequest } from "./customMessages";
import { pathOfUri } from "./uris";

/** Serves a connection until the client ends it; `createChecker` is called once, with the client's options. */
export function startServer(
  connection: Connection,
  version: string,
  createChecker: (options: InitializationOptions) => Checker,
): void {
  const edits = new Map<string, readonly TextEdit[]>();
  const documents = new TextDocuments({
    create: (uri, languageId, documentVersion, content) =>
      TextDocument.create(uri, languageId, documentVersion, content),
    update: (document, changes, documentVersion) => {
      const own: TextEdit[] = [];
      for (const change of changes) {
        const before = document.getText();
        TextDocument.update(document, [change], documentVersion);
        const edit = toTextEdit(change) ?? textDifference(before, document.getText());
        if (edit) own.push(edit);
      }
      edits.set(document.uri, own);
      return document;
    },
  });
  const state = createServerState(connection, documents);
  const checks = createChecks(state);
  const fixes = createFixes(state);
  const histories = createHistories(state);
  const explorations = createExplorations(state);
  registerLifeCycle(state, checks, [fixes, histories, explorations], version, createChecker);
  registerDocuments(state, checks, fixes, edits);
  registerRequests(state, checks, fixes, histories, explorations);
  documents.listen(documentMessages(connection));
  connection.listen();
}

function registerLifeCycle(
  state: ServerState,
  checks: Checks,
  others: readonly { readonly cancel: () => number }[],
  version: string,
  createChecker: (options: InitializationOptions) => Checker,
): void {
  const { connection } = state;
  connection.onInitialize((params): InitializeResult => {
    state.options = toInitializationOptions(params.initializationOptions);
    state.capabilities = featuresOf(params.capabilities);
    state.folders = foldersOf(params);
    state.checker = createChecker(state.options);
    return {
      serverInfo: { name: "isolens", version },
      capabilities: {
        textDocumentSync: {
          openClose: true,
          change: TextDocumentSyncKind.Incremental,
          save: { includeText: false },
        },
        hoverProvider: true,
        codeLensProvider: { resolveProvider: false },
        inlayHintProvider: true,
        documentSymbolProvider: true,
        executeCommandProvider: { commands: [...SERVER_COMMANDS] },
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });
  connection.onInitialized(() => {
    initialized(state, checks).catch(logged(state));
  });
  connection.onNotification("isolens/trust", (params: unknown) => {
    state.options = { ...state.options, trusted: toTrust(params) };
  });
  connection.onDidChangeConfiguration((params: unknown) => {
    readSettings(state, toPushedSettings(params))
      .then(() => checks.reload())
      .catch(logged(state));
  });
  connection.onDidChangeWatchedFiles(() => {
    checks.reloadSoon();
  });
  connection.onShutdown(() => {
    for (const each of others) each.cancel();
    return checks.dispose();
  });
}

async function initialized(state: ServerState, checks: Checks): Promise<void> {
  const { connection } = state;
  for (const watch of [watchSettings, watchFiles]) {
    // Clients that do not watch files are read at the start only.
    await watch(state).catch(logged(state));
  }
  if (state.capabilities.workspaceFolders) {
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      const gone = pathsOf(removed);
      const kept = state.folders.filter((folder) => !gone.includes(folder));
      state.folders = [...kept, ...pathsOf(added)];
      readSettings(state)
        .then(() => checks.reload())
        .catch(logged(state));
    });
  }
  await readSettings(state);
  state.phase = "running";
  await checks.reload();
}

/** Registers for changes of files on disk, if the client supports that. */
async function watchFiles({ connection, capabilities }: ServerState): Promise<void> {
  if (!capabilities.watchedFiles) return;
  const watchers = [
    { globPattern: "**/*.{sql,prisma}" },
    { globPattern: "**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,java}" },
    { globPattern: "**/{package,tsconfig,jsconfig}.json" },
    { globPattern: "**/isolens.json" },
    { globPattern: "**/*.level.json" },
    { globPattern: "**/isolens.models/*.json" },
    { globPattern: "**/*baseline*.json" },
  ];
  await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
}

function registerDocuments(
  state: ServerState,
  checks: Checks,
  fixes: Fixes,
  edits: Map<string, readonly TextEdit[]>,
): void {
  const opened = new Set<string>();
  state.documents.onDidOpen(({ document }) => {
    opened.add(document.uri);
    checks.reload().catch(logged(state));
  });
  state.documents.onDidChangeContent(({ document }) => {
    // Opening is reported as a change as well.
    if (opened.delete(document.uri)) return;
    const changes = edits.get(document.uri) ?? [];
    edits.delete(document.uri);
    if (isConfiguration(document.uri)) checks.reload().catch(logged(state));
    else checks.changed(document, changes);
    fixes.forgetStale();
  });
  state.documents.onDidSave(() => {
    const keys = checks.inScope().filter((key) => {
      return settingsOf(state, state.projects.get(key)).check === "onSave";
    });
    if (keys.length > 0) void checks.request(keys);
  });
  state.documents.onDidClose(() => {
    checks.reload().catch(logged(state));
  });
}

function registerRequests(
  state: ServerState,
  checks: Checks,
  fixes: Fixes,
  histories: Histories,
  explorations: Explorations,
): void {
  const { connection } = state;
  const stop = (): number =>
    checks.cancel() + fixes.cancel() + histories.cancel() + explorations.cancel();
  connection.onHover(
    withFailureAnswer(connection, "textDocument/hover", ({ textDocument, position }: HoverParams) =>
      handleHover(state, fixes, textDocument.uri, position),
    ),
  );
  connection.onCodeAction(
    withFailureAnswer(connection, "textDocument/codeAction", (params: CodeActionParams, token) =>
      handleCodeAction(state, fixes, params, token),
    ),
  );
  connection.onCodeLens(
    withFailureAnswer(connection, "textDocument/codeLens", ({ textDocument }: CodeLensParams) =>
      handleCodeLens(state, textDocument.uri),
    ),
  );
  connection.languages.inlayHint.on(
    withFailureAnswer(
      connection,
      "textDocument/inlayHint",
      ({ textDocument, range }: InlayHintParams) => handleInlayHint(state, textDocument.uri, range),
    ),
  );
  connection.onDocumentSymbol(
    withFailureAnswer(
      connection,
      "textDocument/documentSymbol",
      ({ textDocument }: DocumentSymbolParams) =>
        handleDocumentSymbol(state, checks, textDocument.uri),
    ),
  );
  connection.onExecuteCommand(
    withFailureAnswer(connection, "workspace/executeCommand", (params: ExecuteCommandParams) =>
      handleExecuteCommand(state, checks, stop, params),
    ),
  );
  onCustomRequest(connection, "isolens/check", (params) => handleCheck(state, checks, params));
  onCustomRequest(connection, "isolens/tryLevel", (params, token) =>
    handleTryLevel(state, checks, params, token),
  );
  onCustomRequest(connection, "isolens/allocation", (params, token) =>
    handleAllocation(state, params, token),
  );
  onCustomRequest(connection, "isolens/summaries", () => checks.summaries(undefined));
  onCustomRequest(connection, "isolens/tree", () => handleTree(state));
  onCustomRequest(connection, "isolens/levels", async (params) => {
    await checks.loaded();
    return handleLevels(state, params);
  });
  onCustomRequest(connection, "isolens/anomalies", (params) => handleAnomalies(state, params));
  onCustomRequest(connection, "isolens/anomaly", (params) => {
    const id = toAnomalyId(params);
    return payloadOf(state, id) ?? histories.payload(id) ?? explorations.payload(id);
  });
  onCustomRequest(connection, "isolens/fixes", (params, token) =>
    handleFixes(state, fixes, toAnomalyId(params), token),
  );
  onCustomRequest(connection, "isolens/checkHistory", (params, token) =>
    histories.check(toHistoryParams(params), token),
  );
  onCustomRequest(connection, "isolens/forgetHistory", (params) => {
    histories.forget(toHistoryParams(params).uri);
    return null;
  });
  onCustomRequest(connection, "isolens/explore", (params, token) =>
    explorations.explore(toExploreParams(params), token),
  );
  onCustomRequest(connection, "isolens/forgetExploration", (params) => {
    explorations.forget(toExploreParams(params).uri);
    return null;
  });
  onCustomRequest(connection, "isolens/cancel", stop);
}

function foldersOf(params: InitializeParams): readonly string[] {
  if (params.workspaceFolders) return pathsOf(params.workspaceFolders);
  // Older clients name one root.
  return params.rootUri ? pathsOf([{ uri: params.rootUri }]) : [];
}

function pathsOf(folders: readonly { readonly uri: string }[]): readonly string[] {
  return folders.flatMap(({ uri }) => pathOfUri(uri) ?? []);
}

function isConfiguration(uri: string): boolean {
  return uri.endsWith("/isolens.json") || uri.endsWith(".level.json");
}

function logged(state: ServerState): (error: unknown) => void {
  return (error) => {
    if (state.phase === "ended") return;
    state.connection.console.error(reasonOf(error));
  };
}
