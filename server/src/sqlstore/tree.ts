// The syntax tree that the SQL of all dialects becomes before names are resolved: what both translations
// (`pg/`, `mysql/`) give and `compile/` takes. A construct that has no node here is refused by the translation.

import type { TypeName } from "./values/types";

export interface SqlOrder {
  readonly value: SqlExpression;
  readonly descending: boolean;
  /** Where NULLs go when the text says it. */
  readonly nulls?: "first" | "last";
}

export interface SqlFrame {
  readonly unit: "rows" | "range" | "groups";
  readonly start: SqlFrameBound;
  readonly end: SqlFrameBound;
}

export type SqlFrameBound =
  | { readonly kind: "unbounded preceding" | "unbounded following" | "current row" }
  | { readonly kind: "preceding" | "following"; readonly offset: SqlExpression };

export interface SqlWindow {
  /** A window of the WINDOW clause that this one is, or extends. */
  readonly base?: string;
  readonly partitionBy: readonly SqlExpression[];
  readonly orderBy: readonly SqlOrder[];
  readonly frame?: SqlFrame;
}

export interface SqlCall {
  readonly kind: "call";
  readonly name: string;
  readonly arguments: readonly SqlExpression[];
  /** COUNT(*) */
  readonly star: boolean;
  readonly distinct: boolean;
  readonly orderBy: readonly SqlOrder[];
  /** The order stands behind the call: percentile_cont(0.5) WITHIN GROUP (ORDER BY x). */
  readonly withinGroup: boolean;
  readonly filter?: SqlExpression;
  readonly over?: SqlWindow;
}

export type SqlExpression =
  | { readonly kind: "null" }
  | { readonly kind: "boolean"; readonly value: boolean }
  /** As written, so that 1.10 keeps its digits. */
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "string"; readonly value: string }
  /** Counted from one. */
  | { readonly kind: "parameter"; readonly number: number }
  | { readonly kind: "column"; readonly path: readonly string[] }
  /** `*` and `t.*` in a list of outputs. */
  | { readonly kind: "star"; readonly path: readonly string[] }
  /** `@x` of MySQL, without the sign, and what is assigned to it by `:=`. */
  | { readonly kind: "variable"; readonly name: string; readonly assigned?: SqlExpression }
  /** `@@x` of MySQL. */
  | { readonly kind: "setting"; readonly name: string }
  | {
      readonly kind: "unary";
      readonly operator: "-" | "+" | "~" | "not";
      readonly operand: SqlExpression;
    }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: SqlExpression;
      readonly right: SqlExpression;
    }
  | {
      readonly kind: "is";
      readonly operand: SqlExpression;
      readonly what: "null" | "true" | "false" | "unknown";
      readonly negated: boolean;
    }
  | {
      readonly kind: "in";
      readonly operand: SqlExpression;
      readonly values: readonly SqlExpression[] | SqlQuery;
      readonly negated: boolean;
    }
  | {
      readonly kind: "between";
      readonly operand: SqlExpression;
      readonly low: SqlExpression;
      readonly high: SqlExpression;
      readonly symmetric: boolean;
      readonly negated: boolean;
    }
  | {
      readonly kind: "like";
      readonly operand: SqlExpression;
      readonly pattern: SqlExpression;
      readonly escape?: SqlExpression;
      readonly form: "like" | "ilike" | "similar";
      readonly negated: boolean;
    }
  /** `x = ANY (...)`, of a query or of an array. */
  | {
      readonly kind: "quantified";
      readonly operator: string;
      readonly all: boolean;
      readonly left: SqlExpression;
      readonly right: SqlExpression | SqlQuery;
    }
  | { readonly kind: "exists"; readonly query: SqlQuery }
  | { readonly kind: "query"; readonly query: SqlQuery }
  /** ARRAY(SELECT ...) */
  | { readonly kind: "array query"; readonly query: SqlQuery }
  | SqlCall
  | {
      readonly kind: "case";
      readonly subject?: SqlExpression;
      readonly arms: readonly { readonly when: SqlExpression; readonly then: SqlExpression }[];
      readonly otherwise?: SqlExpression;
    }
  | { readonly kind: "cast"; readonly operand: SqlExpression; readonly type: TypeName }
  | { readonly kind: "array"; readonly items: readonly SqlExpression[] }
  | { readonly kind: "subscript"; readonly operand: SqlExpression; readonly index: SqlExpression }
  /** `a[2:3]`; a bound that is left out is that of the array. */
  | {
      readonly kind: "slice";
      readonly operand: SqlExpression;
      readonly from?: SqlExpression;
      readonly to?: SqlExpression;
    }
  /** `(row).name` */
  | { readonly kind: "field"; readonly operand: SqlExpression; readonly name: string }
  | { readonly kind: "row"; readonly values: readonly SqlExpression[] }
  /** INTERVAL n DAY of MySQL; the unit is folded and in the singular. */
  | { readonly kind: "interval"; readonly amount: SqlExpression; readonly unit: string }
  | { readonly kind: "collate"; readonly operand: SqlExpression; readonly collation: string }
  /** VALUES(column) in ON DUPLICATE KEY UPDATE. */
  | { readonly kind: "proposed"; readonly column: string }
  | { readonly kind: "default" };

export interface SqlOutput {
  readonly value: SqlExpression;
  readonly alias?: string;
  /** How a column that `*` stands for is written. */
  readonly shown?: string;
  /** The name of the column without an alias, where the dialect goes by the text. */
  readonly text?: string;
}

export type SqlRelation =
  | {
      readonly kind: "table";
      readonly schema?: string;
      readonly name: string;
      readonly alias?: string;
      readonly columns: readonly string[];
    }
  | {
      readonly kind: "query";
      readonly query: SqlQuery;
      readonly alias?: string;
      readonly columns: readonly string[];
      readonly lateral: boolean;
    }
  | {
      readonly kind: "function";
      readonly call: SqlCall;
      readonly alias?: string;
      readonly columns: readonly string[];
      readonly ordinality: boolean;
    }
  | {
      readonly kind: "join";
      readonly join: "inner" | "left" | "right" | "full" | "cross";
      readonly left: SqlRelation;
      readonly right: SqlRelation;
      readonly natural: boolean;
      readonly using: readonly string[];
      readonly on?: SqlExpression;
    };

export interface SqlLock {
  readonly strength: "update" | "share";
  readonly of: readonly string[];
  readonly wait: "block" | "nowait" | "skip locked";
}

export interface SqlWith {
  readonly name: string;
  readonly columns: readonly string[];
  readonly body: SqlQuery | SqlChange;
  readonly recursive: boolean;
}

/** Result of a query before its order and limit. */
export type SqlQueryBody =
  | {
      readonly kind: "select";
      readonly distinct: boolean | readonly SqlExpression[];
      readonly outputs: readonly SqlOutput[];
      readonly from: readonly SqlRelation[];
      readonly where?: SqlExpression;
      readonly groupBy: readonly SqlExpression[];
      /** GROUPING SETS, ROLLUP, CUBE: the sets, by places in `groupBy`. */
      readonly groupingSets?: readonly (readonly number[])[];
      readonly having?: SqlExpression;
      readonly windows: ReadonlyMap<string, SqlWindow>;
    }
  | { readonly kind: "values"; readonly rows: readonly (readonly SqlExpression[])[] }
  | {
      readonly kind: "set";
      readonly operator: "union" | "intersect" | "except";
      readonly all: boolean;
      readonly left: SqlQuery;
      readonly right: SqlQuery;
    };

export interface SqlQuery {
  readonly kind: "select";
  readonly with: readonly SqlWith[];
  readonly body: SqlQueryBody;
  readonly orderBy: readonly SqlOrder[];
  readonly limit?: SqlExpression;
  readonly offset?: SqlExpression;
  readonly locks: readonly SqlLock[];
  /** SQL_CALC_FOUND_ROWS: FOUND_ROWS() counts the rows behind the limit, too. */
  readonly countsAll?: boolean;
}

export interface SqlAssignment {
  readonly path: readonly string[];
  readonly value: SqlExpression;
}

export interface SqlInsert {
  readonly kind: "insert";
  readonly with: readonly SqlWith[];
  readonly table: string;
  readonly alias?: string;
  /** Empty: all of the table's. */
  readonly columns: readonly string[];
  /** Undefined: DEFAULT VALUES. */
  readonly source?: SqlQuery;
  readonly overriding?: "system" | "user";
  readonly conflict?: SqlConflict;
  readonly returning?: readonly SqlOutput[];
}

export interface SqlConflict {
  readonly action: "nothing" | "update" | "replace" | "ignore";
  /** Columns of the key that the conflict is about; undefined: any key. */
  readonly target?: readonly string[];
  /** Expressions beside them. */
  readonly expressions?: readonly SqlExpression[];
  readonly constraint?: string;
  readonly set: readonly SqlAssignment[];
  readonly where?: SqlExpression;
  /** How the proposed row is called: `excluded`, or MySQL's alias. */
  readonly proposed?: { readonly alias: string; readonly columns: readonly string[] };
}

export interface SqlUpdate {
  readonly kind: "update";
  readonly with: readonly SqlWith[];
  /** The changed table; in MySQL a join of several. */
  readonly target: SqlRelation;
  readonly set: readonly SqlAssignment[];
  readonly from: readonly SqlRelation[];
  readonly where?: SqlExpression;
  readonly orderBy: readonly SqlOrder[];
  readonly limit?: SqlExpression;
  readonly returning?: readonly SqlOutput[];
}

export interface SqlDelete {
  readonly kind: "delete";
  readonly with: readonly SqlWith[];
  /** Names or aliases of the relations of `from` that lose rows. */
  readonly targets: readonly string[];
  readonly from: readonly SqlRelation[];
  readonly where?: SqlExpression;
  readonly orderBy: readonly SqlOrder[];
  readonly limit?: SqlExpression;
  readonly returning?: readonly SqlOutput[];
}

export interface SqlMerge {
  readonly kind: "merge";
  readonly with: readonly SqlWith[];
  readonly target: Extract<SqlRelation, { readonly kind: "table" }>;
  readonly source: SqlRelation;
  readonly on: SqlExpression;
  readonly clauses: readonly MergeClause[];
  readonly returning?: readonly SqlOutput[];
}

/** WHEN [NOT] MATCHED [AND ...] THEN. */
export type MergeClause = {
  readonly isMatched: boolean;
  readonly condition?: SqlExpression;
} & (
  | { readonly action: "nothing" | "delete" }
  | { readonly action: "update"; readonly set: readonly SqlAssignment[] }
  | {
      readonly action: "insert";
      /** Empty: all of the table's. */
      readonly columns: readonly string[];
      /** Undefined: DEFAULT VALUES. */
      readonly values?: readonly SqlExpression[];
      readonly overriding?: "system" | "user";
    }
);

export type SqlChange = SqlInsert | SqlUpdate | SqlDelete | SqlMerge;
