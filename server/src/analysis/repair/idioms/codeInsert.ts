// An insertion in code that tells of a row that is there already: it does nothing then, or its error is caught.
import type { CodeTree } from "../../../frontend/code/workspace/codeParsers";
import type { TextEdit } from "../candidate";
import type { Site } from "../workshop";
import { statementAround } from "./addStatement";
import { connectionOf } from "./connection";
import { indentAt, linesBetween } from "./indentation";
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

/** The edits that tell a duplicate as the look-up tells it; undefined if the library has no known words for it. */
export function duplicateCaught(
  tree: CodeTree,
  site: Site,
  exit: string,
  { isMysql }: { readonly isMysql: boolean },
): readonly TextEdit[] | undefined {
  const { text, language } = tree;
  const statement = statementAround(tree, site);
  const library = connectionOf(tree, site)?.library;
  const isPlain =
    statement?.type === "expression_statement" &&
    /^await\b/u.test(text.slice(statement.start, statement.end));
  // PostgreSQL has ended the transaction: only an error leaves it as it is.
  const isLeft = /^throw\b/u.test(exit) || isMysql;
  if (!isPlain || !library || !isLeft || /\b(?:error|code|cause)\b/u.test(exit)) return undefined;
  const typed = (type: string): string =>
    language === "javascript" ? "error" : `(error as ${type})`;
  const code = library === "prisma" ? "P2002" : isMysql ? "ER_DUP_ENTRY" : "23505";
  const own =
    library === "drizzle"
      ? `${typed("{ cause?: { code?: string } }")}.cause?.code`
      : `${typed("{ code?: string }")}.code`;
  const test =
    library === "sequelize"
      ? `${typed("Error")}.name === "SequelizeUniqueConstraintError"`
      : `${own} === ${JSON.stringify(code)}`;
  const indent = indentAt(text, statement.start);
  const edit = (at: number, newText: string): TextEdit => ({
    file: site.file,
    start: at,
    end: at,
    newText,
  });
  const handler = ["} catch (error) {", `  if (${test}) ${exit}`, "  throw error;", "}"];
  return [
    edit(statement.start, `try {\n${indent}  `),
    ...linesBetween(tree, statement.start, statement.end).map((line) => edit(line, "  ")),
    edit(statement.end, handler.map((line) => `\n${indent}${line}`).join("")),
  ];
}
