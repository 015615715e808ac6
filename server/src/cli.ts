#!/usr/bin/env node
// Entry of dist/cli.js: connects the command line to this process.
import path from "node:path";
import { defectText, runCli, type DatabaseCommands } from "./cli/main";
import { processIo } from "./cli/processIo";
import { EXIT } from "./cli/exit";
import { TOOL } from "./cli/version";
import { buildOf, cacheFolder } from "./service/cache/folder";

const controller = new AbortController();
// These keep what they have when somebody ends them; what runs them in a container sends no interrupt.
const isKept = ["record", "serve"].includes(process.argv[2] ?? "");
const io = processIo(process, controller, isKept ? ["SIGINT", "SIGTERM", "SIGHUP"] : ["SIGINT"]);
const folder = cacheFolder();
const build = buildOf(TOOL, [__filename, path.join(__dirname, "worker.js")]);

// Node's own exit code of an error that nobody caught would say that an anomaly was found. Servers go on: their other
// clients know nothing of it.
const isServer = ["lsp", "mcp", "serve"].includes(process.argv[2] ?? "");
process.on("uncaughtException", (error) => {
  io.error(defectText(error));
  if (!isServer) io.exit(EXIT.internal);
});

void runCli(process.argv.slice(2), io, {
  signal: controller.signal,
  ...(folder !== undefined && { cache: { folder, build } }),
  startLanguageServer: async () => {
    // The server's own bundle; it connects to standard input and output when it is loaded.
    await import(path.join(__dirname, "server.js"));
  },
  // A bundle of the same build; its entry exports exactly these.
  loadDatabaseCommands: async () =>
    (await import(path.join(__dirname, "database.js"))) as DatabaseCommands,
}).then((code) => {
  if (code !== "running") io.exit(code);
});
