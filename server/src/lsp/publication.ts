// The only place that sends diagnostics, in the form that the client can show.
import path from "node:path";
import type {
  Diagnostic,
  DiagnosticRelatedInformation,
  PublishDiagnosticsParams,
} from "vscode-languageserver/node";
import type { ServerState } from "./serverState";
import { ignoreClosedConnection } from "./customMessages";
import { pathOfUri } from "./uris";

/** Sends the diagnostics of a document. Clients without related places get the steps as lines of the message. */
export function publishDiagnostics(state: ServerState, params: PublishDiagnosticsParams): void {
  const { uri, diagnostics } = params;
  const shown = state.capabilities.relatedPlaces
    ? diagnostics
    : diagnostics.map((each) => withStepsInMessage(each, uri));
  state.connection.sendDiagnostics({ ...params, diagnostics: shown }).catch(ignoreClosedConnection);
}

function withStepsInMessage(diagnostic: Diagnostic, uri: string): Diagnostic {
  const { relatedInformation = [], ...rest } = diagnostic;
  const { message } = rest;
  if (relatedInformation.length === 0 || typeof message !== "string") return rest;
  return { ...rest, message: [message, ...relatedInformation.map(stepOf(uri))].join("\n") };
}

/** "1/4 T1 reads ... (line 12)", with the file's name if it is another one. */
function stepOf(uri: string): (step: DiagnosticRelatedInformation) => string {
  return ({ location, message }) => {
    const line = `line ${String(location.range.start.line + 1)}`;
    const file = path.basename(pathOfUri(location.uri) ?? location.uri);
    const place = location.uri === uri ? line : `${file}, ${line}`;
    return `${message} (${place})`;
  };
}
