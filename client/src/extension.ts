// Entry of dist/extension.js: starts the server's client and hangs every surface of the editor on it.
import type { ExtensionContext } from "vscode";
import { registerCancel } from "./features/cancel";
import { registerLevelPicker } from "./features/levelPicker";
import { createPanel } from "./features/panel";
import { createReveal } from "./features/reveal";
import { startServerClient } from "./features/serverClient";
import { registerShowAnomaly } from "./features/showAnomaly";
import { registerStatusItems } from "./features/statusItems";
import { registerStepCommands } from "./features/stepCommands";

export async function activate(context: ExtensionContext): Promise<void> {
  const server = startServerClient(context);
  const reveal = createReveal();
  const panel = createPanel(context.extensionUri, server, reveal);
  context.subscriptions.push(
    reveal,
    panel,
    registerStatusItems(server),
    registerLevelPicker(server),
    registerShowAnomaly(server, panel),
    registerStepCommands(panel),
    registerCancel(server),
  );
  await server.started;
}
