// The client's settings, requested from it or pushed with each change.
import { pathToFileURL } from "node:url";
import { DidChangeConfigurationNotification } from "vscode-languageserver/node";
import { reasonOf } from "../protocol/fault";
import type { Settings } from "../protocol/requests";
import { toSettings } from "./fromLsp";
import type { ServerState } from "./serverState";

/** Registers for change notifications if the client supports that; others send them unasked. */
export async function watchSettings({ connection, capabilities }: ServerState): Promise<void> {
  if (!capabilities.configurationChanges) return;
  await connection.client.register(DidChangeConfigurationNotification.type, {
    section: "isolens",
  });
}

/**
 * Reads the settings into the state. A client that cannot be asked has pushed them, if it has any; without an answer the settings stay, and
 * that is logged.
 */
export async function readSettings(state: ServerState, pushed?: Settings): Promise<void> {
  if (!state.capabilities.configuration) {
    state.settings = pushed ?? state.settings;
    return;
  }
  try {
    await askForSettings(state);
  } catch (error) {
    state.connection.console.warn(`the settings were not answered: ${reasonOf(error)}`);
  }
}

async function askForSettings(state: ServerState): Promise<void> {
  const { workspace } = state.connection;
  const section: unknown = await workspace.getConfiguration("isolens");
  state.settings = toSettings(section);
  if (state.folders.length < 2) {
    state.folderSettings = new Map();
    return;
  }
  const items = state.folders.map((folder) => ({
    scopeUri: pathToFileURL(folder).href,
    section: "isolens",
  }));
  const sections: readonly unknown[] = await workspace.getConfiguration(items);
  state.folderSettings = new Map(
    state.folders.map((folder, at) => [folder, toSettings(sections[at])]),
  );
}
