// Types of AR expressions, and of a script's parameters: a placeholder has the type of the column that it is compared with or assigned to.
import type { Expression, ValueType, Output } from "../../program/expression";
import { functionFacts, isPure, TEXT_AS_BYTES, textArguments } from "../../program/functions";
import type { Table } from "../../program/schema";
import type { Command, Statement } from "../../program/statement";
import { isToday } from "./currentDate";
import { valueTypeOf } from "./pg/valueType";
import { walkCommand, type Scope } from "./walk";

type Call = Extract<Expression, { readonly kind: "call" }>;

export interface TypeEnvironment {
  readonly table: (name: string) => Table | undefined;
  readonly parameters: ReadonlyMap<string, ValueType>;
  readonly variables: ReadonlyMap<string, ValueType>;
  /** Element types of array parameters without one. */
  readonly elements?: ReadonlyMap<string, ValueType>;
  /** Output types by result and column. */
  readonly results: ReadonlyMap<string, ReadonlyMap<string, ValueType>>;
}

/** The type of an expression, if known. Linear in the expression. */
export function typeOf(
  expression: Expression,
  scope: Scope,
  environment: TypeEnvironment,
): ValueType | undefined {
  const of = (part: Expression): ValueType | undefined => typeOf(part, scope, environment);
  switch (expression.kind) {
    case "literal":
      return expression.value === null ? undefined : expression.type;
    case "fresh":
    case "unknown":
      return expression.type === "other" ? undefined : expression.type;
    case "parameter":
      return isToday(expression) ? "time" : environment.parameters.get(expression.name);
    case "element":
      return elementType(expression.array, environment);
    case "variable":
      return environment.variables.get(expression.name);
    case "column":
      return columnType(expression.relation, expression.column, scope, environment);
    case "field":
      return environment.results.get(expression.result)?.get(expression.field);
    case "size":
    case "affected":
      return "int";
    case "among":
      if (expression.function === "count") return "int";
      return expression.value ? of(expression.value) : "bool";
    case "arithmetic":
      return expression.operator === "||"
        ? "text"
        : wider(of(expression.left), of(expression.right));
    case "negate":
      return of(expression.operand);
    case "conditional":
      return of(expression.then) ?? of(expression.otherwise);
    case "coalesce":
      return firstKnown(expression.operands, of);
    case "aggregate":
      return aggregateType(expression, of);
    case "call":
      return callType(expression, of);
    case "subquery": {
      const [output] = expression.query.outputs;
      if (output === undefined) return undefined;
      return typeOf(output.value, [...expression.query.relations, ...scope], environment);
    }
    case "excluded":
      return undefined;
    default:
      return "bool";
  }
}

function elementType(array: Expression, { elements }: TypeEnvironment): ValueType | undefined {
  if (array.kind !== "array") return undefined;
  return array.elements === "other" ? elements?.get(array.parameter) : array.elements;
}

export interface ParameterTypes {
  readonly scalars: ReadonlyMap<string, ValueType>;
  /** The types of the elements of arrays. */
  readonly elements: ReadonlyMap<string, ValueType>;
  readonly variables: ReadonlyMap<string, ValueType>;
}

/**
 * The types of a transaction's parameters, inferred from its body. Two passes, since a variable may be assigned after its use with a
 * parameter.
 */
export function inferParameterTypes(
  body: Command,
  table: TypeEnvironment["table"],
): ParameterTypes {
  const parameters = new Map<string, ValueType>();
  const elements = new Map<string, ValueType>();
  const variables = new Map<string, ValueType>();
  const results = new Map<string, ReadonlyMap<string, ValueType>>();
  const environment = { table, parameters, variables, elements, results };
  const scopeOfTable = (name: string): Scope => [
    { alias: name, table: name, kind: "base", join: "inner" },
  ];

  function expect(side: Expression, type: ValueType | undefined): void {
    if (type === undefined) return;
    if (side.kind === "parameter" && !parameters.has(side.name)) parameters.set(side.name, type);
    if (side.kind === "element" && side.array.kind === "array" && type !== "other") {
      const { parameter } = side.array;
      if (!elements.has(parameter)) elements.set(parameter, type);
    }
    if (side.kind === "variable" && !variables.has(side.name)) variables.set(side.name, type);
    if (side.kind === "negate") expect(side.operand, type);
    if (side.kind === "arithmetic" && side.operator !== "||" && isNumber(type)) {
      expect(side.left, type);
      expect(side.right, type);
    }
    if (side.kind === "coalesce") for (const each of side.operands) expect(each, type);
    if (side.kind === "conditional") {
      expect(side.then, type);
      expect(side.otherwise, type);
    }
  }

  /** Infers arguments of date and string functions. */
  function expectArguments({ name, arguments: args }: Call): void {
    const texts = args.slice(0, textArguments(name) ?? 0);
    for (const each of texts) expect(each, "text");
    const type = name === "code:millis" || name.startsWith("code:Date.") ? "time" : name === "code:instant" ? "int" : undefined; // prettier-ignore
    if (args[0]) expect(args[0], type);
  }

  function alike(sides: readonly Expression[], scope: Scope): void {
    const type = firstKnown(sides, (side) => typeOf(side, scope, environment));
    for (const side of sides) expect(side, type);
  }

  for (let pass = 0; pass < 2; pass++) {
    walkCommand(body, {
      command: (command) => {
        if (command.kind === "if") expect(command.condition, "bool");
        if (command.kind === "loop" && command.over.kind === "count") {
          expect(command.over.from, "int");
          expect(command.over.to, "int");
        }
        if (command.kind !== "assign") return;
        expect(command.value, variables.get(command.variable));
        const type = typeOf(command.value, [], environment);
        if (type !== undefined && !variables.has(command.variable)) {
          variables.set(command.variable, type);
        }
      },
      statement: (statement) => rememberResult(statement, environment, results),
      assignment: (name, column, value) =>
        expect(value, columnType(name, column, scopeOfTable(name), environment)),
      query: ({ limit, offset }) => {
        for (const each of [limit, offset]) if (each) expect(each, "int");
      },
      expression: (expression, scope) => {
        if (expression.kind === "call") expectArguments(expression);
        if (expression.kind === "comparison" || expression.kind === "sameValue") {
          alike([expression.left, expression.right], scope);
        } else if (expression.kind === "in") {
          alike([expression.operand, ...expression.values], scope);
        } else if (expression.kind === "arithmetic") {
          if (expression.operator === "||") {
            expect(expression.left, "text");
            expect(expression.right, "text");
          } else {
            alike([expression.left, expression.right], scope);
          }
        } else if (expression.kind === "coalesce") {
          alike(expression.operands, scope);
        } else if (expression.kind === "like") {
          expect(expression.operand, "text");
          expect(expression.pattern, "text");
        } else if (expression.kind === "and" || expression.kind === "or") {
          for (const each of expression.operands) expect(each, "bool");
        } else if (expression.kind === "inQuery") {
          const [output] = expression.query.outputs;
          const inner = [...expression.query.relations, ...scope];
          if (output !== undefined)
            expect(expression.operand, typeOf(output.value, inner, environment));
        }
      },
    });
  }
  return { scalars: parameters, elements, variables };
}

function rememberResult(
  statement: Statement,
  environment: TypeEnvironment,
  results: Map<string, ReadonlyMap<string, ValueType>>,
): void {
  if (statement.kind === "select") {
    const scope = statement.query.relations;
    results.set(statement.into, outputTypes(statement.query.outputs, scope, environment));
  } else if (statement.kind !== "lock" && statement.kind !== "opaque") {
    const { returning } = statement;
    if (returning === undefined) return;
    const scope: Scope =
      statement.kind === "insert"
        ? [{ alias: statement.table, table: statement.table, kind: "base", join: "inner" }]
        : [statement.relation];
    results.set(returning.into, outputTypes(returning.outputs, scope, environment));
  }
}

function outputTypes(
  outputs: readonly Output[],
  scope: Scope,
  environment: TypeEnvironment,
): ReadonlyMap<string, ValueType> {
  const types = new Map<string, ValueType>();
  for (const { name, value } of outputs) {
    const type = typeOf(value, scope, environment);
    if (type !== undefined) types.set(name, type);
  }
  return types;
}

function columnType(
  alias: string,
  column: string,
  scope: Scope,
  environment: TypeEnvironment,
): ValueType | undefined {
  const relation = scope.find((each) => each.alias === alias);
  if (relation === undefined) return undefined;
  if (relation.query !== undefined) {
    const output = relation.query.outputs.find((each) => each.name === column);
    if (output === undefined) return undefined;
    return typeOf(output.value, relation.query.relations, environment);
  }
  const type = environment
    .table(relation.table)
    ?.columns.find((each) => each.name === column)?.type;
  return type === "other" ? undefined : type;
}

/** The result type of a function; unknown functions have the type of an argument. */
function callType(
  call: Call,
  of: (part: Expression) => ValueType | undefined,
): ValueType | undefined {
  const { name } = call;
  const isCast = name.startsWith("cast ") && name !== TEXT_AS_BYTES;
  if (!isCast && !isPure(name)) return firstKnown(call.arguments, of);
  const type = isCast ? valueTypeOf(name.slice(5).replace(/\(.*/, "")) : functionFacts(name).type;
  return type === "other" ? undefined : type;
}

function aggregateType(
  expression: Extract<Expression, { readonly kind: "aggregate" }>,
  of: (part: Expression) => ValueType | undefined,
): ValueType | undefined {
  if (expression.function === "count") return "int";
  if (expression.function === "exists") return "bool";
  if (expression.function === "avg") return "decimal";
  return expression.operand === undefined ? undefined : of(expression.operand);
}

function wider(left: ValueType | undefined, right: ValueType | undefined): ValueType | undefined {
  if (left === "time" || right === "time") return "time";
  if (left === "decimal" || right === "decimal") return "decimal";
  return left ?? right;
}

function isNumber(type: ValueType): boolean {
  return type === "int" || type === "decimal";
}

function firstKnown(
  parts: readonly Expression[],
  of: (part: Expression) => ValueType | undefined,
): ValueType | undefined {
  for (const part of parts) {
    const type = of(part);
    if (type !== undefined) return type;
  }
  return undefined;
}
