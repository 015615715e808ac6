import { CodeActionTriggerKind } from "vscode-languageserver/node";
import type {
  CancellationToken,
  CodeAction,
  CodeActionParams,
  Diagnostic,
} from "vscode-languageserver/node";
import type { Fix } from "../../protocol/fixes";
import { isShown, type Anomaly } from "../../protocol/report";
import type { Range } from "../../protocol/source";
import { SUPPRESSIBLE } from "../../service/findings/suppressions";
import { nearestNames } from "../../workspace/nearestFile";
import type { Fixes } from "../fixes";
import { anomalyPlace, toldAnomalies } from "../results";
import { clientUri, findFile, projectKey, showCommand, type ServerState } from "../serverState";
import { ignoreHere, ignoreInFile, removal, type CommentEdit } from "../suppressionEdits";
import { toDisabledFix, toFixAction, toQuickFix, toShowAction } from "../toLsp";

/**
 * Quick fixes of our diagnostics: verified fixes of an anomaly, suppressing it here or in its file, removing a useless comment, and
 * correcting an unknown kind.
 */
export async function handleCodeAction(
  state: ServerState,
  fixes: Fixes,
  params: CodeActionParams,
  token: CancellationToken,
): Promise<CodeAction[]> {
  const { textDocument, context } = params;
  const { only } = context;
  if (only !== undefined && !only.some((kind) => kind === "" || kind === "quickfix")) return [];
  const text = textOf(state, textDocument.uri);
  if (text === undefined) return [];
  const own = context.diagnostics.filter(({ source }) => source === "isolens");
  const comments = own.flatMap((diagnostic) =>
    commentsOf(text, textDocument.uri, diagnostic).map(([title, edit]) =>
      toQuickFix(title, textDocument.uri, edit, diagnostic),
    ),
  );
  const shown = own.flatMap((diagnostic) => {
    const ids = anomaliesAt(state, textDocument.uri, diagnostic).map(({ id }) => id);
    return ids.length === 0 ? [] : [toShowAction(showCommand(state), ids, diagnostic)];
  });
  const isInvoked = context.triggerKind === CodeActionTriggerKind.Invoked;
  const verified = await Promise.all(
    own.map((diagnostic) =>
      verifiedFixes(state, fixes, textDocument.uri, diagnostic, { isInvoked, token }),
    ),
  );
  // All edits apply to the requested text.
  return textOf(state, textDocument.uri) === text
    ? [...verified.flat(), ...shown, ...comments]
    : [];
}

/** The fixes of a diagnostic's anomalies; each edit once, cheapest first. */
async function verifiedFixes(
  state: ServerState,
  fixes: Fixes,
  uri: string,
  diagnostic: Diagnostic,
  options: { readonly isInvoked: boolean; readonly token: CancellationToken },
): Promise<readonly CodeAction[]> {
  const found = findFile(state, uri);
  const result = found && state.results.get(projectKey(found.project));
  if (!result) return [];
  const meant = anomaliesAt(state, uri, diagnostic);
  const reports = await Promise.all(meant.map((anomaly) => fixes.soon(result, anomaly, options)));
  // The first answers may belong to another text than the last.
  if (state.results.get(projectKey(found.project)) !== result) return [];
  const known = reports.flatMap((report) => report ?? []);
  const distinct = new Map<string, Fix>();
  for (const fix of known.flatMap((report) => report.fixes)) {
    const key = JSON.stringify(fix.edits);
    if (!distinct.has(key)) distinct.set(key, fix);
  }
  const placeOf = (file: string): { readonly uri: string; readonly version: number | null } => {
    const own = clientUri(state, result.project, file);
    return { uri: own, version: state.documents.get(own)?.version ?? null };
  };
  const { versionedEdits: isVersioned, disabledActions, makesFiles } = state.capabilities;
  // A client that cannot create files is only offered fixes that create none.
  const possible = [...distinct.values()].filter(
    ({ edits }) => makesFiles || edits.every(({ creates }) => creates !== true),
  );
  const actions = possible.map((fix, at) =>
    toFixAction(fix, [diagnostic], placeOf, { isVersioned, isPreferred: at === 0 }),
  );
  if (actions.length > 0 || !disabledActions) return actions;
  const [why] = known.flatMap((report) => (report.isPartial ? [] : report.advice));
  return why ? [toDisabledFix(why.reason, [diagnostic])] : [];
}

/** The anomalies of a diagnostic. */
function anomaliesAt(
  state: ServerState,
  uri: string,
  { code, range }: Diagnostic,
): readonly Anomaly[] {
  const found = findFile(state, uri);
  const result = found && state.results.get(projectKey(found.project));
  if (!result) return [];
  return toldAnomalies(result.report).filter((anomaly) => {
    const place = anomalyPlace(result.report, anomaly);
    return (
      isShown(anomaly) &&
      anomaly.kind === code &&
      place?.file === found.file &&
      isSameRange(place.range, range)
    );
  });
}

function isSameRange(a: Range, b: Range): boolean {
  return JSON.stringify([a.start, a.end]) === JSON.stringify([b.start, b.end]);
}

type CommentFix = readonly [title: string, edit: CommentEdit];

function commentsOf(text: string, uri: string, { code, range }: Diagnostic): readonly CommentFix[] {
  switch (code) {
    case "suppression-unused":
    case "suppression-repeated":
      return [["Remove what suppresses nothing", removal(text, range)]];
    case "suppression-unattached":
      return [["Remove this comment", removal(text, range)]];
    case "suppression-unknown": {
      const near = nearestNames(partOf(text, range), SUPPRESSIBLE);
      return near.map((name) => [`Change to ${name}`, { range, newText: name }] as const);
    }
    default: {
      if (typeof code !== "string" || !SUPPRESSIBLE.includes(code)) return [];
      // The comment syntax depends on the language, by the URI's extension.
      return [
        [`Suppress ${code} here`, ignoreHere(text, uri, range.start.line, code)],
        [`Suppress ${code} in this file`, ignoreInFile(text, uri, code)],
      ];
    }
  }
}

function partOf(text: string, { start, end }: Range): string {
  const line = text.split(/\r\n|\r|\n/u)[start.line] ?? "";
  return line.slice(start.character, end.character);
}

/** The editor's text, or that of a file that is not open. */
function textOf(state: ServerState, uri: string): string | undefined {
  const open = state.documents.get(uri)?.getText();
  if (open !== undefined) return open;
  const found = findFile(state, uri);
  return found?.project.files.find(({ file }) => file === found.file)?.text;
}
