// A program of the servers' fuzzer: a file of SQL whose comments say with which rows it starts and what runs side by side.
//
//   -- !level postgres:read-committed
//   -- !init insert into acc values (1, 10)
//   -- !run withdraw(1, 2) | addLine(id=1, p=2)
//
// Routines stop at each /*bp*/, transactions of a script (from "-- @transaction" to its COMMIT) before each statement.

export interface FuzzProgram {
  /** The text that `check` reads, the comments above included. */
  readonly text: string;
  readonly level: string;
  readonly init: readonly string[];
  readonly runs: readonly (readonly Call[])[];
  /** Words for what it uses, for the figures. */
  readonly features: readonly string[];
}

/** A routine or transaction with its arguments, which are SQL literals. */
export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
}

interface Argument {
  /** Absent for arguments by position. */
  readonly name?: string;
  readonly value: string;
}

/** A transaction that is sent statement by statement. */
export interface Script {
  readonly name: string;
  readonly statements: readonly string[];
}

/** The answer of routines whose handler has rolled everything back: they count as not run, as those that fail do. */
export const ROLLED_BACK = -999;

/** Reads a program; lines that it does not know are SQL. */
export function readProgram(text: string, level = "postgres:read-committed"): FuzzProgram {
  const told = (word: string): readonly string[] =>
    [...text.matchAll(new RegExp(`^-- !${word} (.*)$`, "gm"))].map((match) => match[1] ?? "");
  return {
    text,
    level: told("level")[0] ?? level,
    init: told("init"),
    runs: told("run").map((line) => line.split(" | ").map(readCall)),
    features: told("uses").flatMap((line) => line.split(", ")),
  };
}

/** The comments that say how a program runs. */
export function programComments({
  level,
  init,
  runs,
  features,
}: Omit<FuzzProgram, "text">): readonly string[] {
  return [
    `-- !level ${level}`,
    ...(features.length > 0 ? [`-- !uses ${features.join(", ")}`] : []),
    ...init.map((sql) => `-- !init ${sql}`),
    ...runs.map((calls) => `-- !run ${calls.map(callText).join(" | ")}`),
  ];
}

export function callText({ name, args }: Call): string {
  return `${name}(${args.map((each) => (each.name === undefined ? each.value : `${each.name}=${each.value}`)).join(", ")})`;
}

function readCall(text: string): Call {
  const [, name = text, inside = ""] = /^\s*(\w+)\((.*)\)\s*$/s.exec(text) ?? [];
  const args = (inside.match(/'(?:[^']|'')*'|[^,]+/g) ?? []).reduce<string[]>((all, part) => {
    const last = all.at(-1);
    // A quoted text after "name=" is one argument.
    if (last?.endsWith("=") === true) return [...all.slice(0, -1), last + part];
    return part.trim() === "" ? all : [...all, part.trim()];
  }, []);
  return {
    name,
    args: args.map((each) => {
      const named = /^(\w+)=(.*)$/s.exec(each);
      return named?.[1] === undefined
        ? { value: each }
        : { name: named[1], value: (named[2] ?? "").trim() };
    }),
  };
}

const SCRIPT = /^-- @transaction (\w+)\n((?:.*\n)*?COMMIT;)/gm;

/** The transactions that are sent statement by statement; one statement stands on each line. */
export function scriptsOf(text: string): readonly Script[] {
  return [...text.matchAll(SCRIPT)].map(([, name = "", body = ""]) => ({
    name,
    statements: body
      .split("\n")
      .map((line) => line.trim().replace(/;$/, ""))
      .filter((line) => line !== "" && !line.startsWith("--")),
  }));
}

/** The statements that are sent once: tables and routines. */
export function definitionsOf(text: string): string {
  return text.replace(SCRIPT, "").replace(/^-- .*$/gm, "");
}

/** The statement with literals in place of `:name` (and `@name`, where the call names it). */
export function bound(statement: string, { args }: Call): string {
  return statement.replace(/(?<![:\w@])[:@](\w+)/g, (all, name: string) => {
    const found = args.find((each) => each.name === name);
    return found === undefined ? all : found.value;
  });
}
