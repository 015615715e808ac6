// An insertion in SQL of code that does nothing where the row is there, and what follows where it did nothing.
import type { CodeTree } from "../../../frontend/code/workspace/codeParsers";
import type { TextEdit } from "../candidate";
import type { Site } from "../workshop";
import { statementAround } from "./addStatement";
import { connectionOf } from "./connection";
import { literalAround } from "./syntax";
import { RESULT } from "./updateIdiom";

/** The edits; undefined where the call is of no shape that tells how many rows it inserted. */
export function insertOrExit(
  tree: CodeTree,
  site: Site,
  target: string,
  exit: string,
): readonly TextEdit[] | undefined {
  const literal = literalAround(tree.root, site.start, site.end);
  const connection = connectionOf(tree, site);
  const statement = statementAround(tree, site);
  if (!literal || !statement || connection?.library !== "driver") return undefined;
  const written = tree.text.slice(statement.start, statement.end);
  const isPlain = statement.type === "expression_statement" && /^await\b/u.test(written);
  if (!isPlain || /\breturning\b/iu.test(written) || tree.text.includes(`const ${RESULT} `))
    return undefined;
  if (connection.method !== "query") return undefined;
  // A quote of a name would end the text around it.
  if (target.includes(tree.text.charAt(literal.start))) return undefined;
  const line = tree.text.lastIndexOf("\n", statement.start - 1) + 1;
  const indent = /^[ \t]*/u.exec(tree.text.slice(line, statement.start))?.[0] ?? "";
  const edit = (at: number, newText: string): TextEdit => ({
    file: site.file,
    start: at,
    end: at,
    newText,
  });
  return [
    edit(statement.start, `const ${RESULT} = `),
    edit(site.end, target),
    edit(statement.end, `\n${indent}if (${RESULT}.rowCount === 0) ${exit}`),
  ];
}
