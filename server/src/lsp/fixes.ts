// Fixes for the lightbulb and the panel: searched in the checking thread, once per anomaly and text, and abandoned when the text changes.
import type { CancellationToken } from "vscode-languageserver/node";
import { reasonOf } from "../protocol/fault";
import type { Fix, FixReport } from "../protocol/fixes";
import type { Anomaly } from "../protocol/report";
import type { Project } from "../workspace/projects";
import { askedNow, isSameAsked, type CheckRequest } from "./requestRecord";
import type { ProjectResult } from "./results";
import { projectKey, withSettings, type ServerState } from "./serverState";

export interface Fixes {
  /**
   * The fixes verified within about a second (for the lightbulb, within `AT_ONCE` of the search's start), or all if the search ends
   * earlier. Undefined if the text has changed since the anomaly was found, has syntax errors, or if the request or search was cancelled. A
   * cancelled request ends the search, unless another request waits for it or was told to ask again.
   */
  soon(
    result: ProjectResult,
    anomaly: Anomaly,
    options?: { readonly isInvoked?: boolean; readonly token?: CancellationToken },
  ): Promise<FixReport | undefined>;
  /** Begins the search for an anomaly that is being looked at, in place of the last one that was begun so and nobody asked for. */
  ahead(result: ProjectResult, anomaly: Anomaly): void;
  /** Abandons searches for texts that have changed. */
  forgetStale(): void;
  /** Abandons all searches; returns the number of running ones. */
  cancel(): number;
}

/** Milliseconds until an answer. */
const SOON = 900;
/** The same for actions requested by a key: VS Code drops such a request after 500 ms. */
const AT_ONCE = 250;

interface Search {
  /** The texts and settings that the fixes are for. */
  readonly asked: CheckRequest;
  readonly begun: number;
  readonly controller: AbortController;
  readonly found: Fix[];
  report: FixReport | undefined;
  ended: Promise<void> | undefined;
  waiting: number;
  /** True if no request has asked for it yet. */
  isAhead: boolean;
  /** True if a request got an incomplete answer and will ask again. */
  isAwaited: boolean;
}

export function createFixes(state: ServerState): Fixes {
  const searches = new Map<string, Search>();

  const isCurrent = (key: string, { asked, controller }: Search): boolean => {
    const project = state.projects.get(key);
    return (
      !controller.signal.aborted &&
      project !== undefined &&
      isSameAsked(asked, askedNow(state, project))
    );
  };

  function begin(
    own: string,
    project: Project,
    { level }: ProjectResult,
    anomaly: Anomaly,
  ): Search {
    const controller = new AbortController();
    const found: Fix[] = [];
    const { signal } = controller;
    const search: Search = {
      ...{ asked: askedNow(state, project), begun: performance.now(), controller, found },
      ...{ report: undefined, ended: undefined, waiting: 0, isAhead: true, isAwaited: false },
    };
    const run = async (): Promise<void> => {
      try {
        search.report = await state.checker?.fixes(
          withSettings(state, project),
          level,
          anomaly,
          signal,
          (fix) => {
            found.push(fix);
          },
        );
      } catch (error) {
        state.connection.console.error(`fixes of ${anomaly.id}: ${reasonOf(error)}`);
        search.report = { anomaly: anomaly.id, fixes: found, advice: [], isPartial: false };
        // A later request starts a new search.
        if (searches.get(own) === search) searches.delete(own);
      }
    };
    search.ended = run();
    return search;
  }

  function forgetStale(): void {
    for (const [own, search] of searches) {
      if (isCurrent(keyOf(own), search)) continue;
      search.controller.abort();
      searches.delete(own);
    }
  }

  function abandon(own: string, search: Search): void {
    search.controller.abort();
    if (searches.get(own) === search) searches.delete(own);
  }

  /** The search of an anomaly, which begins if there is none; undefined where nothing can be verified. */
  function searchOf(
    result: ProjectResult,
    anomaly: Anomaly,
  ): { readonly own: string; readonly search: Search } | undefined {
    forgetStale();
    const key = projectKey(result.project);
    const project = state.projects.get(key);
    // Nothing can be verified on an earlier reading of a broken text.
    if (!project || result.stale.has(anomaly.id) || result.standing.length > 0) return undefined;
    const own = `${key}\n${result.level.name}\n${anomaly.id}`;
    const search = searches.get(own) ?? begin(own, project, result, anomaly);
    if (search.report === undefined) searches.set(own, search);
    return { own, search };
  }

  return {
    ahead(result, anomaly) {
      const begun = searchOf(result, anomaly);
      for (const [own, search] of searches)
        if (search !== begun?.search && search.isAhead && search.report === undefined)
          abandon(own, search);
    },
    async soon(result, anomaly, { isInvoked = false, token } = {}) {
      if (isCancelled(token)) return undefined;
      const begun = searchOf(result, anomaly);
      if (!begun) return undefined;
      const { own, search } = begun;
      search.isAhead = false;
      const wait = isInvoked ? AT_ONCE - (performance.now() - search.begun) : SOON;
      search.waiting += 1;
      await earliest(search.ended, Math.max(0, wait), token);
      search.waiting -= 1;
      if (isCancelled(token)) {
        if (search.waiting === 0 && !search.isAwaited && search.report === undefined)
          abandon(own, search);
        return undefined;
      }
      if (!isCurrent(keyOf(own), search)) return undefined;
      if (search.report) return search.report;
      search.isAwaited = true;
      return { anomaly: anomaly.id, fixes: [...search.found], advice: [], isPartial: true };
    },
    forgetStale,
    cancel() {
      const open = [...searches.values()].filter(({ report }) => report === undefined);
      for (const { controller } of open) controller.abort();
      searches.clear();
      return open.length;
    },
  };
}

/** The project's key in a search's key. */
function keyOf(own: string): string {
  return own.slice(0, own.indexOf("\n"));
}

/** A function, since the value changes while a request waits. */
function isCancelled(token: CancellationToken | undefined): boolean {
  return token?.isCancellationRequested === true;
}

/** Resolves with the promise, after a number of milliseconds, or when the request is cancelled. */
async function earliest(
  promise: Promise<void> | undefined,
  milliseconds: number,
  token: CancellationToken | undefined,
): Promise<void> {
  let stop = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const listening = token?.onCancellationRequested(() => {
      resolve();
    });
    stop = () => {
      clearTimeout(timer);
      listening?.dispose();
    };
  });
  await Promise.race([promise, late]);
  stop();
}
