// Sends diagnostics: for each document those of its current text, only when they change.
import type { Diagnostic } from "vscode-languageserver/node";
import { isShown } from "../protocol/report";
import type { Range } from "../protocol/source";
import { inApplication } from "../service/findings/applicationPlaces";
import { messageOf } from "../service/findings/findings";
import type { ConfigurationProblem } from "../workspace/configuration";
import { anomalyPlace, isDeleted, isFaded, toldAnomalies, type ProjectResult } from "./results";
import { clientUri, projectKey, type ServerState } from "./serverState";
import { nameRange } from "./nameRange";
import { publishDiagnostics } from "./publication";
import { linesOf } from "./significantText";
import {
  anomalyDiagnostic,
  configurationDiagnostic,
  asOutdated,
  noteDiagnostic,
  unknownDiagnostic,
} from "./toLsp";

export interface Publisher {
  /** Brings the client's diagnostics up to date with the state. */
  publish(): void;
}

export function createPublisher(state: ServerState): Publisher {
  const sent = new Map<string, string>();

  function send(uri: string, diagnostics: Diagnostic[]): void {
    const version = state.documents.get(uri)?.version;
    const content = JSON.stringify(diagnostics);
    const before = sent.get(uri);
    if (before === content || (before === undefined && diagnostics.length === 0)) return;
    if (diagnostics.length === 0) sent.delete(uri);
    else sent.set(uri, content);
    publishDiagnostics(state, { uri, diagnostics, ...(version !== undefined && { version }) });
  }

  return {
    publish() {
      const wanted = new Map<string, Diagnostic[]>();
      for (const uri of sent.keys()) wanted.set(uri, []);
      for (const result of state.results.values()) addResult(state, result, wanted);
      for (const project of state.projects.values()) {
        for (const { path, problems } of project.levelFiles ?? []) {
          const diagnostics = problems.map(configurationDiagnostic);
          add(wanted, clientUri(state, project, path), diagnostics);
        }
        const { configurationFile: file, configurationProblems: problems } = project;
        if (file === undefined) continue;
        const result = state.results.get(projectKey(project));
        const diagnostics = [
          ...problems,
          ...(result?.remarks ?? []).map(remarkProblem),
          ...(result?.configurationProblems ?? []),
        ].map(configurationDiagnostic);
        add(wanted, clientUri(state, project, file), diagnostics);
      }
      for (const [uri, diagnostics] of wanted) send(uri, diagnostics);
    },
  };
}

/** Adds the diagnostics of a result, by document. */
function addResult(
  state: ServerState,
  result: ProjectResult,
  wanted: Map<string, Diagnostic[]>,
): void {
  const { project } = result;
  const report = inApplication(result.report, project) ?? result.report;
  const uris = new Map<string, string>();
  const uriOf = (file: string): string => {
    const uri = uris.get(file) ?? clientUri(state, project, file);
    uris.set(file, uri);
    return uri;
  };
  const lines = new Map<string, readonly string[]>();
  const linesIn = (file: string): readonly string[] => {
    const known = lines.get(file);
    if (known) return known;
    const open = state.documents.get(uriOf(file))?.getText();
    const read = [...project.files, ...project.context].find((each) => each.file === file)?.text;
    const own = linesOf(open ?? read ?? "");
    lines.set(file, own);
    return own;
  };
  for (const anomaly of toldAnomalies(report).filter((each) => isShown(each))) {
    const place = anomalyPlace(report, anomaly);
    if (!place || isDeleted(result, anomaly, place)) continue;
    const told = { ...anomaly, message: messageOf(anomaly, report.causes) };
    const diagnostic = anomalyDiagnostic(told, place.range, uriOf);
    add(wanted, uriOf(place.file), [
      isFaded(result, anomaly) ? asOutdated(diagnostic) : diagnostic,
    ]);
  }
  // A remark hides an open question at the same place.
  const noted = new Set(result.notes.map(({ source }) => placeKey(source.file, source.range)));
  for (const unknown of report.unknown) {
    const own = report.transactions.find((each) => unknown.transactions.includes(each.name));
    const file = unknown.file ?? own?.file;
    const range = unknown.range ?? own?.range;
    if (file === undefined || !range || noted.has(placeKey(file, range))) continue;
    add(wanted, uriOf(file), [unknownDiagnostic(unknown, nameRange(linesIn(file), range))]);
  }
  for (const note of result.notes) {
    const { file, range } = note.source;
    // The language's own service reports this, in more detail.
    if (note.code === "code-syntax") continue;
    add(wanted, uriOf(file), [noteDiagnostic(note, nameRange(linesIn(file), range))]);
  }
}

function placeKey(file: string, { start, end }: Range): string {
  return [file, start.line, start.character, end.line, end.character].join(":");
}

/** A remark without a place is shown at the top of the file. */
function remarkProblem(message: string): ConfigurationProblem {
  const start = { line: 0, character: 0 };
  return { severity: "warning", message, range: { start, end: start } };
}

function add(wanted: Map<string, Diagnostic[]>, uri: string, more: readonly Diagnostic[]): void {
  const known = wanted.get(uri);
  if (known) known.push(...more);
  else wanted.set(uri, [...more]);
}
