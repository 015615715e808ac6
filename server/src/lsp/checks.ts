// Runs checks: when, of what, at which level; keeps their results up to date with edits and tells everyone.
import { CodeLensRefreshRequest, InlayHintRefreshRequest } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import { mayUseDatabase } from "../frontend/code/callGraph/prefilter";
import type { Level } from "../isolation/levels";
import type { Anomaly, LevelReport } from "../protocol/report";
import { reasonOf } from "../protocol/fault";
import type { FileId } from "../protocol/source";
import type { CheckSummary, Settings } from "../protocol/requests";
import type { PlacedSuppression } from "../service/findings/suppressions";
import type { CodeCache } from "../workspace/codeFiles";
import type { Project } from "../workspace/projects";
import { askedNow, isSameAsked, type CheckRequest } from "./requestRecord";
import type { CheckEvents, CheckOutcome } from "./checker";
import type { TextEdit } from "./editRange";
import { createEditLog, type EditMark } from "./editLog";
import { emptyReport } from "./emptyReport";
import { loadWorkspace, withText } from "./loadWorkspace";
import { openFiles } from "./openFiles";
import { beginProgress, countedPhases } from "./progressReporter";
import { createProofs, proofView, proving } from "./proofs";
import { createPublisher } from "./publisher";
import { judgeOutcome, markedAnomalies } from "./verdicts";
import {
  asBefore,
  countOfTold,
  editResult,
  judgedResult,
  toldAnomalies,
  type ProjectResult,
} from "./results";
import {
  findFile,
  knownKey,
  levelName,
  levelOf,
  settingsOf,
  projectKey,
  withSettings,
  type ServerState,
} from "./serverState";
import { createStatusReporter } from "./statusReporter";
import { textDifference } from "./textDifference";
import { sendNotification } from "./typed";
import { pathOfUri, uriOfFile } from "./uris";

export interface Checks {
  /**
   * Reads files and documents again, drops projects that are gone, and checks what should be. Asked for again while it
   * reads, it reads once more behind that, however often it was asked. Resolves when all of this has ended.
   */
  reload(): Promise<void>;
  /** The same a moment later, once for all that is told of until then: a checkout changes files by the hundred. */
  reloadSoon(): void;
  /** Resolves when files and documents have been read. */
  loaded(): Promise<void>;
  /** Checks projects by key, or all that are in scope; ends when all have ended. */
  request(
    keys: readonly string[] | undefined,
    options?: { readonly delay?: number },
  ): Promise<void>;
  /** The text of a document changed, by these edits in order. */
  changed(document: TextDocument, edits: readonly TextEdit[]): void;
  /** Stops all checks; the status says so at once. */
  cancel(): number;
  /** Summary of a project at another level; undefined where it was stopped or the text changed. Rejects where it fails. */
  tryLevel(key: string, level: Level, signal: AbortSignal): Promise<CheckSummary | undefined>;
  /** Summaries of the last results of projects by key, or of all. */
  summaries(keys: readonly string[] | undefined): readonly CheckSummary[];
  /** Keys of the projects that are checked without being asked for. */
  inScope(): readonly string[];
  /** Publishes again: a setting changed. */
  refresh(): void;
  dispose(): Promise<void>;
}

/** Typing is gathered for this long before a check starts. */
const TYPING_PAUSE = 120;

/** An edited finding keeps its look for this long, since a new verdict mostly comes before. */
const FADE = 1000;

export function createChecks(state: ServerState): Checks {
  const publisher = createPublisher(state);
  const status = createStatusReporter(state);
  const proofs = createProofs(state);
  /** Request of the last check of each project. */
  const asked = new Map<string, CheckRequest>();
  const log = createEditLog();
  /** By project: until what is stale fades. */
  const fading = new Map<string, NodeJS.Timeout>();
  /** The open files of each project at its last check. */
  const lookedAt = new Map<string, readonly FileId[]>();
  /** Cache of earlier loads of files of code. */
  const codeCache: CodeCache = new Map();
  let loading: Promise<void> | undefined;
  let loadsAgain = false;
  let reloading: NodeJS.Timeout | undefined;
  let isLoaded = false;
  const waitingForLoad: (() => void)[] = [];

  function tell(): void {
    if (state.phase !== "running") return;
    state.revision += 1;
    publisher.publish();
    status.update();
    sendNotification(state.connection, "isolens/findings", { revision: state.revision });
    if (state.capabilities.lensRefresh) refreshed(CodeLensRefreshRequest.type.method);
    if (state.capabilities.hintRefresh) refreshed(InlayHintRefreshRequest.type.method);
  }

  function refreshed(method: string): void {
    state.connection.sendRequest(method).catch((error: unknown) => {
      state.connection.console.warn(`the client did not answer ${method}: ${String(error)}`);
    });
  }

  async function run(key: string, signal: AbortSignal): Promise<void> {
    const project = state.projects.get(key);
    if (!project || !state.checker) return;
    const level = levelOf(state, project);
    proofs.cancel(key);
    const started = Date.now();
    const progress = state.capabilities.progress
      ? beginProgress(state.connection, `Isolens: ${level.label}`, () => state.queue.cancel(key))
      : undefined;
    const mark = log.mark(key);
    state.running.set(key, { done: 0, total: 0 });
    status.update();
    try {
      // Findings in the files that somebody looks at are found again.
      const found = new Map<string, Anomaly>();
      const bounded = proving(withSettings(state, project), false);
      let placed: readonly PlacedSuppression[] = [];
      const first = openFiles(state, project);
      const counted = countedPhases();
      const events: CheckEvents = {
        progress: (done, total, size) => {
          if (signal.aborted) return;
          const counts = counted(done, total, size);
          state.running.set(key, counts);
          progress?.report(counts.done, counts.total, counts.unit);
          status.update();
        },
        reading: (done, total) => {
          if (signal.aborted) return;
          state.running.set(key, { done, total, unit: "files" });
          progress?.report(done, total, "files");
          status.update();
        },
        read: (suppressions) => {
          placed = suppressions;
        },
        found: (anomaly) => {
          if (signal.aborted) return;
          found.set(anomaly.id, anomaly);
          // While there is an earlier verdict, a short check replaces it at once.
          const isShort = Date.now() - started < FADE;
          if (isShort && state.results.get(key)?.isFirst === false) return;
          showPartial({ key, project, level, mark }, [...found.values()], placed);
        },
      };
      lookedAt.set(key, first);
      const outcome = await state.checker.check(bounded, level, signal, events, { first });
      // A newer text or level was asked for: its own check will tell.
      if (signal.aborted && state.queue.waits(key)) return;
      const about = { key, project, level, mark };
      if (signal.aborted) showCancelled(about, outcome);
      else {
        keep(about, outcome);
        proofs.request(key, project, level, (proved) => {
          keep(about, proved);
          tell();
        });
      }
      state.milliseconds = Date.now() - started;
      state.trouble = "";
    } catch (error) {
      state.connection.console.error(`check of ${key}: ${reasonOf(error)}`);
      state.trouble = `The check failed: ${reasonOf(error)}`;
    } finally {
      state.running.delete(key);
      progress?.end();
      tell();
    }
  }

  /** The verdict: it replaces all that was known. */
  function keep({ key, project, level, mark }: About, outcome: CheckOutcome): void {
    const told = judgeOutcome(state, project, level, outcome);
    const standing = new Set(told.standing.map(({ file }) => file));
    log.settle(key, mark, standing);
    const known = { project, level, ...told, partial: false, isFirst: false };
    show(key, moved(key, judgedResult(known), mark, standing));
    state.known.set(knownKey(project, level), summaryOf(state, project, level, told.report));
  }

  /** Anomalies as they are found, beside earlier ones: these go with the verdict alone. */
  function showPartial(
    { key, project, level, mark }: About,
    found: readonly Anomaly[],
    placed: readonly PlacedSuppression[],
  ): void {
    const last = state.results.get(key);
    const before = last?.level.name === level.name ? last : nothingYet(project, level);
    const earlier = toldAnomalies(before.report);
    const known = new Map(earlier.map((each) => [each.id, each]));
    const marked = markedAnomalies(state, project, before.report, found, placed);
    // Findings that were shown stay the representatives of their causes, although a fresh verdict might choose others.
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

  /** Merges the findings up to a cancellation with those known before. */
  function showCancelled({ key, project, level, mark }: About, outcome: CheckOutcome): void {
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

  /** A result of an earlier text, in the present one. */
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

  /** Keeps a result; what becomes stale by it fades a moment later. */
  function show(key: string, result: ProjectResult): void {
    const before = state.results.get(key);
    state.results.set(key, result);
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

  function loadingEnded(): void {
    isLoaded = true;
    for (const resolve of waitingForLoad.splice(0)) resolve();
  }

  /** Puts a document's present text into its project; undefined when it belongs to none. */
  function putText(document: TextDocument): ReturnType<typeof findFile> {
    const found = findFile(state, document.uri);
    if (!found) return undefined;
    const project = withText(found.project, found.file, document.getText());
    state.projects = new Map([...state.projects, [projectKey(project), project]]);
    return { project, file: found.file };
  }

  /** Files that changed on disk: what was found in them moves as with an edit. */
  function moveReloaded(before: ReadonlyMap<string, Project>): void {
    for (const [key, { files, context }] of state.projects) {
      const old = before.get(key);
      if (!old) continue;
      const texts = new Map([...old.context, ...old.files].map(({ file, text }) => [file, text]));
      for (const { file, text } of [...files, ...context]) {
        const known = texts.get(file);
        const edit = known === undefined ? undefined : textDifference(known, text);
        if (edit) edited(key, file, [edit], text);
      }
    }
  }

  function edited(key: string, file: FileId, edits: readonly TextEdit[], text: string): void {
    log.add(key, file, edits);
    const result = state.results.get(key);
    if (result) show(key, editResult(result, file, edits, text));
  }

  /** A file of code that was not worth reading may be so now, and others may import it. */
  function mayMatter(document: TextDocument): boolean {
    if (codeLanguageOf(document.uri) === undefined) return false;
    const isImported = [...state.projects.values()].some(({ code }) => code !== undefined);
    return isImported || mayUseDatabase(document.getText());
  }

  function reloadSoon(): void {
    reloading ??= setTimeout(() => {
      reloading = undefined;
      checks.reload().catch((error: unknown) => {
        state.connection.console.error(reasonOf(error));
      });
    }, TYPING_PAUSE);
  }

  async function loadAll(): Promise<void> {
    try {
      do {
        loadsAgain = false;
        await load();
      } while (loadsAgain);
    } finally {
      loading = undefined;
      loadsAgain = false;
      loadingEnded();
    }
  }

  async function load(): Promise<void> {
    const projects = await loadWorkspace(state.folders, state.documents.all(), codeCache);
    // The next load knows more.
    if (loadsAgain || state.phase !== "running") return;
    const before = state.projects;
    state.projects = projects;
    // Typing goes on while files are read.
    for (const document of state.documents.all()) putText(document);
    moveReloaded(before);
    for (const key of state.results.keys()) {
      if (!state.projects.has(key)) state.results.delete(key);
    }
    loadingEnded();
    const shown = new Set([...inScope(), ...state.results.keys()]);
    const changed = [...shown].filter(
      (key) => !isSameAsked(asked.get(key), nowAsked(key)) || isReadTooLate(key),
    );
    if (changed.length > 0) state.known.clear();
    tell();
    void checks.request(changed.filter((key) => checkedOn(key) !== "manual"));
  }

  /** True if a file was opened while others are read, so that reading begins with it once more. */
  function isReadTooLate(key: string): boolean {
    const project = state.projects.get(key);
    const before = lookedAt.get(key);
    if (!project || !before || state.running.get(key)?.unit !== "files") return false;
    const [newest] = openFiles(state, project);
    return newest !== undefined && !before.includes(newest);
  }

  function nowAsked(key: string): CheckRequest | undefined {
    const project = state.projects.get(key);
    return project && askedNow(state, project);
  }

  function checkedOn(key: string): Settings["check"] {
    return settingsOf(state, state.projects.get(key)).check;
  }

  function inScope(): readonly string[] {
    return [...state.projects]
      .filter(([, each]) => settingsOf(state, each).scope === "workspace" || isOpen(each))
      .map(([key]) => key);
  }

  function isOpen(project: Project): boolean {
    const paths = new Set(state.documents.all().map(({ uri }) => pathOfUri(uri) ?? uri));
    return [...project.files, ...project.context].some(({ file }) => {
      const uri = uriOfFile(project, file);
      return paths.has(pathOfUri(uri) ?? uri);
    });
  }

  const checks: Checks = {
    async reload() {
      if (state.phase !== "running") return;
      isLoaded = false;
      loadsAgain = loading !== undefined;
      loading ??= loadAll();
      await loading;
    },
    reloadSoon,
    async request(keys, options) {
      const chosen = keys ?? inScope();
      for (const key of chosen) {
        const now = nowAsked(key);
        if (now) asked.set(key, now);
      }
      await Promise.all(
        chosen.map((key) => state.queue.submit(key, (signal) => run(key, signal), options)),
      );
    },
    loaded: () =>
      isLoaded ? Promise.resolve() : new Promise((resolve) => waitingForLoad.push(resolve)),
    changed(document, edits) {
      const found = putText(document);
      if (!found) {
        if (mayMatter(document)) reloadSoon();
        return;
      }
      const key = projectKey(found.project);
      state.known.clear();
      edited(key, found.file, edits, document.getText());
      publisher.publish();
      if (checkedOn(key) === "onChange") void checks.request([key], { delay: TYPING_PAUSE });
    },
    cancel() {
      const stopped = state.queue.cancel();
      state.running.clear();
      status.update();
      return stopped;
    },
    async tryLevel(key, level, signal) {
      const project = state.projects.get(key);
      if (!project || !state.checker || signal.aborted) return undefined;
      const known = state.known.get(knownKey(project, level));
      if (known) return known;
      const nobody = { reading: ignored, read: ignored, progress: ignored, found: ignored };
      const asked = proving(withSettings(state, project), false);
      const first = openFiles(state, project);
      const outcome = await state.checker.check(asked, level, signal, nobody, { first });
      // Somebody typed meanwhile: it is known of another text.
      if (signal.aborted || state.projects.get(key) !== project) return undefined;
      const { report } = judgeOutcome(state, project, level, outcome);
      const summary = summaryOf(state, project, level, report);
      state.known.set(knownKey(project, level), summary);
      return summary;
    },
    summaries(keys) {
      return [...state.results]
        .filter(([key]) => keys?.includes(key) ?? true)
        .map(([, { project, level, report }]) => summaryOf(state, project, level, report));
    },
    inScope,
    refresh: tell,
    async dispose() {
      state.phase = "ended";
      clearTimeout(reloading);
      for (const timer of fading.values()) clearTimeout(timer);
      loadingEnded();
      state.queue.cancel();
      status.dispose();
      await state.checker?.dispose();
    },
  };
  return checks;
}

function ignored(): void {
  // Of a level that is only tried, the end is told.
}

/** A check that runs or ran: of what text. */
interface About {
  readonly key: string;
  readonly project: Project;
  readonly level: Level;
  readonly mark: EditMark;
}

/** Result before the first check of a project at a level has ended. */
function nothingYet(project: Project, level: Level): ProjectResult {
  const report = emptyReport("isolens", level, "unknown");
  const nothing = { notes: [], remarks: [], configurationProblems: [], files: [], standing: [] };
  return judgedResult({ project, level, report, ...nothing, partial: true, isFirst: true });
}

function summaryOf(
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
