// Reading terms of a model, shared by both decoders.
import type { Model } from "../../solver/solver";
import { FALSE, TRUE, literalOf } from "../encoding/smt";
import type { Smt, Sort } from "../encoding/smt";

/** The value of an integer term that is a literal or a constant. */
export function readInt(model: Model, term: Smt): number {
  return literalOf(term) ?? model.int(term);
}

/** The value of a condition that is a literal, a constant or a negated one. */
export function readBool(model: Model, term: Smt): boolean {
  if (term === TRUE || term === FALSE) return term === TRUE;
  return term.startsWith("(not ") ? !readBool(model, term.slice(5, -1)) : model.bool(term);
}

/**
 * The value of a term that `smt.ts` builds from constants and functions; 0 or 1 for sort Bool. Names that the model leaves open read as 0
 * and false. Linear in the term's text.
 */
export function readTerm(model: Model, term: Smt, sort: Sort): number {
  const tokens = term.match(/[()]|\|[^|]*\||[^\s()|]+/gu) ?? [];
  let at = 0;
  const parse = (): Term => {
    const token = tokens[at] ?? "";
    at += 1;
    if (token !== "(") return token;
    const parts: Term[] = [];
    while (at < tokens.length && tokens[at] !== ")") parts.push(parse());
    at += 1;
    return parts;
  };
  return evaluate(model, parse(), sort);
}

/** An atom, or an operator or function followed by its operands. */
type Term = string | readonly Term[];

function evaluate(model: Model, term: Term, sort: Sort): number {
  const number = (of: Term | undefined): number => evaluate(model, of ?? "0", "Int");
  const truth = (of: Term | undefined): boolean => evaluate(model, of ?? FALSE, "Bool") !== 0;
  if (typeof term === "string") {
    if (term === TRUE || term === FALSE) return Number(term === TRUE);
    return literalOf(term) ?? (sort === "Int" ? model.int(term) : Number(model.bool(term)));
  }
  const [operator = "", ...operands] = term;
  const [first, second, third] = operands;
  switch (operator) {
    case "ite":
      return evaluate(model, (truth(first) ? second : third) ?? "0", sort);
    case "and":
      return Number(operands.every(truth));
    case "or":
      return Number(operands.some(truth));
    case "not":
      return Number(!truth(first));
    case "=>":
      return Number(!truth(first) || truth(second));
    case "=":
      // An equation over a sort that `number` and `truth` do not read compares its defaults.
      return Number(number(first) === number(second) && truth(first) === truth(second));
    case "<":
      return Number(number(first) < number(second));
    case "<=":
      return Number(number(first) <= number(second));
    case "+":
      return operands.reduce((sum: number, each) => sum + number(each), 0);
    case "-":
      return operands.length === 1 ? -number(first) : number(first) - number(second);
    case "*":
      return operands.reduce((product: number, each) => product * number(each), 1);
    case "div":
      return Math.floor(number(first) / number(second));
    case "mod":
      return number(first) - Math.floor(number(first) / number(second)) * number(second);
    default: {
      const name = String(operator);
      const args = operands.map(number);
      return sort === "Int" ? model.intAt(name, args) : Number(model.boolAt(name, args));
    }
  }
}

/** Compares keys column by column. */
export function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (const [at, left] of a.entries()) {
    const difference = left - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** "T1" for the first instance. */
export function instanceName(index: number): string {
  return `T${String(index + 1)}`;
}
