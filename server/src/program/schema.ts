// Tables as DDL declares them, or as statements let us infer.
import type { SourceRange } from "../protocol/source";
import type { Expression, ValueType } from "./expression";
import type { Takes } from "./takes";

export interface Column {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  /** Look of its texts; absent: anything of its type. */
  readonly takes?: Takes;
  /** Its whole numbers are of 64 bits: drivers give them as texts, or as numbers of another kind. */
  readonly isWide?: true;
  /** Its texts are equal where their bytes are, other than texts of MySQL are unless a collation says so. */
  readonly isBytewise?: true;
  /** Texts that are written otherwise may be equal in it: citext, char(n), a collation that is not deterministic. */
  readonly isLoose?: true;
  /** Value of an INSERT that leaves the column out. `sequence`: serial, identity; absent: NULL. */
  readonly default?: Expression;
  /** GENERATED ALWAYS AS: what it is always, over this table's columns; unknown where that is not understood. */
  readonly generated?: Expression;
}

/** Effect of a table that nothing follows. */
export interface Doubt {
  readonly reason: string;
  /** It matters to every statement on the table, or to those that write some of the columns. */
  readonly touching: "all" | { readonly columns: readonly string[]; readonly deletions: boolean };
  /** No level answers for it, SERIALIZABLE neither. */
  readonly isOutside?: true;
  /** The part of the table's definition that it is about, where a later definition replaces that part. */
  readonly part?: "engine";
}

export interface ForeignKey {
  readonly columns: readonly string[];
  /** The name of its constraint, where it has one. */
  readonly name?: string;
  readonly table: string;
  readonly referenced: readonly string[];
  /** Effect of a deletion of the referenced row on this one, where it is not refused. */
  readonly onDelete?: "cascade" | "set";
  /** NOT VALID: it binds what is written, and rows from before may break it. */
  readonly isUnvalidated?: true;
}

export interface UniqueKey {
  readonly columns: readonly string[];
  /** The name of its constraint or index, where it has one. */
  readonly name?: string;
  /** A partial unique index holds only for rows that satisfy this. */
  readonly where?: Expression;
  /** DEFERRABLE: whether it is checked at the end of each statement, or (DEFERRED) at the commit. */
  readonly deferrable?: "immediate" | "deferred";
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Empty when the table has none. */
  readonly primaryKey: readonly string[];
  readonly uniqueKeys: readonly UniqueKey[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Conditions over this table's columns, with `relation` = the table's name. */
  readonly checks: readonly Expression[];
  readonly doubts?: readonly Doubt[];
  /** Its engine has no transactions: each statement commits what it did here, and nothing undoes that. */
  readonly hasNoTransactions?: true;
  readonly source?: SourceRange;
  /** No DDL was found: columns and key come from the statements. */
  readonly inferred: boolean;
}

/** A table without columns and keys; `source`: where it is declared, if it is. */
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

/** True if the key holds when a transaction commits, and not before. */
export function isDeferred({ deferrable }: UniqueKey): boolean {
  return deferrable === "deferred";
}
