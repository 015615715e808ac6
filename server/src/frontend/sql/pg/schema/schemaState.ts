// State of a schema while its definitions are replayed.
import type { Node, RangeVar } from "libpg-query";
import type { Expression, ValueType } from "../../../../program/expression";
import type { Note } from "../../../../program/program";
import type { Table } from "../../../../program/schema";
import type { Takes } from "../../../../program/takes";
import type { SourceRange } from "../../../../protocol/source";
import { declarationContext, sourceOf, type SqlPiece } from "../../lowering";
import { nameSpaceOf, type NameSpace } from "../../relationNames";
import { tableName } from "../ast";
import { lowerExpression } from "../recursion";
import { sourceOfRelation, type Scope } from "../scope";
import { startWork } from "../statement";
import type { Triggers } from "../triggers/triggerDefinitions";
import { valueTypeOf } from "../valueType";
import type { Policies } from "./policies";
import type { View } from "./views";

export interface DefinitionLoss {
  readonly message: string;
  /** The whole definition. */
  readonly source: SourceRange;
}

/** A type with a default and conditions. */
export interface Domain {
  readonly type: ValueType;
  readonly isNullable: boolean;
  readonly value: Node | undefined;
  readonly checks: readonly { readonly node: Node; readonly piece: SqlPiece }[];
}

export interface State {
  readonly tables: Map<string, Table>;
  /** Names that tables of several schemas have, none of them the default one. */
  readonly shared: Set<string>;
  readonly views: Map<string, View>;
  /** Types of the user's own: enumerations are text, domains what they are based on. */
  readonly types: Map<string, ValueType>;
  readonly domains: Map<string, Domain>;
  /** Types whose texts may be equal though they are written otherwise. */
  readonly loose: Set<string>;
  /** Collations of the user's own, and whether equal texts are the same text in them. */
  readonly collations: Map<string, boolean>;
  /** The form of values of these types, where that is known. */
  readonly takes: Map<string, Takes>;
  readonly triggers: Triggers;
  readonly policies: Policies;
  readonly notes: Note[];
  readonly losses: DefinitionLoss[];
  /** Names of primary keys and checks, by the very object: the AR keeps none. */
  readonly names: WeakMap<object, string>;
  piece: SqlPiece;
  /** The schema of what is defined without one, where `SET search_path` names it. */
  schema: string | undefined;
}

/** The name space of the definition that is replayed. */
export function nameSpace({ tables, piece }: State): NameSpace {
  return nameSpaceOf({ piece, table: (name) => tables.get(name) }, "postgres");
}

export function say(state: State, message: string, code = "not-analysed"): void {
  const source = sourceOf(state.piece);
  state.notes.push({ severity: "information", code, message, source });
}

/** Parts of a definition that tables do not keep, without a note: nothing that is checked rests on them. */
export function recordLoss(state: State, what: string): void {
  state.losses.push({ message: what, source: sourceOf(state.piece) });
}

export function change(
  state: State,
  relation: RangeVar | undefined,
  update: (table: Table) => Table,
): void {
  const table = state.tables.get(tableName(relation));
  if (table !== undefined) state.tables.set(table.name, update(table));
}

export function typeOf(name: string, state: State): ValueType {
  return state.types.get(name) ?? valueTypeOf(name);
}

/** An expression over the columns of a table. */
export function condition(node: Node, table: Table, state: State): Expression {
  const work = startWork(
    declarationContext(state.piece, table.name, (name) =>
      name === table.name ? table : undefined,
    ),
  );
  const relation = { alias: table.name, table: table.name, kind: "base", join: "inner" } as const;
  const scope: Scope = { sources: [sourceOfRelation(relation, work)] };
  const value = lowerExpression(node, scope, work);
  for (const { reason } of work.taint) recordLoss(state, reason);
  return value;
}
