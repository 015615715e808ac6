// Fixes for the lightbulb and the panel: looked for in the thread that checks, once per anomaly and text, and given up
// when the text changes.
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
   * Fixes that are verified within about a second, or all that can be known before; where somebody waits at the lightbulb,
   * within `AT_ONCE` of the search's beginning. Undefined where the text has changed since the anomaly was found, has syntax
   * errors, or request or search was cancelled. A cancelled request ends the search that nobody else waits for or was told
   * to ask again about.
   */
  soon(
    result: ProjectResult,
    anomaly: Anomaly,
    options?: { readonly isInvoked?: boolean; readonly token?: CancellationToken },
  ): Promise<FixReport | undefined>;
  /** Gives up what is about texts that have changed since. */
  forgetStale(): void;
  /** Gives up everything; the number of searches that were under way. */
  cancel(): number;
}

/** Milliseconds that an answer may take. */
const SOON = 900;
/** The same where actions are asked for by a key: VS Code gives such a request up after 500. */
const AT_ONCE = 250;

interface Search {
  /** The texts and settings for which fixes are looked for. */
  readonly asked: CheckRequest;
  readonly begun: number;
  readonly controller: AbortController;
  readonly found: Fix[];
  report: FixReport | undefined;
  ended: Promise<void> | undefined;
  waiting: number;
  /** Somebody has an answer that is not the last. */
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
      ...{ report: undefined, ended: undefined, waiting: 0, isAwaited: false },
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
        // Whoever asks later begins anew.
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

  return {
    async soon(result, anomaly, { isInvoked = false, token } = {}) {
      if (isCancelled(token)) return undefined;
      forgetStale();
      const key = projectKey(result.project);
      const project = state.projects.get(key);
      // On an earlier reading of a broken text nothing can be verified.
      if (!project || result.stale.has(anomaly.id) || result.standing.length > 0) return undefined;
      const own = `${key}\n${result.level.name}\n${anomaly.id}`;
      const known = searches.get(own);
      const search = known ?? begin(own, project, result, anomaly);
      if (!known && search.report === undefined) searches.set(own, search);
      const wait = isInvoked ? AT_ONCE - (performance.now() - search.begun) : SOON;
      search.waiting += 1;
      await earliest(search.ended, Math.max(0, wait), token);
      search.waiting -= 1;
      if (isCancelled(token)) {
        if (search.waiting === 0 && !search.isAwaited && search.report === undefined) {
          search.controller.abort();
          if (searches.get(own) === search) searches.delete(own);
        }
        return undefined;
      }
      if (!isCurrent(key, search)) return undefined;
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

/** The key of the project in the key of a search. */
function keyOf(own: string): string {
  return own.slice(0, own.indexOf("\n"));
}

/** Asked as a function, since it becomes true while somebody waits. */
function isCancelled(token: CancellationToken | undefined): boolean {
  return token?.isCancellationRequested === true;
}

/** Resolves when the promise does, after so many milliseconds, or when the request is cancelled. */
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
