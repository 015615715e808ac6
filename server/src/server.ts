// Entry of dist/server.js: the language server over the transport that the command line names (--stdio, --node-ipc).
import path from "node:path";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { version } from "../../package.json";
import { sessionChecker } from "./lsp/sessionChecker";
import { startServer } from "./lsp/server";
import { buildOf, cacheFolder as userCacheFolder } from "./service/cacheFolder";
import { openSession } from "./service/session";

const tool = `isolens ${version}`;

startServer(createConnection(ProposedFeatures.all), version, ({ nodePath, cacheFolder }) => {
  const folder = cacheFolder ?? userCacheFolder();
  const build = buildOf(tool, [__filename, path.join(__dirname, "worker.js")]);
  return sessionChecker(() =>
    openSession({
      tool,
      ...(nodePath !== undefined && { nodePath }),
      ...(folder !== undefined && { cache: { folder, build } }),
    }),
  );
});
