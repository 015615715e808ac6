// Losses of the lowering of a view's query, kept beside the query: whoever reads the view loses it, too.
import { attribute } from "../../../../query/nodes";
import type { Taint } from "../../../../program/precision";
import type { Query } from "../../../../program/expression";

const LOSSES = attribute<Query, readonly Taint[]>();

/** The query, which from now on has these losses. */
export function withLosses(query: Query, losses: readonly Taint[]): Query {
  LOSSES.set(query, losses);
  return query;
}

/** The losses of a view's query. */
export function lossesOf(query: Query): readonly Taint[] {
  return LOSSES.get(query) ?? [];
}
