import type { CancellationToken } from "vscode-languageserver/node";
import { findLevel } from "../../isolation/levels";
import type { CheckSummary } from "../../protocol/requests";
import type { Checks } from "../checks";
import { toCheckParams } from "../fromLsp";
import { definedIn, findFile, projectKey, type ServerState } from "../serverState";

/** `isolens/tryLevel`: the result of another level for the document's project, or the first one. */
export async function handleTryLevel(
  state: ServerState,
  checks: Checks,
  params: unknown,
  token: CancellationToken,
): Promise<CheckSummary | null> {
  const { level: name, uri } = toCheckParams(params);
  await checks.loaded();
  const [first] = state.projects.values();
  const project = (uri === undefined ? undefined : findFile(state, uri)?.project) ?? first;
  const level = name === undefined ? undefined : findLevel(name, definedIn(project));
  if (!project || !level) return null;
  const controller = new AbortController();
  const listener = token.onCancellationRequested(() => {
    controller.abort();
  });
  try {
    return (await checks.tryLevel(projectKey(project), level, controller.signal)) ?? null;
  } finally {
    listener.dispose();
  }
}
