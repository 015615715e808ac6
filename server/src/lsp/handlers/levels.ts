import { createDialectReader } from "../../frontend/sql/dialectDetection/dialectsOf";
import { LEVELS, isLevelOf, type Level } from "../../isolation/levels";
import type { Dialect } from "../../program/dialect";
import type { Allocation } from "../../protocol/allocation";
import { undecidedCount } from "../../protocol/report";
import type { LevelChoice } from "../../protocol/requests";
import type { Project } from "../../workspace/projects";
import { toCheckParams } from "../fromLsp";
import { countOfTold, type ProjectResult } from "../results";
import {
  configuredLevel,
  definedIn,
  findFile,
  knownKey,
  levelOf,
  projectKey,
  type ServerState,
} from "../serverState";

/**
 * `isolens/levels`: every level with its guarantee and known results for the document's project; levels of the project's database come
 * first, those of other databases last.
 */
export function handleLevels(state: ServerState, params: unknown): readonly LevelChoice[] {
  const { uri } = toCheckParams(params);
  const [first] = state.projects.values();
  const project = (uri === undefined ? undefined : findFile(state, uri)?.project) ?? first;
  const inForce = levelOf(state, project).name;
  const configured = configuredLevel(state, project).name;
  const result = project && state.results.get(projectKey(project));
  const dialect = dialectOf(project);
  const rank = (level: Level): number =>
    level.family === "paper" ? (level.own ? 0 : 1) : isLevelOf(level, dialect) ? 0 : 2;
  // User-defined levels come first.
  const levels: readonly Level[] = [...definedIn(project), ...LEVELS];
  const ordered = [...levels].sort((a, b) => rank(a) - rank(b));
  const all = result && !result.isFirst ? countOfTold(result.report) : undefined;
  const allocation = project && state.allocations.get(knownKey(project, levelOf(state, project)));
  return ordered.map((level) => {
    const needed = allocation && neededAt(allocation, level);
    const proved = provedAt(result, level);
    const known = project && state.known.get(knownKey(project, level));
    return {
      name: level.name,
      label: level.label,
      summary: level.summary,
      family: level.family,
      own: level.family === "product" && isLevelOf(level, dialect),
      inForce: level.name === inForce,
      configured: level.name === configured,
      ...(proved && { proved }),
      ...(needed && { needed }),
      ...(known && {
        known: {
          verdict: known.verdict,
          anomalies: known.anomalies,
          ...(all !== undefined && { of: all }),
          unknown: undecidedCount(known.unknown),
        },
      }),
    };
  });
}

/** The transactions that need the level, if it is one of those that were tried and some allocation suffices. */
function neededAt({ among, levels, open }: Allocation, { name }: Level): LevelChoice["needed"] {
  if (!levels || !among.includes(name)) return undefined;
  const all = Object.values(levels);
  const by = all.filter((each) => each === name).length;
  return { by, of: all.length, isWeakest: name === among[0], isDecided: open.length === 0 };
}

/** Set if every part of the program is proved safe at the level, with the number of anomalies that it would remove. */
function provedAt(result: ProjectResult | undefined, level: Level): LevelChoice["proved"] {
  const parts = result?.report.sufficient ?? [];
  if (!result || parts.length === 0 || result.stale.size > 0) return undefined;
  const everywhere = parts.every(({ tried }) =>
    tried.some((each) => each.level === level.name && each.status === "proved"),
  );
  if (!everywhere) return undefined;
  const confirmed = result.report.anomalies.filter(({ status }) => status === "confirmed");
  return { removes: confirmed.length };
}

function dialectOf(project: Project | undefined): Dialect {
  if (project === undefined) return "postgres";
  return project.configuration.dialect ?? createDialectReader().usual(project.files);
}
