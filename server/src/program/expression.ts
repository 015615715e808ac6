// Expressions of the abstract representation. Predicates are expressions of type bool under SQL's three-valued logic.
import type { Query } from "./statement";

export type ValueType = "int" | "decimal" | "text" | "bool" | "time" | "json" | "bytes" | "other";

export type ComparisonOperator = "=" | "<>" | "<" | "<=" | ">" | ">=";
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "||";
export type AggregateFunction = "min" | "max" | "sum" | "count" | "avg" | "exists" | "other";

/**
 * An expression. Row context: `column` names a column of a relation of the enclosing query, update or delete
 * (`relation` is the alias). Everything else is free of rows.
 */
export type Expression =
  | {
      readonly kind: "literal";
      readonly value: number | string | boolean | null;
      readonly type: ValueType;
    }
  /** An argument of the transaction. */
  | { readonly kind: "parameter"; readonly name: string }
  /** An argument that is an array, as a whole: understood only below `element` and `call` (`array_length`, `cardinality`). */
  | { readonly kind: "array"; readonly parameter: string; readonly elements: ValueType }
  /** `array[index]`, counted from one; NULL outside of its bounds. */
  | { readonly kind: "element"; readonly array: Expression; readonly index: Expression }
  /** A local variable, assigned by `assign` commands (NULL before). */
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "column"; readonly relation: string; readonly column: string }
  /** A field of a row of an earlier result; NULL when there is no such row. `at` is a loop id, or "first". */
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
   * Over the rows of an earlier result, in their order; the row at hand is `field` with `at: { loop }`. `any`: whether
   * `where` is true of one of them, NULL where it may be, as OR has it. `first` and `last`: `value` of the first or last
   * row of which it is true, NULL without one. `count`: how many those are.
   */
  | {
      readonly kind: "among";
      readonly result: string;
      readonly loop: string;
      readonly function: "any" | "first" | "last" | "count";
      readonly where: Expression;
      /** Only of `first` and `last`. */
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
      /** The name, for `other`, of the function of the values in these rows. */
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
      /** The module of a function of code: functions of one name are told apart by it. */
      readonly module?: string;
      /**
       * It gives any number of values (`unnest`), only in the outputs of a query: each of its rows becomes one row per
       * value. Several of them in one query go side by side, those that end first with NULL.
       */
      readonly set?: true;
    }
  /** In ON CONFLICT DO UPDATE: the row that was proposed for insertion. */
  | { readonly kind: "excluded"; readonly column: string }
  /** A value that never collides with another (sequence, uuid, now): fresh per evaluation. */
  | {
      readonly kind: "fresh";
      readonly id: string;
      readonly type: ValueType;
      readonly why: "sequence" | "uuid" | "now" | "random";
    }
  /** Not understood. The same id is the same unknown; `dependsOn` keeps the reads it came from. */
  | {
      readonly kind: "unknown";
      readonly id: string;
      readonly type: ValueType;
      readonly dependsOn: readonly Expression[];
      readonly why: string;
    };
