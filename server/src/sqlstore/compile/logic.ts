// AND, OR, NOT, IS, CASE and lists: what works on truth values of three kinds.
import type { SqlValue } from "../values/value";
import { constant, truth, type Compiler, type Node, type Truth } from "./node";
import { unify } from "./operators";

export function both(left: Node, right: Node, compiler: Compiler): Node {
  const [a, b] = [truth(left, compiler, "AND"), truth(right, compiler, "AND")];
  return {
    type: "bool",
    constant: left.constant && right.constant,
    run: (env) => {
      const x = a(env);
      if (x === false) return false;
      const y = b(env);
      return y === false ? false : x === null || y === null ? null : true;
    },
  };
}

export function either(left: Node, right: Node, compiler: Compiler): Node {
  const [a, b] = [truth(left, compiler, "OR"), truth(right, compiler, "OR")];
  return {
    type: "bool",
    constant: left.constant && right.constant,
    run: (env) => {
      const x = a(env);
      if (x === true) return true;
      const y = b(env);
      return y === true ? true : x === null || y === null ? null : false;
    },
  };
}

/** One of two, in MySQL. */
export function oneOf(left: Node, right: Node, compiler: Compiler): Node {
  const [a, b] = [truth(left, compiler, "XOR"), truth(right, compiler, "XOR")];
  return {
    type: "bool",
    constant: left.constant && right.constant,
    run: (env) => {
      const [x, y] = [a(env), b(env)];
      return x === null || y === null ? null : x !== y;
    },
  };
}

export function negation(operand: Node, compiler: Compiler): Node {
  const test = truth(operand, compiler, "NOT");
  return {
    type: "bool",
    constant: operand.constant,
    run: (env) => {
      const value = test(env);
      return value === null ? null : !value;
    },
  };
}

/** `x IS [NOT] NULL`, TRUE, FALSE, UNKNOWN. */
export function isTest(
  operand: Node,
  what: "null" | "true" | "false" | "unknown",
  negated: boolean,
  compiler: Compiler,
): Node {
  if (what === "null") {
    const { run } = operand;
    return {
      type: "bool",
      constant: operand.constant,
      run: (env) => (run(env) === null) !== negated,
    };
  }
  const test = truth(operand, compiler, `IS ${what.toUpperCase()}`);
  const wanted = what === "unknown" ? null : what === "true";
  return {
    type: "bool",
    constant: operand.constant,
    run: (env) => (test(env) === wanted) !== negated,
  };
}

/** True when one test of a list is; neither when none is and one is unknown. */
export function any(tests: readonly Node[], compiler: Compiler, negated: boolean): Node {
  const each = tests.map((test) => truth(test, compiler, "IN"));
  return {
    type: "bool",
    constant: tests.every((test) => test.constant),
    run: (env) => {
      let unknown = false;
      for (const test of each) {
        const value = test(env);
        if (value === true) return !negated;
        if (value === null) unknown = true;
      }
      return unknown ? null : negated;
    },
  };
}

/** CASE: the first arm whose condition is true. */
export function choice(
  arms: readonly { readonly when: Truth; readonly then: Node }[],
  otherwise: Node,
  compiler: Compiler,
): Node {
  const branches = unify([...arms.map((arm) => arm.then), otherwise], compiler, "CASE");
  const last = branches.at(-1) ?? constant("text", null);
  return {
    type: last.type,
    constant: false,
    run: (env): SqlValue => {
      for (const [at, arm] of arms.entries()) {
        if (arm.when(env) === true) return branches[at]?.run(env) ?? null;
      }
      return last.run(env);
    },
  };
}
