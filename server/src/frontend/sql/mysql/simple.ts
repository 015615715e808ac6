// Stored routine statements without inner statements: SET, SQL, CALL, RETURN, SIGNAL, cursors, PREPARE, ...
import { dictionary } from "../../../protocol/dictionary";
import type { Target } from "../routine/assign";
import {
  atEnd,
  endOf,
  endsAround,
  isName,
  listUntil,
  peek,
  problem,
  spanOverCase,
  startOf,
  take,
  takeAll,
  takeName,
  takeTarget,
  word,
  type Cursor,
} from "../routine/cursor";
import type { TokenKind } from "../text/tokens";
import { takeCondition } from "./declarations";
import type { Into, WithoutPlace } from "./tree";

/** One statement up to its semicolon, which is not consumed. */
export function takeSimple(cursor: Cursor): WithoutPlace {
  const keyword = word(cursor);
  const parse = PARSERS[keyword];
  if (parse !== undefined) return parse(cursor);
  if (isName(peek(cursor)) || keyword === "(") return takeSql(cursor);
  spanOverCase(cursor);
  return { kind: "broken", message: "this is no statement" };
}

type Parse = (cursor: Cursor) => WithoutPlace;

const PARSERS = dictionary<Parse | undefined>({
  set: takeSet,
  call: takeCall,
  return: (cursor) => {
    cursor.at++;
    return { kind: "return", value: spanOverCase(cursor) };
  },
  leave: (cursor) => takeJump(cursor, "leave"),
  iterate: (cursor) => takeJump(cursor, "iterate"),
  // Keywords of MariaDB's Oracle mode.
  exit: (cursor) => takeJump(cursor, "leave"),
  continue: (cursor) => takeJump(cursor, "iterate"),
  signal: (cursor) => takeSignal(cursor, "signal"),
  resignal: (cursor) => takeSignal(cursor, "resignal"),
  open: (cursor) => {
    cursor.at++;
    const name = takeName(cursor)?.toLowerCase() ?? "";
    const args = take(cursor, "(") ? listUntil(cursor, "closing") : [];
    take(cursor, ")");
    spanOverCase(cursor);
    return { kind: "open", cursor: name, args };
  },
  fetch: takeFetch,
  close: (cursor) => {
    cursor.at++;
    const name = takeName(cursor)?.toLowerCase() ?? "";
    spanOverCase(cursor);
    return { kind: "close", cursor: name };
  },
  prepare: takePrepare,
  execute: takeExecute,
  deallocate: takeSession,
  drop: (cursor) => (word(cursor, 1) === "prepare" ? takeSession(cursor) : takeDdl(cursor)),
  create: takeDdl,
  alter: takeDdl,
  rename: takeDdl,
  get: takeDiagnostics,
  start: takeControl,
  commit: takeControl,
  rollback: takeControl,
  savepoint: takeControl,
  release: takeControl,
  lock: (cursor) => (/^tables?$/.test(word(cursor, 1)) ? takeControl(cursor) : takeSql(cursor)),
  unlock: takeControl,
  xa: takeControl,
  use: takeSession,
  show: takeSession,
  flush: takeSession,
  analyze: takeSession,
  optimize: takeSession,
});

function takeControl(cursor: Cursor): WithoutPlace {
  const first = word(cursor);
  const at = cursor.at;
  spanOverCase(cursor);
  const toSavepoint = cursor.tokens.slice(at, cursor.at).some((token) => token.word === "to");
  return { kind: "control", isRollback: first === "rollback" && !toSavepoint };
}

function takeDdl(cursor: Cursor): WithoutPlace {
  const at = cursor.at;
  spanOverCase(cursor);
  const isTemporary = cursor.tokens.slice(at, at + 5).some((token) => token.word === "temporary");
  return { kind: "ddl", isTemporary };
}

function takeSession(cursor: Cursor): WithoutPlace {
  spanOverCase(cursor);
  return { kind: "session" };
}

/** SET of transaction settings is a control statement. */
const TRANSACTION = /^(transaction|autocommit|transaction_isolation|tx_isolation)$/;
const SCOPES = new Set(["session", "global", "local", "persist"]);
const SETTINGS = new Set([
  "names",
  "character",
  "charset",
  "password",
  "role",
  "default",
  "statement",
]);

/** SET of one or several variables of the routine, the user or the session. */
function takeSet(cursor: Cursor): WithoutPlace {
  const first = startsSystem(cursor, 1);
  if (TRANSACTION.test(first.name)) return takeControl(cursor);
  cursor.at++;
  if (SETTINGS.has(word(cursor)) && word(cursor, 1) !== "=" && word(cursor, 1) !== ":=") {
    return takeSession(cursor);
  }
  const items: { target: Target; value: { start: number; end: number } }[] = [];
  do {
    const { isSystem } = startsSystem(cursor, 0);
    const target = isSystem ? undefined : takeVariable(cursor);
    if (target === undefined) {
      if (!isSystem) problem(cursor, "a variable is expected here");
      spanOverCase(cursor, ",");
      continue;
    }
    if (!take(cursor, "=") && !take(cursor, ":=")) problem(cursor, "= is expected here");
    const value = spanOverCase(cursor, ",");
    if (value.end > value.start) items.push({ target, value });
    else problem(cursor, "a value is expected here");
  } while (take(cursor, ","));
  return items.length === 0 ? { kind: "session" } : { kind: "set", items };
}

/** `@@x`, `@@session.x`, `SESSION x`, and so on: a server variable. */
function startsSystem(
  cursor: Cursor,
  ahead: number,
): { readonly isSystem: boolean; readonly name: string } {
  let at = ahead;
  const marks = word(cursor, at) === "@" && word(cursor, at + 1) === "@";
  if (marks) at += 2;
  const scoped = SCOPES.has(word(cursor, at)) && ![":=", "="].includes(word(cursor, at + 1));
  if (scoped) at += word(cursor, at + 1) === "." ? 2 : 1;
  return { isSystem: marks || scoped, name: word(cursor, at) };
}

/** `x`, `r.f`, `NEW.c`, `@x`; the latter keeps its sigil. */
function takeVariable(cursor: Cursor): Target | undefined {
  if (word(cursor) !== "@") {
    const target = takeTarget(cursor);
    return target === undefined
      ? undefined
      : { ...target, path: target.path.map((part) => part.toLowerCase()) };
  }
  const token = peek(cursor, 1);
  if (token === undefined || !USER_VARIABLE.has(token.kind)) return undefined;
  cursor.at += 2;
  const name = cursor.text.slice(token.start, token.end).replaceAll(/["']/g, "").toLowerCase();
  return { path: [`@${name}`], part: false };
}

/** Token kinds that may follow the sigil of a user variable. */
const USER_VARIABLE: ReadonlySet<TokenKind> = new Set<TokenKind>([
  "word",
  "name",
  "string",
  "number",
]);

function takeVariables(cursor: Cursor): readonly Target[] {
  const targets: Target[] = [];
  do {
    const target = takeVariable(cursor);
    if (target === undefined) {
      problem(cursor, "a variable is expected here");
      break;
    }
    targets.push(target);
  } while (take(cursor, ","));
  return targets;
}

/** SQL with an INTO anywhere, except in INSERT or REPLACE, or before a file. */
function takeSql(cursor: Cursor): WithoutPlace {
  const first = word(cursor);
  const reads = first === "select" || first === "with" || first === "values" || first === "(";
  let into: Into | undefined;
  let depth = 0;
  const before = cursor.at;
  while (!atEnd(cursor) && word(cursor) !== ";" && !endsAround(cursor)) {
    const next = word(cursor);
    if (next === "(") depth++;
    if (next === ")") depth--;
    const isFile = ["outfile", "dumpfile"].includes(word(cursor, 1));
    const ofReturning = first !== "select" && cursor.at > before + 3;
    if (next === "into" && depth === 0 && into === undefined && !isFile && (reads || ofReturning)) {
      into = takeInto(cursor);
      continue;
    }
    cursor.at++;
  }
  return { kind: "sql", into };
}

function takeInto(cursor: Cursor): Into {
  const start = startOf(cursor);
  take(cursor, "into");
  const targets = takeVariables(cursor);
  return { targets, span: { start, end: endOf(cursor) } };
}

function takeCall(cursor: Cursor): WithoutPlace {
  cursor.at++;
  let name = takeName(cursor) ?? "";
  while (take(cursor, ".")) name = takeName(cursor) ?? name;
  const args = take(cursor, "(") ? listUntil(cursor, "closing") : [];
  take(cursor, ")");
  spanOverCase(cursor);
  return { kind: "call", name: name.toLowerCase(), args };
}

function takeJump(cursor: Cursor, kind: "leave" | "iterate"): WithoutPlace {
  cursor.at++;
  const label = isName(peek(cursor)) ? takeName(cursor)?.toLowerCase() : undefined;
  spanOverCase(cursor);
  return { kind, label };
}

function takeSignal(cursor: Cursor, kind: "signal" | "resignal"): WithoutPlace {
  cursor.at++;
  const start = startOf(cursor);
  const bare = word(cursor) === ";" || word(cursor) === "" || word(cursor) === "set";
  const condition = bare ? undefined : takeCondition(cursor);
  const rest = spanOverCase(cursor);
  const text = cursor.text.slice(start, Math.max(start, rest.end));
  return { kind, condition, text };
}

/** FETCH [NEXT] [FROM] cursor INTO targets. */
function takeFetch(cursor: Cursor): WithoutPlace {
  cursor.at++;
  if (!takeAll(cursor, "next", "from")) take(cursor, "from");
  const name = takeName(cursor)?.toLowerCase() ?? "";
  const targets = take(cursor, "into") ? takeVariables(cursor) : [];
  spanOverCase(cursor);
  return { kind: "fetch", cursor: name, targets };
}

function takePrepare(cursor: Cursor): WithoutPlace {
  cursor.at++;
  const name = takeName(cursor)?.toLowerCase() ?? "";
  if (!take(cursor, "from")) problem(cursor, "FROM is expected here");
  return { kind: "prepare", name, from: spanOverCase(cursor) };
}

/** EXECUTE name USING @a, @b; MariaDB also EXECUTE IMMEDIATE 'text' USING x. */
function takeExecute(cursor: Cursor): WithoutPlace {
  cursor.at++;
  if (take(cursor, "immediate")) {
    const from = spanOverCase(cursor, "using");
    const using = take(cursor, "using") ? listUntil(cursor) : [];
    return { kind: "executeImmediate", from, using };
  }
  const name = takeName(cursor)?.toLowerCase() ?? "";
  const using = take(cursor, "using") ? listUntil(cursor) : [];
  spanOverCase(cursor);
  return { kind: "execute", name, using };
}

/** GET [CURRENT | STACKED] DIAGNOSTICS [CONDITION n] target = what, ... */
function takeDiagnostics(cursor: Cursor): WithoutPlace {
  cursor.at++;
  if (!take(cursor, "current")) take(cursor, "stacked");
  take(cursor, "diagnostics");
  if (take(cursor, "condition") || take(cursor, "exception")) {
    if (word(cursor) === "@") cursor.at++;
    cursor.at++;
  }
  const items: { target: Target; what: string }[] = [];
  do {
    const target = takeVariable(cursor);
    if (target === undefined) break;
    take(cursor, "=");
    items.push({ target, what: word(cursor) });
    cursor.at++;
  } while (take(cursor, ","));
  spanOverCase(cursor);
  return { kind: "diagnostics", items };
}
