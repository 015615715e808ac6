// Columns and arguments connected by data flow: values that are compared with or written to one another share a format, and mean the same
// texts of the program.
import type { Expression, ValueType } from "../../program/expression";
import type { Schema } from "../../program/schema";
import type { Takes } from "../../program/takes";
import { ownEntry } from "../../protocol/dictionary";
import { INTERNED_BASE } from "../operations/operation";
import type { FlatProgram, Operation, Term } from "../operations/operation";

/** A place where a text occurs. */
export type Place =
  | { readonly table: string; readonly column: string }
  | { readonly transaction: string; readonly argument: string };

export interface PlaceFacts {
  readonly type: ValueType;
  /** The format required by one of the connected columns. */
  readonly takes: Takes | undefined;
  /** Texts of the program that it is compared with, or that are written to it. */
  readonly meets: ReadonlySet<string>;
  /** The column's default, where no argument may be written to it and the transactions give it no meaning: a row may well have it. */
  readonly usual?: string;
}

interface Group {
  readonly nodes: string[];
  readonly meets: Set<string>;
  takes: Takes | undefined;
}

/** Facts about each place. Nearly linear in the terms of these transactions. */
export function placesOfTexts(
  { tables, transactions, interned }: FlatProgram,
  schema: Schema,
  ids: ReadonlySet<string>,
): (place: Place) => PlaceFacts {
  const groups = new Map<string, Group>();
  const types = new Map<string, ValueType>();
  const own = new Map<string, Takes>();
  const defaults = new Map<string, string>();
  for (const { name, columns, checks } of schema.tables)
    for (const { name: column, type, takes, default: value } of columns) {
      const node = nodeOf({ table: name, column });
      types.set(node, type);
      const asked = takes ?? patternOf(checks, column);
      if (asked) own.set(node, asked);
      if (value?.kind === "literal" && typeof value.value === "string")
        defaults.set(node, value.value);
    }
  const groupOf = (node: string): Group => {
    const known = groups.get(node);
    if (known) return known;
    const made: Group = { nodes: [node], meets: new Set(), takes: own.get(node) };
    groups.set(node, made);
    return made;
  };
  const join = (left: string, right: string): void => {
    const [a, b] = [groupOf(left), groupOf(right)];
    if (a === b) return;
    const [large, small] = a.nodes.length < b.nodes.length ? [b, a] : [a, b];
    for (const node of small.nodes) {
      large.nodes.push(node);
      groups.set(node, large);
    }
    for (const text of small.meets) large.meets.add(text);
    large.takes ??= small.takes;
  };
  /** Connects the places whose values the two terms may have. */
  const meet = (left: readonly Source[], right: readonly Source[]): void => {
    for (const one of left)
      for (const other of right) {
        if ("node" in one && "node" in other) join(one.node, other.node);
        else if ("node" in one && "text" in other) groupOf(one.node).meets.add(other.text);
        else if ("text" in one && "node" in other) groupOf(other.node).meets.add(one.text);
      }
  };
  // Terms are shared: each is visited once, however often it is used.
  const walk = (
    part: unknown,
    sources: (term: Term) => readonly Source[],
    seen: Set<object>,
  ): void => {
    if (typeof part !== "object" || part === null || seen.has(part)) return;
    seen.add(part);
    if (isComparison(part)) meet(sources(part.left), sources(part.right));
    for (const each of Object.values(part)) walk(each, sources, seen);
  };
  const sourcesIn = (
    transaction: string,
    operations: readonly Operation[],
    table: string,
  ): ((term: Term) => readonly Source[]) => {
    const known = new Map<Term, readonly Source[]>();
    const sources = (term: Term): readonly Source[] => {
      const before = known.get(term);
      if (before) return before;
      const made = sourcesOf(term);
      known.set(term, made);
      return made;
    };
    const sourcesOf = (term: Term): readonly Source[] => {
      switch (term.kind) {
        case "int": {
          const text = interned[term.value - INTERNED_BASE];
          return text === undefined ? [] : [{ text }];
        }
        case "parameter":
          return [{ node: nodeOf({ transaction, argument: term.name }) }];
        case "column":
          return [{ node: nodeOf({ table, column: term.column }) }];
        case "conditional":
          return distinct([...sources(term.then), ...sources(term.otherwise)]);
        case "output":
        case "joined": {
          const from = operations[term.operation];
          const output = ownEntry(from?.outputs, term.name);
          if (!from || output?.kind !== "column") return [];
          return [{ node: nodeOf({ table: from.table, column: output.column }) }];
        }
        default:
          return [];
      }
    };
    return sources;
  };
  for (const { id, operations, parameters, ...rest } of transactions) {
    if (!ids.has(id)) continue;
    for (const { name, type } of parameters)
      types.set(nodeOf({ transaction: id, argument: name }), type);
    const guards = new Set<object>();
    for (const { guard, ...operation } of operations) {
      const { table } = operation;
      const sources = sourcesIn(id, operations, table);
      const written = [operation.key, operation.set, operation.update ?? {}];
      for (const [column, term] of written.flatMap((each) => Object.entries(each)))
        meet([{ node: nodeOf({ table, column }) }], sources(term));
      walk(operation, sources, new Set());
      walk(guard, sources, guards);
    }
    walk(rest, sourcesIn(id, operations, ""), guards);
  }
  for (const { name, foreignKeys } of schema.tables)
    for (const { columns, table, referenced } of foreignKeys)
      columns.forEach((column, at) => {
        const parent = referenced[at];
        if (parent !== undefined)
          join(nodeOf({ table: name, column }), nodeOf({ table, column: parent }));
      });
  for (const { name, checks } of Object.values(tables))
    walk(checks, sourcesIn("", [], name), new Set());
  return (place) => {
    const node = nodeOf(place);
    const group = groups.get(node);
    const meets = group?.meets ?? new Set();
    const usual = defaults.get(node);
    const isFree =
      group?.nodes.some(isArgument) === true || (usual !== undefined && meets.has(usual));
    return {
      type: types.get(node) ?? "other",
      takes: own.get(node) ?? group?.takes,
      meets,
      ...(usual !== undefined && !isFree && { usual }),
    };
  };
}

/** The regular expression that a CHECK asks a column for. */
function patternOf(checks: readonly Expression[], column: string): Takes | undefined {
  for (const check of checks) {
    if (check.kind !== "call" || check.name !== "~") continue;
    const [of, by] = check.arguments;
    const isOfColumn = of?.kind === "column" && of.column === column;
    if (isOfColumn && by?.kind === "literal" && typeof by.value === "string")
      return { kind: "pattern", pattern: by.value };
  }
  return undefined;
}

type Source = { readonly node: string } | { readonly text: string };

function distinct(sources: readonly Source[]): readonly Source[] {
  const byName = new Map(sources.map((each) => [JSON.stringify(each), each]));
  return [...byName.values()];
}

function nodeOf(place: Place): string {
  return "table" in place
    ? JSON.stringify(["column", place.table, place.column])
    : `${ARGUMENT}${JSON.stringify([place.transaction, place.argument])}`;
}

const ARGUMENT = "argument ";

function isArgument(node: string): boolean {
  return node.startsWith(ARGUMENT);
}

function isComparison(part: object): part is Extract<Term, { readonly kind: "compare" }> {
  return "kind" in part && part.kind === "compare";
}
