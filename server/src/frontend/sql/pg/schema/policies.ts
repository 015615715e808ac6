// Row level security as definitions leave it.
import type { CreatePolicyStmt, Node } from "libpg-query";
import type { SourceRange } from "../../../../protocol/source";
import { sourceOf, type SqlPiece } from "../../lowering";
import { tableName } from "../ast";

export interface Policy {
  readonly name: string;
  readonly table: string;
  /** USING and WITH CHECK. */
  readonly conditions: readonly Node[];
  /** It holds for the table's owner as well. */
  readonly isForced: boolean;
  readonly piece: SqlPiece;
  readonly source: SourceRange;
}

export interface Policies {
  readonly all: Omit<Policy, "isForced">[];
  /** The tables whose policies are in force, and those where they are for owners, too, once they are. */
  readonly tables: Set<string>;
  readonly forced: Set<string>;
}

export function noPolicies(): Policies {
  return { all: [], tables: new Set(), forced: new Set() };
}

/** CREATE POLICY. */
export function definePolicy(
  statement: CreatePolicyStmt,
  piece: SqlPiece,
  { all }: Policies,
): void {
  const { policy_name: name = "", table, qual, with_check: check } = statement;
  const conditions = [qual, check].filter((each) => each !== undefined);
  all.push({ name, table: tableName(table), conditions, piece, source: sourceOf(piece) });
}

/** ALTER TABLE ... ENABLE, DISABLE, FORCE or NO FORCE ROW LEVEL SECURITY. */
export function switchPolicies(table: string, subtype: string, policies: Policies): void {
  const { tables, forced } = policies;
  if (subtype === "AT_EnableRowSecurity") tables.add(table);
  if (subtype === "AT_DisableRowSecurity") tables.delete(table);
  if (subtype === "AT_ForceRowSecurity") forced.add(table);
  if (subtype === "AT_NoForceRowSecurity") forced.delete(table);
}

/** DROP POLICY name ON table, by the path that ends so. */
export function dropPolicy(path: readonly string[], { all }: Policies): void {
  const [table = "", name = ""] = path.slice(-2);
  const at = all.findIndex((each) => each.table === table && each.name === name);
  if (at >= 0) all.splice(at, 1);
}

/** The table goes, and its policies with it. */
export function dropPoliciesOf(table: string, { all, tables, forced }: Policies): void {
  tables.delete(table);
  forced.delete(table);
  all.splice(0, all.length, ...all.filter((each) => each.table !== table));
}

/** The table has another name. */
export function movePolicies(from: string, to: string, { all, tables, forced }: Policies): void {
  for (const each of [tables, forced]) if (each.delete(from)) each.add(to);
  all.forEach((each, at) => {
    if (each.table === from) all[at] = { ...each, table: to };
  });
}

/** Those of tables where they are in force: without ENABLE ROW LEVEL SECURITY a policy means nothing. */
export function policiesInForce({ all, tables, forced }: Policies): readonly Policy[] {
  return all
    .filter(({ table }) => tables.has(table))
    .map((each) => ({ ...each, isForced: forced.has(each.table) }));
}
