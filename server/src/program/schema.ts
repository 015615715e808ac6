// Tables as declared by DDL, or inferred from statements.
import type { SourceRange } from "../protocol/source";
import type { Expression, ValueType } from "./expression";
import type { Takes } from "./takes";

export interface Column {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  /** The format of its texts; anything of its type if absent. */
  readonly takes?: Takes;
  /** True for 64-bit integers, which drivers return as strings or as another kind of number. */
  readonly isWide?: true;
  /** True if its texts are compared bytewise, unlike MySQL texts without a binary collation. */
  readonly isBytewise?: true;
  /** True if different texts may be equal in it: citext, char(n), a nondeterministic collation. */
  readonly isLoose?: true;
  /** The default value of an INSERT. `sequence`: serial, identity; NULL if absent. */
  readonly default?: Expression;
  /** GENERATED ALWAYS AS: its value over this table's columns; an unknown if not understood. */
  readonly generated?: Expression;
}

/** An effect of a table that is not modelled. */
export interface Doubt {
  readonly reason: string;
  /** The affected statements: all on the table, or those that write some of the columns. */
  readonly touching: "all" | { readonly columns: readonly string[]; readonly deletions: boolean };
  /** True if no level covers it, not even SERIALIZABLE. */
  readonly isOutside?: true;
  /** The part of the table's definition that causes it, which a later definition may replace. */
  readonly part?: "engine";
}

export interface ForeignKey {
  readonly columns: readonly string[];
  /** The name of its constraint, if any. */
  readonly name?: string;
  readonly table: string;
  readonly referenced: readonly string[];
  /** The effect on this row of deleting the referenced one, if that is not refused. */
  readonly onDelete?: "cascade" | "set";
  /** NOT VALID: it applies to writes, but older rows may violate it. */
  readonly isUnvalidated?: true;
  readonly deferrable?: Deferrable;
}

/** DEFERRABLE: checked at the end of each statement, or (DEFERRED) at commit. */
export type Deferrable = "immediate" | "deferred";

export interface UniqueKey {
  readonly columns: readonly string[];
  /** The name of its constraint or index, if any. */
  readonly name?: string;
  /** The condition of a partial unique index. */
  readonly where?: Expression;
  readonly deferrable?: Deferrable;
}

export interface Table {
  /** With its schema before it where another schema has a table of its name. */
  readonly name: string;
  /** The schema that its definition names. */
  readonly schema?: string;
  readonly columns: readonly Column[];
  /** Empty if the table has none. */
  readonly primaryKey: readonly string[];
  readonly uniqueKeys: readonly UniqueKey[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Conditions over this table's columns, with `relation` = the table's name. */
  readonly checks: readonly Expression[];
  readonly doubts?: readonly Doubt[];
  /** True if its engine has no transactions: each statement commits its changes here permanently. */
  readonly hasNoTransactions?: true;
  readonly source?: SourceRange;
  /** True if there is no DDL: columns and key are inferred from statements. */
  readonly inferred: boolean;
}

/** A table without columns and keys; `source` is its declaration, if any. */
export function emptyTable(name: string, source?: SourceRange): Table {
  return {
    name,
    columns: [],
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    checks: [],
    ...(source && { source }),
    inferred: source === undefined,
  };
}

export interface Schema {
  readonly tables: readonly Table[];
}

/** True if the key is only checked at commit. */
export function isDeferred({ deferrable }: UniqueKey | ForeignKey): boolean {
  return deferrable === "deferred";
}
