// Construction of flat terms: constant folding, and conditions that are never NULL.
import { ofNode } from "../../query/nodes";
import type { Term } from "./operation";

export const TRUE: Term = { kind: "bool", value: true };
export const FALSE: Term = { kind: "bool", value: false };
export const NULL: Term = { kind: "null" };

export function int(value: number): Term {
  return { kind: "int", value };
}

export function isTrueLiteral(term: Term): boolean {
  return term.kind === "bool" && term.value;
}

export function isFalseLiteral(term: Term): boolean {
  return (term.kind === "bool" && !term.value) || term.kind === "null";
}

/** Conjunction; nested conjunctions are flattened. */
export function and(...operands: readonly Term[]): Term {
  const flat = distinct(operands.flatMap((each) => (each.kind === "and" ? each.operands : [each])));
  if (flat.some((each) => each.kind === "bool" && !each.value)) return FALSE;
  const kept = flat.filter((each) => !isTrueLiteral(each));
  return kept.length === 0 ? TRUE : kept.length === 1 ? (kept[0] ?? TRUE) : nested("and", kept);
}

/** The operands of a conjunction; any other term alone. */
export function conjunctsOf(term: Term): readonly Term[] {
  return term.kind === "and" ? term.operands : [term];
}

/** Disjunction; nested disjunctions are flattened. */
export function or(...operands: readonly Term[]): Term {
  const flat = distinct(operands.flatMap((each) => (each.kind === "or" ? each.operands : [each])));
  if (flat.some(isTrueLiteral)) return TRUE;
  const kept = flat.filter((each) => !(each.kind === "bool" && !each.value));
  return kept.length === 0 ? FALSE : kept.length === 1 ? (kept[0] ?? FALSE) : nested("or", kept);
}

export function not(operand: Term): Term {
  if (operand.kind === "bool") return operand.value ? FALSE : TRUE;
  return operand.kind === "not" ? operand.operand : { kind: "not", operand };
}

export function compare(operator: "=" | "<" | "<=", left: Term, right: Term): Term {
  if (left.kind === "null" || right.kind === "null") return NULL;
  if (left.kind === "int" && right.kind === "int") {
    const { value: a } = left;
    const { value: b } = right;
    return { kind: "bool", value: operator === "=" ? a === b : operator === "<" ? a < b : a <= b };
  }
  return { kind: "compare", operator, left, right };
}

/** Arithmetic; sums and differences of constants are folded, so that counters stay constants. */
export function calculate(
  kind: "add" | "subtract" | "divide" | "modulo",
  left: Term,
  right: Term,
): Term {
  if (left.kind === "null" || right.kind === "null") return NULL;
  if (left.kind === "int" && right.kind === "int") {
    if (kind === "add") return int(left.value + right.value);
    if (kind === "subtract") return int(left.value - right.value);
  }
  return { kind, left, right };
}

export function isNull(operand: Term): Term {
  if (operand.kind === "null") return TRUE;
  return neverNull(operand) ? FALSE : { kind: "isNull", operand };
}

export function conditional(condition: Term, then: Term, otherwise: Term): Term {
  if (isTrueLiteral(condition) || then === otherwise) return then;
  if (isFalseLiteral(condition)) return otherwise;
  return { kind: "conditional", condition, then, otherwise };
}

/** The condition "is true", which is never NULL itself. */
export function isTrue(condition: Term): Term {
  return neverNull(condition) ? condition : conditional(condition, TRUE, FALSE);
}

/** True if the term is evidently not NULL. Linear in its distinct subterms; memoised. */
export const neverNull = ofNode((term: Term): boolean => isNeverNull(term));

function isNeverNull(term: Term): boolean {
  switch (term.kind) {
    case "int":
    case "bool":
    case "found":
    case "count":
    case "failed":
    case "isNull":
      return true;
    case "null":
    case "parameter":
    case "output":
    case "column":
    case "joined":
    case "unknown":
      return false;
    case "over":
      return term.function === "exists" || term.function === "total";
    case "apply":
      return !term.strict || term.arguments.every(neverNull);
    case "add":
    case "subtract":
    case "multiply":
    case "compare":
      return neverNull(term.left) && neverNull(term.right);
    case "divide":
    case "modulo":
      return false;
    case "negate":
    case "not":
      return neverNull(term.operand);
    case "and":
    case "or":
      return term.operands.every(neverNull);
    case "conditional":
      return neverNull(term.then) && neverNull(term.otherwise);
  }
}

/** The terms directly below. */
export function parts(term: Term): readonly Term[] {
  switch (term.kind) {
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "modulo":
    case "compare":
      return [term.left, term.right];
    case "negate":
    case "not":
    case "isNull":
      return [term.operand];
    case "and":
    case "or":
      return term.operands;
    case "conditional":
      return [term.condition, term.then, term.otherwise];
    case "apply":
      return term.arguments;
    case "over":
      return [term.where, term.value];
    default:
      return [];
  }
}

/** All distinct subterms, itself included. Terms share structure: each object is visited once. */
export function subterms(...roots: readonly Term[]): ReadonlySet<Term> {
  const seen = new Set<Term>();
  const stack = [...roots];
  for (let term = stack.pop(); term !== undefined; term = stack.pop()) {
    if (seen.has(term)) continue;
    seen.add(term);
    stack.push(...parts(term));
  }
  return seen;
}

/** The columns of the current row that the terms mention. Linear in each term; memoised. */
export function columnsIn(...roots: readonly Term[]): ReadonlySet<string> {
  const [only] = roots;
  if (only && roots.length === 1) return columnsOfOne(only);
  return new Set(roots.flatMap((each) => [...columnsOfOne(each)]));
}

/** Operations are rebuilt for each tuple, but their terms are the same. */
const columnsOfOne = ofNode((root: Term): ReadonlySet<string> => {
  const columns = [...subterms(root)].flatMap((each) =>
    each.kind === "column" ? [each.column] : [],
  );
  return new Set(columns);
});

/** True if a term depends on what the transaction read. */
export function dependsOnReads(term: Term): boolean {
  return [...subterms(term)].some(
    (each) =>
      each.kind === "output" ||
      each.kind === "found" ||
      each.kind === "count" ||
      each.kind === "over" ||
      each.kind === "failed",
  );
}

/** True if the term depends on the current row of its operation or of an enclosing `over`. */
export function mentionsRow(term: Term): boolean {
  const all = [...subterms(term)];
  const bound = new Set(all.flatMap((each) => (each.kind === "over" ? [each.operation] : [])));
  return all.some(
    (each) => each.kind === "column" || (each.kind === "joined" && !bound.has(each.operation)),
  );
}

/** The columns of current rows (of their operation and of enclosing `over`s) that the terms mention, in a fixed order. */
export function rowTermsIn(...roots: readonly Term[]): readonly Term[] {
  const joined = roots.flatMap((root) => {
    const all = [...subterms(root)];
    const bound = new Set(all.flatMap((each) => (each.kind === "over" ? [each.operation] : [])));
    return all.flatMap((each) =>
      each.kind === "joined" && !bound.has(each.operation)
        ? [[`${String(each.operation)} ${each.name}`, each] as const]
        : [],
    );
  });
  return [
    ...[...columnsIn(...roots)].sort().map((column): Term => ({ kind: "column", column })),
    ...new Map(joined).values(),
  ];
}

/** The term with columns replaced. Linear in its distinct subterms; sharing is kept. */
export function substitute(term: Term, column: (name: string) => Term): Term {
  return mentionsRow(term)
    ? rewriter((each) => (each.kind === "column" ? column(each.column) : undefined))(term)
    : term;
}

/** Replaces subterms, outermost first. Each distinct subterm is rebuilt once, or kept if nothing in it is replaced. */
export function rewriter(replaced: (term: Term) => Term | undefined): (term: Term) => Term {
  const known = new Map<Term, Term>();
  const go = (term: Term): Term => {
    const made = known.get(term) ?? replaced(term) ?? sameUnlessChanged(term, go);
    known.set(term, made);
    return made;
  };
  return go;
}

function sameUnlessChanged(term: Term, map: (part: Term) => Term): Term {
  const before = parts(term);
  const after = before.map(map);
  if (after.every((each, n) => each === before[n])) return term;
  let next = 0;
  return mapParts(term, (part) => after[next++] ?? part);
}

/** The term with its direct parts replaced. */
function mapParts(term: Term, map: (part: Term) => Term): Term {
  switch (term.kind) {
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "modulo":
    case "compare":
      return { ...term, left: map(term.left), right: map(term.right) };
    case "negate":
    case "not":
    case "isNull":
      return { ...term, operand: map(term.operand) };
    case "and":
    case "or":
      return { ...term, operands: term.operands.map(map) };
    case "conditional":
      return {
        ...term,
        condition: map(term.condition),
        then: map(term.then),
        otherwise: map(term.otherwise),
      };
    case "apply":
      return { ...term, arguments: term.arguments.map(map) };
    case "over":
      return { ...term, where: map(term.where), value: map(term.value) };
    default:
      return term;
  }
}

function nested(kind: "and" | "or", operands: readonly Term[]): Term {
  return { kind, operands };
}

function distinct(terms: readonly Term[]): readonly Term[] {
  return [...new Set(terms)];
}
