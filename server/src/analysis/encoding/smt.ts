// Construction of SMT-LIB text: terms with constant folding, and a script of declarations, names and assertions. Deterministic: the same
// calls give the same text.

/** SMT-LIB text of a term. Terms of sort Bool and Int share this type; callers know which is which. */
export type Smt = string;

export type Sort = "Int" | "Bool";

export const TRUE: Smt = "true";
export const FALSE: Smt = "false";

/** An integer literal. */
export function int(value: number): Smt {
  return value < 0 ? `(- ${String(-value)})` : String(value);
}

/** The integer of a literal; undefined for other terms. */
export function literalOf(term: Smt): number | undefined {
  if (/^\d+$/.test(term)) return Number(term);
  const negative = /^\(- (\d+)\)$/.exec(term);
  return negative ? -Number(negative[1]) : undefined;
}

export function bool(value: boolean): Smt {
  return value ? TRUE : FALSE;
}

export function and(...operands: readonly Smt[]): Smt {
  const kept = [...new Set(operands)].filter((each) => each !== TRUE);
  if (kept.includes(FALSE)) return FALSE;
  if (kept.some((each) => each.startsWith("(not ") && kept.includes(not(each)))) return FALSE;
  return join("and", kept, TRUE);
}

export function or(...operands: readonly Smt[]): Smt {
  const kept = [...new Set(operands)].filter((each) => each !== FALSE);
  if (kept.includes(TRUE)) return TRUE;
  if (kept.some((each) => each.startsWith("(not ") && kept.includes(not(each)))) return TRUE;
  return join("or", kept, FALSE);
}

export function not(operand: Smt): Smt {
  if (operand === TRUE) return FALSE;
  if (operand === FALSE) return TRUE;
  return operand.startsWith("(not ") ? operand.slice(5, -1) : `(not ${operand})`;
}

export function imp(condition: Smt, conclusion: Smt): Smt {
  if (condition === TRUE) return conclusion;
  if (condition === FALSE || conclusion === TRUE || condition === conclusion) return TRUE;
  return conclusion === FALSE ? not(condition) : `(=> ${condition} ${conclusion})`;
}

/** If-then-else over either sort. */
export function ite(condition: Smt, then: Smt, otherwise: Smt): Smt {
  if (condition === TRUE || then === otherwise) return then;
  if (condition === FALSE) return otherwise;
  if (then === TRUE) return or(condition, otherwise);
  if (then === FALSE) return and(not(condition), otherwise);
  if (otherwise === TRUE) return or(not(condition), then);
  if (otherwise === FALSE) return and(condition, then);
  return `(ite ${condition} ${then} ${otherwise})`;
}

/** Equality over either sort; operands are sorted so that equal queries have equal text. */
export function eq(left: Smt, right: Smt): Smt {
  if (left === right) return TRUE;
  if (left === TRUE) return right;
  if (right === TRUE) return left;
  if (left === FALSE) return not(right);
  if (right === FALSE) return not(left);
  if (literalOf(left) !== undefined && literalOf(right) !== undefined) return FALSE;
  return left < right ? `(= ${left} ${right})` : `(= ${right} ${left})`;
}

export function lt(left: Smt, right: Smt): Smt {
  const [a, b] = [literalOf(left), literalOf(right)];
  if (a !== undefined && b !== undefined) return bool(a < b);
  return left === right ? FALSE : `(< ${left} ${right})`;
}

export function le(left: Smt, right: Smt): Smt {
  const [a, b] = [literalOf(left), literalOf(right)];
  if (a !== undefined && b !== undefined) return bool(a <= b);
  return left === right ? TRUE : `(<= ${left} ${right})`;
}

export function add(...operands: readonly Smt[]): Smt {
  let constant = 0;
  const rest: Smt[] = [];
  for (const operand of operands) {
    const value = literalOf(operand);
    if (value === undefined) rest.push(operand);
    else constant += value;
  }
  if (constant !== 0) rest.push(int(constant));
  return rest.length === 0 ? "0" : rest.length === 1 ? (rest[0] ?? "0") : `(+ ${rest.join(" ")})`;
}

export function sub(left: Smt, right: Smt): Smt {
  const [a, b] = [literalOf(left), literalOf(right)];
  if (a !== undefined && b !== undefined) return int(a - b);
  if (b === 0) return left;
  return left === right ? "0" : `(- ${left} ${right})`;
}

/**
 * A product. For two unknowns it is exact if one of them is small; otherwise it is an uninterpreted function of the factors, since solvers
 * are slow at nonlinear arithmetic. The store multiplies exactly.
 */
export function mul(left: Smt, right: Smt): Smt {
  const [a, b] = [literalOf(left), literalOf(right)];
  if (a !== undefined && b !== undefined) return int(a * b);
  if (a === 0 || b === 0) return "0";
  if (a === 1) return right;
  if (b === 1) return left;
  if (a !== undefined || b !== undefined) return `(* ${left} ${right})`;
  return left < right ? `(times ${left} ${right})` : `(times ${right} ${left})`;
}

/**
 * Integer division as in SQL: towards zero. Division by zero is 0 here: SQL fails, so no run gets there. For an unknown divisor it is exact
 * if that is small, as for products.
 */
export function div(left: Smt, right: Smt): Smt {
  const [a, b] = [literalOf(left), literalOf(right)];
  if (a !== undefined && b !== undefined) return int(b === 0 ? 0 : Math.trunc(a / b));
  const absolute = (term: Smt): Smt => ite(lt(term, "0"), negate(term), term);
  const operator = b === undefined ? "over" : "div";
  const quotient = `(${operator} ${absolute(left)} ${absolute(right)})`;
  const sameSign = eq(lt(left, "0"), lt(right, "0"));
  return ite(eq(right, "0"), "0", ite(sameSign, quotient, negate(quotient)));
}

/** The remainder for `div`: it has the sign of the dividend. */
export function mod(left: Smt, right: Smt): Smt {
  return sub(left, mul(right, div(left, right)));
}

export function negate(operand: Smt): Smt {
  const value = literalOf(operand);
  return value === undefined ? `(- ${operand})` : int(-value);
}

/** Applies a declared function; without arguments, the constant itself. */
export function apply(fn: string, args: readonly Smt[]): Smt {
  return args.length === 0 ? fn : `(${fn} ${args.join(" ")})`;
}

/** True if two sequences of equal length are equal elementwise. */
export function sameAll(left: readonly Smt[], right: readonly Smt[]): Smt {
  return and(...left.map((term, index) => eq(term, right[index] ?? term)));
}

/** A script under construction. */
export interface Script {
  /** Declares a constant once; returns its name. */
  constant(name: string, sort: Sort): Smt;
  /** Declares a function over integers once; returns its name. */
  fn(name: string, arity: number, sort: Sort): string;
  assert(formula: Smt): void;
  /** An atom equal to the term: the term itself if it is one, else a name; equal terms share a name. */
  name(term: Smt, sort: Sort): Smt;
  /** The text since the last call, declarations first. */
  take(): string;
}

/** Factors and divisors up to this are computed exactly. */
const SMALL = 2;

/** Definitions of `mul` and `div` for unknown operands, declared on use. */
const DEFINITIONS: Readonly<Record<string, readonly Smt[]>> = {
  times: [
    "(declare-fun times_any (Int Int) Int)",
    `(define-fun times ((a Int) (b Int)) Int ${small(
      "a",
      (n) => `(* ${n} b)`,
      small("b", (n) => `(* ${n} a)`, "(times_any a b)"),
    )})`,
  ],
  over: [
    "(declare-fun over_any (Int Int) Int)",
    `(define-fun over ((a Int) (b Int)) Int ${small("b", (n) => `(div a ${n})`, "(ite (< a b) 0 (over_any a b))", 1)})`,
  ],
};

/** A case distinction over the small values of a variable. */
function small(variable: string, value: (n: string) => Smt, otherwise: Smt, from = 0): Smt {
  let result = otherwise;
  for (let n = SMALL; n >= from; n -= 1) {
    result = `(ite (= ${variable} ${String(n)}) ${value(String(n))} ${result})`;
  }
  return result;
}

/** An empty script; generated names start with `prefix`. Use one script per solver. */
export function createScript(prefix = "d"): Script {
  const declared = new Set<string>();
  const named = new Map<string, string>();
  let declarations: string[] = [];
  let assertions: string[] = [];
  const script: Script = {
    constant: (name, sort) => {
      if (!declared.has(name)) {
        declared.add(name);
        declarations.push(`(declare-const ${name} ${sort})`);
      }
      return name;
    },
    fn: (name, arity, sort) => {
      if (!declared.has(name)) {
        declared.add(name);
        const domain = Array<string>(arity).fill("Int").join(" ");
        declarations.push(`(declare-fun ${name} (${domain}) ${sort})`);
      }
      return name;
    },
    assert: (formula) => {
      if (formula !== TRUE) assertions.push(`(assert ${formula})`);
    },
    name: (term, sort) => {
      if (isAtomic(term)) return term;
      const known = named.get(term);
      if (known !== undefined) return known;
      const name = script.constant(`${prefix}${String(named.size)}`, sort);
      script.assert(`(= ${name} ${term})`);
      named.set(term, name);
      return name;
    },
    take: () => {
      const body = assertions.join("\n");
      for (const [name, definition] of Object.entries(DEFINITIONS)) {
        if (declared.has(name) || !body.includes(`(${name} `)) continue;
        declared.add(name);
        declarations.push(...definition);
      }
      const text = [...declarations, ...assertions, ""].join("\n");
      declarations = [];
      assertions = [];
      return text;
    },
  };
  return script;
}

function isAtomic(term: Smt): boolean {
  return !term.startsWith("(") || /^\(not [^(]*\)$/.test(term) || literalOf(term) !== undefined;
}

function join(operator: "and" | "or", operands: readonly Smt[], neutral: Smt): Smt {
  if (operands.length === 0) return neutral;
  return operands.length === 1 ? (operands[0] ?? neutral) : `(${operator} ${operands.join(" ")})`;
}
