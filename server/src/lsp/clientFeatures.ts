// Features of the editor at the other end: the server asks of it nothing else.
import type { ClientCapabilities } from "vscode-languageserver/node";

export interface ClientFeatures {
  readonly configuration: boolean;
  /** It may be asked to tell when settings change. */
  readonly configurationChanges: boolean;
  readonly workspaceFolders: boolean;
  readonly watchedFiles: boolean;
  readonly progress: boolean;
  readonly lensRefresh: boolean;
  readonly hintRefresh: boolean;
  /** Edits may name the version of the document that they are for. */
  readonly versionedEdits: boolean;
  /** The edits of an action may make files. */
  readonly makesFiles: boolean;
  /** An action may be shown that cannot be taken, with the reason. */
  readonly disabledActions: boolean;
  /** Places that belong to a diagnostic are shown beside it. */
  readonly relatedPlaces: boolean;
}

/** The features that a client names in its capabilities; what it does not name it has not. */
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
