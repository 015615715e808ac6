// Brute-force evaluation of formulas on one execution. The store judges by it; the encodings do not use it.
import { ofNode } from "../query/nodes";
import { freeVariables, ruleOf } from "./formula";
import type { Formula, WrittenAxiom } from "./formula";

/** The executed statements of committed transactions, by number, and their relations. */
export interface FormulaHistory {
  readonly size: number;
  /** The number of a statement's transaction. */
  readonly transactionOf: (statement: number) => number;
  /** Order within one transaction. */
  readonly programOrder: (a: number, b: number) => boolean;
  /** Order between statements of two transactions of one session. */
  readonly sessionOrder: (a: number, b: number) => boolean;
  readonly arbitration: (a: number, b: number) => boolean;
  /** True if the statement sees what a writing statement of another transaction wrote. */
  readonly sees: (reader: number, writer: number) => boolean;
  readonly writes: (statement: number) => boolean;
  readonly conflict: (a: number, b: number) => boolean;
  readonly sameKey: (a: number, b: number) => boolean;
}

/** Statements by variable. */
export type Assignment = ReadonlyMap<string, number>;

/**
 * The first assignment of statements to the outermost variables that violates the axiom; undefined if it holds. An instance only counts if
 * all of its `concerns` are governed by the axiom. O(n^k) for k variables, less where conditions prune.
 */
export function refutation(
  axiom: WrittenAxiom,
  history: FormulaHistory,
  governs: (statement: number) => boolean = () => true,
): Assignment | undefined {
  const { variables, conditionsAt, conclusion, ground } = planOf(axiom);
  const assigned = new Map<string, number>();
  const search = (at: number): Assignment | undefined => {
    const variable = variables[at];
    if (variable === undefined) {
      const holds = evaluate(conclusion, history, assigned);
      return holds === false ? new Map(assigned) : undefined;
    }
    for (let statement = 0; statement < history.size; statement += 1) {
      if (axiom.concerns.includes(variable) && !governs(statement)) continue;
      assigned.set(variable, statement);
      const own = conditionsAt[at] ?? [];
      if (!own.every((each) => evaluate(each, history, assigned) === true)) continue;
      const found = search(at + 1);
      if (found !== undefined) return found;
    }
    assigned.delete(variable);
    return undefined;
  };
  return ground.every((each) => evaluate(each, history, assigned) === true) ? search(0) : undefined;
}

/** An axiom prepared for the search for a refutation. */
interface Plan {
  readonly variables: readonly string[];
  /** For each variable, the conditions that become decidable when it is bound. */
  readonly conditionsAt: readonly (readonly Formula[])[];
  readonly conclusion: Formula;
  /** Conditions without variables. */
  readonly ground: readonly Formula[];
}

/** Memo: an axiom is evaluated on very many executions. */
const planOf = ofNode((axiom: WrittenAxiom): Plan => {
  const { variables, conditions, conclusion } = ruleOf(axiom.formula);
  const conditionsAt = variables.map((_, at) => {
    const bound = variables.slice(0, at + 1);
    const before = variables.slice(0, at);
    const isWithin = (each: Formula, names: readonly string[]): boolean =>
      [...freeVariables(each)].every((name) => names.includes(name));
    return conditions.filter(
      (each) => isWithin(each, bound) && !(at > 0 && isWithin(each, before)),
    );
  });
  const ground = variables.length === 0 ? conditions : [];
  return { variables, conditionsAt, conclusion, ground };
});

/** Undefined if it speaks of seeing a statement that wrote nothing. */
function evaluate(
  formula: Formula,
  history: FormulaHistory,
  assigned: Map<string, number>,
): boolean | undefined {
  switch (formula.kind) {
    case "relation":
      return related(formula, history, assigned);
    case "constant":
      return formula.value;
    case "not":
      return negated(evaluate(formula.operand, history, assigned));
    case "and":
    case "or": {
      const values = formula.operands.map((each) => evaluate(each, history, assigned));
      if (values.includes(undefined)) return undefined;
      return formula.kind === "and" ? !values.includes(false) : values.includes(true);
    }
    case "implies":
    case "iff": {
      const left = evaluate(formula.left, history, assigned);
      const right = evaluate(formula.right, history, assigned);
      if (left === undefined || right === undefined) return undefined;
      return formula.kind === "implies" ? !left || right : left === right;
    }
    case "forall":
    case "exists": {
      const decisive = formula.kind === "exists";
      let found = !decisive;
      for (let each = 0; each < history.size && found !== decisive; each += 1) {
        assigned.set(formula.variable, each);
        if (evaluate(formula.body, history, assigned) === decisive) found = decisive;
      }
      assigned.delete(formula.variable);
      return found;
    }
    default: {
      const never: never = formula;
      return never;
    }
  }
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function related(
  { relation, arguments: names }: Extract<Formula, { kind: "relation" }>,
  history: FormulaHistory,
  assigned: Assignment,
): boolean | undefined {
  const [a, b = a] = names.map((name) => assigned.get(name));
  if (a === undefined || b === undefined) throw new Error(`${names.join(", ")}: not all are bound`);
  const together = history.transactionOf(a) === history.transactionOf(b);
  switch (relation) {
    case "vis":
      if (together) return history.programOrder(a, b);
      return history.writes(a) ? history.sees(b, a) : undefined;
    case "ar":
      return history.arbitration(a, b);
    case "po":
      return together && history.programOrder(a, b);
    case "so":
      return together ? history.programOrder(a, b) : history.sessionOrder(a, b);
    case "st":
      return together;
    case "eq":
      return a === b;
    case "conflict":
      return history.conflict(a, b);
    case "samekey":
      return history.sameKey(a, b);
    case "write":
      return history.writes(a);
    default: {
      const never: never = relation;
      return never;
    }
  }
}
