import type { CancellationToken } from "vscode-languageserver/node";
import type { Allocation } from "../../protocol/allocation";
import { toCheckParams } from "../fromLsp";
import {
  findFile,
  knownKey,
  levelOf,
  projectKey,
  withSettings,
  type ServerState,
} from "../serverState";

/**
 * `isolens/allocation`: the weakest level per transaction for the document's project, or the first one. Null if no checker runs, or if the
 * request was cancelled or the text changed meanwhile.
 */
export async function handleAllocation(
  state: ServerState,
  params: unknown,
  token: CancellationToken,
): Promise<Allocation | null> {
  const { uri } = toCheckParams(params);
  const [first] = state.projects.values();
  const project = (uri === undefined ? undefined : findFile(state, uri)?.project) ?? first;
  if (!project || !state.checker) return null;
  const level = levelOf(state, project);
  const key = knownKey(project, level);
  const known = state.allocations.get(key);
  if (known) return known;
  const controller = new AbortController();
  const listener = token.onCancellationRequested(() => {
    controller.abort();
  });
  try {
    const asked = withSettings(state, project);
    const found = await state.checker.allocation(asked, level, controller.signal);
    const isOld = state.projects.get(projectKey(project)) !== project;
    if (controller.signal.aborted || isOld) return null;
    state.allocations.set(key, found);
    return found;
  } finally {
    listener.dispose();
  }
}
