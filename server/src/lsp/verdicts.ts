// The reporting policy in the editor: comments, severities and the baseline are applied to a check's report, and useless ones become
// remarks.
import type { Level } from "../isolation/levels";
import type { Anomaly, LevelReport } from "../protocol/report";
import { oldBaselineText, uselessEntriesText, useBaseline } from "../service/findings/baselineUse";
import { judgeFindings } from "../service/findings/findings";
import {
  openParts,
  unusedSuppressions,
  type PlacedSuppression,
} from "../service/findings/suppressions";
import type { ConfigurationProblem } from "../workspace/configuration";
import type { Project } from "../workspace/projects";
import type { Severities } from "../workspace/severities";
import type { CheckOutcome } from "./checker";
import type { ProjectResult } from "./results";
import { configuredLevel, settingsOf, type ServerState } from "./serverState";

/** The severities of a project: its isolens.json takes precedence over the settings. */
export function severitiesOf(state: ServerState, project: Project): Severities {
  return { ...settingsOf(state, project).severities, ...project.configuration.severities };
}

/** The outcome of a check with every anomaly marked. */
export function judgeOutcome(
  state: ServerState,
  project: Project,
  level: Level,
  outcome: CheckOutcome,
): Pick<
  ProjectResult,
  "report" | "notes" | "remarks" | "configurationProblems" | "files" | "standing"
> {
  const { suppressions: placed, remarks, files, standing } = outcome;
  const use = project.baseline && useBaseline(project.baseline);
  const { report, used } = judgeFindings(outcome.report, {
    severities: severitiesOf(state, project),
    placed,
    ...(use && { baseline: use }),
  });
  // A level that is only tried shows nothing to be useless.
  const isTelling =
    level.name === configuredLevel(state, project).name && report.verdict !== "cancelled";
  const unused = isTelling ? unusedSuppressions(placed, used, openParts(report)) : [];
  const isWhole = project.context.length === 0;
  const texts =
    isTelling && project.baseline && use
      ? [
          oldBaselineText(project.baseline),
          uselessEntriesText(project.baseline, [use], [{ report, isWhole }]),
        ]
      : [];
  const range = project.configuration.baseline?.range;
  const problems = texts.flatMap((message): readonly ConfigurationProblem[] =>
    message !== undefined && range ? [{ severity: "information", message, range }] : [],
  );
  return {
    report,
    notes: [...outcome.notes, ...unused],
    remarks,
    configurationProblems: problems,
    files,
    standing,
  };
}

/** Anomalies of a running check, marked as far as known. */
export function markedAnomalies(
  state: ServerState,
  project: Project,
  report: LevelReport,
  anomalies: readonly Anomaly[],
  placed: readonly PlacedSuppression[],
): readonly Anomaly[] {
  const use = project.baseline && useBaseline(project.baseline);
  return judgeFindings(
    { ...report, anomalies },
    { severities: severitiesOf(state, project), placed, ...(use && { baseline: use }) },
  ).report.anomalies;
}
