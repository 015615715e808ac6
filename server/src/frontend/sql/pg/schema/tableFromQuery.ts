// CREATE TABLE ... AS, SELECT ... INTO and materialized views: tables whose columns a query tells. They have no keys.
import type { CreateTableAsStmt, RangeVar } from "libpg-query";
import { hidesColumns } from "../../../../program/precision";
import { emptyTable, type Column } from "../../../../program/schema";
import { declarationContext, sourceOf } from "../../lowering";
import { withColumnNames } from "../../terms";
import { typeOf } from "../../types";
import { stringsOf } from "../ast";
import { lowerQuery } from "../recursion";
import { startWork } from "../statement";
import { nameOfDefined } from "./renameTable";
import { say, type State } from "./schemaState";
import { viewQuery } from "./views";

/** Adds the table of that name with the columns of its query; says so where they are not known. */
export function createFromQuery(
  statement: CreateTableAsStmt,
  rel: RangeVar | undefined,
  state: State,
): void {
  const { into, query } = statement;
  const { relname: written = "", schemaname: schema = state.schema } = rel ?? {};
  const name = written === "" ? "" : nameOfDefined({ name: written, schema }, state);
  if (name === "" || (state.tables.has(name) && statement.if_not_exists === true)) return;
  if (state.tables.has(name)) {
    say(state, `${name} is defined a second time; the first definition is taken.`);
    return;
  }
  const columns =
    query !== undefined && "SelectStmt" in query
      ? columnsOf(query.SelectStmt, stringsOf(into?.colNames), state)
      : undefined;
  if (columns === undefined || columns.length === 0) {
    say(state, `${name} is filled by a query when it is created, so its columns are not known.`);
    return;
  }
  state.tables.set(name, {
    ...emptyTable(name, sourceOf(state.piece)),
    ...(schema !== undefined && { schema }),
    columns,
  });
}

function columnsOf(
  select: Parameters<typeof lowerQuery>[0],
  names: readonly string[],
  state: State,
): readonly Column[] | undefined {
  const table = (name: string) => state.tables.get(name);
  const view = (name: string) => viewQuery(name, state.views, table, []);
  const work = startWork({ ...declarationContext(state.piece, "query", table), view });
  const query = withColumnNames(lowerQuery(select, undefined, work), names);
  if (hidesColumns(work.taint)) return undefined;
  const none = new Map<string, never>();
  const environment = { table, parameters: none, variables: none, results: none };
  return query.outputs.map(({ name, value }): Column => {
    return { name, type: typeOf(value, query.relations, environment) ?? "other", nullable: true };
  });
}
