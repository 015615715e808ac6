// What is known about a project: its last report, moved along with the edits since, and what of it went stale.
import type { Level } from "../isolation/levels";
import type { Note } from "../program/program";
import { isTold, mainEnd, shownEdges } from "../protocol/report";
import type {
  Anomaly,
  CycleEdge,
  CycleEnd,
  LevelReport,
  ReportTransaction,
} from "../protocol/report";
import type { Range } from "../protocol/source";
import type { FileReading } from "../service/coverage";
import type { ConfigurationProblem } from "../workspace/configuration";
import type { Project } from "../workspace/projects";
import { editRange, type TextEdit } from "./editRange";

export interface ProjectResult {
  readonly project: Project;
  readonly level: Level;
  readonly report: LevelReport;
  readonly notes: readonly Note[];
  readonly remarks: readonly string[];
  /** What of the configuration this check showed to be useless. */
  readonly configurationProblems: readonly ConfigurationProblem[];
  /** How much of each file was understood. */
  readonly files: readonly FileReading[];
  /** Ids of anomalies whose transactions were edited since they were found. */
  readonly stale: ReadonlySet<string>;
  /** The check is still running: anomalies may be missing. */
  readonly partial: boolean;
}

/** The anomalies that are told: neither suppressed nor off. */
export function toldAnomalies(report: LevelReport): readonly Anomaly[] {
  return report.anomalies.filter((each) => isTold(each));
}

/** Of those that are told, what still holds for the text as it is. */
export function freshAnomalies(result: ProjectResult): readonly Anomaly[] {
  return toldAnomalies(result.report).filter((each) => !result.stale.has(each.id));
}

/** Of those that are told, what a transaction takes part in. */
export function anomaliesOf(
  result: ProjectResult,
  transaction: ReportTransaction,
): readonly Anomaly[] {
  return toldAnomalies(result.report).filter((each) =>
    each.transactions.includes(transaction.name),
  );
}

/** Where the diagnostic of an anomaly stands: the first dependency's source (or the dirty read), or else its first transaction. */
export function anomalyPlace(
  report: LevelReport,
  anomaly: Anomaly,
): { readonly file: string; readonly range: Range } | undefined {
  const end = mainEnd(anomaly);
  if (end && end.file !== "") return end;
  const step = anomaly.steps.find((each) => each.file !== "");
  if (step) return step;
  return report.transactions.find((each) => anomaly.transactions.includes(each.name));
}

/**
 * The result after an edit of a file: places behind the edit move with the text, and anomalies of transactions that
 * the edit touches become stale. `edit` is undefined when the whole text was replaced.
 */
export function editResult(
  result: ProjectResult,
  file: string,
  edit: TextEdit | undefined,
): ProjectResult {
  const touchedTransactions = new Set<string>();
  const move = (range: Range): Range => (edit ? editRange(range, edit).range : range);
  const touches = (place: { readonly file: string; readonly range: Range }): boolean =>
    place.file === file && (edit === undefined || editRange(place.range, edit).touched);
  const moved = <T extends { readonly file?: string; readonly range?: Range }>(place: T): T =>
    place.file === file && place.range ? { ...place, range: move(place.range) } : place;
  const movedEdge = (edge: CycleEdge): CycleEdge => ({
    ...edge,
    from: moved(edge.from),
    to: moved(edge.to),
  });
  for (const transaction of result.report.transactions) {
    if (touches(transaction)) touchedTransactions.add(transaction.name);
  }
  const stale = new Set(result.stale);
  for (const anomaly of result.report.anomalies) {
    const touched =
      anomaly.transactions.some((name) => touchedTransactions.has(name)) ||
      placesOf(anomaly).some(touches);
    if (touched) stale.add(anomaly.id);
  }
  const { causes = [] } = result.report;
  const report: LevelReport = {
    ...result.report,
    causes: causes.map((cause) => ({
      ...cause,
      ...(cause.read && { read: moved(cause.read) }),
      uses: cause.uses.map(moved),
    })),
    transactions: result.report.transactions.map(moved),
    unknown: result.report.unknown.map(moved),
    anomalies: result.report.anomalies.map((anomaly) => ({
      ...anomaly,
      steps: anomaly.steps.map((step) => ({
        ...moved(step),
        ...(step.through && { through: step.through.map(moved) }),
      })),
      cycle: anomaly.cycle.map(movedEdge),
      ...(anomaly.dirtyRead && { dirtyRead: movedEdge(anomaly.dirtyRead) }),
    })),
  };
  const notes = result.notes
    .filter((note) => !touches({ file: note.source.file, range: note.source.range }))
    .map((note) =>
      note.source.file === file
        ? { ...note, source: { ...note.source, range: move(note.source.range) } }
        : note,
    );
  return { ...result, report, notes, stale };
}

function placesOf(anomaly: Anomaly): readonly Pick<CycleEnd, "file" | "range">[] {
  const calls = anomaly.steps.flatMap(({ through }) => through ?? []);
  return [
    ...anomaly.steps,
    ...calls,
    ...shownEdges(anomaly).flatMap((edge) => [edge.from, edge.to]),
  ];
}
