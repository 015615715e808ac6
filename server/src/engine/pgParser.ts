// Loads and calls PostgreSQL's parser, compiled to WebAssembly. A call that crashes it (stack overflow, memory) corrupts the instance: a
// spare one takes over at once, and another is loaded.
import type { ParseResult } from "libpg-query";
import initialise from "libpg-query/wasm/libpg-query.js";
import {
  createByteMap,
  DEEPEST_NESTING,
  type PgParseResult,
  type PgParser,
  type PgStatement,
} from "../frontend/sql/pg/pgParser";
import { delayTierUp } from "./tierUp";

/** The parser. Rejects if its script or WASM file is missing or unsuitable. */
export async function loadPgParser(): Promise<PgParser> {
  delayTierUp();
  const load = async (): Promise<Instance> => {
    const silent = (): void => undefined;
    const started: unknown = await Reflect.apply(initialise, undefined, [
      { print: silent, printErr: silent },
    ]);
    return checkedInstance(started);
  };
  // Loaded in advance: reading many texts is synchronous and cannot wait for another instance.
  const ready = await Promise.all(Array.from({ length: INSTANCES }, load));
  const failing = new Set<string>();

  function replace(): void {
    ready.shift();
    load().then(
      (instance) => ready.push(instance),
      // One instance less; if none is left, each text becomes a problem and nothing else suffers.
      () => undefined,
    );
  }

  /** Runs a call; undefined if the text crashes the parser, or if no instance is left. */
  function run<T>(sql: string, call: (instance: Instance) => T): T | undefined {
    const [current] = ready;
    if (current === undefined || failing.has(sql)) return undefined;
    try {
      return call(current);
    } catch {
      // Only WebAssembly errors and its exit arrive here: the parser's own errors are values.
      if (failing.size >= MOST_REMEMBERED) failing.clear();
      failing.add(sql);
      replace();
      return undefined;
    }
  }

  return {
    parse(sql) {
      const deep = tooDeep(sql);
      if (deep !== undefined) return deep;
      if (sql.trim() === "") return { ok: true, statements: [], offset: createByteMap(sql) };
      return run(sql, (instance) => parseWith(instance, sql)) ?? FAILED;
    },
    parsePlPgSql(sql) {
      const deep = tooDeep(sql);
      if (deep !== undefined) return deep.message;
      const outcome = run(sql, (instance) => instance.parsePlPgSql(sql));
      if (outcome === undefined) return FAILED.message;
      return outcome === "" ? undefined : outcome;
    },
  };
}

/** The number of consecutive crashing texts that leave the parser available. */
const INSTANCES = 3;
/** Limit of remembered crashing texts, which are not tried again. */
const MOST_REMEMBERED = 100;

const FAILED = {
  ok: false,
  message: "PostgreSQL's parser failed on this text",
  offset: 0,
} as const;

/** PostgreSQL's lexer looks ahead over a whole run of these at each comment that begins in it. */
const OPERATOR_CHARACTERS = new Set([..."~!@#^&|`?+-*/%<>="].map((each) => each.charCodeAt(0)));
const MOST_OPERATORS = 10_000;

/** The failure for a text that is nested too deeply; a rough count that includes quoted parentheses. */
function tooDeep(sql: string): Extract<PgParseResult, { readonly ok: false }> | undefined {
  let depth = 0;
  let operators = 0;
  for (let at = 0; at < sql.length; at++) {
    const code = sql.charCodeAt(at);
    operators = OPERATOR_CHARACTERS.has(code) ? operators + 1 : 0;
    if (operators > MOST_OPERATORS)
      return { ok: false, message: "an operator of this length", offset: at - operators + 1 };
    if (code === 40 || code === 91) {
      if (++depth > DEEPEST_NESTING) {
        return { ok: false, message: "it is nested too deeply", offset: at };
      }
    } else if ((code === 41 || code === 93) && depth > 0) depth--;
  }
  return undefined;
}

/** Nesting limit of a tree: all walks over it are recursive. */
const DEEPEST_TREE = 3000;

/** True if a tree, as JSON, is nested deeper; keywords such as CASE and NOT nest without parentheses. */
function isTooDeep(tree: string): boolean {
  if (tree.length < DEEPEST_TREE) return false;
  let depth = 0;
  for (let at = 0; at < tree.length; at++) {
    const code = tree.charCodeAt(at);
    if (code === 34) {
      for (at++; at < tree.length && tree.charCodeAt(at) !== 34; at++) {
        if (tree.charCodeAt(at) === 92) at++;
      }
    } else if (code === 123 || code === 91) {
      if (++depth > DEEPEST_TREE) return true;
    } else if (code === 125 || code === 93) depth--;
  }
  return false;
}

/** One loaded parser. */
interface Instance {
  /** The tree as JSON, or the error with its character (from 0, in code points). */
  parse(sql: string): { readonly tree: string } | { readonly message: string; readonly at: number };
  /** Empty for a correct text, else the error. */
  parsePlPgSql(sql: string): string;
}

function parseWith(instance: Instance, sql: string): PgParseResult {
  const outcome = instance.parse(sql);
  if ("message" in outcome) {
    const offset = unitsOf(sql, outcome.at);
    return { ok: false, message: outcome.message, offset };
  }
  if (isTooDeep(outcome.tree)) return { ok: false, message: "it is nested too deeply", offset: 0 };
  const offset = createByteMap(sql);
  // PostgreSQL's own tree, with the types published by libpg-query.
  const tree = JSON.parse(outcome.tree) as ParseResult;
  const statements = (tree.stmts ?? []).flatMap((raw): readonly PgStatement[] => {
    if (raw.stmt === undefined) return [];
    const from = raw.stmt_location ?? 0;
    const start = offset(from);
    const length = raw.stmt_len ?? 0;
    return [{ node: raw.stmt, start, end: length > 0 ? offset(from + length) : sql.length }];
  });
  return { ok: true, statements, offset };
}

/** The UTF-16 offset of a code point. */
function unitsOf(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left--) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** Messages may quote the text up to its end. */
function firstLine(message: string): string {
  const [first = "", ...others] = message.split("\n");
  return others.length > 0 || first.length > 200 ? `${first.slice(0, 200)}…` : first;
}

function checkedInstance(built: unknown): Instance {
  if (typeof built !== "object" || built === null) {
    throw new Error("libpg-query did not start");
  }
  const find = (name: string): ((...operands: readonly unknown[]) => unknown) => {
    const found: unknown = Reflect.get(built, name);
    if (typeof found !== "function") throw new Error(`libpg-query has no function ${name}`);
    return (...operands) => {
      const result: unknown = Reflect.apply(found, built, operands);
      return result;
    };
  };
  const number = (call: (...operands: readonly unknown[]) => unknown) => {
    return (...operands: readonly unknown[]): number => {
      const result = call(...operands);
      if (typeof result !== "number") throw new Error("libpg-query returned no number");
      return result;
    };
  };
  const allocate = number(find("_malloc"));
  const free = find("_free");
  const length = number(find("lengthBytesUTF8"));
  const write = find("stringToUTF8");
  const readText = find("UTF8ToString");
  const word = number(find("getValue"));
  const parseRaw = number(find("_wasm_parse_query_raw"));
  const freeParse = find("_wasm_free_parse_result");
  const parsePl = number(find("_wasm_parse_plpgsql"));
  const freeText = find("_wasm_free_string");

  const text = (at: number): string => {
    const result = at === 0 ? "" : readText(at);
    return typeof result === "string" ? result : "";
  };
  const withText = <T>(sql: string, use: (at: number) => T): T => {
    const size = length(sql) + 1;
    const at = allocate(size);
    if (at === 0) throw new Error("libpg-query is out of memory");
    write(sql, at, size);
    const result = use(at);
    free(at);
    return result;
  };
  return {
    // The result is a C struct: the tree, the output, and the error (message, ..., fifth the position).
    parse: (sql) =>
      withText(sql, (at) => {
        const result = parseRaw(at);
        if (result === 0) throw new Error("libpg-query is out of memory");
        const error = word(result + 8, "i32");
        const outcome =
          error === 0
            ? { tree: text(word(result, "i32")) }
            : {
                message: firstLine(text(word(error, "i32"))),
                at: Math.max(0, word(error + 16, "i32") - 1),
              };
        freeParse(result);
        return outcome;
      }),
    parsePlPgSql: (sql) =>
      withText(sql, (at) => {
        const result = parsePl(at);
        const outcome = text(result);
        if (result !== 0) freeText(result);
        return outcome.startsWith("{") ? "" : outcome;
      }),
  };
}
