// Fixes for the lightbulb and the panel: looked for in the thread that checks, once per anomaly and text, and given up
// when the text changes.
import { reasonOf } from "../protocol/fault";
import type { Fix, FixReport } from "../protocol/fixes";
import type { Anomaly } from "../protocol/report";
import type { Project } from "../workspace/projects";
import type { ProjectResult } from "./results";
import { projectKey, withSettings, type ServerState } from "./serverState";

export interface Fixes {
  /**
   * What is verified within about a second, or all that can be known before. Undefined where the text has changed since
   * the anomaly was found.
   */
  soon(result: ProjectResult, anomaly: Anomaly): Promise<FixReport | undefined>;
  /** Gives up what is about texts that have changed since. */
  forgetStale(): void;
  /** Gives up everything; the number of searches that were under way. */
  cancel(): number;
}

/** Milliseconds that a lightbulb may take. */
const SOON = 900;

interface Search {
  readonly project: Project;
  readonly controller: AbortController;
  readonly found: Fix[];
  report: FixReport | undefined;
  ended: Promise<void> | undefined;
}

export function createFixes(state: ServerState): Fixes {
  const searches = new Map<string, Search>();

  const isCurrent = ({ project }: Search): boolean =>
    state.projects.get(projectKey(project)) === project;

  function begin(project: Project, result: ProjectResult, anomaly: Anomaly): Search {
    const controller = new AbortController();
    const found: Fix[] = [];
    const { signal } = controller;
    const asked = withSettings(state, project);
    const search: Search = { project, controller, found, report: undefined, ended: undefined };
    const run = async (): Promise<void> => {
      try {
        search.report = await state.checker?.fixes(asked, result.level, anomaly, signal, (fix) => {
          found.push(fix);
        });
      } catch (error) {
        state.connection.console.error(`fixes of ${anomaly.id}: ${reasonOf(error)}`);
        search.report = { anomaly: anomaly.id, fixes: found, advice: [], isPartial: true };
      }
    };
    search.ended = run();
    return search;
  }

  function forgetStale(): void {
    for (const [key, search] of searches) {
      if (isCurrent(search)) continue;
      search.controller.abort();
      searches.delete(key);
    }
  }

  return {
    async soon(result, anomaly) {
      forgetStale();
      const key = projectKey(result.project);
      const project = state.projects.get(key);
      if (!project || result.stale.has(anomaly.id)) return undefined;
      const own = `${key}\n${result.level.name}\n${anomaly.id}`;
      const known = searches.get(own);
      const search = known ?? begin(project, result, anomaly);
      searches.set(own, search);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, SOON);
      });
      await Promise.race([search.ended, late]);
      clearTimeout(timer);
      if (!isCurrent(search)) return undefined;
      return (
        search.report ?? {
          anomaly: anomaly.id,
          fixes: [...search.found],
          advice: [],
          isPartial: true,
        }
      );
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
