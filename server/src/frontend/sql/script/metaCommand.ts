// psql and pgbench meta-commands that affect a transaction: variables and \if.
import type { Span } from "../text/split";

export type MetaCommand = Span &
  (
    | { readonly kind: "set"; readonly name: string; readonly value: Span }
    | { readonly kind: "unset"; readonly name: string }
    /** \gset: the columns of the last result become variables `<prefix><column>`. */
    | { readonly kind: "gset"; readonly prefix: string }
    | { readonly kind: "if"; readonly condition: Span }
    | { readonly kind: "elif"; readonly condition: Span }
    | { readonly kind: "else" }
    | { readonly kind: "endif" }
    /** Ends the script and its session; uncommitted work is lost. */
    | { readonly kind: "quit" }
    /** Includes another file, whose statements are not seen here. */
    | { readonly kind: "include"; readonly path: string }
    /** Runs the result as SQL (\gexec), or the like. */
    | { readonly kind: "dynamic"; readonly name: string }
    /** No effect on data: \echo, \timing, \sleep, ... */
    | { readonly kind: "other"; readonly name: string }
  );

const INCLUDES = new Set(["i", "ir", "include", "include_relative"]);
const DYNAMIC = new Set(["gexec", "copy", "watch", "shell", "setshell"]);

/** Parses the meta-command in `[start, end)` of a text; every text gives one. */
export function readMetaCommand(text: string, start: number, end: number): MetaCommand {
  const written = text.slice(start, end);
  const name = /^\\([A-Za-z_]+|.)/.exec(written)?.[1] ?? "";
  const rest = span(text, start + 1 + name.length, end);
  const first = /^\S+/.exec(text.slice(rest.start, rest.end))?.[0] ?? "";
  const whole = { start, end };
  switch (name) {
    case "set":
    case "let": {
      const value = span(text, rest.start + first.length, end);
      return { ...whole, kind: "set", name: first, value };
    }
    case "unset":
    case "getenv":
      return { ...whole, kind: "unset", name: first };
    case "prompt":
      return { ...whole, kind: "unset", name: /\S+$/.exec(written)?.[0] ?? "" };
    case "gset":
    case "aset":
      return { ...whole, kind: "gset", prefix: first };
    case "if":
    case "elif":
      return { ...whole, kind: name, condition: rest };
    case "else":
    case "endif":
      return { ...whole, kind: name };
    case "q":
    case "quit":
      return { ...whole, kind: "quit" };
    default:
      if (INCLUDES.has(name)) return { ...whole, kind: "include", path: first };
      if (DYNAMIC.has(name)) return { ...whole, kind: "dynamic", name };
      return { ...whole, kind: "other", name };
  }
}

function span(text: string, start: number, end: number): Span {
  const from = start + (/^\s*/.exec(text.slice(start, end))?.[0].length ?? 0);
  const to = start + text.slice(start, end).trimEnd().length;
  return { start: from, end: Math.max(from, to) };
}
