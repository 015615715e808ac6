// Axioms of isolation levels as formulas over the statements of an execution: the form of users' level files, which the store and the
// encodings evaluate independently.

/**
 * The terms of a formula about statements. All of them speak of executed statements of committed transactions.
 *
 * - `vis(w, q)`: q sees what w wrote; in one transaction, w comes before q. Of statements of two transactions it says
 *   something only where w wrote something: an instance of an axiom that speaks of seeing a statement which wrote
 *   nothing holds.
 * - `ar(a, b)`: a is arbitrated before b, so that b's versions stand over a's.
 * - `po(a, b)`: a comes before b in one transaction.
 * - `so(a, b)`: a comes before b in one session: in one transaction, or in an earlier one of the session.
 * - `st(a, b)`: the same transaction.
 * - `eq(a, b)`: the same statement.
 * - `conflict(a, b)`: some row is written by both.
 * - `samekey(a, b)`: both insert a row with the same primary key, or give two rows the same values in a unique key.
 * - `write(a)`: it wrote some row.
 */
export type Relation = "vis" | "ar" | "po" | "so" | "st" | "eq" | "conflict" | "samekey" | "write";

export type Formula =
  | {
      readonly kind: "relation";
      readonly relation: Relation;
      readonly arguments: readonly string[];
    }
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "not"; readonly operand: Formula }
  | { readonly kind: "and" | "or"; readonly operands: readonly Formula[] }
  | { readonly kind: "implies" | "iff"; readonly left: Formula; readonly right: Formula }
  | {
      readonly kind: "forall" | "exists";
      /** Distinct from the variables of all enclosing quantifiers. */
      readonly variable: string;
      readonly body: Formula;
    };

/** A user-written axiom. */
export interface WrittenAxiom {
  readonly text: string;
  /** A closed formula; a transaction is represented by any of its statements. */
  readonly formula: Formula;
  /**
   * With mixed levels, the outermost variables whose transactions must be at the axiom's level for an instance to count: the right sides of
   * `vis` in the conclusion, since visibility is the reader's business; without one, all variables. An axiom without outermost variables
   * counts if all transactions are at its level.
   */
  readonly concerns: readonly string[];
}

/** The outermost `forall`s of a formula, its conditions, and its conclusion. */
export interface Rule {
  readonly variables: readonly string[];
  readonly conditions: readonly Formula[];
  readonly conclusion: Formula;
}

/** The formula as a rule; quantifiers and conditions of nested conclusions are collected. */
export function ruleOf(formula: Formula): Rule {
  const variables: string[] = [];
  const conditions: Formula[] = [];
  let rest = formula;
  for (;;) {
    if (rest.kind === "forall") {
      variables.push(rest.variable);
      rest = rest.body;
    } else if (rest.kind === "implies") {
      conditions.push(...conjuncts(rest.left));
      rest = rest.right;
    } else return { variables, conditions, conclusion: rest };
  }
}

/** The free variables of a formula. */
export function freeVariables(formula: Formula): ReadonlySet<string> {
  switch (formula.kind) {
    case "relation":
      return new Set(formula.arguments);
    case "constant":
      return new Set();
    case "not":
      return freeVariables(formula.operand);
    case "and":
    case "or":
      return new Set(formula.operands.flatMap((each) => [...freeVariables(each)]));
    case "implies":
    case "iff":
      return new Set([...freeVariables(formula.left), ...freeVariables(formula.right)]);
    case "forall":
    case "exists": {
      const inner = [...freeVariables(formula.body)];
      return new Set(inner.filter((each) => each !== formula.variable));
    }
    default: {
      const never: never = formula;
      return never;
    }
  }
}

/** The relations that occur in a formula. */
export function relationsIn(formula: Formula): ReadonlySet<Relation> {
  switch (formula.kind) {
    case "relation":
      return new Set([formula.relation]);
    case "constant":
      return new Set();
    case "not":
      return relationsIn(formula.operand);
    case "and":
    case "or":
      return new Set(formula.operands.flatMap((each) => [...relationsIn(each)]));
    case "implies":
    case "iff":
      return new Set([...relationsIn(formula.left), ...relationsIn(formula.right)]);
    case "forall":
    case "exists":
      return relationsIn(formula.body);
    default: {
      const never: never = formula;
      return never;
    }
  }
}

/** The quantifier depth of a formula. */
export function countVariables(formula: Formula): number {
  switch (formula.kind) {
    case "relation":
    case "constant":
      return 0;
    case "not":
      return countVariables(formula.operand);
    case "and":
    case "or":
      return formula.operands.reduce((sum, each) => sum + countVariables(each), 0);
    case "implies":
    case "iff":
      return countVariables(formula.left) + countVariables(formula.right);
    case "forall":
    case "exists":
      return 1 + countVariables(formula.body);
    default: {
      const never: never = formula;
      return never;
    }
  }
}

function conjuncts(formula: Formula): readonly Formula[] {
  return formula.kind === "and" ? formula.operands.flatMap(conjuncts) : [formula];
}
