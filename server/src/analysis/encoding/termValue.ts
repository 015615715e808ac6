// Terms of the flat form as symbolic SQL values.
import type { ValueType } from "../../program/expression";
import type { Term } from "../operations/operation";
import type { FreeFunction } from "./freeFunction";
import { FALSE, add, and, ite, lt, not, or } from "./smt";
import type { Smt } from "./smt";
import {
  asInt,
  choose,
  isTrue,
  sqlAnd,
  sqlArithmetic,
  sqlBool,
  sqlCompare,
  sqlInt,
  sqlIsNull,
  sqlLiteral,
  sqlNegate,
  sqlNot,
  sqlOr,
} from "./sqlValue";
import type { SqlValue } from "./sqlValue";

/** The meaning of a term's leaves. */
export interface TermScope {
  readonly parameter: (name: string) => SqlValue;
  readonly unknown: (id: string, type: ValueType) => SqlValue;
  readonly output: (operation: number, name: string) => SqlValue;
  readonly found: (operation: number) => Smt;
  readonly count: (operation: number) => Smt;
  /** An uninterpreted function; absent if no term has one. */
  readonly apply?: (what: FreeFunction, args: readonly SqlValue[]) => SqlValue;
  /** Absent outside of runs, where nothing fails. */
  readonly failed?: (operation: number, code: string) => Smt;
  /** The rows that an operation selected, for `over`; absent if no term has one. */
  readonly rows?: (operation: number) => readonly FoundRow[];
  /** An operation's result for the current row of an `over`. */
  readonly joined?: (operation: number, name: string) => SqlValue;
  /** A column of the current row. */
  readonly column?: (name: string) => SqlValue;
  /** Memo of values of terms without columns. */
  readonly known?: Map<Term, SqlValue>;
  /** Replaces a value by a named one. */
  readonly shorten?: (value: SqlValue) => SqlValue;
}

/** A candidate row of an operation. No two candidates that hold are the same row. */
export interface FoundRow {
  readonly is: Smt;
  readonly output: (name: string) => SqlValue;
}

/** The value of a term. Terms share structure; each is evaluated once per `known`. */
export function termValue(term: Term, scope: TermScope): SqlValue {
  const cache = new Map<Term, SqlValue>();
  const go = (each: Term): SqlValue => {
    const before = scope.known?.get(each) ?? cache.get(each);
    if (before !== undefined) return before;
    const value = compute(each, go, scope);
    const short = isLong(value) && scope.shorten ? scope.shorten(value) : value;
    (scope.column ? cache : (scope.known ?? cache)).set(each, short);
    return short;
  };
  return go(term);
}

/** Longer texts get a name, so that shared terms stay shared in the text. */
const LONG = 60;

function isLong(value: SqlValue): boolean {
  return value.value.length > LONG || value.isNull.length > LONG;
}

function compute(term: Term, go: (each: Term) => SqlValue, scope: TermScope): SqlValue {
  switch (term.kind) {
    case "int":
    case "bool":
      return sqlLiteral(term.value);
    case "null":
      return sqlLiteral(null);
    case "parameter":
      return scope.parameter(term.name);
    case "output":
      return scope.output(term.operation, term.name);
    case "found":
      return sqlBool(scope.found(term.operation));
    case "count":
      return sqlInt(scope.count(term.operation));
    case "failed":
      return sqlBool(scope.failed?.(term.operation, term.code) ?? FALSE);
    case "column":
      return scope.column?.(term.column) ?? sqlLiteral(null);
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "modulo":
      return sqlArithmetic(term.kind, go(term.left), go(term.right));
    case "negate":
      return sqlNegate(go(term.operand));
    case "compare":
      return sqlCompare(term.operator, go(term.left), go(term.right));
    case "and":
      return sqlAnd(term.operands.map(go));
    case "or":
      return sqlOr(term.operands.map(go));
    case "not":
      return sqlNot(go(term.operand));
    case "isNull":
      return sqlIsNull(go(term.operand));
    case "conditional":
      return choose(isTrue(go(term.condition)), go(term.then), go(term.otherwise));
    case "apply":
      return scope.apply?.(term, term.arguments.map(go)) ?? sqlLiteral(null);
    case "over":
      return overRows(term, scope);
    case "joined":
      return scope.joined?.(term.operation, term.name) ?? sqlLiteral(null);
    case "unknown":
      return scope.unknown(term.id, term.type);
  }
}

/** A value over the rows that an operation selected. */
function overRows(term: Extract<Term, { kind: "over" }>, scope: TermScope): SqlValue {
  const rows = (scope.rows?.(term.operation) ?? []).flatMap((row) => {
    const inside: TermScope = {
      ...scope,
      // Values for a current row are not memoised beyond this term.
      column: scope.column ?? (() => sqlLiteral(null)),
      joined: (operation, name) =>
        operation === term.operation
          ? row.output(name)
          : (scope.joined?.(operation, name) ?? sqlLiteral(null)),
    };
    const is = and(row.is, isTrue(termValue(term.where, inside)));
    return is === FALSE ? [] : [{ is, value: (): SqlValue => termValue(term.value, inside) }];
  });
  switch (term.function) {
    case "exists":
      return sqlBool(or(...rows.map((row) => row.is)));
    case "total":
      return sqlInt(
        add(
          ...rows.map((row) => {
            const value = row.value();
            return ite(and(row.is, not(value.isNull)), asInt(value), "0");
          }),
        ),
      );
    case "first":
      return rows.reduceRight<SqlValue>(
        (rest, row) => choose(row.is, row.value(), rest),
        sqlLiteral(null),
      );
    case "min":
    case "max":
      return rows.reduce<SqlValue>((best, row) => {
        const value = row.value();
        const [low, high] =
          term.function === "min" ? [asInt(value), asInt(best)] : [asInt(best), asInt(value)];
        const better = and(row.is, not(value.isNull), or(best.isNull, lt(low, high)));
        const chosen = choose(better, value, best);
        return scope.shorten?.(chosen) ?? chosen;
      }, sqlLiteral(null));
    default: {
      const never: never = term.function;
      return never;
    }
  }
}
