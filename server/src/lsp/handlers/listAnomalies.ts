import type { AnomalySummary } from "../../protocol/requests";
import type { Position } from "../../protocol/source";
import { summariesOf } from "../anomalies";
import { holds } from "../editRange";
import { toAnomaliesParams } from "../fromLsp";
import type { ProjectResult } from "../results";
import { findFile, projectKey, type ServerState } from "../serverState";

/** `isolens/anomalies`: those of the document's project (or all); those at the position come first, then the nearest. */
export function handleAnomalies(state: ServerState, params: unknown): readonly AnomalySummary[] {
  const { uri, position } = toAnomaliesParams(params);
  const found = uri === undefined ? undefined : findFile(state, uri);
  const result = found && state.results.get(projectKey(found.project));
  if (!found || !result) {
    return [...state.results.values()].flatMap((each) => summariesOf(state, each));
  }
  const summaries = summariesOf(state, result);
  if (!position) return summaries;
  return summaries
    .map((summary) => {
      const near = nearness(result, { file: found.file, asked: uri }, position, summary);
      return { ...summary, near };
    })
    .sort(
      (a, b) =>
        NEAREST.indexOf(a.near) - NEAREST.indexOf(b.near) ||
        distance(a, uri, position) - distance(b, uri, position),
    );
}

const NEAREST: readonly AnomalySummary["near"][] = [
  "finding",
  "statement",
  "transaction",
  "elsewhere",
];

/** Lines between the position and the anomaly's place. */
function distance({ place }: AnomalySummary, uri: string | undefined, at: Position): number {
  return place.uri === uri ? Math.abs(place.range.start.line - at.line) : Number.MAX_SAFE_INTEGER;
}

function nearness(
  result: ProjectResult,
  { file, asked }: { readonly file: string; readonly asked: string | undefined },
  position: Position,
  summary: AnomalySummary,
): AnomalySummary["near"] {
  const { uri } = summary.place;
  if (uri === asked && holds(summary.place.range, position)) return "finding";
  const anomaly = result.report.anomalies.find((each) => each.id === summary.id);
  if (anomaly?.steps.some((step) => step.file === file && holds(step.range, position)))
    return "statement";
  const inside = result.report.transactions.some(
    (each) =>
      each.file === file && holds(each.range, position) && summary.transactions.includes(each.name),
  );
  return inside ? "transaction" : "elsewhere";
}
