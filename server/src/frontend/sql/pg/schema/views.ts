// Views: their queries are read where statements name them, over the tables of that time.
import type { SelectStmt } from "libpg-query";
import type { Table } from "../../../../program/schema";
import { declarationContext, type LoweringContext, type SqlPiece } from "../../lowering";
import { withColumnNames } from "../../terms";
import { lowerQuery } from "../recursion";
import { startWork } from "../statement";
import type { Query } from "../../../../program/expression";
import { viewNamed } from "../../relationNames";
import { withLosses } from "./viewLosses";

export interface View {
  readonly select: SelectStmt;
  readonly columns: readonly string[];
  /** The schema that its definition names. */
  readonly schema?: string | undefined;
  readonly piece: SqlPiece;
}

/** A view's query; views on views are followed, a view on itself is not. */
export function viewQuery(
  name: string,
  views: ReadonlyMap<string, View>,
  table: (name: string) => Table | undefined,
  inside: readonly string[],
): Query | undefined {
  const view = viewNamed(name, views, { table, dialect: "postgres" });
  if (view === undefined || inside.includes(name)) return undefined;
  const context: LoweringContext = {
    ...declarationContext(view.piece, name, table),
    view: (inner) => viewQuery(inner, views, table, [...inside, name]),
  };
  const work = startWork(context);
  const query = lowerQuery(view.select, undefined, work);
  return withLosses(withColumnNames(query, view.columns), work.taint);
}
