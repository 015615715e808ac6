// Declarations of a library by calls that stand anywhere in the workspace, once in a reading.
import { declaringCalls, type DeclaringCall } from "../../workspace/declarationCalls";
import type { Library, Tools } from "../../libraries/library";
import { atTop } from "../moduleScope";
import { createModuleIds, type State, type Workspace } from "../state";

type Names = ReadonlySet<string>;

const known = new WeakMap<Workspace, Map<Names, readonly DeclaringCall[]>>();

/** The calls of those methods; `make` runs with the first who asks, and as the top of a module does. */
export function declaringIn(
  state: State,
  library: Library,
  names: Names,
  make: (calls: readonly DeclaringCall[], tools: Tools) => void,
): readonly DeclaringCall[] {
  const { workspace, frame } = state;
  const { trace, files, untraced } = workspace;
  const entry = trace.entry(trace.facts.declaring.cell(names));
  trace.use(entry.on);
  const own = known.get(workspace) ?? new Map<Names, readonly DeclaringCall[]>();
  known.set(workspace, own);
  const before = own.get(names);
  if (before) return before;
  const calls = files.flatMap((file) => declaringCalls(file, untraced.moduleOf(file), names));
  own.set(names, calls);
  // Whoever asks first: what is made is the same.
  const [file = frame.file] = files;
  const fresh = { ...workspace.fresh(file), ids: createModuleIds(file, "declared") };
  trace.during(entry.inner, () => {
    atTop(fresh, entry.notes, (inner) => {
      make(calls, inner.evaluator.tools(inner, library));
    });
  });
  return calls;
}
