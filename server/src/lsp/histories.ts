// Judgements of recorded runs requested by the user: one thread each, with progress and cancellation, and the last findings.
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { CancellationToken, Diagnostic } from "vscode-languageserver/node";
import { findLevel } from "../isolation/levels";
import { HISTORY_LEVELS } from "../history/check";
import type { HistoryReport } from "../protocol/history";
import type { AnomalyPayload, HistorySummary } from "../protocol/requests";
import { checkHistoryFile } from "../service/history/checker";
import { findHistories, type HistoryInput } from "../service/history/files";
import type { HistoryOutcome } from "../service/history/job";
import { historyPayload, violationId } from "./historyPayload";
import { publishDiagnostics } from "./publication";
import type { ServerState } from "./serverState";
import { historyDiagnostics, historyFaultDiagnostic } from "./toLsp";
import { pathOfUri } from "./uris";
import { createUserTasks } from "./userTasks";

export interface Histories {
  check(
    asked: { readonly uri: string; readonly strict: boolean },
    token: CancellationToken,
  ): Promise<HistorySummary>;
  /** Removes the diagnostics of a file. */
  forget(uri: string): void;
  /** A violation in a recorded run, or null if there is none with the id. */
  payload(id: string): AnomalyPayload | null;
  /** Stops running judgements; returns their number. */
  cancel(): number;
}

interface Judged {
  readonly report: HistoryReport;
  readonly uriOf: (file: string) => string | undefined;
}

export function createHistories(state: ServerState): Histories {
  const tasks = createUserTasks(state);
  const judged = new Map<string, Judged>();
  /** Documents with diagnostics, by the requested URI. */
  const marked = new Map<string, readonly string[]>();

  function send(uri: string, diagnostics: Diagnostic[]): void {
    publishDiagnostics(state, { uri, diagnostics });
  }

  function forget(uri: string): void {
    for (const each of marked.get(uri) ?? []) send(each, []);
    marked.delete(uri);
    judged.delete(uri);
  }

  function mark(
    uri: string,
    all: readonly { readonly uri: string; readonly diagnostic: Diagnostic }[],
  ): void {
    const documents = [...new Set(all.map((each) => each.uri))];
    for (const document of documents) {
      send(
        document,
        all.filter((each) => each.uri === document).map(({ diagnostic }) => diagnostic),
      );
    }
    marked.set(uri, documents);
  }

  function run(
    input: HistoryInput,
    strict: boolean,
    token: CancellationToken,
  ): Promise<HistoryOutcome> {
    const job = { input, levels: HISTORY_LEVELS, strict, tool: "isolens" };
    const task = { title: `Judging ${input.name}`, unit: "percent" } as const;
    return tasks.run(task, token, (signal, progress) =>
      checkHistoryFile(job, signal, {
        progress: (_stage, share) => progress?.report(Math.floor(100 * share), 100),
      }),
    );
  }

  return {
    async check({ uri, strict }, token) {
      const asked = pathOfUri(uri);
      if (asked === undefined) return summary(uri, "only files on disk can be judged");
      const { inputs, problems } = await findHistories(asked, path.dirname(asked));
      const [input] = inputs;
      if (problems[0] !== undefined || !input) return summary(uri, problems[0] ?? "no history");
      if (inputs.length > 1)
        return summary(uri, `the folder holds ${String(inputs.length)} histories: choose a file`);
      const outcome = await run(input, strict, token);
      forget(uri);
      if (!outcome.ok) {
        const line = outcome.place?.line;
        if (line !== undefined)
          mark(uri, [{ uri, diagnostic: historyFaultDiagnostic(outcome.message, line) }]);
        return summary(uri, `not read: ${outcome.message}`);
      }
      const { report } = outcome;
      const uriOf = uris(uri, input);
      judged.set(uri, { report, uriOf });
      const { violation } = report;
      if (violation) mark(uri, historyDiagnostics(violation, violationId(uri, report), uriOf));
      return {
        uri,
        message: reportMessage(report),
        verdicts: verdictsOf(report),
        ...(violation && { violation: violationId(uri, report) }),
      };
    },
    forget,
    payload(id) {
      for (const [uri, { report, uriOf }] of judged) {
        if (violationId(uri, report) === id)
          return historyPayload(id, report, verdictsOf(report), uriOf);
      }
      return null;
    },
    cancel: tasks.cancel,
  };
}

function summary(uri: string, message: string): HistorySummary {
  return { uri, message, verdicts: [] };
}

/** The document of a file in a report: the requested one, or a log of the folder. */
function uris(uri: string, input: HistoryInput): (file: string) => string | undefined {
  const [only] = input.files;
  if (input.files.length === 1 && only !== undefined)
    return () => (pathOfUri(uri) === only ? uri : pathToFileURL(only).href);
  return (file) => {
    const found = input.files.find(
      (each) => each === file || path.basename(each) === path.basename(file),
    );
    return found === undefined ? undefined : pathToFileURL(found).href;
  };
}

function verdictsOf(report: HistoryReport): HistorySummary["verdicts"] {
  return Object.entries(report.verdicts).map(([name, verdict]) => ({
    level: { name, label: findLevel(name)?.label ?? name },
    verdict,
  }));
}

function reportMessage(report: HistoryReport): string {
  const verdicts = verdictsOf(report);
  const label = (verdict: string): string | undefined =>
    verdicts.find((each) => each.verdict === verdict)?.level.label;
  const { violation } = report;
  const violated = label("violated");
  if (violation && violated !== undefined)
    return `violates ${violated}: ${violation.title.charAt(0).toLowerCase()}${violation.title.slice(1)}`;
  if (violated !== undefined) return `violates ${violated}`;
  const unknown = label("unknown");
  if (unknown !== undefined)
    return `undecided at ${unknown}${report.unknown === undefined ? "" : `: ${report.unknown}`}`;
  return `${verdicts.at(-1)?.level.label ?? "nothing"} holds`;
}
