// Receivers by the shape of a call, or of a tagged template: `x.query("SELECT ...")`, `x.$queryRaw`SELECT ...``.
import { libraryOf, type Template } from "../../libraries/library";
import type { HandleValue, Value } from "../../values";
import { lose, type State } from "../state";

/** The handle that something is which is not known, where its name and its arguments tell; `name`: as it is written. */
export function handleOfShape(
  state: State,
  callee: Value,
  args: readonly Value[],
  name: string,
): HandleValue | undefined {
  const dot = name.lastIndexOf(".");
  if (dot === 0) return undefined;
  const shape = {
    receiver: callee.kind === "builtin" && callee.self ? callee.self : callee,
    method: name.slice(dot + 1),
    arguments: args,
    used: state.workspace.used,
    name: name.slice(0, Math.max(dot, 0)),
  };
  for (const library of state.workspace.libraries) {
    const handle = library.shaped?.(shape, state.evaluator.tools(state, library));
    if (handle) return handle;
  }
  return undefined;
}

/** The result of a tag for a template; undefined where that is not known. */
export function taggedValue(
  state: State,
  tag: Value,
  template: Template,
  name: string,
): Value | undefined {
  const handle = tag.kind === "handle" ? tag : handleOfShape(state, tag, [template.text], name);
  if (!handle) return undefined;
  const tools = state.evaluator.tools(state, libraryOf(handle));
  const own = libraryOf(handle).tagged?.(handle, template, tools);
  if (!own)
    lose(state, `${handle.library.name}: ${handle.path}\`...\` is not known`, template.source);
  return own;
}
