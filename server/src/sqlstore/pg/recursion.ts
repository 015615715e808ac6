// The way from expressions and changes of PostgreSQL's tree into the queries inside them. `statement.ts` ties the knot,
// so that no file imports one that imports it.
import type { Node, SelectStmt } from "libpg-query";
import { failure } from "../sqlError";
import type { SqlChange, SqlQuery } from "../tree";

interface Translators {
  readonly query: (node: SelectStmt) => SqlQuery;
  readonly change: (node: Node) => SqlChange | undefined;
}

const knot: { translators?: Translators } = {};

/** Says who translates queries and changes; called once, when the module of statements is loaded. */
export function tie(translators: Translators): void {
  knot.translators = translators;
}

function translators(): Translators {
  if (knot.translators === undefined)
    throw failure("internal", "no translator of queries is known");
  return knot.translators;
}

/** A SELECT, VALUES or set operation wherever it stands. */
export function queryOf(node: SelectStmt): SqlQuery {
  return translators().query(node);
}

/** An INSERT, UPDATE or DELETE inside WITH; undefined for other nodes. */
export function changeOf(node: Node): SqlChange | undefined {
  return translators().change(node);
}
