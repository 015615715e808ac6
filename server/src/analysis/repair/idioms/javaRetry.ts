// A method of Java that Spring runs again, with its transaction, when the server refuses it.
import { childOf, type CodeTree } from "../../../frontend/code/workspace/codeParsers";
import { hasOutsideEffect } from "../../../frontend/code/effects/outsideEffects";
import type { TextEdit } from "../candidate";
import type { Site, Workshop } from "../workshop";
import { indentAt } from "./indentation";
import { importConflict, javaImports } from "./javaImports";
import { nodesIn, pathTo } from "./syntax";

/** The edits, or why there are none. */
export function retriedMethod(
  workshop: Workshop,
  tree: CodeTree,
  { file, start, end }: Pick<Site, "file" | "start" | "end">,
): readonly TextEdit[] | string {
  const { root, text } = tree;
  if (!workshop.files.some((each) => each.text.includes(RETRY)))
    return "its project has no library that runs a method again";
  const method = pathTo(root, start, end).findLast(({ type }) => type === "method_declaration");
  const owner = pathTo(root, start, end).findLast(({ type }) => type === "class_declaration");
  const heads = [method, owner].map((each) => {
    const modifiers = each?.children.find(({ type }) => type === "modifiers");
    return modifiers ? text.slice(modifiers.start, modifiers.end) : "";
  });
  if (!method || !heads.some((each) => /@Transactional\b/u.test(each)))
    return "its transaction is begun by no annotation, around which another one would run it again";
  if (heads.some((each) => /@Retry/u.test(each))) return "it is run again already";
  const effect = nodesIn(method).find((node) => {
    const [object, name] = [childOf(node, "object"), childOf(node, "name")];
    return (
      node.type === "method_invocation" &&
      name !== undefined &&
      hasOutsideEffect(text.slice((object ?? name).start, name.end))
    );
  });
  if (effect) return `${text.slice(effect.start, effect.end)} would be repeated as well`;
  const names = [`${RETRY}.Retryable`, "org.springframework.dao.ConcurrencyFailureException"];
  const conflict = importConflict(tree, names);
  if (conflict !== undefined) return conflict;
  const newText = `@Retryable(ConcurrencyFailureException.class)\n${indentAt(text, method.start)}`;
  return [
    { file, start: method.start, end: method.start, newText },
    ...javaImports(tree, file, names),
  ];
}

const RETRY = "org.springframework.retry.annotation";
