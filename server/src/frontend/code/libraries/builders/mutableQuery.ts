// Queries that calls change in place: what a variable holds is a record with the query by now.
import { kindGuard } from "../kindGuard";
import type { SourceRange } from "../../../../protocol/source";
import { constantText, UNDEFINED, unknown, type HandleValue, type Value } from "../../values";
import type { Call, Tools } from "../library";
import { either, flagOf, hasSameParts, type Draft } from "./draft";

export interface MutableQuery {
  readonly kind: "mutable";
  readonly cell: Value;
}

export const isMutable = kindGuard<MutableQuery>("mutable");

export function mutableQuery(query: object, tools: Tools): MutableQuery {
  return { kind: "mutable", cell: tools.object({ query: tools.handle("query", query) }) };
}

/** Another one that begins as a query is by now. */
export function copyOf({ cell: before }: MutableQuery, tools: Tools): MutableQuery {
  return { kind: "mutable", cell: tools.object({ query: tools.member(before, "query") }) };
}

export function setQuery({ cell }: MutableQuery, query: object, tools: Tools): void {
  tools.assign(cell, "query", tools.handle("query", query));
}

/** A builder's queries: what tells them, and how two of them are one by a flag. */
export interface QueryKind<Query extends object> {
  readonly isQuery: (data: unknown) => data is Query;
  readonly phi: (flag: Value, then: Query, otherwise: Query) => Query | undefined;
}

/** Queries with a draft are one where the drafts differ in conditions alone. */
export function draftPhi<Query extends { readonly draft: Draft; readonly source: SourceRange }>(
  flag: Value,
  then: Query,
  otherwise: Query,
): Query | undefined {
  const { draft, source: _, ...rest } = then;
  const { draft: other, source: __, ...otherRest } = otherwise;
  const both = hasSameParts(rest, otherRest) ? either(flag, draft, other) : undefined;
  return both && { ...then, draft: both };
}

/** The query by now; undefined where it differs by path in more than its conditions. */
export function queryIn<Query extends object>(
  { cell }: MutableQuery,
  kind: QueryKind<Query>,
  tools: Tools,
): Query | undefined {
  return queryOf(tools.member(cell, "query"), kind);
}

function queryOf<Query extends object>(value: Value, kind: QueryKind<Query>): Query | undefined {
  if (value.kind === "handle") return kind.isQuery(value.data) ? value.data : undefined;
  if (value.kind !== "choice") return undefined;
  const [then, otherwise] = [queryOf(value.then, kind), queryOf(value.otherwise, kind)];
  return then && otherwise && kind.phi(flagOf(value), then, otherwise);
}

/** The results of a query, or of each that it may be by path. */
export function onEach<Query extends object>(
  data: MutableQuery,
  kind: QueryKind<Query>,
  tools: Tools,
  run: (query: Query) => Value,
): Value {
  const query = queryIn(data, kind, tools);
  if (query) return run(query);
  const value = tools.member(data.cell, "query");
  if (value.kind !== "choice") return unknown("a query that is not known", [tools.expression(value)]); // prettier-ignore
  const way = (each: Value) => (): Value => {
    tools.assign(data.cell, "query", each);
    return onEach(data, kind, tools, run);
  };
  return tools.either(value.condition, way(value.then), way(value.otherwise));
}

/** How a builder that is awaited runs, and what its other methods do to the query. */
export interface ThenableBuilder<Query extends object> extends QueryKind<Query> {
  readonly run: (handle: HandleValue, query: Query, tools: Tools) => Value;
  readonly extend: (query: Query, method: string, call: Call, tools: Tools) => Query;
}

export function awaitQuery<Query extends object>(
  handle: HandleValue,
  builder: ThenableBuilder<Query>,
  tools: Tools,
): Value | undefined {
  const { data } = handle;
  if (!isMutable(data)) return undefined;
  return onEach(data, builder, tools, (query) => builder.run(handle, query, tools));
}

/** A method of a builder, which runs its query or changes it. */
export function builderCall<Query extends object>(
  handle: HandleValue,
  builder: ThenableBuilder<Query>,
  call: Call,
  tools: Tools,
): Value | undefined {
  const { data, path } = handle;
  if (!isMutable(data)) return undefined;
  const method = path.split(".").at(-1) ?? "";
  const [first, ...rest] = call.arguments;
  const again: HandleValue = { ...handle, path: "query" };
  if (method === "then" || method === "catch") {
    const value = awaitQuery(handle, builder, tools);
    return first && value && method === "then" ? tools.call(first, [value], call.source) : value;
  }
  if (method === "clone") return { ...again, data: copyOf(data, tools) };
  // The name of a modifier is none that is followed.
  if (method === "modify" && constantText(first) === undefined) {
    if (first) tools.call(first, [handle, ...rest], call.source);
    return again;
  }
  onEach(data, builder, tools, (query) => {
    setQuery(data, builder.extend(query, method, call, tools), tools);
    return UNDEFINED;
  });
  return again;
}
