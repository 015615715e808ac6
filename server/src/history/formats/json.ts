// The two JSON formats: ours ({"format": "isolens-history", ...} or one transaction per line) and dbcop's (sessions of {"events": [...],
// "committed": true}). A file has one format throughout.
import { dictionary } from "../../protocol/dictionary";
import type { HistoryBuilder } from "../builder";
import {
  ABORTED,
  APPEND,
  COMMITTED,
  FAILED_WRITE,
  READ,
  UNKNOWN,
  WRITE,
  type TransactionStatus,
} from "../history";
import type { Fault } from "./fault";
import { isArray, isObject, jsonStream, type JsonObject, type JsonValue } from "./jsonStream";
import {
  halves,
  keyNumber,
  sessionNumber,
  versionNumber,
  type FormatReader,
  type WholeNumber,
} from "./reader";

/** Reads one transaction object into a session; returns the error in it. */
type TakeTransaction = (
  builder: HistoryBuilder,
  session: number,
  value: JsonObject,
  line: number,
) => string | undefined;

/** Our own JSON. `null` is the initial value; a read without a value is ignored. */
export function jsonReader(builder: HistoryBuilder): FormatReader {
  return sessionsReader(builder, {
    expected: 'a transaction {"ops": [...]}',
    take: ownTransaction,
    header: ownHeader,
    lines: true,
  });
}

/** dbcop's JSON, with or without its wrapper; version `null` is the initial value. */
export function dbcopJsonReader(builder: HistoryBuilder): FormatReader {
  return sessionsReader(builder, {
    expected: 'a transaction {"events": [...], "committed": true}',
    take: dbcopTransaction,
    header: (members) =>
      members.has("data") || members.has("sessions") ? undefined : 'expected "data" in the object',
    lines: false,
  });
}

interface Shape {
  readonly expected: string;
  readonly take: TakeTransaction;
  /** The error in a top-level object that is no transaction. */
  readonly header: (members: JsonObject) => string | undefined;
  /** True if a top-level object may be a transaction with a session name. */
  readonly lines: boolean;
}

function sessionsReader(builder: HistoryBuilder, shape: Shape): FormatReader {
  let session = 0;
  let whole = false;

  function taken(owner: number, value: JsonValue, line: number): Fault | undefined {
    if (!isObject(value)) return { place: { line }, message: `expected ${shape.expected}` };
    const message = shape.take(builder, owner, value, line);
    return message === undefined ? undefined : { place: { line }, message };
  }

  return jsonStream({
    session() {
      whole = true;
      session = builder.newSession();
      return undefined;
    },
    transaction: (value, line) => taken(session, value, line),
    object(members, line) {
      if (!shape.lines || !members.has("ops")) {
        const message = shape.header(members);
        return message === undefined ? undefined : { place: { line }, message };
      }
      if (whole) return { place: { line }, message: "a transaction beside a list of sessions" };
      const name = members.get("session");
      if (!isWhole(name) && typeof name !== "string")
        return { place: { line }, message: 'expected "session" with a number or a text' };
      return taken(sessionNumber(builder, name), members, line);
    },
  });
}

function ownHeader(members: JsonObject): string | undefined {
  const [format, version] = [members.get("format"), members.get("version")];
  if (format !== "isolens-history")
    return 'expected "format": "isolens-history", or a transaction with "ops"';
  if (version !== 1) return "expected version 1 of the format: a newer one needs a newer Isolens";
  return undefined;
}

const STATUSES = dictionary<TransactionStatus>({
  committed: COMMITTED,
  aborted: ABORTED,
  unknown: UNKNOWN,
});

function ownTransaction(
  builder: HistoryBuilder,
  session: number,
  value: JsonObject,
  line: number,
): string | undefined {
  const ops = value.get("ops");
  if (!isArray(ops)) return 'expected "ops" with a list of operations';
  const name = value.get("id");
  const transaction = newTransaction(builder, session, name);
  if (typeof transaction === "string") return transaction;
  const status = value.get("status") ?? "committed";
  const known = typeof status === "string" ? STATUSES[status] : undefined;
  if (known === undefined) return 'expected "status" to be "committed", "aborted" or "unknown"';
  builder.setStatus(transaction, known);
  const times = timesOf(value);
  if (typeof times === "string") return times;
  if (times) builder.setTimes(transaction, times.begin, times.end, line);
  for (const op of ops) {
    const message = ownOperation(builder, transaction, op, line);
    if (message !== undefined) return message;
  }
  return undefined;
}

function newTransaction(
  builder: HistoryBuilder,
  session: number,
  name: JsonValue | undefined,
): number | string {
  if (name === undefined || name === null) return builder.newTransaction(session);
  const wrong = 'expected "id" to be a text or a whole number';
  if (!isName(name)) return wrong;
  const before = builder.transactions;
  let transaction: number;
  if (typeof name === "string") transaction = builder.textTransaction(session, name);
  else {
    const bits = halves(name);
    if (!bits) return wrong;
    transaction = builder.transaction(session, bits.low, bits.high);
  }
  return builder.transactions > before
    ? transaction
    : `expected an "id" of its own, and ${String(name)} is another transaction's`;
}

function timesOf(
  value: JsonObject,
): { readonly begin: number; readonly end: number } | string | undefined {
  if (!value.has("begin") && !value.has("end")) return undefined;
  const [begin, end] = [value.get("begin"), value.get("end")].map((time) => {
    if (time === undefined || time === null) return Number.NaN;
    if (isWhole(time)) return Number(time);
    return isObject(time) || isArray(time) || typeof time !== "object"
      ? undefined
      : Number(time.inexact);
  });
  if (begin === undefined || end === undefined) return 'expected "begin" and "end" to be numbers';
  return { begin, end };
}

const OPERATION = '{"r": [KEY, VALUE]}, {"w": [KEY, VALUE]} or {"a": [KEY, ELEMENT]}';

function ownOperation(
  builder: HistoryBuilder,
  transaction: number,
  op: JsonValue,
  line: number,
): string | undefined {
  const wrong = `expected ${OPERATION} with whole numbers or texts`;
  if (!isObject(op)) return wrong;
  const failed = op.get("failed") === true;
  const kinds = [...op.keys()].filter((each) => each !== "failed");
  const [kind = ""] = kinds;
  const pair = op.get(kind);
  if (kinds.length !== 1 || !["r", "w", "a"].includes(kind) || !isArray(pair)) return wrong;
  const [name, value] = pair;
  if (!isName(name) || pair.length > 2) return wrong;
  const key = keyNumber(builder, name);
  // The first value of a key decides the model.
  if (kind !== "r" || (pair.length > 1 && value !== null)) {
    const sort = kind === "a" || isArray(value) ? "list" : "single";
    if (!builder.holds(key, sort))
      return `key ${String(name)} is a list in one place and a single value in another: a key is one of the two`;
  }
  if (kind === "r") {
    if (pair.length === 1) return undefined;
    if (isArray(value)) return listRead(builder, transaction, key, value, line);
    if (value !== null && !isName(value)) return wrong;
    builder.add(READ, transaction, key, versionNumber(builder, key, value), line);
    return undefined;
  }
  if (!isName(value)) return wrong;
  const written = failed ? FAILED_WRITE : kind === "w" ? WRITE : APPEND;
  builder.add(written, transaction, key, versionNumber(builder, key, value), line);
  return undefined;
}

function listRead(
  builder: HistoryBuilder,
  transaction: number,
  key: number,
  elements: readonly JsonValue[],
  line: number,
): string | undefined {
  for (const element of elements) {
    if (!isName(element)) return "expected the elements of a list to be whole numbers or texts";
    builder.listElement(versionNumber(builder, key, element));
  }
  builder.addListRead(transaction, key, line);
  return undefined;
}

function dbcopTransaction(
  builder: HistoryBuilder,
  session: number,
  value: JsonObject,
  line: number,
): string | undefined {
  const [events, committed] = [value.get("events"), value.get("committed")];
  if (!isArray(events)) return 'expected "events" with a list';
  if (typeof committed !== "boolean") return 'expected "committed" to be true or false';
  const transaction = builder.newTransaction(session);
  if (!committed) builder.setStatus(transaction, ABORTED);
  for (const each of events) {
    const event = dbcopEvent(each);
    if (!event) {
      return 'expected {"Read": {"variable": V, "version": N}}, {"Write": ...}, ["r", V, N] or ["w", V, N]';
    }
    const key = keyNumber(builder, event.variable);
    const version = versionNumber(builder, key, event.version);
    builder.add(event.isWrite ? WRITE : READ, transaction, key, version, line);
  }
  return undefined;
}

interface DbcopEvent {
  readonly isWrite: boolean;
  readonly variable: WholeNumber | string;
  readonly version: WholeNumber | string | null;
}

function dbcopEvent(value: JsonValue): DbcopEvent | undefined {
  if (isArray(value)) {
    const [tag, variable, version] = value;
    if ((tag !== "r" && tag !== "w") || value.length !== 3) return undefined;
    return checkedEvent(tag === "w", variable, version);
  }
  if (!isObject(value) || value.size !== 1) return undefined;
  const [read, write] = [value.get("Read"), value.get("Write")];
  const fields = read ?? write;
  if (!isObject(fields)) return undefined;
  return checkedEvent(write !== undefined, fields.get("variable"), fields.get("version"));
}

function checkedEvent(
  isWrite: boolean,
  variable: JsonValue | undefined,
  version: JsonValue | undefined,
): DbcopEvent | undefined {
  if (!isName(variable)) return undefined;
  if (!isName(version) && (version !== null || isWrite)) return undefined;
  return { isWrite, variable, version };
}

function isWhole(value: JsonValue | undefined): value is WholeNumber {
  return typeof value === "number" || typeof value === "bigint";
}

function isName(value: JsonValue | undefined): value is WholeNumber | string {
  return isWhole(value) || typeof value === "string";
}
