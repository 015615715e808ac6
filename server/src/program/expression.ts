// Expressions of the abstract representation. Predicates are expressions of type bool under three-valued logic.
import type { RowLock } from "./rowLocks";

export type ValueType = "int" | "decimal" | "text" | "bool" | "time" | "json" | "bytes" | "other";

export type ComparisonOperator = "=" | "<>" | "<" | "<=" | ">" | ">=";
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "||";
export type AggregateFunction = "min" | "max" | "sum" | "count" | "avg" | "exists" | "other";

/**
 * An expression. `column` refers to a row: a column of a relation of the enclosing query, update or delete (`relation` is the alias).
 * Everything else is row-independent.
 */
export type Expression =
  | {
      readonly kind: "literal";
      readonly value: number | string | boolean | null;
      readonly type: ValueType;
    }
  /** An argument of the transaction. */
  | { readonly kind: "parameter"; readonly name: string }
  /** An array argument as a whole: only valid below `element` and `call` (`array_length`, `cardinality`). */
  | { readonly kind: "array"; readonly parameter: string; readonly elements: ValueType }
  /** `array[index]`, counted from one; NULL out of bounds. */
  | { readonly kind: "element"; readonly array: Expression; readonly index: Expression }
  /** A local variable, assigned by `assign` commands (NULL before). */
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "column"; readonly relation: string; readonly column: string }
  /** A field of a row of an earlier result; NULL if there is no such row. `at` is a loop id, or "first". */
  | {
      readonly kind: "field";
      readonly result: string;
      readonly field: string;
      readonly at: "first" | { readonly loop: string };
    }
  /** Number of rows of an earlier result. */
  | { readonly kind: "size"; readonly result: string }
  /** Number of rows that an earlier INSERT, UPDATE or DELETE changed. */
  | { readonly kind: "affected"; readonly statement: string }
  /**
   * A test over the rows of an earlier result, in order; the current row is `field` with `at: { loop }`. `any`: whether `where` holds for
   * one of them, with NULL as in OR. `first` and `last`: `value` of the first or last row for which it holds, NULL without one. `count`:
   * the number of those rows.
   */
  | {
      readonly kind: "among";
      readonly result: string;
      readonly loop: string;
      readonly function: "any" | "first" | "last" | "count";
      readonly where: Expression;
      /** For `first` and `last` only. */
      readonly value?: Expression;
    }
  | {
      readonly kind: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "negate"; readonly operand: Expression }
  | {
      readonly kind: "comparison";
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
  | { readonly kind: "not"; readonly operand: Expression }
  | { readonly kind: "isNull"; readonly operand: Expression }
  /** `a IS NOT DISTINCT FROM b`: equality in which two NULLs are equal. */
  | { readonly kind: "sameValue"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "in"; readonly operand: Expression; readonly values: readonly Expression[] }
  | { readonly kind: "inQuery"; readonly operand: Expression; readonly query: Query }
  | { readonly kind: "exists"; readonly query: Query }
  /** A scalar subquery: its single column of its single row, NULL without rows. */
  | { readonly kind: "subquery"; readonly query: Query }
  | {
      readonly kind: "like";
      readonly operand: Expression;
      readonly pattern: Expression;
      readonly insensitive: boolean;
    }
  | {
      readonly kind: "conditional";
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | { readonly kind: "coalesce"; readonly operands: readonly Expression[] }
  /** `operand` is absent for COUNT(*); only in the outputs, HAVING or ORDER BY of a query. */
  | {
      readonly kind: "aggregate";
      readonly function: AggregateFunction;
      /** The name for `other`, a function of the values in these rows. */
      readonly name?: string;
      readonly operand?: Expression;
      readonly distinct: boolean;
    }
  /** A named function. Deterministic ones are evaluated by name (`greatest`, `least`, `abs`, `lower`, `upper`, `length`, `mod`). */
  | {
      readonly kind: "call";
      readonly name: string;
      readonly arguments: readonly Expression[];
      readonly deterministic: boolean;
      /** The module of a code function, which distinguishes functions of one name. */
      readonly module?: string;
      /** The end of the name that is a property of the function's result (`.user.id`). */
      readonly property?: string;
      /**
       * True for a set-returning function (`unnest`), only in a query's outputs: each row becomes one row per value. Several of them
       * advance in parallel, exhausted ones give NULL.
       */
      readonly set?: true;
    }
  /** In ON CONFLICT DO UPDATE: the row that was proposed for insertion. */
  | { readonly kind: "excluded"; readonly column: string }
  /** A unique value (sequence, uuid, now): fresh per evaluation. */
  | {
      readonly kind: "fresh";
      readonly id: string;
      readonly type: ValueType;
      readonly why: "sequence" | "uuid" | "now" | "random";
    }
  /** Not understood. The same id is the same unknown; `dependsOn` keeps the reads that it depends on. */
  | {
      readonly kind: "unknown";
      readonly id: string;
      readonly type: ValueType;
      readonly dependsOn: readonly Expression[];
      readonly why: string;
      /** Set if other rows decide it as well: a run cannot tell it from any other value. */
      readonly isOfRows?: true;
    };

export interface Relation {
  /** The name in column references; unique in its query. */
  readonly alias: string;
  readonly table: string;
  /** `derived`: a subquery or CTE given by `query`; `opaque`: not understood (function in FROM, ...). */
  readonly kind: "base" | "derived" | "opaque";
  readonly query?: Query;
  readonly join: "inner" | "left" | "right" | "full" | "cross";
  readonly on?: Expression;
  /** True if its query may name columns of earlier relations, and is evaluated for each of their rows. */
  readonly lateral?: true;
}

export interface LockClause {
  readonly strength: RowLock;
  /** Aliases; empty for all relations. */
  readonly of: readonly string[];
  readonly wait: "block" | "nowait" | "skip-locked";
}

export interface Output {
  readonly name: string;
  readonly value: Expression;
}

export interface Query {
  readonly relations: readonly Relation[];
  /** `literal true` if there is no condition. */
  readonly where: Expression;
  readonly outputs: readonly Output[];
  readonly groupBy: readonly Expression[];
  readonly having?: Expression;
  readonly orderBy: readonly { readonly value: Expression; readonly descending: boolean }[];
  readonly limit?: Expression;
  readonly offset?: Expression;
  readonly distinct: boolean;
  /** DISTINCT ON, together with `distinct`: the first row, in the query's order, for each value of these. */
  readonly distinctOn?: readonly Expression[];
  /** UNION and similar operations with further queries; the first query is this one. */
  readonly setOperations: readonly {
    readonly operator: "union" | "union all" | "intersect" | "except";
    readonly query: Query;
  }[];
  readonly lock?: LockClause;
}
