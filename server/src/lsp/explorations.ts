// Explorations of client programs requested by the user: one thread each, with progress and cancellation, and the last findings.
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { CancellationToken, Diagnostic } from "vscode-languageserver/node";
import { findLevel } from "../isolation/levels";
import type { ExplorationReport, ExplorationViolation } from "../protocol/exploration";
import type { AnomalyPayload, ExplorationSummary } from "../protocol/requests";
import type { ExploreOutcome } from "../service/exploration/job";
import { exploreProgram } from "../service/exploration/program";
import { describeKind } from "./anomalies";
import { publishDiagnostics } from "./publication";
import { levelName, type ServerState } from "./serverState";
import { anomalyDiagnostic, explorationDiagnostic } from "./toLsp";
import { pathOfUri } from "./uris";
import { createUserTasks } from "./userTasks";

export interface Explorations {
  explore(
    asked: { readonly uri: string; readonly level?: string },
    token: CancellationToken,
  ): Promise<ExplorationSummary>;
  /** Removes the diagnostics of a client program. */
  forget(uri: string): void;
  /** A violated assertion, or null if there is none with the id. */
  payload(id: string): AnomalyPayload | null;
  /** Stops running explorations; returns their number. */
  cancel(): number;
}

interface Explored {
  readonly report: ExplorationReport;
  readonly uriOf: (file: string) => string;
}

const UNTRUSTED =
  "not explored: a client program is code that runs, and this workspace is not trusted (Workspaces: Manage Workspace Trust)";

/** Time budget in milliseconds of an exploration from the editor. */
const BUDGET = 60_000;

export function createExplorations(state: ServerState): Explorations {
  const tasks = createUserTasks(state);
  const explored = new Map<string, Explored>();

  function send(uri: string, diagnostics: Diagnostic[]): void {
    publishDiagnostics(state, { uri, diagnostics });
  }

  function run(
    file: string,
    level: string | undefined,
    token: CancellationToken,
  ): Promise<ExploreOutcome> {
    const name = path.basename(file);
    const job = {
      file,
      name,
      levels: level === undefined ? [] : [level],
      driver: { kind: "exhaustive" as const },
      budget: BUDGET,
      tool: "isolens",
      openTexts: openTexts(state),
    };
    const task = { title: `Exploring ${name}`, unit: "histories" } as const;
    return tasks.run(task, token, (signal, progress) =>
      exploreProgram(job, signal, {
        progress: (_level, { histories }) => {
          progress?.report(histories, 0);
        },
      }),
    );
  }

  function forget(uri: string): void {
    explored.delete(uri);
    send(uri, []);
  }

  return {
    async explore({ uri, level }, token) {
      const file = pathOfUri(uri);
      if (file === undefined) return summary(uri, "only files on disk can be explored");
      if (state.options.trusted === false) return summary(uri, UNTRUSTED);
      const { reports, problems, folder } = await run(file, level, token);
      const uriOf = (name: string): string =>
        pathToFileURL(path.resolve(folder ?? path.dirname(file), name)).href;
      const wrong = problems.map(({ severity, message, range }) =>
        explorationDiagnostic(severity, message, range),
      );
      const [report] = reports;
      const fatal = problems.find(({ severity }) => severity === "error");
      if (report === undefined || fatal !== undefined) {
        explored.delete(uri);
        send(uri, wrong);
        return summary(uri, `not explored: ${fatal?.message ?? "it was cancelled"}`);
      }
      explored.set(uri, { report, uriOf });
      const broken = report.violations.map((violation, at) => ({
        ...anomalyDiagnostic(
          { ...violation.anomaly, id: idOf(uri, at), message: violation.message },
          violation.range,
          uriOf,
        ),
      }));
      const open = report.unknown.map(({ reason, range }) =>
        explorationDiagnostic("information", reason, range),
      );
      send(uri, [...wrong, ...broken, ...open]);
      const violations = report.violations.map((_, at) => idOf(uri, at));
      return { uri, message: sentence(report), violations };
    },
    forget,
    payload(id) {
      for (const [uri, { report, uriOf }] of explored)
        for (const [at, violation] of report.violations.entries())
          if (idOf(uri, at) === id) return payloadOf(id, uri, report, violation, uriOf);
      return null;
    },
    cancel: tasks.cancel,
  };
}

function summary(uri: string, message: string): ExplorationSummary {
  return { uri, message, violations: [] };
}

function idOf(uri: string, at: number): string {
  return `explored-${String(at + 1)}-${uri}`;
}

/** Open documents, so that the explored texts are those that the user sees. */
function openTexts(state: ServerState): readonly (readonly [string, string])[] {
  return state.documents.all().flatMap((document) => {
    const file = pathOfUri(document.uri);
    return file === undefined ? [] : [[file, document.getText()] as const];
  });
}

function sentence(report: ExplorationReport): string {
  const level = report.level === "any" ? "no level" : labelOf(report.level);
  const { violations, holding, histories, exhausted, verdict } = report;
  const runs = `${histories.toLocaleString("en")} ${histories === 1 ? "execution" : "executions"}`;
  if (violations.length > 0)
    return `${assertions(violations.length)} at ${level}, found in ${runs}${exhausted ? "" : ", not all"}`;
  if (verdict === "cancelled")
    return `cancelled after ${runs} at ${level}; no assertion was broken by then`;
  const all = `${holding.length === 1 ? "the assertion holds" : `all ${String(holding.length)} assertions hold`}`;
  if (exhausted && report.unknown.length === 0) return `${all} in all ${runs} at ${level}`;
  return `undecided after ${runs} at ${level}: ${report.unknown[0]?.reason ?? "not all were seen"}`;
}

function assertions(count: number): string {
  return count === 1 ? "1 assertion fails" : `${String(count)} assertions fail`;
}

function labelOf(level: string): string {
  return findLevel(level)?.label ?? level;
}

function payloadOf(
  id: string,
  uri: string,
  report: ExplorationReport,
  { anomaly, message }: ExplorationViolation,
  uriOf: (file: string) => string,
): AnomalyPayload {
  const { definition, reference, title } = describeKind(anomaly.kind);
  const level = findLevel(report.level);
  const files = [...anomaly.steps, ...anomaly.cycle.flatMap(({ from, to }) => [from, to])]
    .map(({ file }) => file)
    .filter((file) => file !== "");
  const compared = [...anomaly.preventedBy, ...anomaly.allowedAt];
  return {
    anomaly: { ...anomaly, id, message },
    level: level ? levelName(level) : { name: report.level, label: report.level },
    title: anomaly.kind === "broken-assertion" ? "Broken assertion" : title,
    definition,
    reference,
    rests: { proved: "the execution itself" },
    labels: Object.fromEntries(compared.map((name) => [name, labelOf(name)])),
    uris: Object.fromEntries([...new Set(files)].map((file) => [file, uriOf(file)])),
    stale: false,
    partial: false,
    siblings: report.violations.map(({ anomaly: other, assertion }, at) => ({
      id: idOf(uri, at),
      title: assertion,
      transactions: other.transactions,
    })),
  };
}
