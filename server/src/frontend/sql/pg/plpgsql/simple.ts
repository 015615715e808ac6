// PL/pgSQL statements without inner statements: assignments, SQL, RETURN, RAISE, EXECUTE, cursors.
import { dictionary } from "../../../../protocol/dictionary";
import type { Span } from "../../text/split";
import {
  atEnd,
  endOf,
  endsAround,
  isName,
  listUntil,
  peek,
  spanUntil,
  startOf,
  take,
  takeAll,
  takeName,
  takeTarget,
  takeTargets,
  word,
  type Cursor,
} from "../../routine/cursor";
import type { Into, PlStatement } from "./tree";

export type Simple = PlStatement extends infer Each
  ? Each extends PlStatement
    ? Omit<Each, "span">
    : never
  : never;

/** One statement up to its semicolon, which is not consumed. */
export function takeSimple(cursor: Cursor): Simple {
  const assignment = takeAssignment(cursor);
  if (assignment !== undefined) return assignment;
  const keyword = word(cursor);
  const parse = PARSERS[keyword];
  if (parse !== undefined) {
    cursor.at++;
    return parse(cursor);
  }
  if (keyword === "call" || isName(peek(cursor)) || keyword === "(") return takeSql(cursor);
  spanUntil(cursor);
  return { kind: "broken", message: "this is no statement" };
}

type Parse = (cursor: Cursor) => Simple;

const PARSERS = dictionary<Parse | undefined>({
  perform: (cursor) => ({ kind: "perform", query: spanUntil(cursor) }),
  return: takeReturn,
  exit: (cursor) => takeJump(cursor, "exit"),
  continue: (cursor) => takeJump(cursor, "continue"),
  raise: takeRaise,
  assert: (cursor) => {
    const condition = spanUntil(cursor, ",");
    spanUntil(cursor);
    return { kind: "assert", condition };
  },
  execute: takeExecute,
  get: takeDiagnostics,
  open: takeOpen,
  fetch: (cursor) => takeFetch(cursor, false),
  move: (cursor) => takeFetch(cursor, true),
  close: (cursor) => {
    spanUntil(cursor);
    return { kind: "close" };
  },
  null: () => ({ kind: "null" }),
  commit: (cursor) => {
    spanUntil(cursor);
    return { kind: "commit" };
  },
  rollback: (cursor) => {
    spanUntil(cursor);
    return { kind: "rollback" };
  },
});

/** `x := ...`, `r.f = ...`, `a[1] := ...` */
function takeAssignment(cursor: Cursor): Simple | undefined {
  const before = cursor.at;
  const target = takeTarget(cursor);
  if (target !== undefined && (take(cursor, ":=") || take(cursor, "="))) {
    return { kind: "assign", target, value: spanUntil(cursor) };
  }
  cursor.at = before;
  return undefined;
}

/** SQL with an INTO anywhere, except in INSERT or MERGE, as PostgreSQL itself searches it. */
function takeSql(cursor: Cursor): Simple {
  let into: Into | undefined;
  let before = "";
  while (!atEnd(cursor) && word(cursor) !== ";" && !endsAround(cursor)) {
    if (
      word(cursor) === "into" &&
      before !== "insert" &&
      before !== "merge" &&
      into === undefined
    ) {
      into = takeInto(cursor);
      before = "";
      continue;
    }
    before = word(cursor);
    cursor.at++;
  }
  return { kind: "sql", into };
}

function takeInto(cursor: Cursor): Into {
  const start = startOf(cursor);
  take(cursor, "into");
  const strict = take(cursor, "strict");
  const targets = takeTargets(cursor);
  return { targets, strict, span: { start, end: endOf(cursor) } };
}

function takeReturn(cursor: Cursor): Simple {
  if (take(cursor, "next")) return { kind: "returnNext", value: optional(spanUntil(cursor)) };
  if (take(cursor, "query")) {
    if (take(cursor, "execute")) {
      const command = spanUntil(cursor, "using");
      const using = take(cursor, "using") ? listUntil(cursor) : [];
      return { kind: "returnExecute", command, using };
    }
    return { kind: "returnQuery", query: spanUntil(cursor) };
  }
  return { kind: "return", value: optional(spanUntil(cursor)) };
}

function optional(span: Span): Span | undefined {
  return span.end > span.start ? span : undefined;
}

function takeJump(cursor: Cursor, kind: "exit" | "continue"): Simple {
  const label = isName(peek(cursor)) && word(cursor) !== "when" ? takeName(cursor) : undefined;
  const when = take(cursor, "when") ? spanUntil(cursor) : undefined;
  return { kind, label, when };
}

const LEVELS = new Set(["debug", "log", "info", "notice", "warning", "exception"]);

function takeRaise(cursor: Cursor): Simple {
  const level = LEVELS.has(word(cursor)) ? word(cursor) : "exception";
  if (LEVELS.has(word(cursor))) cursor.at++;
  const span = spanUntil(cursor);
  return { kind: "raise", level, text: cursor.text.slice(span.start, span.end) };
}

function takeExecute(cursor: Cursor): Simple {
  const command = spanUntil(cursor, "into", "using");
  let into: Into | undefined;
  let using: readonly Span[] = [];
  for (;;) {
    if (word(cursor) === "into") into = takeInto(cursor);
    else if (take(cursor, "using")) using = listUntil(cursor, "into");
    else break;
  }
  return { kind: "execute", command, into, using };
}

function takeDiagnostics(cursor: Cursor): Simple {
  take(cursor, "current");
  take(cursor, "stacked");
  take(cursor, "diagnostics");
  const items: { target: NonNullable<ReturnType<typeof takeTarget>>; what: string }[] = [];
  do {
    const target = takeTarget(cursor);
    if (target === undefined) break;
    if (!take(cursor, "=")) take(cursor, ":=");
    items.push({ target, what: word(cursor) });
    cursor.at++;
  } while (take(cursor, ","));
  return { kind: "diagnostics", items };
}

function takeOpen(cursor: Cursor): Simple {
  const name = takeName(cursor) ?? "";
  const args = take(cursor, "(") ? listUntil(cursor, "closing") : [];
  take(cursor, ")");
  take(cursor, "no");
  take(cursor, "scroll");
  if (!take(cursor, "for")) {
    return { kind: "open", cursor: name, query: undefined, command: undefined, args };
  }
  if (take(cursor, "execute")) {
    const command = spanUntil(cursor);
    return { kind: "open", cursor: name, query: undefined, command, args };
  }
  return { kind: "open", cursor: name, query: spanUntil(cursor), command: undefined, args };
}

/** FETCH [direction FROM] cursor INTO targets; only the plain next row is followed. */
function takeFetch(cursor: Cursor, move: boolean): Simple {
  const plain = takeAll(cursor, "next", "from") || takeAll(cursor, "next", "in") || isPlain(cursor);
  if (!plain) spanUntil(cursor, "from", "in");
  if (!take(cursor, "from")) take(cursor, "in");
  const name = takeName(cursor) ?? "";
  const targets = !move && take(cursor, "into") ? takeTargets(cursor) : [];
  return { kind: "fetch", cursor: name, targets, plain: plain && !move };
}

function isPlain(cursor: Cursor): boolean {
  const second = word(cursor, 1);
  return isName(peek(cursor)) && (second === "into" || second === ";" || second === "");
}
