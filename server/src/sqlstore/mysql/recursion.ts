// The way from expressions into the queries inside them. `statement.ts` ties the knot, so that no file imports one that
// imports it.
import type { SyntaxQuery } from "../../frontend/sql/dialects/syntax";
import { failure } from "../sqlError";
import type { SqlQuery } from "../tree";

const knot: { query?: (tree: SyntaxQuery) => SqlQuery } = {};

/** Says who translates queries; called once, when the module of statements is loaded. */
export function tie(query: (tree: SyntaxQuery) => SqlQuery): void {
  knot.query = query;
}

/** A query wherever it stands. */
export function queryOf(tree: SyntaxQuery): SqlQuery {
  if (knot.query === undefined) throw failure("internal", "no translator of queries is known");
  return knot.query(tree);
}
