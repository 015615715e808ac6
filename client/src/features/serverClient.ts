// Starts the language server and provides its typed custom requests to other features.
import path from "node:path";
import { Disposable, EventEmitter, commands, window, workspace } from "vscode";
import type { CancellationToken, Event, ExtensionContext, LogOutputChannel } from "vscode";
import { LanguageClient, State, TransportKind } from "vscode-languageclient/node";
import type { LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";
import type {
  ClientNotifications,
  InitializationOptions,
  Notifications,
  Requests,
} from "../../../server/src/protocol/requests";

export interface ServerClient {
  /** Rejects if the server is unavailable. */
  request<Method extends keyof Requests>(
    method: Method,
    params: Requests[Method]["params"],
    token?: CancellationToken,
  ): Promise<Requests[Method]["result"]>;
  readonly onStatus: Event<Notifications["isolens/status"]>;
  readonly onFindings: Event<Notifications["isolens/findings"]>;
  /** Fires true when the server starts and false when it stops. */
  readonly onRunning: Event<boolean>;
  readonly log: LogOutputChannel;
  /**
   * Starts the server, once; requests do so themselves. Resolves when the server answers, or could not be started (shown by the status).
   */
  start(): Promise<void>;
}

/** Documents that are synchronised with the server. */
export const DOCUMENTS = [
  { language: "sql" },
  { language: "pgsql" },
  { language: "plpgsql" },
  { language: "postgres" },
  { language: "typescript" },
  { language: "typescriptreact" },
  { language: "javascript" },
  { language: "javascriptreact" },
  { language: "java" },
  { pattern: "**/isolens.json" },
  { pattern: "**/*.level.json" },
];

export function createServerClient(context: ExtensionContext): ServerClient {
  const log = window.createOutputChannel("Isolens", { log: true });
  const client = new LanguageClient(
    "isolens",
    "Isolens",
    serverOptions(context),
    clientOptions(context, log),
  );
  const status = new EventEmitter<Notifications["isolens/status"]>();
  const findings = new EventEmitter<Notifications["isolens/findings"]>();
  const running = new EventEmitter<boolean>();
  client.onNotification("isolens/status", (params: Notifications["isolens/status"]) => {
    status.fire(params);
  });
  client.onNotification("isolens/findings", (params: Notifications["isolens/findings"]) => {
    findings.fire(params);
  });
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) running.fire(true);
    if (newState === State.Stopped) running.fire(false);
  });
  const restart = commands.registerCommand("isolens.restart", async () => {
    log.info("restarting the language server");
    await client.restart();
  });
  const trust = workspace.onDidGrantWorkspaceTrust(() => {
    const params: ClientNotifications["isolens/trust"] = { trusted: true };
    if (client.isRunning())
      client.sendNotification("isolens/trust", params).catch((error: unknown) => {
        log.error(
          `the language server was not told that the workspace is trusted: ${String(error)}`,
        );
      });
  });
  context.subscriptions.push(log, status, findings, running, restart, trust, disposal(client));
  return {
    request: (method, params, token) =>
      token ? client.sendRequest(method, params, token) : client.sendRequest(method, params),
    onStatus: status.event,
    onFindings: findings.event,
    onRunning: running.event,
    log,
    start: () =>
      client.start().catch((error: unknown) => {
        log.error(`the language server could not be started: ${String(error)}`);
        running.fire(false);
      }),
  };
}

function serverOptions(context: ExtensionContext): ServerOptions {
  const module = context.asAbsolutePath(path.join("dist", "server.js"));
  const runtime = nodePath();
  const server = {
    module,
    transport: TransportKind.ipc,
    ...(runtime !== undefined && { runtime }),
  };
  return {
    run: server,
    debug: { ...server, options: { execArgv: ["--nolazy", "--inspect=6011"] } },
  };
}

function clientOptions(context: ExtensionContext, log: LogOutputChannel): LanguageClientOptions {
  const runtime = nodePath();
  // Evaluated at each start.
  const initializationOptions = (): InitializationOptions => ({
    commandLinks: true,
    showAnomaly: true,
    trusted: workspace.isTrusted,
    ...(runtime !== undefined && { nodePath: runtime }),
    // Remote hosts keep the cache beside the server; without a disk folder, nothing is cached.
    ...(context.globalStorageUri.scheme === "file" && {
      cacheFolder: path.join(context.globalStorageUri.fsPath, "cache"),
    }),
  });
  return {
    documentSelector: DOCUMENTS,
    initializationOptions,
    outputChannel: log,
    markdown: { isTrusted: { enabledCommands: ["isolens.showAnomaly"] } },
  };
}

function nodePath(): string | undefined {
  const setting = workspace.getConfiguration("isolens").get<string>("nodePath", "").trim();
  return setting === "" ? undefined : setting;
}

function disposal(client: LanguageClient): Disposable {
  return new Disposable(() => {
    void client.dispose();
  });
}
