import { LEVELS } from "../../isolation/levels";
import type { LevelChoice } from "../../protocol/requests";
import { toCheckParams } from "../fromLsp";
import { configuredLevel, findFile, knownKey, levelOf, type ServerState } from "../serverState";

/** `isolens/levels`: every level with what it promises and what is known at it for the document's project. */
export function handleLevels(state: ServerState, params: unknown): readonly LevelChoice[] {
  const { uri } = toCheckParams(params);
  const [first] = state.projects.values();
  const project = (uri === undefined ? undefined : findFile(state, uri)?.project) ?? first;
  const inForce = levelOf(state, project).name;
  const configured = configuredLevel(state, project).name;
  return LEVELS.map((level) => {
    const known = project && state.known.get(knownKey(project, level));
    return {
      name: level.name,
      label: level.label,
      summary: level.summary,
      family: level.family,
      inForce: level.name === inForce,
      configured: level.name === configured,
      ...(known && {
        known: {
          verdict: known.verdict,
          anomalies: known.anomalies,
          unknown: known.unknown.length,
        },
      }),
    };
  });
}
