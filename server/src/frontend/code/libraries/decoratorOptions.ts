// Options of `@Transactional(...)`, in the libraries of TypeScript that have it.
import type { HirExpression, HirFunction } from "../hir";
import type { Value } from "../values";
import type { TransactionOptions } from "./library";

/**
 * The options of a method's `@Transactional`; undefined where there is none, it is not what that library exports, or it
 * opens no transaction. `named`: what names of the module are.
 */
export function transactionalOptions(
  { annotations }: HirFunction,
  named: (name: string) => Value | undefined,
  library: string,
): TransactionOptions | undefined {
  const annotation = annotations.find(({ name }) => name === "Transactional");
  const value = annotation && named(annotation.name);
  if (!annotation || value?.kind !== "handle" || value.library.name !== library) return undefined;
  const propagation = annotation.arguments.map(propagationOf).find((each) => each !== undefined);
  if (propagation !== undefined && OPENS_NONE.test(propagation)) return undefined;
  const level = annotation.arguments
    .map((each) => wordOf(entry(each, "isolationLevel")))
    .find(Boolean);
  return {
    ...(level !== undefined && { level }),
    ...(/^requires_?new$/iu.test(propagation ?? "") && { isNew: true }),
    ...(/^nested$/iu.test(propagation ?? "") && { isNested: true }),
  };
}

/** They run in their caller's transaction, or in none. */
const OPENS_NONE = /^(?:supports|not_?supported|never|mandatory)$/iu;

function propagationOf(argument: HirExpression): string | undefined {
  return argument.kind === "member" ? argument.property : wordOf(entry(argument, "propagation"));
}

function entry(argument: HirExpression, name: string): HirExpression | undefined {
  if (argument.kind !== "object") return undefined;
  const found = argument.entries.find((each) => each.kind === "property" && each.key === name);
  return found?.value;
}

/** `IsolationLevel.SERIALIZABLE` or a text. */
function wordOf(value: HirExpression | undefined): string | undefined {
  if (value?.kind === "member") return value.property;
  return value?.kind === "text" ? value.runs.map(({ text }) => text).join("") : undefined;
}
