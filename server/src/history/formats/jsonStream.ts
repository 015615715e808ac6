// Streaming reader of the JSON formats: only one transaction is in memory at a time.
import type { Fault } from "./fault";
import { jsonTokens, type JsonToken, type JsonTokens } from "./jsonTokens";

/** A JSON value with exact integers. Other numbers are kept as text in `inexact`. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | { readonly inexact: string }
  | readonly JsonValue[]
  | JsonObject;

export type JsonObject = ReadonlyMap<string, JsonValue>;

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Stream events. Lines are those of the value's start, from 1. */
export interface JsonListener {
  /** An element of the list of sessions begins. */
  session(line: number): Fault | undefined;
  /** An element of a session. */
  transaction(value: JsonValue, line: number): Fault | undefined;
  /** The end of a top-level object: its members except the sessions, which were reported before. */
  object(members: JsonObject, line: number): Fault | undefined;
}

/** Members whose value is the list of sessions. */
const SESSIONS = ["sessions", "data"];
const DEEPEST = 100;

/** Reads a stream of top-level values: a list of sessions, or objects that may contain such a list under "sessions" or "data". */
export function jsonStream(listener: JsonListener): JsonTokens {
  /** The innermost open container, except within a value under construction. */
  let outer: "file" | "list" | "object" | "session" = "file";
  let insideObject = false;
  let members = new Map<string, JsonValue>();
  let memberName: string | undefined;
  let startLine = 1;
  let wants: "value" | "value or end" | "next" | "name" | "name or end" | "colon" = "value";
  let building: Building[] = [];

  function take(token: JsonToken, line: number): Fault | undefined {
    if (building.length > 0) return build(token, line);
    if (token === "]" || token === "}") return close(token, line);
    if (token === ",")
      return wants === "next" && outer !== "file" ? separated() : wrong(token, line);
    if (token === ":") {
      if (wants !== "colon") return wrong(token, line);
      wants = "value";
      return undefined;
    }
    if (wants === "name" || wants === "name or end") {
      if (typeof token === "string" || token.kind !== "string") return wrong(token, line);
      memberName = token.value;
      wants = "colon";
      return members.has(memberName)
        ? fault(line, `"${memberName}" stands there twice`)
        : undefined;
    }
    if (wants === "colon" || (wants === "next" && outer !== "file")) return wrong(token, line);
    return value(token, line);
  }

  function value(token: JsonToken, line: number): Fault | undefined {
    switch (outer) {
      case "file":
        startLine = line;
        insideObject = token === "{";
        if (token === "{") {
          outer = "object";
          members = new Map();
          wants = "name or end";
          return undefined;
        }
        if (token !== "[") return wrong(token, line);
        outer = "list";
        wants = "value or end";
        return undefined;
      case "list":
        if (token !== "[") return wrong(token, line);
        outer = "session";
        wants = "value or end";
        return listener.session(line);
      case "object":
        if (token === "[" && SESSIONS.includes(memberName ?? "")) {
          members.set(memberName ?? "", null);
          outer = "list";
          wants = "value or end";
          return undefined;
        }
        return begin(token, line);
      case "session":
        return begin(token, line);
    }
  }

  function begin(token: JsonToken, line: number): Fault | undefined {
    if (token === "{" || token === "[") {
      building = [opened(token, line)];
      return undefined;
    }
    return typeof token === "string" ? wrong(token, line) : built(plain(token), line);
  }

  /** A value of a session or of a member is complete. */
  function built(complete: JsonValue, line: number): Fault | undefined {
    wants = "next";
    if (outer === "session") return listener.transaction(complete, line);
    members.set(memberName ?? "", complete);
    return undefined;
  }

  function build(token: JsonToken, line: number): Fault | undefined {
    const top = building[building.length - 1];
    if (!top) return undefined;
    if (token === "}" || token === "]") {
      if (token !== top.close || !["first", "next"].includes(top.wants)) return wrong(token, line);
      building.pop();
      const parent = building[building.length - 1];
      return parent ? add(parent, top.value, line) : built(top.value, top.line);
    }
    if (token === ",") {
      if (top.wants !== "next") return wrong(token, line);
      top.wants = top.close === "}" ? "name" : "value";
      return undefined;
    }
    if (token === ":") {
      if (top.wants !== "colon") return wrong(token, line);
      top.wants = "value";
      return undefined;
    }
    if (top.close === "}" && (top.wants === "first" || top.wants === "name")) {
      if (typeof token === "string" || token.kind !== "string") return wrong(token, line);
      top.name = token.value;
      top.wants = "colon";
      return undefined;
    }
    if (top.wants === "next" || top.wants === "colon") return wrong(token, line);
    if (token === "{" || token === "[") {
      building.push(opened(token, line));
      return building.length > DEEPEST
        ? fault(line, `more than ${String(DEEPEST)} brackets in one another`)
        : undefined;
    }
    return add(top, plain(token), line);
  }

  function close(token: "]" | "}", line: number): Fault | undefined {
    const mayEnd = wants === "next" || wants === "value or end" || wants === "name or end";
    const expected = outer === "object" ? "}" : outer === "file" ? undefined : "]";
    if (token !== expected || !mayEnd) return wrong(token, line);
    wants = "next";
    if (outer === "session") {
      outer = "list";
      return undefined;
    }
    if (outer === "list" && insideObject) {
      outer = "object";
      return undefined;
    }
    outer = "file";
    return insideObject ? listener.object(members, startLine) : undefined;
  }

  function separated(): undefined {
    wants = outer === "object" ? "name" : "value";
    return undefined;
  }

  const tokens = jsonTokens(take);
  return {
    feed: (bytes) => tokens.feed(bytes),
    end() {
      const failed = tokens.end();
      if (failed) return failed;
      if (outer === "file" && wants === "next") return undefined;
      const line = building[0]?.line ?? startLine;
      return fault(line, "the file ends inside what starts here: it was cut off");
    },
  };
}

interface Building {
  readonly line: number;
  readonly close: "}" | "]";
  readonly value: JsonValue[] | Map<string, JsonValue>;
  name: string;
  wants: "first" | "name" | "colon" | "value" | "next";
}

function opened(token: "{" | "[", line: number): Building {
  return token === "{"
    ? { line, close: "}", value: new Map(), name: "", wants: "first" }
    : { line, close: "]", value: [], name: "", wants: "first" };
}

function add(to: Building, value: JsonValue, line: number): Fault | undefined {
  to.wants = "next";
  if (Array.isArray(to.value)) {
    to.value.push(value);
    return undefined;
  }
  if (to.value.has(to.name)) return fault(line, `"${to.name}" stands there twice`);
  to.value.set(to.name, value);
  return undefined;
}

function plain(token: Exclude<JsonToken, string>): JsonValue {
  if (token.kind === "number" && typeof token.value === "string") return { inexact: token.value };
  return token.value;
}

function wrong(token: JsonToken, line: number): Fault {
  const found =
    typeof token === "string"
      ? token
      : token.kind === "literal"
        ? String(token.value)
        : `a ${token.kind}`;
  return fault(line, `unexpected ${found}`);
}

function fault(line: number, message: string): Fault {
  return { place: { line }, message };
}
