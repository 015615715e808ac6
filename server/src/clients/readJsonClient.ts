// Reads client programs that are JSON: { "initial": ..., "sessions": ..., "assert": ... }.
import { setEntry } from "../protocol/dictionary";
import type { Range } from "../protocol/source";
import type { Row, Value } from "../protocol/witness";
import { unknownText } from "../workspace/configuration";
import { parseJson, type JsonEntry, type JsonValue } from "../workspace/json";
import type {
  ClientArgument,
  ClientAssertion,
  ClientCall,
  ClientProblem,
  GivenArguments,
  InitialTable,
  JsonClient,
  PlacedArgument,
} from "./clientProgram";

export interface JsonClientResult {
  /** Absent if the text is no client program at all. */
  readonly client?: JsonClient;
  readonly problems: readonly ClientProblem[];
}

/** Reads a client program. Never throws: errors become problems with a place, and the rest is read. */
export function readJsonClient(text: string): JsonClientResult {
  const problems: ClientProblem[] = [];
  const result = parseJson(text);
  if (!result.ok)
    return { problems: [{ severity: "error", message: result.message, range: result.range }] };
  const { value } = result;
  if (value.kind !== "object") {
    wrong(problems, value.range, 'a client program is an object, as { "sessions": [...] }');
    return { problems };
  }
  const entries = new Map<string, JsonEntry>();
  for (const entry of value.entries) {
    if (!KEYS.includes(entry.key))
      wrong(problems, entry.keyRange, unknownText("key", entry.key, KEYS));
    else if (entries.has(entry.key))
      wrong(problems, entry.keyRange, `the key "${entry.key}" stands here twice`);
    else entries.set(entry.key, entry);
  }
  const sessions = entries.get("sessions");
  if (sessions === undefined) {
    wrong(problems, value.range, 'the key "sessions" is missing: lists of calls, one per session');
    return { problems };
  }
  const level = entries.get("level")?.value;
  if (level !== undefined && level.kind !== "string")
    wrong(problems, level.range, '"level" is the name of an isolation level in double quotes');
  return {
    client: {
      sources: readTexts(entries.get("program"), problems, "a file or a folder").map(
        ({ text: source }) => source,
      ),
      initial: readInitial(entries.get("initial")?.value, problems),
      sessions: readSessions(sessions.value, problems),
      assertions: readTexts(entries.get("assert"), problems, "an assertion"),
      ...(level?.kind === "string" && { level: { name: level.value, range: level.range } }),
    },
    problems,
  };
}

const KEYS = ["$schema", "program", "level", "initial", "sessions", "assert"];

function readInitial(
  value: JsonValue | undefined,
  problems: ClientProblem[],
): readonly InitialTable[] {
  if (value === undefined) return [];
  if (value.kind !== "object") {
    wrong(problems, value.range, '"initial" is an object with a list of rows per table');
    return [];
  }
  const seen = new Set<string>();
  return value.entries.map((entry): InitialTable => {
    const { key: name, keyRange: nameRange } = entry;
    if (seen.has(name)) wrong(problems, nameRange, `the table "${name}" stands here twice`);
    seen.add(name);
    if (entry.value.kind !== "array") {
      wrong(problems, entry.value.range, `the rows of "${name}" are a list of objects`);
      return { name, nameRange, rows: [] };
    }
    const rows = entry.value.items.flatMap((item) => {
      const row = readRow(item, problems);
      return row === undefined ? [] : [{ row, range: item.range }];
    });
    return { name, nameRange, rows };
  });
}

function readRow(value: JsonValue, problems: ClientProblem[]): Row | undefined {
  if (value.kind !== "object") {
    wrong(problems, value.range, 'a row is an object, as { "id": 1, "balance": 100 }');
    return undefined;
  }
  const row: Record<string, Value> = {};
  for (const { key, keyRange, value: cell } of value.entries) {
    if (Object.hasOwn(row, key)) wrong(problems, keyRange, `the column "${key}" stands here twice`);
    const scalar = scalarOf(cell);
    if (scalar === undefined)
      wrong(problems, cell.range, "a column holds a number, a text, true, false or null");
    else setEntry(row, key, scalar);
  }
  return row;
}

const CALL = 'a call is a list, as ["withdraw", 1, 60]: a transaction\'s name and its arguments';

function readSessions(
  value: JsonValue,
  problems: ClientProblem[],
): readonly (readonly ClientCall[])[] {
  if (value.kind !== "array") {
    wrong(problems, value.range, '"sessions" is a list of sessions, each a list of calls');
    return [];
  }
  return value.items.map((session): readonly ClientCall[] => {
    if (session.kind !== "array") {
      wrong(problems, session.range, "a session is a list of calls");
      return [];
    }
    // The usual mistake: a single call in place of a list of calls.
    if (session.items[0]?.kind === "string") {
      wrong(problems, session.range, `a session is a list of calls, and this is one call: [[...]]`);
      return [];
    }
    return session.items.flatMap((item) => readCall(item, problems) ?? []);
  });
}

function readCall(value: JsonValue, problems: ClientProblem[]): ClientCall | undefined {
  if (value.kind === "object") return readNamedCall(value, problems);
  if (value.kind !== "array" || value.items[0]?.kind !== "string") {
    wrong(problems, value.range, CALL);
    return undefined;
  }
  const [name, ...given] = value.items;
  const [only] = given;
  const named = given.length === 1 && only?.kind === "object";
  return {
    name: name.value,
    nameRange: name.range,
    arguments: named ? readNamed(only.entries, problems) : readPlaced(given, problems),
    range: value.range,
  };
}

/** { "call": "withdraw", "arguments": [1, 60] }, the verbose form. */
function readNamedCall(
  value: Extract<JsonValue, { kind: "object" }>,
  problems: ClientProblem[],
): ClientCall | undefined {
  const name = value.entries.find(({ key }) => key === "call")?.value;
  if (name?.kind !== "string") {
    wrong(problems, value.range, CALL);
    return undefined;
  }
  for (const { key, keyRange } of value.entries)
    if (key !== "call" && key !== "arguments")
      wrong(problems, keyRange, unknownText("key", key, ["call", "arguments"]));
  const given = value.entries.find(({ key }) => key === "arguments")?.value;
  if (given !== undefined && given.kind !== "array" && given.kind !== "object")
    wrong(problems, given.range, "the arguments of a call are a list, or an object by name");
  return {
    name: name.value,
    nameRange: name.range,
    arguments:
      given?.kind === "object"
        ? readNamed(given.entries, problems)
        : readPlaced(given?.kind === "array" ? given.items : [], problems),
    range: value.range,
  };
}

function readPlaced(items: readonly JsonValue[], problems: ClientProblem[]): GivenArguments {
  return { by: "place", list: items.flatMap((each) => readArgument(each, problems) ?? []) };
}

function readNamed(entries: readonly JsonEntry[], problems: ClientProblem[]): GivenArguments {
  const named = new Map<string, PlacedArgument>();
  for (const { key, value } of entries) {
    const argument = readArgument(value, problems);
    if (argument !== undefined) named.set(key, argument);
  }
  return { by: "name", named };
}

function readArgument(value: JsonValue, problems: ClientProblem[]): PlacedArgument | undefined {
  const argument: ClientArgument | undefined =
    value.kind === "array" ? listOf(value.items) : scalarOf(value);
  if (argument !== undefined) return { value: argument, range: value.range };
  const expected = "an argument is a number, a text, true, false, null or a list of these";
  wrong(problems, value.range, expected);
  return undefined;
}

function listOf(items: readonly JsonValue[]): readonly Value[] | undefined {
  const values = items.flatMap((item) => {
    const value = scalarOf(item);
    return value === undefined ? [] : [value];
  });
  return values.length === items.length ? values : undefined;
}

function readTexts(
  entry: JsonEntry | undefined,
  problems: ClientProblem[],
  what: string,
): readonly ClientAssertion[] {
  if (entry === undefined) return [];
  const items = entry.value.kind === "array" ? entry.value.items : [entry.value];
  return items.flatMap((item) => {
    if (item.kind === "string") return [{ text: item.value, range: item.range }];
    wrong(problems, item.range, `${what} is a text in double quotes`);
    return [];
  });
}

function scalarOf(value: JsonValue): Value | undefined {
  switch (value.kind) {
    case "null":
      return null;
    case "string":
    case "number":
    case "boolean":
      return value.value;
    case "array":
    case "object":
      return undefined;
  }
}

function wrong(problems: ClientProblem[], range: Range, message: string): void {
  problems.push({ severity: "error", message, range });
}
