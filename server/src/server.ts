// Entry of dist/server.js: the language server over the transport that the command line names (--stdio, --node-ipc).
import path from "node:path";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { version } from "../../package.json";
import { startServer } from "./lsp/server";
import { faultText } from "./protocol/fault";
import { threadChecker } from "./lsp/threadChecker";
import { buildOf, cacheFolder as userCacheFolder } from "./service/cache/folder";

const tool = `isolens ${version}`;

const connection = createConnection(ProposedFeatures.all);
// A handler of an event that fails ends nothing but itself.
process.on("uncaughtException", (error) => {
  connection.console.error(faultText(error));
});

startServer(connection, version, ({ nodePath, cacheFolder }) => {
  const folder = cacheFolder ?? userCacheFolder();
  const script = path.join(__dirname, "check.js");
  const build = buildOf(tool, [script, path.join(__dirname, "worker.js")]);
  return threadChecker({
    script,
    data: {
      tool,
      ...(nodePath !== undefined && { nodePath }),
      ...(folder !== undefined && { cache: { folder, build } }),
    },
  });
});
