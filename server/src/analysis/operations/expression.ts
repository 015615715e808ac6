// From expressions to terms: variables and results are substituted, subqueries become operations.
import { elementName, lengthName } from "../../program/arrays";
import type { Expression, ValueType, Query } from "../../program/expression";
import { functionFacts, functionTitle, TEXT_AS_BYTES } from "../../program/functions";
import type { Call } from "../../program/operands";
import { ownEntry } from "../../protocol/dictionary";
import { ANY, anyValue, isAnyRound } from "./anyValue";
import { isAggregate } from "./aggregatesIn";
import type { Builder, Scope } from "./builder";
import { applyTerm, askedWhere, freshTerm, unknownTerm } from "./builder";
import { comparison, literalTerm, product } from "./numbers";
import { HIDDEN, type Term } from "./operation";
import {
  NULL,
  and,
  calculate,
  compare,
  conditional,
  int,
  isNull,
  isTrue,
  not,
  or,
  rowTermsIn,
} from "./terms";

/** Limit of expressions per transaction, counted for each round and row: about a second's work. */
const MOST_WORK = 500_000;

/** Thrown for a transaction with too many rounds, rows and cases. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

/** Counts work, in expressions. Throws TooLarge. */
export function spend(builder: Builder, work: number): void {
  builder.work.done += work;
  if (builder.work.done > MOST_WORK) throw new TooLarge();
}

/** The term of an expression. Throws TooLarge. What cannot be represented becomes an unknown value with a loss. */
export function flattenExpression(builder: Builder, expression: Expression, scope: Scope): Term {
  const go = (each: Expression): Term => flattenExpression(builder, each, scope);
  const goWhere = (condition: () => Term, each: Expression): Term =>
    askedWhere(builder, condition, () => go(each));
  /** Operands after a deciding one are not evaluated. */
  const inTurn = (decides: (term: Term) => Term): ((each: Expression) => Term) => {
    const before: Term[] = [];
    const isReached = (): Term => and(...before.map((each) => not(isTrue(decides(each)))));
    return (each) => {
      const term = goWhere(isReached, each);
      before.push(term);
      return term;
    };
  };
  const strictly = inTurn(isNull);
  spend(builder, 1);
  switch (expression.kind) {
    case "literal":
      return literalTerm(builder, expression.value);
    case "parameter":
      return { kind: "parameter", name: expression.name };
    case "array": {
      const why = `the array ${expression.parameter} as a whole`;
      return unknownTerm(builder, `array:${expression.parameter}`, "other", why);
    }
    case "element":
      return elementAt(builder, expression.array, go(expression.index), go);
    case "variable":
      return builder.variables.get(expression.name) ?? NULL;
    case "column":
      return (
        scope.column?.(expression.relation, expression.column) ??
        unknownTerm(
          builder,
          `column:${expression.relation}.${expression.column}`,
          "other",
          `the column ${expression.relation}.${expression.column} belongs to an outer query`,
        )
      );
    case "field": {
      const result = builder.results.get(expression.result);
      const { at, field } = expression;
      const round = at === "first" ? 0 : (builder.rounds.get(at.loop) ?? 0);
      const row = round === 0 ? result : result?.next?.[round - 1];
      return ownEntry(row?.row, field) ?? NULL;
    }
    case "size":
      return builder.results.get(expression.result)?.size ?? int(0);
    case "affected":
      return builder.affected.get(expression.statement) ?? int(0);
    case "among":
      return amongRows(builder, expression, go);
    case "arithmetic":
      return arithmetic(builder, expression, strictly);
    case "negate": {
      const operand = go(expression.operand);
      return operand.kind === "int" ? int(-operand.value) : { kind: "negate", operand };
    }
    case "comparison":
      return comparison(builder, expression, strictly);
    case "and":
      return and(...expression.operands.map(inTurn(not)));
    case "or":
      return or(...expression.operands.map(inTurn((each) => each)));
    case "not":
      return not(go(expression.operand));
    case "isNull":
      return isNull(go(expression.operand));
    case "sameValue":
      return sameValue(go(expression.left), go(expression.right));
    case "in": {
      const operand = go(expression.operand);
      const isSame = (value: Expression): Term => equal(operand, go(value));
      const before: Term[] = [isNull(operand)];
      const values = expression.values.map((value) => {
        const same = askedWhere(
          builder,
          () => not(isTrue(or(...before))),
          () => isSame(value),
        );
        before.push(same);
        return same;
      });
      return or(...values);
    }
    case "inQuery": {
      const operand = go(expression.operand);
      const query = untilFound(expression.query);
      return askedWhere(
        builder,
        () => not(isNull(operand)),
        () => builder.subquery(query, scope, operand).found,
      );
    }
    case "exists": {
      // EXISTS ignores the result.
      const query = untilFound(expression.query);
      return builder.subquery(isAggregate(query) ? query : { ...query, outputs: [] }, scope).found;
    }
    case "subquery": {
      const { values } = builder.subquery(expression.query, scope);
      return values[0] ?? NULL;
    }
    case "like":
      return applyTerm(
        builder,
        { name: expression.insensitive ? "ILIKE" : "LIKE", type: "bool", strict: true },
        [expression.operand, expression.pattern].map(strictly),
        "LIKE is decided by any answer",
      );
    case "conditional": {
      const condition = go(expression.condition);
      const holds = isTrue(condition);
      return conditional(
        condition,
        goWhere(() => holds, expression.then),
        goWhere(() => not(holds), expression.otherwise),
      );
    }
    case "coalesce":
      return expression.operands
        .map(inTurn((each) => not(isNull(each))))
        .reduceRight<Term>((rest, each) => conditional(isNull(each), rest, each), NULL);
    case "aggregate":
      return (
        scope.aggregate?.(expression) ??
        unknownTerm(
          builder,
          `aggregate:${expression.function}`,
          "decimal",
          `the aggregate ${expression.function} is any number`,
        )
      );
    case "call":
      return expression.set === true
        ? setTerm(builder, expression, scope)
        : call(builder, expression, strictly);
    case "excluded":
      return scope.excluded?.(expression.column) ?? NULL;
    case "fresh":
      return freshTerm(builder, expression.id, expression.type);
    case "unknown":
      expression.dependsOn.forEach(go);
      return unknownTerm(builder, expression.id, expression.type, expression.why);
  }
}

/** The query limited to one row, where one row answers. */
function untilFound(query: Query): Query {
  const { limit, setOperations } = query;
  return limit === undefined && setOperations.length === 0 && !isAggregate(query)
    ? { ...query, limit: { kind: "literal", value: 1, type: "int" } }
    : query;
}

type Among = Extract<Expression, { kind: "among" }>;

/** A test over the rows of a result, evaluated for the represented rows. */
function amongRows(
  builder: Builder,
  { result: name, loop, function: asks, where, value }: Among,
  go: (each: Expression) => Term,
): Term {
  const result = builder.results.get(name);
  const rows = result ? [result, ...(result.next ?? [])] : [];
  if (builder.anyRounds && result && result.whole !== true) {
    const mentioned = value ? [where, value] : [where];
    return anyAmong(builder, loop, asks, mentioned, go);
  }
  if (result && result.whole !== true) builder.beyond.set(loop, rows.length);
  const outer = builder.rounds.get(loop);
  const asked = rows.map(({ found }, round) => {
    builder.rounds.set(loop, round);
    return { holds: and(found, go(where)), value: value ? go(value) : NULL };
  });
  if (outer === undefined) builder.rounds.delete(loop);
  else builder.rounds.set(loop, outer);
  switch (asks) {
    case "any":
      return or(...asked.map(({ holds }) => holds));
    case "count":
      return asked.reduce<Term>(
        (sum, { holds }) => calculate("add", sum, conditional(isTrue(holds), int(1), int(0))),
        int(0),
      );
    case "first":
    case "last":
      return (asks === "last" ? asked : asked.toReversed()).reduce<Term>(
        (rest, each) => conditional(isTrue(each.holds), each.value, rest),
        NULL,
      );
  }
}

/** The answer of a test over arbitrary rows: an uninterpreted function of the current row. */
function anyAmong(
  builder: Builder,
  loop: string,
  asks: Among["function"],
  mentioned: readonly Expression[],
  go: (each: Expression) => Term,
): Term {
  const outer = builder.rounds.get(loop);
  builder.rounds.set(loop, 0);
  const asked = mentioned.map(go);
  if (outer === undefined) builder.rounds.delete(loop);
  else builder.rounds.set(loop, outer);
  const id = `among ${loop} ${String(builder.operations.length)}`;
  const answer = (name: string, type: ValueType): Term => ({
    kind: "apply",
    name: `${ANY}${name}`,
    type,
    strict: false,
    arguments: [{ kind: "unknown", id: `${ANY}${id}`, type: "int" }, ...rowTermsIn(...asked)],
  });
  if (asks === "any") return answer("any", "bool");
  if (asks === "count") return answer("count", "int");
  return conditional(answer("none", "bool"), NULL, answer(asks, "int"));
}

/** An element of an array: a separate argument if its index is known. */
function elementAt(
  builder: Builder,
  array: Expression,
  index: Term,
  go: (each: Expression) => Term,
): Term {
  if (index.kind === "null") return NULL;
  if (index.kind === "conditional") {
    const then = elementAt(builder, array, index.then, go);
    return conditional(index.condition, then, elementAt(builder, array, index.otherwise, go));
  }
  const at = constantOf(index);
  if (array.kind === "array" && isAnyRound(index))
    return anyValue(`element ${builder.identities.of([array.parameter, index])}`);
  if (array.kind !== "array" || at === undefined) {
    go(array);
    const id = `element:${builder.identities.of([array, index])}`;
    return unknownTerm(builder, id, "other", "an element of an array is any value");
  }
  const within = compare("<=", int(at), lengthOf(array.parameter));
  return at < 1 ? NULL : conditional(within, elementParameter(builder, array, at), NULL);
}

/** The argument for an array element. */
export function elementParameter(
  builder: Builder,
  array: Extract<Expression, { kind: "array" }>,
  at: number,
): Term {
  const name = elementName(array.parameter, at);
  if (!builder.parameters.some((each) => each.name === name)) {
    builder.parameters.push({ name, type: array.elements, fresh: false });
  }
  return { kind: "parameter", name };
}

/** The length of an array argument. */
export function lengthOf(array: string): Term {
  return { kind: "parameter", name: lengthName(array) };
}

/** The value of a constant sum of integers, as counters of unrolled loops are. */
function constantOf(term: Term): number | undefined {
  if (term.kind === "int") return term.value;
  if (term.kind !== "add" && term.kind !== "subtract") return undefined;
  const [left, right] = [constantOf(term.left), constantOf(term.right)];
  if (left === undefined || right === undefined) return undefined;
  return term.kind === "add" ? left + right : left - right;
}

/** Equality that treats two NULLs as equal. */
export function sameValue(left: Term, right: Term): Term {
  const eitherNull = or(isNull(left), isNull(right));
  return conditional(eitherNull, and(isNull(left), isNull(right)), isTrue(equal(left, right)));
}

function equal(left: Term, right: Term): Term {
  if (left.kind === "null" || right.kind === "null") return NULL;
  return { kind: "compare", operator: "=", left, right };
}

function arithmetic(
  builder: Builder,
  expression: Extract<Expression, { kind: "arithmetic" }>,
  go: (each: Expression) => Term,
): Term {
  const { operator } = expression;
  if (operator === "*") return product(builder, expression.left, expression.right, go);
  if (operator === "||") {
    return applyTerm(
      builder,
      { name: "||", type: "text", strict: true },
      [go(expression.left), go(expression.right)],
      "a text put together from others is any text",
    );
  }
  const kind = ({ "+": "add", "-": "subtract", "/": "divide", "%": "modulo" } as const)[operator];
  return calculate(kind, go(expression.left), go(expression.right));
}

function call(
  builder: Builder,
  expression: Extract<Expression, { kind: "call" }>,
  go: (each: Expression) => Term,
): Term {
  if (expression.name === SKIPPED) return skipped(builder, expression, go);
  const [array] = expression.arguments;
  if (array?.kind === "array") {
    const length = lengthOf(array.parameter);
    if (expression.name === "cardinality") return length;
    // The array_length of an empty array is NULL.
    if (expression.name === "array_length")
      return conditional(compare("<", int(0), length), length, NULL);
  }
  const args = expression.arguments.map(go);
  const [first, second] = args;
  if (first !== undefined) {
    const below = (left: Term, right: Term): Term => ({
      kind: "compare",
      operator: "<",
      left,
      right,
    });
    const extreme = (better: (a: Term, b: Term) => Term): Term =>
      args.reduce((best, each) =>
        conditional(
          isNull(each),
          best,
          conditional(or(isNull(best), better(each, best)), each, best),
        ),
      );
    switch (expression.name.toLowerCase()) {
      case TEXT_AS_BYTES:
        return first;
      case "greatest":
        return extreme((a, b) => below(b, a));
      case "least":
        return extreme(below);
      case "abs":
        return conditional(below(first, int(0)), { kind: "negate", operand: first }, first);
      case "mod":
        if (second !== undefined) return { kind: "modulo", left: first, right: second };
        break;
      case "nullif":
        if (second !== undefined) return conditional(equal(first, second), NULL, first);
        break;
    }
  }
  const why = `${functionTitle(expression.name)} gives any value`;
  if (expression.deterministic) {
    return unknownFunction(builder, expression.name.toLowerCase(), args, why);
  }
  const id = `call:${expression.name}:${builder.identities.of(expression.arguments)}`;
  return unknownTerm(builder, id, "other", why);
}

/** The name of the question whether SKIP LOCKED passes a row by: the query's, and the key of the row. */
export const SKIPPED = `${HIDDEN}skipped`;

/** True for any rows, in each instance for others. */
function skipped(
  builder: Builder,
  { arguments: [query, ...key] }: Extract<Expression, { kind: "call" }>,
  go: (each: Expression) => Term,
): Term {
  const id = query?.kind === "unknown" ? query.id : "";
  return applyTerm(
    builder,
    { name: SKIPPED, type: "bool", strict: false },
    [{ kind: "unknown", id, type: "int" }, ...key.map(go)],
    "SKIP LOCKED passes by any rows",
  );
}

/** An uninterpreted function; it may be NULL unless something rules that out. */
export function unknownFunction(
  builder: Builder,
  name: string,
  args: readonly Term[],
  why: string,
): Term {
  const { type, nulls } = functionFacts(name);
  const value = applyTerm(builder, { name, type, strict: nulls === "strict" }, args, why);
  if (nulls !== "maybe") return value;
  const isAbsent = { name: `${name} is null`, type: "bool", strict: false } as const;
  return conditional(applyTerm(builder, isAbsent, args, why), NULL, value);
}

/** The value of a set-returning call in row `scope.set`, the first by default. */
function setTerm(builder: Builder, call: Call, scope: Scope): Term {
  const at = scope.set ?? 0;
  const [first] = call.arguments;
  const known = elementsOf(call);
  if (known !== undefined) {
    const element = known[at];
    return element === undefined ? NULL : flattenExpression(builder, element, scope);
  }
  if (call.name === "unnest" && first?.kind === "array") {
    const within = compare("<", int(at), lengthOf(first.parameter));
    return conditional(within, elementParameter(builder, first, at + 1), NULL);
  }
  const args = call.arguments.map((each) => flattenExpression(builder, each, scope));
  const why = `${functionTitle(call.name)} gives any values`;
  return unknownFunction(builder, `${call.name} ${String(at + 1)}`, args, why);
}

/** The elements of an array literal. */
export function elementsOf(call: Call): readonly Expression[] | undefined {
  const [first] = call.arguments;
  const written = call.name === "unnest" && first?.kind === "call" && first.name === "array";
  return written ? first.arguments : undefined;
}
