// Tells statements of MySQL that reach into a database beside the session's own, whose answers nobody agreed to change.
import { piecesOf } from "../pieces";

/**
 * True if a name stands before a table and is not the given database's. What is qualified elsewhere may be a column: then
 * the table or its alias stands somewhere by itself.
 */
export function namesOtherDatabase(sql: string, database: string): boolean {
  const pieces = piecesOf(sql, "mysql").filter(({ kind }) => kind !== "comment");
  const names = pieces.map(({ kind, text }) =>
    kind === "word" || kind === "name" ? text.replaceAll("`", "") : undefined,
  );
  const isDot = (at: number): boolean => pieces[at]?.text === ".";
  const alone = new Set(names.filter((_name, at) => !isDot(at + 1)));
  return names.some(
    (name, at) =>
      name !== undefined &&
      isDot(at + 1) &&
      !isDot(at - 1) &&
      name !== database &&
      (!alone.has(name) || BEFORE_TABLES.test(pieces[at - 1]?.text ?? "")),
  );
}

const BEFORE_TABLES = /^(?:from|join|straight_join|update|into|delete|replace|ignore)$/i;
