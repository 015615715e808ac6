import { findLevel } from "../../isolation/levels";
import type { CheckSummary } from "../../protocol/requests";
import type { Checks } from "../checks";
import { toCheckParams } from "../fromLsp";
import { unknownLevelText } from "../../workspace/configuration";
import { definedIn, findFile, projectKey, type ServerState } from "../serverState";

/** `isolens/check`: checks at a level, which stays in force; an unknown level is an error with its name. */
export async function handleCheck(
  state: ServerState,
  checks: Checks,
  params: unknown,
): Promise<readonly CheckSummary[]> {
  const { level: name, uri, prove = false } = toCheckParams(params);
  await checks.loaded();
  const project = uri === undefined ? undefined : findFile(state, uri)?.project;
  const projects = project ? [project] : [...state.projects.values()];
  const defined = projects.flatMap(definedIn);
  const level = name === undefined ? undefined : findLevel(name, defined);
  if (name !== undefined && !level) throw new Error(sentence(unknownLevelText(name, defined)));
  // A request for a proof only keeps the level in force.
  if (!prove || level) state.chosen = level?.name;
  state.proves ||= prove;
  const scope = checks.inScope();
  // Without a document, and with nothing open, everything is checked.
  const asked = project
    ? [projectKey(project)]
    : scope.length > 0
      ? scope
      : [...state.projects.keys()];
  // Everything else that is shown must be at the level in force as well.
  await checks.request([...new Set([...asked, ...state.results.keys()])]);
  return checks.summaries(asked);
}

function sentence(text: string): string {
  const end = /[.?!]$/u.test(text) ? "" : ".";
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${end}`;
}
