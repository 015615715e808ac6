// An evaluated function as a transaction of the AR: one transaction, or a unit of several.
import type { Expression, ValueType } from "../../program/expression";
import { lengthName } from "../../program/arrays";
import type { Parameter, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command } from "../../program/statement";
import type { SourceRange } from "../../protocol/source";
import { withoutDeadAssignments } from "../sql/routine/deadAssignments";
import { compare } from "../sql/terms";
import { inferParameterTypes, typeOf } from "../sql/types";
import { walkCommand } from "../sql/walk";
import type { Evaluated } from "./evaluate/evaluator";

/** The transaction that an evaluated function is; undefined where it does nothing with a database. */
export function transactionOf(
  evaluated: Evaluated,
  places: { readonly header: SourceRange; readonly source: SourceRange },
  table: (name: string) => Table | undefined,
): Transaction | undefined {
  const parts = partsOf(evaluated.body);
  if (parts.atomics + parts.outside === 0) return undefined;
  const { name } = evaluated.root;
  const shape = shapeOf(evaluated, parts);
  const body = withoutDeadAssignments(shape.body);
  return {
    id: name,
    name,
    header: places.header,
    source: places.source,
    boundary: shape.boundary,
    parameters: parametersOf(body, table),
    preconditions: lengthsOf(body),
    body,
    ...(shape.level && { level: shape.level }),
    annotations: [],
    taint: evaluated.taint,
  };
}

interface Parts {
  readonly atomics: number;
  /** Statements outside of transactions. */
  readonly outside: number;
  /** A ROLLBACK behind which the function goes on. */
  readonly goesOn: boolean;
  readonly isInLoop: boolean;
  /** A transaction whose errors are caught around it. */
  readonly isCaught: boolean;
}

function partsOf(body: Command): Parts {
  const parts = { atomics: 0, outside: 0, goesOn: false, isInLoop: false, isCaught: false };
  const visit = (command: Command, inside: boolean, looping: boolean, caught = false): void => {
    switch (command.kind) {
      case "sequence":
        for (const each of command.commands) visit(each, inside, looping, caught);
        return;
      case "if":
        visit(command.then, inside, looping, caught);
        if (command.otherwise) visit(command.otherwise, inside, looping, caught);
        return;
      case "loop":
        visit(command.body, inside, true, caught);
        return;
      case "try":
        visit(command.body, inside, looping, true);
        visit(command.handler, inside, looping, caught);
        return;
      case "atomic":
        parts.atomics += 1;
        if (looping) parts.isInLoop = true;
        if (caught) parts.isCaught = true;
        visit(command.body, true, looping);
        return;
      case "statement":
        if (inside) return;
        parts.outside += 1;
        if (looping) parts.isInLoop = true;
        return;
      case "rollback":
        if (command.leaves !== undefined) parts.goesOn = true;
        return;
      default:
        return;
    }
  };
  visit(body, false, false);
  return parts;
}

function shapeOf(
  { body, isGiven }: Evaluated,
  parts: Parts,
): Pick<Transaction, "body" | "boundary" | "level"> {
  // What runs on the caller's connection is a part of the caller's transaction: more cannot be known here.
  if (isGiven && parts.atomics === 0) return { body, boundary: "explicit" };
  const isOne = !parts.isInLoop && !parts.goesOn && !parts.isCaught;
  if (isOne && parts.atomics === 1 && parts.outside === 0) {
    const { inner, level } = opened(body);
    return { body: inner, boundary: "explicit", ...(level && { level }) };
  }
  if (isOne && parts.atomics === 0 && parts.outside === 1) return { body, boundary: "autocommit" };
  return { body, boundary: "unit" };
}

/** The command with its only `atomic` command taken apart, and that one's level. */
function opened(command: Command): {
  readonly inner: Command;
  readonly level?: Transaction["level"];
} {
  let level: Transaction["level"];
  const go = (each: Command): Command => {
    switch (each.kind) {
      case "sequence":
        return { ...each, commands: each.commands.map(go) };
      case "if": {
        const { otherwise } = each;
        return { ...each, then: go(each.then), ...(otherwise && { otherwise: go(otherwise) }) };
      }
      case "try":
        return { ...each, body: go(each.body), handler: go(each.handler) };
      case "atomic":
        level = each.level;
        return each.body;
      default:
        return each;
    }
  };
  const inner = go(command);
  return { inner, ...(level && { level }) };
}

/** The length of an array of records is the length of the array of each of its fields. */
function lengthsOf(body: Command): readonly Expression[] {
  const { arrays, scalars } = inputsOf(body);
  return [...scalars]
    .filter((name) => name.endsWith(".length"))
    .flatMap((name) => {
      const list = name.slice(0, -".length".length);
      const length: Expression = { kind: "parameter", name };
      const fields = [...arrays.keys()].filter((each) => each.startsWith(`${list}.`));
      return fields.map((field) => compare("=", length, cardinality(field)));
    });
}

function cardinality(parameter: string): Expression {
  const array: Expression = { kind: "array", parameter, elements: "other" };
  return { kind: "call", name: "cardinality", arguments: [array], deterministic: true };
}

/** The types of the elements of arrays among the inputs, by what they are compared with and assigned to. */
export function elementTypes(
  body: Command,
  table: (name: string) => Table | undefined,
): ReadonlyMap<string, ValueType> {
  const found = new Map<string, ValueType>();
  const none = new Map<string, never>();
  const environment = { table, parameters: none, variables: none, results: none };
  const say = (part: Expression, type: ValueType | undefined): void => {
    if (part.kind !== "element" || part.array.kind !== "array" || type === undefined) return;
    if (type !== "other" && !found.has(part.array.parameter)) found.set(part.array.parameter, type);
  };
  walkCommand(body, {
    expression: (expression, scope) => {
      if (expression.kind !== "comparison" && expression.kind !== "arithmetic") return;
      say(expression.left, typeOf(expression.right, scope, environment));
      say(expression.right, typeOf(expression.left, scope, environment));
    },
    assignment: (name, column, value) => {
      const type = table(name)?.columns.find((each) => each.name === column)?.type;
      say(value, type);
    },
  });
  return found;
}

function inputsOf(body: Command): {
  readonly scalars: ReadonlySet<string>;
  readonly arrays: ReadonlyMap<string, ValueType>;
} {
  const scalars = new Set<string>();
  const arrays = new Map<string, ValueType>();
  walkCommand(body, {
    expression: (expression) => {
      if (expression.kind === "parameter") scalars.add(expression.name);
      if (expression.kind === "array") arrays.set(expression.parameter, expression.elements);
    },
  });
  return { scalars, arrays };
}

/** The parameters that the body mentions, in the order of their first use. */
function parametersOf(
  body: Command,
  table: (name: string) => Table | undefined,
): readonly Parameter[] {
  const types = inferParameterTypes(body, table);
  const { scalars, arrays } = inputsOf(body);
  const lengths = new Set([...arrays.keys()].map(lengthName));
  return [
    ...[...scalars]
      .filter((name) => !lengths.has(name))
      .map((name): Parameter => ({ name, type: types.get(name) ?? "other", origin: "argument" })),
    ...[...arrays].map(([name, elements]): Parameter => {
      return { name, type: "other", elements, origin: "argument" };
    }),
  ];
}
