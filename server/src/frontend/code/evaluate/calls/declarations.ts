// Declarations of a library by calls that stand anywhere in the workspace, once in a reading.
import { ofNodes } from "../../../../query/nodes";
import { declaringCalls } from "../../workspace/declarationCalls";
import type { Declaration, Library } from "../../libraries/library";
import { atTop } from "../moduleScope";
import { createModuleIds, type State, type Workspace } from "../state";

const memo = ofNodes((_of: Workspace, _declaration: object): { facts?: unknown } => ({}));

/** The facts that a library declares, read with the first who asks, as the top of a module is. */
export function declaredFacts<Facts>(
  { workspace, frame }: State,
  library: Library,
  declaration: Declaration<Facts>,
): Facts {
  const { names, none, read } = declaration;
  const { trace, files, untraced } = workspace;
  const entry = trace.entry(trace.facts.declaring.cell(names));
  trace.use(entry.on);
  const known = memo(workspace, declaration);
  // Only this function writes it, with what this declaration reads.
  if ("facts" in known) return known.facts as Facts;
  known.facts = none;
  const calls = files.flatMap((file) => declaringCalls(file, untraced.moduleOf(file), names));
  const [file = frame.file] = files;
  // Whoever asks first: what is made is the same.
  const fresh = { ...workspace.fresh(file), ids: createModuleIds(file, "declared") };
  trace.during(entry.inner, () => {
    atTop(fresh, entry.notes, (inner) => {
      known.facts = read(calls, inner.evaluator.tools(inner, library));
    });
  });
  return known.facts as Facts;
}
