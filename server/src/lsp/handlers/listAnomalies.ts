import type { AnomalySummary } from "../../protocol/requests";
import type { Position } from "../../protocol/source";
import { summariesOf } from "../anomalies";
import { holds } from "../editRange";
import { toAnomaliesParams } from "../fromLsp";
import type { ProjectResult } from "../results";
import { findFile, projectKey, type ServerState } from "../serverState";

/** `isolens/anomalies`: those of the document's project (or all); those at the position come first. */
export function handleAnomalies(state: ServerState, params: unknown): readonly AnomalySummary[] {
  const { uri, position } = toAnomaliesParams(params);
  const found = uri === undefined ? undefined : findFile(state, uri);
  const result = found && state.results.get(projectKey(found.project));
  if (!found || !result) {
    return [...state.results.values()].flatMap((each) => summariesOf(state, each));
  }
  const summaries = summariesOf(state, result);
  if (!position) return summaries;
  const rank = (summary: AnomalySummary): number => nearness(result, found.file, position, summary);
  return [...summaries].sort((a, b) => rank(a) - rank(b));
}

/** 0: a step of it stands at the position; 1: the position is in one of its transactions; 2: elsewhere. */
function nearness(
  result: ProjectResult,
  file: string,
  position: Position,
  summary: AnomalySummary,
): number {
  const anomaly = result.report.anomalies.find((each) => each.id === summary.id);
  if (anomaly?.steps.some((step) => step.file === file && holds(step.range, position))) return 0;
  const inside = result.report.transactions.some(
    (each) =>
      each.file === file && holds(each.range, position) && summary.transactions.includes(each.name),
  );
  return inside ? 1 : 2;
}
