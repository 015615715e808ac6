// Entry of dist/extension.js: starts the server's client and registers every editor feature.
import { languages, workspace } from "vscode";
import type { ExtensionContext, Disposable } from "vscode";
import { registerCancel } from "./features/cancel";
import { registerCheckHistory } from "./features/checkHistory";
import { registerCreateTest } from "./features/createTest";
import { registerExploreClient } from "./features/exploreClient";
import { registerCheckTasks } from "./features/checkTasks";
import { registerGutterMarks } from "./features/gutterMarks";
import { registerLanguageModelTools } from "./features/languageModelTools";
import { registerLevelPicker } from "./features/levelPicker";
import { registerOpenExample } from "./features/openExample";
import { createPanel } from "./features/panel";
import { createReveal } from "./features/reveal";
import { DOCUMENTS, createServerClient } from "./features/serverClient";
import { registerRecordRun } from "./features/recordRun";
import { registerReportIssue } from "./features/reportIssue";
import { registerReproduce } from "./features/reproduce";
import { registerShowAnomaly } from "./features/showAnomaly";
import { registerStatusItems } from "./features/statusItems";
import { registerStepCommands } from "./features/stepCommands";
import { registerTransactionTests } from "./features/transactionTests";
import { registerTransactionTree } from "./features/transactionTree";

export async function activate(context: ExtensionContext): Promise<void> {
  const server = createServerClient(context);
  const reveal = createReveal();
  const panel = createPanel(context.extensionUri, server, reveal);
  context.subscriptions.push(
    reveal,
    panel,
    registerStatusItems(server),
    registerLevelPicker(server),
    registerShowAnomaly(server, panel),
    registerCheckHistory(server, panel),
    registerExploreClient(server, panel),
    registerReproduce(server, panel, context.extensionUri),
    registerCreateTest(server, panel, context.extensionUri),
    registerRecordRun(server, {
      extension: context.extensionUri,
      memory: context.workspaceState,
    }),
    registerStepCommands(panel),
    registerCancel(server),
    registerTransactionTree(server),
    registerOpenExample(),
    registerGutterMarks(server),
    registerTransactionTests(server),
    registerCheckTasks(context.extensionUri),
    registerLanguageModelTools(context.extensionUri),
    registerReportIssue(server),
  );
  await startWhenWanted(context, server);
}

/**
 * Starts the server for SQL and configurations. Other documents are only inspected for recorded histories; the first request starts the
 * server as well.
 */
async function startWhenWanted(
  context: ExtensionContext,
  server: ReturnType<typeof createServerClient>,
): Promise<void> {
  const configured = await workspace.findFiles("**/isolens.json", "**/node_modules/**", 1);
  const isWanted = (): boolean =>
    workspace.textDocuments.some((document) => languages.match(DOCUMENTS, document) > 0);
  if (configured.length > 0 || isWanted()) {
    await server.start();
    return;
  }
  const opened: Disposable = workspace.onDidOpenTextDocument(() => {
    if (!isWanted()) return;
    opened.dispose();
    void server.start();
  });
  context.subscriptions.push(opened);
}
