// The language server's messages: each input is a list of requests and notifications, one on a line. A request that is known to
// be right is sent after them and must be answered.
import path from "node:path";
import { PassThrough } from "node:stream";
import {
  StreamMessageReader,
  StreamMessageWriter,
  createConnection,
} from "vscode-languageserver/node";
import { startServer } from "../../../server/src/lsp/server";
import { sessionChecker } from "../../../server/src/lsp/sessionChecker";
import { openSession } from "../../../server/src/service/session";
import type { Face, OpenFace } from "./face";
import { texts } from "./seeds";

const URI = "file:///fuzz/program.sql";
const PROGRAM = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
-- @transaction pay
BEGIN;
SELECT balance FROM account WHERE id = :id;
UPDATE account SET balance = :b WHERE id = :id;
COMMIT;
`;

const open = { textDocument: { uri: URI, languageId: "sql", version: 1, text: PROGRAM } };
const at = { textDocument: { uri: URI }, position: { line: 3, character: 8 } };
const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 6 } };

const line = (method: string, params: unknown, id?: number): string =>
  JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params });
const change = line("textDocument/didChange", {
  textDocument: { uri: URI, version: 2 },
  contentChanges: [{ range, text: "DELETE" }],
});
const SEEDS = [
  [line("textDocument/didOpen", open), line("textDocument/hover", at, 1)],
  [
    line("textDocument/didOpen", open),
    change,
    line(
      "textDocument/codeAction",
      { textDocument: { uri: URI }, range, context: { diagnostics: [] } },
      2,
    ),
  ],
  [
    line("textDocument/codeLens", { textDocument: { uri: URI } }, 3),
    line("textDocument/didClose", { textDocument: { uri: URI } }),
  ],
  [
    line("isolens/levels", { uri: URI }, 4),
    line("isolens/tree", {}, 5),
    line("isolens/anomalies", { uri: URI }, 6),
  ],
  [
    line("isolens/anomaly", { id: "abc" }, 7),
    line("isolens/checkHistory", { uri: URI }, 8),
    line("isolens/explore", { uri: URI }, 9),
  ],
  [
    line("isolens/check", { level: "postgres:serializable" }, 10),
    line("isolens/replay", { id: "abc", server: "embedded" }, 11),
  ],
  [
    line("workspace/didChangeConfiguration", { settings: {} }),
    line("workspace/didChangeWatchedFiles", { changes: [{ uri: URI, type: 2 }] }),
  ],
  [
    line("$/cancelRequest", { id: 1 }),
    line("textDocument/didSave", { textDocument: { uri: URI } }),
  ],
];

async function openServer(): Promise<OpenFace> {
  const up = new PassThrough();
  const down = new PassThrough();
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  startServer(server, "0.0.0", () =>
    sessionChecker(() =>
      openSession({
        tool: "isolens fuzz",
        workerScript: path.resolve(__dirname, "../../../dist/worker.js"),
        workers: 1,
      }),
    ),
  );
  let said: string[] = [];
  const waiting = new Map<string, () => void>();
  new StreamMessageReader(down).listen((message) => {
    const text = JSON.stringify(message);
    const id: unknown = Reflect.get(message, "id");
    if (typeof id === "string" && waiting.has(id)) {
      waiting.get(id)?.();
      waiting.delete(id);
      return;
    }
    // A request of the server to its client is answered with nothing.
    if (Reflect.has(message, "method") && id !== undefined)
      send(JSON.stringify({ jsonrpc: "2.0", id, result: null }));
    said.push(text);
  });
  const send = (text: string): void => {
    const body = Buffer.from(text, "utf8");
    up.write(`Content-Length: ${String(body.length)}\r\n\r\n`);
    up.write(body);
  };
  let count = 0;
  const ask = (method: string, params: unknown): Promise<void> => {
    count += 1;
    const id = `known-${String(count)}`;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  };
  await ask("initialize", { processId: null, rootUri: null, capabilities: {} });
  send(JSON.stringify({ jsonrpc: "2.0", method: "initialized", params: {} }));
  return {
    take: async (input) => {
      said = [];
      for (const text of input.toString("utf8").split("\n").filter(isMessage)) send(text);
      await ask("textDocument/codeLens", { textDocument: { uri: URI } });
      const errors = said.flatMap((text) => /"error":\{"code":(-?\d+)/.exec(text)?.[1] ?? []);
      const methods = said.flatMap((text) => /"method":"([^"]+)"/.exec(text)?.[1] ?? []);
      return { said: said.join("\n"), way: [...new Set([...errors, ...methods])].sort().join() };
    },
    close: () => Promise.resolve(),
  };
}

/** A message of the protocol that does not end the server. */
function isMessage(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message !== "object" || message === null || Array.isArray(message)) return false;
    const method: unknown = Reflect.get(message, "method");
    return method !== "exit" && method !== "shutdown" && method !== "initialize";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const lsp: Face = {
  seeds: () => texts(...SEEDS.map((lines) => lines.join("\n"))),
  isText: true,
  budget: 15_000,
  open: openServer,
};

export const LSP_FACES: ReadonlyMap<string, Face> = new Map([["lsp", lsp]]);
