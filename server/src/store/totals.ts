// The user's invariants over concrete rows: the row for which one is broken, and by how much.
import type { Expression } from "../program/expression";
import type { Invariant, Program } from "../program/program";
import type { Schema } from "../program/schema";
import type { Row, Value } from "../protocol/witness";
import { NOBODY, bareFrame } from "./bareFrame";
import { evaluate, truth } from "./evaluateExpression";
import { joinRelations } from "./evaluateQuery";
import { NotExecutable } from "./failure";
import { withRows, type Binding, type Frame } from "./frame";
import { initialRows } from "./row";
import { toValue } from "./value";

export type Rows = Readonly<Record<string, readonly Row[]>>;

/** A stated invariant over one combination of rows. */
export interface Stand {
  readonly invariant: Invariant;
  /** Rows by relation name. */
  readonly binding: Binding;
  readonly isBroken: boolean;
  /** Both sides of the deciding comparison, if there is one. */
  readonly sides?: readonly [Value, Value];
  /** The distance from a violation, negative if violated: for a comparison of numbers the relevant difference, else one. */
  readonly slack: number;
}

/** The user's invariants, without inferred ones. */
export function statedInvariants({ invariants = [], totals = [] }: Program): readonly Invariant[] {
  return [...invariants.filter(({ origin }) => origin !== "inferred"), ...totals];
}

/**
 * The state of these invariants for every combination of rows; undefined if one cannot be evaluated. O(r^n) for n relations with r rows
 * each.
 */
export function standsOf(
  schema: Schema,
  invariants: readonly Invariant[],
  rows: Rows,
): readonly Stand[] | undefined {
  const tables = initialRows(schema, rows);
  const frame: Frame = {
    ...bareFrame(schema, NOBODY),
    tables: { rows: (table) => tables.get(table) ?? [] },
  };
  try {
    return invariants.flatMap((invariant) =>
      joinRelations(invariant.relations, invariant.where, frame).map((binding) =>
        standOf(invariant, binding, withRows(frame, binding)),
      ),
    );
  } catch (problem) {
    if (problem instanceof NotExecutable) return undefined;
    throw problem;
  }
}

/** The first stated invariant that rows break. */
export function brokenBy(program: Program, rows: Rows): Invariant | undefined {
  const stands = standsOf(program.schema, statedInvariants(program), rows);
  return stands?.find(({ isBroken }) => isBroken)?.invariant;
}

function standOf(invariant: Invariant, binding: Binding, frame: Frame): Stand {
  const { condition } = invariant;
  const isBroken = truth(evaluate(condition, frame)) === false;
  const parts = condition.kind === "and" ? condition.operands : [condition];
  const compared = parts.flatMap((part) => comparedBy(part, frame));
  const decisive = compared.sort((a, b) => a.slack - b.slack)[0];
  if (!decisive || decisive.slack < 0 !== isBroken)
    return { invariant, binding, isBroken, slack: isBroken ? -1 : 1 };
  return { invariant, binding, isBroken, ...decisive };
}

function comparedBy(
  part: Expression,
  frame: Frame,
): readonly Pick<Required<Stand>, "sides" | "slack">[] {
  if (part.kind !== "comparison") return [];
  const left = toValue(evaluate(part.left, frame));
  const right = toValue(evaluate(part.right, frame));
  if (typeof left !== "number" || typeof right !== "number") return [];
  return [{ sides: [left, right], slack: slackOf(part.operator, left - right) }];
}

/** The margin of a comparison; a strict one breaks at zero. */
function slackOf(
  operator: Extract<Expression, { kind: "comparison" }>["operator"],
  difference: number,
): number {
  switch (operator) {
    case ">=":
      return difference;
    case "<=":
      return 0 - difference;
    case ">":
      return difference > 0 ? difference : difference - 1;
    case "<":
      return difference < 0 ? 0 - difference : -1 - difference;
    case "=":
      return 0 - Math.abs(difference);
    case "<>":
      return difference === 0 ? -1 : 1;
  }
}
