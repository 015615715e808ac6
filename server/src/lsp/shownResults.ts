// The displayed results of each project: findings move with the text and stay until a new verdict replaces them.
import type { Level } from "../isolation/levels";
import type { Anomaly, LevelReport } from "../protocol/report";
import type { CheckSummary } from "../protocol/requests";
import type { FileId } from "../protocol/source";
import type { PlacedSuppression } from "../service/findings/suppressions";
import type { Project } from "../workspace/projects";
import type { CheckOutcome, TextReading } from "./checker";
import { createEditLog, type EditMark } from "./editLog";
import type { TextEdit } from "./editRange";
import { emptyReport } from "./emptyReport";
import { proofView } from "./proofs";
import {
  asBefore,
  countOfTold,
  editResult,
  judgedResult,
  toldAnomalies,
  type ProjectResult,
} from "./results";
import { knownKey, levelName, projectKey, type ServerState } from "./serverState";
import { judgeOutcome, markedAnomalies } from "./verdicts";

/** The text of a running or completed check. */
export interface About {
  readonly key: string;
  readonly project: Project;
  readonly level: Level;
  readonly mark: EditMark;
}

export interface ShownResults {
  /** The current text of a project, for a check that begins. */
  mark(key: string): EditMark;
  /** Shows the transactions if nothing is known yet, so that lines do not move later. */
  reading(about: About, reading: TextReading): void;
  /** Adds anomalies as they are found to the earlier ones, which only the verdict removes. */
  partial(about: About, found: readonly Anomaly[], placed: readonly PlacedSuppression[]): void;
  /** The verdict: it replaces everything. */
  verdict(about: About, outcome: CheckOutcome): void;
  /** Merges the findings up to a cancellation with the earlier ones. */
  cancelled(about: About, outcome: CheckOutcome): void;
  /** Handles edits of a file, in order. */
  edited(key: string, file: FileId, edits: readonly TextEdit[], text: string): void;
  /** Resolves when something is known of a project, or its check has ended; at the latest after `longest` milliseconds. */
  first(key: string, longest: number): Promise<void>;
  /** A check of the project has ended. */
  settled(key: string): void;
  dispose(): void;
}

/** Milliseconds that an edited finding keeps its look, since a new verdict usually arrives before. */
const FADE = 1000;

/** `tell` is called when the client should see a change. */
export function createShownResults(state: ServerState, tell: () => void): ShownResults {
  const log = createEditLog();
  /** Timers of stale results, by project. */
  const fading = new Map<string, NodeJS.Timeout>();
  const waiting = new Map<string, (() => void)[]>();

  function verdict({ key, project, level, mark }: About, outcome: CheckOutcome): void {
    const told = judgeOutcome(state, project, level, outcome);
    const standing = new Set(told.standing.map(({ file }) => file));
    log.settle(key, mark, standing);
    const known = { project, level, ...told, partial: false, isFirst: false };
    show(key, moved(key, judgedResult(known), mark, standing));
    state.known.set(knownKey(project, level), summaryOf(state, project, level, told.report));
  }

  function reading({ key, project, level, mark }: About, { transactions }: TextReading): void {
    const before = state.results.get(key) ?? nothingYet(project, level);
    if (!before.isFirst || before.level.name !== level.name) return;
    const report = { ...before.report, transactions };
    const { stale } = before;
    show(key, moved(key, judgedResult({ ...before, project, report }, stale), mark, new Set()));
    tell();
  }

  function partial(
    { key, project, level, mark }: About,
    found: readonly Anomaly[],
    placed: readonly PlacedSuppression[],
  ): void {
    const last = state.results.get(key);
    const before = last?.level.name === level.name ? last : nothingYet(project, level);
    const earlier = toldAnomalies(before.report);
    const known = new Map(earlier.map((each) => [each.id, each]));
    const marked = markedAnomalies(state, project, before.report, found, placed);
    // Displayed findings stay the representatives of their causes, although a fresh verdict might choose others.
    const now = marked.map((each) => asBefore(each, known.get(each.id)));
    const alone = { ...before, project, report: { ...before.report, anomalies: now } };
    const present = moved(key, judgedResult(alone), mark, new Set());
    const names = new Map(present.report.anomalies.map((each) => [each.id, each]));
    const kept = earlier.map((each) => names.get(each.id) ?? each);
    const fresh = present.report.anomalies.filter(({ id }) => !known.has(id));
    const stale = [...before.stale].filter((id) => !names.has(id));
    const report = { ...before.report, anomalies: [...kept, ...fresh] };
    const result = judgedResult(
      { ...before, project, report, partial: true },
      new Set([...stale, ...present.stale]),
    );
    const changed = new Set([...before.changed, ...result.changed]);
    show(key, { ...result, changed, faded: before.faded });
    tell();
  }

  function cancelled({ key, project, level, mark }: About, outcome: CheckOutcome): void {
    const told = judgeOutcome(state, project, level, outcome);
    const last = state.results.get(key);
    const before = last?.level.name === level.name ? last : nothingYet(project, level);
    const names = new Set(told.report.transactions.map(({ name }) => name));
    const ids = new Set(told.report.anomalies.map(({ id }) => id));
    const known = { project, level, ...told, partial: false, isFirst: false };
    const present = moved(key, judgedResult(known), mark, new Set());
    const report = {
      ...present.report,
      transactions: [
        ...present.report.transactions,
        ...before.report.transactions.filter(({ name }) => !names.has(name)),
      ],
      anomalies: [
        ...present.report.anomalies,
        ...toldAnomalies(before.report).filter(({ id }) => !ids.has(id)),
      ],
    };
    const stale = new Set([...before.stale].filter((id) => !ids.has(id)));
    show(key, { ...judgedResult({ ...present, report }, stale), faded: before.faded });
  }

  /** A result of an earlier text, moved to the current one. */
  function moved(
    key: string,
    result: ProjectResult,
    mark: EditMark,
    standing: ReadonlySet<FileId>,
  ): ProjectResult {
    return log
      .since(key, mark, standing)
      .reduce((now, { file, edits }) => editResult(now, file, edits, textOf(key, file)), result);
  }

  function textOf(key: string, file: FileId): string {
    const { files = [], context = [] } = state.projects.get(key) ?? {};
    return [...files, ...context].find((each) => each.file === file)?.text ?? "";
  }

  /** Stores a result; its stale parts fade after a delay. */
  function show(key: string, result: ProjectResult): void {
    const before = state.results.get(key);
    state.results.set(key, result);
    settled(key);
    const isSame = before !== undefined && result.stale.size <= before.stale.size;
    if (result.changed.size === 0) {
      clearTimeout(fading.get(key));
      fading.delete(key);
    } else if (!result.faded && !(isSame && fading.has(key))) {
      clearTimeout(fading.get(key));
      fading.set(key, setTimeout(fade, FADE, key));
    }
  }

  function fade(key: string): void {
    fading.delete(key);
    const result = state.results.get(key);
    if (!result || result.changed.size === 0) return;
    state.results.set(key, { ...result, faded: true });
    tell();
  }

  function settled(key: string): void {
    const asked = waiting.get(key) ?? [];
    waiting.delete(key);
    for (const resolve of asked) resolve();
  }

  return {
    mark: (key) => log.mark(key),
    reading,
    partial,
    verdict,
    cancelled,
    edited(key, file, edits, text) {
      log.add(key, file, edits);
      const result = state.results.get(key);
      if (result) show(key, editResult(result, file, edits, text));
    },
    async first(key, longest) {
      if (state.results.has(key)) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longest);
        const known = (): void => {
          clearTimeout(timer);
          resolve();
        };
        waiting.set(key, [...(waiting.get(key) ?? []), known]);
      });
    },
    settled,
    dispose() {
      for (const timer of fading.values()) clearTimeout(timer);
      for (const key of waiting.keys()) settled(key);
    },
  };
}

/** The result before the first check of a project at a level has ended. */
function nothingYet(project: Project, level: Level): ProjectResult {
  const report = emptyReport("isolens", level, "unknown");
  const nothing = { notes: [], remarks: [], configurationProblems: [], files: [], standing: [] };
  return judgedResult({ project, level, report, ...nothing, partial: true, isFirst: true });
}

/** The summary of a report, for pickers and commands. */
export function summaryOf(
  state: ServerState,
  project: Project,
  level: Level,
  report: LevelReport,
): CheckSummary {
  const { proof, sufficient } = report;
  return {
    folder: projectKey(project),
    level: levelName(level),
    verdict: report.verdict,
    rests: report.rests,
    anomalies: countOfTold(report),
    transactions: report.transactions.length,
    unknown: report.unknown,
    ...(proof && { proof: proofView(state, project, level, proof) }),
    ...(sufficient && { sufficient }),
  };
}
