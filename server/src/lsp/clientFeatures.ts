// The client's features that the server depends on.
import type { ClientCapabilities } from "vscode-languageserver/node";

export interface ClientFeatures {
  readonly configuration: boolean;
  /** The client can notify the server of changed settings. */
  readonly configurationChanges: boolean;
  readonly workspaceFolders: boolean;
  readonly watchedFiles: boolean;
  readonly progress: boolean;
  readonly lensRefresh: boolean;
  readonly hintRefresh: boolean;
  /** Edits may name the document version that they apply to. */
  readonly versionedEdits: boolean;
  /** An action's edits may create files. */
  readonly makesFiles: boolean;
  /** Disabled actions are shown with a reason. */
  readonly disabledActions: boolean;
  /** Related places of a diagnostic are shown. */
  readonly relatedPlaces: boolean;
}

/** The features in a client's capabilities; missing ones are unsupported. */
export function featuresOf(capabilities: ClientCapabilities): ClientFeatures {
  const { workspace, window, textDocument } = capabilities;
  return {
    configuration: workspace?.configuration === true,
    configurationChanges: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    workspaceFolders: workspace?.workspaceFolders === true,
    watchedFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    progress: window?.workDoneProgress === true,
    lensRefresh: workspace?.codeLens?.refreshSupport === true,
    hintRefresh: workspace?.inlayHint?.refreshSupport === true,
    versionedEdits: workspace?.workspaceEdit?.documentChanges === true,
    makesFiles:
      workspace?.workspaceEdit?.documentChanges === true &&
      workspace.workspaceEdit.resourceOperations?.includes("create") === true,
    disabledActions: textDocument?.codeAction?.disabledSupport === true,
    relatedPlaces: textDocument?.publishDiagnostics?.relatedInformation === true,
  };
}
