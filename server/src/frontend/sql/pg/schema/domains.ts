// Domains: types with a default and conditions, which every column of them has.
import type { CreateDomainStmt } from "libpg-query";
import type { Expression } from "../../../../program/expression";
import type { Table } from "../../../../program/schema";
import { declarationContext } from "../../lowering";
import { lastName, typeText } from "../ast";
import { lowerExpression } from "../recursion";
import { NO_SOURCES } from "../scope";
import { startWork } from "../statement";
import { isLooseText } from "./collations";
import { takesOfType } from "./enumerations";
import { condition, recordLoss, typeOf, type Domain, type State } from "./schemaState";
import { ownTypeKey } from "./typeNames";

/** CREATE DOMAIN: what the type that it is based on says holds as well. */
export function defineDomain(statement: CreateDomainStmt, state: State): void {
  const { domainname, typeName, constraints = [] } = statement;
  const base = typeText(typeName);
  const from = state.domains.get(base);
  let domain: Domain = {
    type: typeOf(base, state),
    isNullable: from?.isNullable ?? true,
    value: from?.value,
    checks: from?.checks ?? [],
  };
  for (const each of constraints) {
    if (!("Constraint" in each)) continue;
    const { contype, raw_expr: node } = each.Constraint;
    if (contype === "CONSTR_NOTNULL") domain = { ...domain, isNullable: false };
    else if (contype === "CONSTR_DEFAULT") domain = { ...domain, value: node };
    else if (contype === "CONSTR_CHECK" && node !== undefined)
      domain = { ...domain, checks: [...domain.checks, { node, piece: state.piece }] };
  }
  const name = ownTypeKey(lastName(domainname));
  state.domains.set(name, domain);
  state.types.set(name, domain.type);
  if (isLooseText(typeName, statement.collClause, state)) state.loose.add(name);
  const takes = takesOfType(typeName, state);
  if (takes) state.takes.set(name, takes);
}

/** The default of a column of that type; undefined where the type says none. */
export function defaultOfType(type: string, table: Table, state: State): Expression | undefined {
  const value = state.domains.get(type)?.value;
  return value === undefined ? undefined : condition(value, table, state);
}

/** The table with the conditions of a column of that type. */
export function withChecksOfType(table: Table, column: string, type: string, state: State): Table {
  const elements = state.domains.get(type.replace(/\[\]$/, ""));
  if (type.endsWith("[]") && elements !== undefined && elements.checks.length > 0)
    recordLoss(state, "the conditions of a domain in an array");
  const checks = (state.domains.get(type)?.checks ?? []).map(({ node, piece }): Expression => {
    const value: Expression = { kind: "column", relation: table.name, column };
    const work = startWork({
      ...declarationContext(piece, table.name, () => undefined),
      variable: (path) => (path.length === 1 && path[0] === "value" ? value : undefined),
    });
    const check = lowerExpression(node, NO_SOURCES, work);
    for (const { reason } of work.taint) recordLoss(state, reason);
    return check;
  });
  return checks.length === 0 ? table : { ...table, checks: [...table.checks, ...checks] };
}
