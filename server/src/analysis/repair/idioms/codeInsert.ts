// An insertion in code's SQL that does nothing if the row exists, with the code for that case.
import type { CodeTree } from "../../../frontend/code/workspace/codeParsers";
import type { TextEdit } from "../candidate";
import type { Site } from "../workshop";
import { statementAround } from "./addStatement";
import { connectionOf } from "./connection";
import { literalAround } from "./syntax";
import { RESULT } from "./updateIdiom";

/** The edits; undefined if the call has no known form of returning the number of inserted rows. */
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
  // A quote in the name would end the surrounding string.
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
