// How functions of SQL are declared: by the types of their parameters and what they compute.
import { convertNode, isPostgres, type Compiler, type Env, type Node } from "../compile/node";
import type { SqlCall } from "../tree";
import { isImplicit, isText, type SqlType } from "../values/types";
import type { SqlValue } from "../values/value";
import { plainText } from "../values/text";

/** Makes a node of a call; undefined when the function does not take such arguments. */
export type MakeCall = (
  args: readonly Node[],
  compiler: Compiler,
  call: SqlCall,
) => Node | undefined;

/** Functions by name; several of one name are tried in their order. */
export type FunctionTable = ReadonlyMap<string, readonly MakeCall[]>;

/** The result of a function for arguments that are not NULL. */
export type Compute = (args: readonly SqlValue[], env: Env, compiler: Compiler) => SqlValue;

interface PlainOptions {
  /** How many arguments are needed; all if absent. */
  readonly least?: number;
  /** The last parameter may be repeated. */
  readonly repeats?: boolean;
  /** It is called with NULLs too. */
  readonly takesNull?: boolean;
}

/** A function with typed parameters that is NULL when an argument is. */
export function plain(
  result: SqlType,
  parameters: readonly SqlType[],
  compute: Compute,
  options: PlainOptions = {},
): MakeCall {
  const { least = parameters.length, repeats = false, takesNull = false } = options;
  return (args, compiler) => {
    if (args.length < least || (args.length > parameters.length && !repeats)) return undefined;
    const typeAt = (at: number): SqlType =>
      parameters[Math.min(at, parameters.length - 1)] ?? "text";
    const fits = (node: Node, at: number): boolean =>
      !isPostgres(compiler) ||
      isImplicit(node.type, typeAt(at)) ||
      (node.shown !== undefined && isText(typeAt(at)));
    if (!args.every(fits)) return undefined;
    const nodes = args.map((node, at) => convertNode(node, typeAt(at), compiler));
    return computeNode(result, nodes, compiler, compute, takesNull);
  };
}

/** A node that computes with the values of others. */
export function computeNode(
  type: SqlType,
  nodes: readonly Node[],
  compiler: Compiler,
  compute: Compute,
  takesNull = false,
): Node {
  return {
    type,
    constant: nodes.every((node) => node.constant),
    run: (env) => {
      const values: SqlValue[] = [];
      for (const node of nodes) {
        const value = node.run(env);
        if (value === null && !takesNull) return null;
        values.push(value);
      }
      return compute(values, env, compiler);
    },
  };
}

/** A function of one dialect family. */
export function only(family: "postgres" | "mysql", make: MakeCall): MakeCall {
  return (args, compiler, call) =>
    isPostgres(compiler) === (family === "postgres") ? make(args, compiler, call) : undefined;
}

/** A table of functions from lists by names; names that share a function are separated by spaces. */
export function tableOf(
  entries: Readonly<Record<string, MakeCall | readonly MakeCall[]>>,
): FunctionTable {
  const table = new Map<string, readonly MakeCall[]>();
  for (const [names, makes] of Object.entries(entries)) {
    for (const name of names.split(" ")) {
      table.set(name, [
        ...(table.get(name) ?? []),
        ...(typeof makes === "function" ? [makes] : makes),
      ]);
    }
  }
  return table;
}

export function text(value: SqlValue | undefined): string {
  return value === undefined || value === null ? "" : plainText(value);
}

export function integer(value: SqlValue | undefined): number {
  return Number(value ?? 0);
}
