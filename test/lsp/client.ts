// Starts the built language server as an editor does, over stdio or Node's own channel, and speaks to it.
import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  IPCMessageReader,
  IPCMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
  type ClientCapabilities,
  type Diagnostic,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** By its own file, over one of two channels, or by the command that other editors run. */
export type Transport = "stdio" | "node-ipc" | "command";

export interface ClientOptions {
  /** By default those of a client that shows related places. */
  readonly capabilities?: ClientCapabilities;
  /** The client names a root, and no folders. */
  readonly rootAlone?: boolean;
  /** Answers of the client to what the server asks; what is not among them is a method that it does not have. */
  readonly answers?: Readonly<Record<string, (params: unknown) => unknown>>;
}

export interface ServerProcess {
  readonly client: ProtocolConnection;
  readonly folder: string;
  readonly pid: number | undefined;
  uri(file: string): string;
  /** Resolves with the diagnostics of a file when they fulfil the condition. */
  diagnostics(
    file: string,
    condition: (diagnostics: readonly Diagnostic[]) => boolean,
  ): Promise<readonly Diagnostic[]>;
  /** Ends the server as the protocol says; resolves with its exit code. */
  end(): Promise<number | null>;
}

/**
 * Runs a test on a server over a copy of an example; the process is ended in any case. `others` are folders beside it
 * that are opened with it, by their names, with what is in their files.
 */
export async function withServerProcess(
  transport: Transport,
  example: string,
  body: (server: ServerProcess) => Promise<void>,
  others: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
  options: ClientOptions = {},
): Promise<void> {
  const temporary = mkdtempSync(path.join(os.tmpdir(), "isolens-lsp-"));
  const folder = path.join(temporary, example);
  cpSync(path.join(root, "test", "apps", example), folder, { recursive: true });
  for (const [name, files] of Object.entries(others)) {
    for (const [file, text] of Object.entries(files)) {
      const to = path.join(temporary, name, file);
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, text);
    }
  }
  const folders = [folder, ...Object.keys(others).map((name) => path.join(temporary, name))];
  const { child, client } = start(transport);
  const exited = once(child, "exit");
  try {
    const server = drive(client, folder, child.pid, exited);
    for (const [method, answer] of Object.entries(options.answers ?? {}))
      client.onRequest(method, answer);
    client.listen();
    await client.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      ...(options.rootAlone !== true && {
        workspaceFolders: folders.map((each) => {
          return { uri: pathToFileURL(each).href, name: path.basename(each) };
        }),
      }),
      capabilities: options.capabilities ?? {
        textDocument: { publishDiagnostics: { relatedInformation: true } },
      },
    });
    await client.sendNotification("initialized", {});
    await body(server);
  } finally {
    client.dispose();
    child.kill();
    rmSync(temporary, { recursive: true, force: true });
  }
}

function start(transport: Transport): { child: ChildProcess; client: ProtocolConnection } {
  const script = path.join(root, "dist", "server.js");
  if (transport === "node-ipc") {
    const child = fork(script, ["--node-ipc", `--clientProcessId=${String(process.pid)}`]);
    const client = createProtocolConnection(
      new IPCMessageReader(child),
      new IPCMessageWriter(child),
    );
    return { child, client };
  }
  const command = [path.join(root, "dist", "cli.js"), "lsp"];
  const started = [...(transport === "command" ? command : [script]), "--stdio"];
  const child = spawn(process.execPath, started, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const client = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  return { child, client };
}

function drive(
  client: ProtocolConnection,
  folder: string,
  pid: number | undefined,
  exited: Promise<unknown[]>,
): ServerProcess {
  const latest = new Map<string, readonly Diagnostic[]>();
  const watchers = new Set<() => void>();
  client.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
    latest.set(params.uri, params.diagnostics);
    for (const watcher of [...watchers]) watcher();
  });
  const uri = (file: string): string => pathToFileURL(path.join(folder, file)).href;
  return {
    client,
    folder,
    pid,
    uri,
    diagnostics: (file, condition) =>
      new Promise((resolve) => {
        const look = (): void => {
          const now = latest.get(uri(file)) ?? [];
          if (!condition(now)) return;
          watchers.delete(look);
          resolve(now);
        };
        watchers.add(look);
        look();
      }),
    end: async () => {
      await client.sendRequest("shutdown");
      await client.sendNotification("exit");
      const [code] = await exited;
      return typeof code === "number" ? code : null;
    },
  };
}
