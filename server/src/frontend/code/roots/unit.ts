// Converts an evaluated function to a transaction of the AR: one transaction, or a unit of several.
import type { Expression, ValueType } from "../../../program/expression";
import { lengthName } from "../../../program/arrays";
import type { Parameter, Transaction } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command } from "../../../program/statement";
import { plainUnit } from "../../../program/unit";
import type { SourceRange } from "../../../protocol/source";
import { withoutDeadAssignments } from "../../sql/routine/deadAssignments";
import { literal } from "../../sql/expressions";
import { compare, connective } from "../../sql/terms";
import { inferParameterTypes } from "../../sql/types";
import { walkCommand } from "../../sql/walk";
import type { Evaluation } from "../evaluate/evaluator";
import { isSetting } from "../evaluate/values/settings";

/** The transaction of an evaluated function; undefined if it does not use a database. */
export function transactionOf(
  evaluated: Evaluation,
  places: { readonly header: SourceRange; readonly source: SourceRange },
  table: (name: string) => Table | undefined,
): Transaction | undefined {
  const kinds = new Set<Command["kind"]>();
  walkCommand(evaluated.body, { command: ({ kind }) => kinds.add(kind) });
  if (!kinds.has("atomic") && !kinds.has("statement")) return undefined;
  const { name } = evaluated.root;
  // Statements on the caller's connection are part of the caller's transaction, which is not known here.
  const isPart = evaluated.isGiven && !kinds.has("atomic");
  const read: Transaction = {
    id: name,
    name,
    header: places.header,
    source: places.source,
    boundary: isPart ? "explicit" : "unit",
    parameters: [],
    preconditions: [],
    body: evaluated.body,
    annotations: [],
    taint: evaluated.taint,
    ...(evaluated.keptErrors.length > 0 && { keptErrors: evaluated.keptErrors }),
    ...(kinds.has("atomic") && { errors: evaluated.throws ? "thrown" : "caught" }),
  };
  const transaction = plainUnit(read);
  const body = withoutDeadAssignments(transaction.body);
  return {
    ...transaction,
    parameters: parametersOf(body, table),
    preconditions: lengthsOf(body, evaluated.lengthFields),
    body,
  };
}

/**
 * Constraints on lengths: those of lists and texts are not negative; the length of an array of records equals that of each of its fields'
 * arrays. A value that is also used otherwise is no list, unless a loop iterates over it.
 */
function lengthsOf(body: Command, fieldsSaid: ReadonlySet<string>): readonly Expression[] {
  const { arrays, scalars, counted } = inputsOf(body);
  const all = [...scalars];
  return all
    .filter((name) => name.endsWith(LENGTH) && !fieldsSaid.has(name))
    .flatMap((name) => {
      const list = name.slice(0, -LENGTH.length);
      const isPart = (each: string): boolean =>
        each.startsWith(`${list}.`) && each !== name && !TOLD.test(each);
      if (!counted.has(name) && all.some(isPart)) return [];
      const length: Expression = { kind: "parameter", name };
      const fields = [...arrays.keys()].filter(
        (each) => each.startsWith(`${list}.`) || each.startsWith(`${list}[].`),
      );
      const isLength = connective("or", [
        { kind: "isNull", operand: length },
        compare(">=", length, literal(0)),
      ]);
      return [isLength, ...fields.map((field) => compare("=", length, cardinality(field)))];
    });
}

const LENGTH = ".length";

/** Suffixes for facts about a value besides its parts: whether it is null, or accepted by a validator. */
const TOLD = /\.(?:isNull|valid)(?: \d+)?$/u;

function cardinality(parameter: string): Expression {
  const array: Expression = { kind: "array", parameter, elements: "other" };
  return { kind: "call", name: "cardinality", arguments: [array], deterministic: true };
}

function inputsOf(body: Command): {
  readonly scalars: ReadonlySet<string>;
  readonly arrays: ReadonlyMap<string, ValueType>;
  /** The bounds of counting loops. */
  readonly counted: ReadonlySet<string>;
} {
  const scalars = new Set<string>();
  const counted = new Set<string>();
  const arrays = new Map<string, ValueType>();
  walkCommand(body, {
    command: (command) => {
      const to =
        command.kind === "loop" && command.over.kind === "count" ? command.over.to : undefined;
      if (to?.kind === "parameter") counted.add(to.name);
    },
    expression: (expression) => {
      if (expression.kind === "parameter") scalars.add(expression.name);
      if (expression.kind === "array") arrays.set(expression.parameter, expression.elements);
    },
  });
  return { scalars, arrays, counted };
}

/** The parameters that the body mentions, in the order of first use. */
function parametersOf(
  body: Command,
  table: (name: string) => Table | undefined,
): readonly Parameter[] {
  const types = inferParameterTypes(body, table).scalars;
  const { scalars, arrays } = inputsOf(body);
  const lengths = new Set([...arrays.keys()].map(lengthName));
  return [
    ...[...scalars]
      .filter((name) => !lengths.has(name))
      .map((name): Parameter => {
        const setting = isSetting(name) && { isSetting: true as const };
        return { name, type: types.get(name) ?? "other", origin: "argument", ...setting };
      }),
    ...[...arrays].map(([name, elements]): Parameter => {
      return { name, type: "other", elements, origin: "argument" };
    }),
  ];
}
