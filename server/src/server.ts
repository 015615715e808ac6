// Entry of dist/server.js: the language server over the transport that the command line names (--stdio, --node-ipc).
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { version } from "../../package.json";
import { sessionChecker } from "./lsp/sessionChecker";
import { startServer } from "./lsp/server";
import { openSession } from "./service/session";

startServer(createConnection(ProposedFeatures.all), version, ({ nodePath }) =>
  sessionChecker(() =>
    openSession({ tool: `isolens ${version}`, ...(nodePath !== undefined && { nodePath }) }),
  ),
);
