import { findLevel } from "../../isolation/levels";
import type { CheckSummary } from "../../protocol/requests";
import type { Checks } from "../checks";
import { toCheckParams } from "../fromLsp";
import { findFile, projectKey, type ServerState } from "../serverState";

/** `isolens/check`: checks at a level, which stays in force; an unknown level is an error that names it. */
export async function handleCheck(
  state: ServerState,
  checks: Checks,
  params: unknown,
): Promise<readonly CheckSummary[]> {
  const { level: name, uri } = toCheckParams(params);
  const level = name === undefined ? undefined : findLevel(name);
  if (name !== undefined && !level) throw new Error(`There is no isolation level "${name}".`);
  await checks.loaded();
  state.chosen = level;
  const project = uri === undefined ? undefined : findFile(state, uri)?.project;
  const scope = checks.inScope();
  // Without a document, and with nothing open, the user means everything there is.
  const asked = project
    ? [projectKey(project)]
    : scope.length > 0
      ? scope
      : [...state.projects.keys()];
  // What else is shown must be at the level in force as well.
  await checks.request([...new Set([...asked, ...state.results.keys()])]);
  return checks.summaries(asked);
}
