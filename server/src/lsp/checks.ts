// Schedules checks: when, of what, at which level; keeps results up to date with edits and notifies everyone.
import { CodeLensRefreshRequest, InlayHintRefreshRequest } from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import { mayUseDatabase } from "../frontend/code/callGraph/prefilter";
import type { Level } from "../isolation/levels";
import type { Anomaly } from "../protocol/report";
import { reasonOf } from "../protocol/fault";
import type { FileId } from "../protocol/source";
import type { CheckSummary, Settings } from "../protocol/requests";
import type { PlacedSuppression } from "../service/findings/suppressions";
import type { CodeCache } from "../workspace/codeFiles";
import type { Project } from "../workspace/projects";
import { askedNow, isSameAsked, type CheckRequest } from "./requestRecord";
import type { CheckEvents } from "./checker";
import type { TextEdit } from "./editRange";
import { loadWorkspace, withText } from "./loadWorkspace";
import { openFiles } from "./openFiles";
import { beginProgress, countedPhases } from "./progressReporter";
import { createProofs, proving } from "./proofs";
import { createPublisher } from "./publisher";
import { judgeOutcome } from "./verdicts";
import {
  findFile,
  forgetKnown,
  knownKey,
  levelOf,
  settingsOf,
  projectKey,
  withSettings,
  type ServerState,
} from "./serverState";
import { createShownResults, summaryOf } from "./shownResults";
import { createStatusReporter } from "./statusReporter";
import { createThrottle } from "./throttle";
import { textDifference } from "./textDifference";
import { sendNotification } from "./customMessages";
import { pathOfUri, uriOfFile } from "./uris";

export interface Checks {
  /**
   * Reads files and documents again, drops removed projects, and starts due checks. Requests during a reload cause one further reload.
   * Resolves when all of this has ended.
   */
  reload(): Promise<void>;
  /** As `reload`, after a short delay that collects requests: a checkout changes files by the hundred. */
  reloadSoon(): void;
  /** Resolves when files and documents have been read. */
  loaded(): Promise<void>;
  /** Resolves when the transactions of a project are known, or nothing is looking for them; at the latest after some seconds. */
  transactionsKnown(key: string): Promise<void>;
  /** Checks projects by key, or all that are in scope; resolves when all have ended. */
  request(
    keys: readonly string[] | undefined,
    options?: { readonly delay?: number },
  ): Promise<void>;
  /** Handles edits of a document, in order. */
  changed(document: TextDocument, edits: readonly TextEdit[]): void;
  /** Stops all checks; the status changes at once. */
  cancel(): number;
  /** The summary of a project at another level; undefined if it was stopped or the text changed. Rejects if it fails. */
  tryLevel(key: string, level: Level, signal: AbortSignal): Promise<CheckSummary | undefined>;
  /** Summaries of the last results of projects by key, or of all. */
  summaries(keys: readonly string[] | undefined): readonly CheckSummary[];
  /** Keys of the projects that are checked automatically. */
  inScope(): readonly string[];
  /** Publishes again after a changed setting. */
  refresh(): void;
  dispose(): Promise<void>;
}

/** Milliseconds of typing that are collected before a check starts. */
const TYPING_PAUSE = 120;

/** A check shorter than this replaces an earlier verdict at once. */
const SHORT = 1000;

/** Milliseconds that a request waits for transactions: editors request a document's symbols only once. */
const READING_PATIENCE = 10_000;

export function createChecks(state: ServerState): Checks {
  const publisher = createPublisher(state);
  const status = createStatusReporter(state);
  const proofs = createProofs(state);
  /** Last check request of each project. */
  const asked = new Map<string, CheckRequest>();
  const shown = createShownResults(state, tell);
  /** The open files of each project at its last check. */
  const lookedAt = new Map<string, readonly FileId[]>();
  /** The cache of earlier loads of code files. */
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
    const mark = shown.mark(key);
    state.running.set(key, { done: 0, total: 0 });
    status.update();
    const found = new Map<string, Anomaly>();
    let placed: readonly PlacedSuppression[] = [];
    const early = createThrottle(() => {
      if (!signal.aborted)
        shown.partial({ key, project, level, mark }, [...found.values()], placed);
    });
    try {
      const bounded = proving(withSettings(state, project), false);
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
        read: (reading) => {
          placed = reading.placed;
          if (!signal.aborted) shown.reading({ key, project, level, mark }, reading);
        },
        found: (anomaly) => {
          if (signal.aborted) return;
          // Early findings in open files are found again by the full check.
          found.set(anomaly.id, anomaly);
          // If there is an earlier verdict, a short check replaces it directly.
          const isShort = Date.now() - started < SHORT;
          if (isShort && state.results.get(key)?.isFirst === false) return;
          early.request();
        },
      };
      lookedAt.set(key, first);
      const outcome = await state.checker.check(bounded, level, signal, events, { first });
      early.cancel();
      // A newer text or level was requested: its own check will report.
      if (signal.aborted && state.queue.waits(key)) return;
      const about = { key, project, level, mark };
      if (signal.aborted) shown.cancelled(about, outcome);
      else {
        shown.verdict(about, outcome);
        proofs.request(key, project, level, (proved) => {
          shown.verdict(about, proved);
          tell();
        });
      }
      state.milliseconds = Date.now() - started;
      state.trouble = "";
    } catch (error) {
      early.flush();
      state.connection.console.error(`check of ${key}: ${reasonOf(error)}`);
      state.trouble = `The check failed: ${reasonOf(error)}`;
    } finally {
      state.running.delete(key);
      progress?.end();
      shown.settled(key);
      tell();
    }
  }

  function loadingEnded(): void {
    isLoaded = true;
    for (const resolve of waitingForLoad.splice(0)) resolve();
  }

  /** Updates a document's text in its project; undefined if it belongs to none. */
  function putText(document: TextDocument): ReturnType<typeof findFile> {
    const found = findFile(state, document.uri);
    if (!found) return undefined;
    const project = withText(found.project, found.file, document.getText());
    state.projects = new Map([...state.projects, [projectKey(project), project]]);
    return { project, file: found.file };
  }

  /** Files changed on disk: findings in them move as with an edit. */
  function moveReloaded(before: ReadonlyMap<string, Project>): void {
    for (const [key, { files, context }] of state.projects) {
      const old = before.get(key);
      if (!old) continue;
      const texts = new Map([...old.context, ...old.files].map(({ file, text }) => [file, text]));
      for (const { file, text } of [...files, ...context]) {
        const known = texts.get(file);
        const edit = known === undefined ? undefined : textDifference(known, text);
        if (edit) shown.edited(key, file, [edit], text);
      }
    }
  }

  /** True for an irrelevant code file that may have become relevant, or that others may import. */
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
    // Typing continues while files are read.
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
    if (changed.length > 0) forgetKnown(state);
    tell();
    void checks.request(changed.filter((key) => checkedOn(key) !== "manual"));
  }

  /** True if a file was opened during reading, so that reading restarts with it. */
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
    async transactionsKnown(key) {
      if (state.running.has(key) || state.queue.waits(key))
        await shown.first(key, READING_PATIENCE);
    },
    changed(document, edits) {
      const found = putText(document);
      if (!found) {
        if (mayMatter(document)) reloadSoon();
        return;
      }
      const key = projectKey(found.project);
      forgetKnown(state);
      shown.edited(key, found.file, edits, document.getText());
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
      // The text was edited meanwhile: the result is of another text.
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
      shown.dispose();
      loadingEnded();
      state.queue.cancel();
      status.dispose();
      await state.checker?.dispose();
    },
  };
  return checks;
}

function ignored(): void {
  // A level that is only tried reports its own end.
}
