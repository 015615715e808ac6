// DECLARE of a PL/pgSQL block.
import {
  atEnd,
  isName,
  listUntil,
  peek,
  problem,
  skipStatement,
  spanUntil,
  startOf,
  take,
  takeName,
  takeTarget,
  word,
  type Cursor,
} from "../../routine/cursor";
import type { Declaration } from "./tree";

/** The declarations up to BEGIN. */
export function takeDeclarations(cursor: Cursor): readonly Declaration[] {
  const declarations: Declaration[] = [];
  while (!atEnd(cursor) && word(cursor) !== "begin") {
    if (take(cursor, ";") || take(cursor, "declare")) continue;
    const declaration = takeDeclaration(cursor);
    if (declaration === undefined) {
      problem(cursor, "a declaration is expected here");
      skipStatement(cursor);
      continue;
    }
    declarations.push(declaration);
    if (!take(cursor, ";")) {
      problem(cursor, "a semicolon is missing before this");
      skipStatement(cursor);
    }
  }
  return declarations;
}

function takeDeclaration(cursor: Cursor): Declaration | undefined {
  const start = startOf(cursor);
  if (!isName(peek(cursor))) return undefined;
  const name = takeName(cursor) ?? "";
  const spanTo = (end: number): Declaration["span"] => ({ start, end });
  if (take(cursor, "alias")) {
    take(cursor, "for");
    const dollar = peek(cursor);
    const isNumber = dollar?.kind === "placeholder";
    if (isNumber) cursor.at++;
    const alias = isNumber
      ? [cursor.text.slice(dollar.start, dollar.end)]
      : (takeTarget(cursor)?.path ?? []);
    return { name, span: spanTo(startOf(cursor)), type: "", alias };
  }
  take(cursor, "constant");
  if (word(cursor) === "no" || word(cursor) === "scroll") {
    take(cursor, "no");
    take(cursor, "scroll");
  }
  if (word(cursor) === "cursor") return takeCursor(cursor, name, start);
  const type = spanUntil(cursor, "not", "default", ":=", "=", "collate");
  if (take(cursor, "collate")) takeTarget(cursor);
  if (take(cursor, "not")) take(cursor, "null");
  const hasValue = take(cursor, "default") || take(cursor, ":=") || take(cursor, "=");
  const value = hasValue ? spanUntil(cursor) : undefined;
  return {
    name,
    span: spanTo(value?.end ?? type.end),
    type: cursor.text.slice(type.start, type.end),
    ...(value === undefined ? {} : { value }),
  };
}

/** `c CURSOR (k int) FOR SELECT ...` */
function takeCursor(cursor: Cursor, name: string, start: number): Declaration {
  cursor.at++;
  const parameters: string[] = [];
  if (take(cursor, "(")) {
    for (const span of listUntil(cursor, "closing")) {
      const text = cursor.text.slice(span.start, span.end).trim();
      parameters.push((text.split(/\s/)[0] ?? "").toLowerCase());
    }
    take(cursor, ")");
  }
  if (!take(cursor, "for") && !take(cursor, "is")) problem(cursor, "FOR is expected here");
  const query = spanUntil(cursor);
  return {
    name,
    span: { start, end: query.end },
    type: "refcursor",
    cursor: { query, parameters },
  };
}
