// DECLARE of a block in a stored routine: variables, conditions, cursors and handlers.
import {
  atEnd,
  endOf,
  isName,
  listUntil,
  peek,
  problem,
  skipStatement,
  spanOverCase,
  startOf,
  take,
  takeAll,
  takeName,
  word,
  type Cursor,
} from "../routine/cursor";
import { stringOf } from "../text/tokens";
import type { Condition, Declaration, HandlerDeclaration, RoutineStatement } from "./tree";

/** The declarations at the start of a block; `takeBody` parses a handler's statement. */
export function takeDeclarations(
  cursor: Cursor,
  takeBody: (cursor: Cursor) => readonly RoutineStatement[],
): readonly Declaration[] {
  const declarations: Declaration[] = [];
  while (!atEnd(cursor)) {
    if (take(cursor, ";")) continue;
    if (word(cursor) !== "declare") break;
    const start = startOf(cursor);
    cursor.at++;
    const declaration = takeDeclaration(cursor, start, takeBody);
    if (declaration === undefined) {
      problem(cursor, "a declaration is expected here");
      skipStatement(cursor);
      continue;
    }
    declarations.push(declaration);
    if (!take(cursor, ";")) {
      problem(cursor, "a semicolon is missing before this");
      if (declaration.kind !== "handler") skipStatement(cursor);
    }
  }
  return declarations;
}

function takeDeclaration(
  cursor: Cursor,
  start: number,
  takeBody: (cursor: Cursor) => readonly RoutineStatement[],
): Declaration | undefined {
  const action = word(cursor);
  if (
    (action === "continue" || action === "exit" || action === "undo") &&
    word(cursor, 1) === "handler"
  ) {
    cursor.at += 2;
    return takeHandler(cursor, action, start, takeBody);
  }
  if (!isName(peek(cursor))) return undefined;
  if (word(cursor, 1) === "cursor") return takeCursor(cursor, start);
  if (word(cursor, 1) === "condition") {
    const name = takeName(cursor)?.toLowerCase() ?? "";
    cursor.at++;
    take(cursor, "for");
    const condition = takeCondition(cursor);
    if (condition === undefined) return undefined;
    return { kind: "condition", name, condition, span: { start, end: endOf(cursor) } };
  }
  const names: string[] = [];
  do {
    const name = takeName(cursor);
    if (name !== undefined) names.push(name.toLowerCase());
  } while (take(cursor, ","));
  const type = spanOverCase(cursor, "default", "=", ":=");
  const hasValue = take(cursor, "default") || take(cursor, "=") || take(cursor, ":=");
  const value = hasValue ? spanOverCase(cursor) : undefined;
  const span = { start, end: Math.max(start, endOf(cursor)) };
  return {
    kind: "variables",
    names,
    type: cursor.text.slice(type.start, type.end),
    value: value !== undefined && value.end > value.start ? value : undefined,
    span,
  };
}

function takeHandler(
  cursor: Cursor,
  action: HandlerDeclaration["action"],
  start: number,
  takeBody: (cursor: Cursor) => readonly RoutineStatement[],
): HandlerDeclaration {
  if (!take(cursor, "for")) problem(cursor, "FOR is expected here");
  const conditions: Condition[] = [];
  do {
    const condition = takeCondition(cursor);
    if (condition !== undefined) conditions.push(condition);
  } while (take(cursor, ","));
  const body = takeBody(cursor);
  return { kind: "handler", action, conditions, body, span: { start, end: endOf(cursor) } };
}

/** NOT FOUND, SQLEXCEPTION, SQLWARNING, SQLSTATE [VALUE] '...', a number, a name. */
export function takeCondition(cursor: Cursor): Condition | undefined {
  if (takeAll(cursor, "not", "found")) return { kind: "notFound" };
  if (take(cursor, "sqlexception")) return { kind: "exception" };
  if (take(cursor, "sqlwarning")) return { kind: "warning" };
  if (take(cursor, "sqlstate")) {
    take(cursor, "value");
    const token = peek(cursor);
    if (token?.kind !== "string") {
      problem(cursor, "an SQLSTATE in quotes is expected here");
      return undefined;
    }
    cursor.at++;
    return { kind: "state", code: stringOf(cursor.text, token).toUpperCase() };
  }
  const token = peek(cursor);
  if (token?.kind === "number") {
    cursor.at++;
    return { kind: "number", number: Number(cursor.text.slice(token.start, token.end)) };
  }
  const name = token === undefined || word(cursor) === "begin" ? undefined : takeName(cursor);
  if (name !== undefined) return { kind: "named", name: name.toLowerCase() };
  problem(cursor, "a condition is expected here");
  return undefined;
}

function takeCursor(cursor: Cursor, start: number): Declaration {
  const name = takeName(cursor)?.toLowerCase() ?? "";
  cursor.at++;
  const parameters: string[] = [];
  if (take(cursor, "(")) {
    for (const span of listUntil(cursor, "closing")) {
      const text = cursor.text.slice(span.start, span.end).trim();
      parameters.push((text.split(/\s/)[0] ?? "").toLowerCase());
    }
    take(cursor, ")");
  }
  if (!take(cursor, "for")) problem(cursor, "FOR is expected here");
  const query = spanOverCase(cursor);
  return { kind: "cursor", name, query, parameters, span: { start, end: query.end } };
}
