// Results of a project: its last report, moved along with later edits, and its stale parts.
import type { Level } from "../isolation/levels";
import type { Note } from "../program/program";
import { breaksData, isTold, toldEnd, shownEdges } from "../protocol/report";
import type { Anomaly, CycleEdge, LevelReport, ReportTransaction } from "../protocol/report";
import type { FileId, Range } from "../protocol/source";
import type { FileReading } from "../service/verdict/coverage";
import type { ConfigurationProblem } from "../workspace/configuration";
import type { Project } from "../workspace/projects";
import type { CycleEnd } from "../protocol/dependency";
import type { StandingReading } from "./checker";
import { compare, editRange, type TextEdit } from "./editRange";
import { linesOf, partOf, significantText } from "./significantText";

export interface ProjectResult {
  readonly project: Project;
  readonly level: Level;
  /** The report with its places moved along with later edits. */
  readonly report: LevelReport;
  readonly notes: readonly Note[];
  readonly remarks: readonly string[];
  /** Useless parts of the configuration found by this check. */
  readonly configurationProblems: readonly ConfigurationProblem[];
  /** How much of each file was understood. */
  readonly files: readonly FileReading[];
  /** Files whose current text has syntax errors, so that an earlier one was checked. */
  readonly standing: readonly StandingReading[];
  /** The verdict: the report with its places in these texts. */
  readonly judged: {
    readonly report: LevelReport;
    readonly texts: ReadonlyMap<FileId, string>;
  };
  /** Keys of places whose meaning differs between the judged and the current text. */
  readonly changed: ReadonlySet<string>;
  /** Ids of anomalies with edited text. */
  readonly stale: ReadonlySet<string>;
  /** True if stale findings are displayed as such, after a delay. */
  readonly faded: boolean;
  /** True while the check is running: anomalies may be missing. */
  readonly partial: boolean;
  /** True before any check has ended: what was not found is unknown. */
  readonly isFirst: boolean;
}

/** A result as it was judged. */
export function judgedResult(
  known: Omit<ProjectResult, "judged" | "changed" | "stale" | "faded">,
  stale: ReadonlySet<string> = new Set(),
): ProjectResult {
  const { report, project, standing } = known;
  const texts = new Map(
    [...project.context, ...project.files, ...standing].map(({ file, text }) => [file, text]),
  );
  return { ...known, judged: { report, texts }, changed: new Set(stale), stale, faded: false };
}

/** True if an anomaly is shown as one of an earlier text. */
export function isFaded({ faded, stale }: ProjectResult, { id }: Pick<Anomaly, "id">): boolean {
  return faded && stale.has(id);
}

/** True if a transaction is shown as edited since it was judged. */
export function isEdited(
  { faded, changed }: ProjectResult,
  { name }: Pick<ReportTransaction, "name">,
): boolean {
  return faded && changed.has(keyOfTransaction(name));
}

/** True if edits have deleted the text at an anomaly's place, leaving an empty range. */
export function isDeleted({ stale }: ProjectResult, { id }: Anomaly, { range }: Place): boolean {
  return stale.has(id) && compare(range.start, range.end) === 0;
}

/** The reported anomalies: neither suppressed nor off. */
export function toldAnomalies(report: LevelReport): readonly Anomaly[] {
  return report.anomalies.filter((each) => isTold(each));
}

/** An anomaly that was found again keeps its earlier display: by itself if it was, and never represented by a new one. */
export function asBefore(anomaly: Anomaly, before: Anomaly | undefined): Anomaly {
  if (!before) return anomaly;
  const { representative: _now, reportedAs: _as, ...found } = anomaly;
  const { representative, reportedAs } = before;
  return {
    ...found,
    ...(representative !== undefined && { representative }),
    ...(reportedAs !== undefined && { reportedAs }),
  };
}

/** The number of reported anomalies that break data. */
export function countOfTold(report: LevelReport): number {
  return toldAnomalies(report).filter(breaksData).length;
}

/** The reported anomalies of a transaction that break data. */
export function anomaliesOf(
  result: ProjectResult,
  transaction: ReportTransaction,
): readonly Anomaly[] {
  return toldAnomalies(result.report).filter(
    (each) => breaksData(each) && each.transactions.includes(transaction.name),
  );
}

/** The first anomaly of each cause; those without a cause individually. */
export function firstOfCauses(anomalies: readonly Anomaly[]): readonly Anomaly[] {
  const seen = new Set<string>();
  return anomalies.filter(({ cause }) => {
    const isFirst = cause === undefined || !seen.has(cause);
    if (cause !== undefined) seen.add(cause);
    return isFirst;
  });
}

/** The place of an anomaly's diagnostic: the first dependency's source (or the dirty read), or else its first transaction. */
export function anomalyPlace(
  report: LevelReport,
  anomaly: Anomaly,
): { readonly file: string; readonly range: Range } | undefined {
  const end = toldEnd(report, anomaly);
  if (end && end.file !== "") return end;
  const step = anomaly.steps.find((each) => each.file !== "");
  if (step) return step;
  return report.transactions.find((each) => anomaly.transactions.includes(each.name));
}

/**
 * The result after edits of a file: later places move with the text. Places whose meaning changed are stale; layout and comments have no
 * meaning. Linear in the file, the report and the edits.
 */
export function editResult(
  result: ProjectResult,
  file: FileId,
  edits: readonly TextEdit[],
  text: string,
): ProjectResult {
  if (edits.length === 0) return result;
  const touched = new Set<string>();
  const before = result.report;
  const report = edits.reduce((now, edit) => movedReport(now, file, edit, touched), before);
  const lines = once(() => linesOf(text));
  const judgedLines = once(() => linesOf(result.judged.texts.get(file) ?? ""));
  const meansOther = (judged: Place | undefined, now: Place): boolean =>
    judged === undefined ||
    significantText(file, partOf(judgedLines(), judged.range)) !==
      significantText(file, partOf(lines(), now.range));
  const changed = new Set(result.changed);
  const look = (key: string, judged: Place | undefined, now: Place): void => {
    if (now.file !== file || !touched.has(key)) return;
    if (meansOther(judged, now)) changed.add(key);
    else changed.delete(key);
  };
  report.transactions.forEach((each, at) => {
    look(keyOfTransaction(each.name), result.judged.report.transactions[at], each);
  });
  const judged = new Map(result.judged.report.anomalies.map((each) => [each.id, each]));
  const stale = new Set<string>();
  for (const anomaly of report.anomalies) {
    const own = judged.get(anomaly.id);
    const judgedPlaces = own ? placesOf(own) : [];
    const places = placesOf(anomaly);
    places.forEach((place, at) => {
      look(keyOfPlace(anomaly, at), judgedPlaces[at], place);
    });
    const isStale =
      changed.has(anomaly.id) ||
      anomaly.transactions.some((name) => changed.has(keyOfTransaction(name))) ||
      places.some((_place, at) => changed.has(keyOfPlace(anomaly, at)));
    if (isStale) stale.add(anomaly.id);
  }
  const notes = result.notes.map((note) => {
    if (note.source.file !== file) return note;
    const range = edits.reduce((now, edit) => editRange(now, edit).range, note.source.range);
    return { ...note, source: { ...note.source, range } };
  });
  return { ...result, report, notes, changed, stale };
}

type Place = Pick<CycleEnd, "file" | "range">;

const keyOfTransaction = (name: string): string => `transaction ${name}`;
const keyOfPlace = ({ id }: Anomaly, at: number): string => `${id} ${String(at)}`;

/** A report after one edit; keys of touched places are added. */
function movedReport(
  report: LevelReport,
  file: FileId,
  edit: TextEdit,
  touched: Set<string>,
): LevelReport {
  const moved = <T extends { readonly file?: string; readonly range?: Range }>(place: T): T =>
    place.file === file && place.range
      ? { ...place, range: editRange(place.range, edit).range }
      : place;
  const movedEdge = (edge: CycleEdge): CycleEdge => ({
    ...edge,
    from: moved(edge.from),
    to: moved(edge.to),
  });
  const touches = (place: Place): boolean =>
    place.file === file && editRange(place.range, edit).touched;
  for (const transaction of report.transactions) {
    if (touches(transaction)) touched.add(keyOfTransaction(transaction.name));
  }
  for (const anomaly of report.anomalies) {
    placesOf(anomaly).forEach((place, at) => {
      if (touches(place)) touched.add(keyOfPlace(anomaly, at));
    });
  }
  return {
    ...report,
    ...(report.causes && {
      causes: report.causes.map((cause) => ({
        ...cause,
        ...(cause.read && { read: moved(cause.read) }),
        uses: cause.uses.map(moved),
      })),
    }),
    transactions: report.transactions.map(moved),
    unknown: report.unknown.map(moved),
    anomalies: report.anomalies.map((anomaly) => ({
      ...anomaly,
      steps: anomaly.steps.map((step) => ({
        ...moved(step),
        ...(step.through && { through: step.through.map(moved) }),
      })),
      cycle: anomaly.cycle.map(movedEdge),
      ...(anomaly.dirtyRead && { dirtyRead: movedEdge(anomaly.dirtyRead) }),
    })),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function placesOf(anomaly: Anomaly): readonly Place[] {
  const calls = anomaly.steps.flatMap(({ through }) => through ?? []);
  return [
    ...anomaly.steps,
    ...calls,
    ...shownEdges(anomaly).flatMap((edge) => [edge.from, edge.to]),
  ];
}
