// Modules that a function asks for when it needs them: `await import("./mail")`, `require("./mail")`.
import type { HirExpression } from "../../hir";
import { askedModule } from "../../modules/references";
import type { Scope, Value } from "../../values";
import { moduleFrom } from "../moduleScope";
import { lose, sourceOf, type State } from "../state";
import { semanticsOf } from "../../semantics";

/** The result of a call that asks for a module; undefined for other calls, and for packages of which nothing is known. */
export function moduleAskedFor(
  state: State,
  scope: Scope,
  hir: Extract<HirExpression, { kind: "call" }>,
): Value | undefined {
  const { file } = scope.module;
  const from = semanticsOf(file).loadsModules ? askedModule(hir) : undefined;
  if (from === undefined) return undefined;
  if (from === "") {
    if (hir.arguments.length > 0 && !isOfData(hir)) {
      const message = "which module is asked for is not known";
      lose(state, message, sourceOf(state, hir.span), "opaque");
    }
    return undefined;
  }
  const value = moduleFrom(state, file, from);
  const isPromise = hir.callee.kind === "name" && hir.callee.name === "import";
  return value && isPromise ? { kind: "deferred", run: () => value } : value;
}

/** True if one of many files of data is asked for, which run nothing. */
function isOfData({ arguments: [first] }: Extract<HirExpression, { kind: "call" }>): boolean {
  const hir = first?.value;
  const last = hir?.kind === "template" ? hir.texts.at(-1)?.at(-1)?.text : undefined;
  return last !== undefined && /\.(?:json|css|svg|png|mdx?|ya?ml|txt)$/u.test(last);
}
