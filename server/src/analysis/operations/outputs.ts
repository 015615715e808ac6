// Outputs of a query, as terms.
import type { Query } from "../../program/expression";
import type { Builder, ResultTerms, Scope } from "./builder";
import { flattenExpression } from "./expression";
import type { Term } from "./operation";
import { NULL } from "./terms";

/** The rows of a query as terms in its scope. */
export function outputsOf(
  builder: Builder,
  query: Query,
  scope: Scope,
): Pick<ResultTerms, "row" | "values"> {
  const values = query.outputs.map(({ value }) => flattenExpression(builder, value, scope));
  return namedOutputs(query, values);
}

/** Values in the order of a query's outputs, by name. */
export function namedOutputs(
  query: Query,
  values: readonly Term[],
): Pick<ResultTerms, "row" | "values"> {
  const row = query.outputs.map(({ name }, at): [string, Term] => [name, values[at] ?? NULL]);
  return { row: Object.fromEntries(row), values };
}
