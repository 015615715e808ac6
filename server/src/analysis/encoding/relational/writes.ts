// User-written axioms, instantiated over the statements of a tuple and guarded by literals like the built-in ones. Static facts (program
// order, same transaction, read-only steps) simplify most instances.
import { countVariables, freeVariables, ruleOf } from "../../../isolation/formula";
import type { Formula, Relation, WrittenAxiom } from "../../../isolation/formula";
import { FALSE, TRUE, and, bool, eq, imp, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { writtenRows } from "./constraints";
import { takeSameKey } from "./keys";
import { isPoint } from "./instances";
import type { Instance, Site, StepRef } from "./instances";
import { MIXED_LEVELS, type Mixture } from "./relations";
import type { Run } from "./run";

/** The literal that enables the user-written axiom of this number for all instances. */
export type WrittenLiteral = `U_${number}`;

export function writtenLiteral(number: number): WrittenLiteral {
  return `U_${number}`;
}

/** Limit of instances per axiom: more would make several megabytes of text. */
const MOST_INSTANCES = 400_000;

/** True if some axiom has too many instances over these statements. */
export function isTooWide(
  axioms: readonly WrittenAxiom[],
  instances: readonly Instance[],
): boolean {
  const steps = instances.reduce((sum, instance) => sum + instance.steps.length, 0);
  return axioms.some(({ formula }) => steps ** countVariables(formula) > MOST_INSTANCES);
}

/**
 * Asserts each axiom under its literal. With mixed levels, MIXED enables the instances whose `concerns` all run at a level with the axiom.
 * At most O(n^k) clauses for n statements and k variables.
 */
export function assertAxioms(
  run: Run,
  axioms: readonly WrittenAxiom[],
  mixture: Mixture | undefined,
): void {
  const ground = makeGround(run);
  axioms.forEach((axiom, number) => {
    const holds = declareWritten(run.database.script, axiom, number, mixture);
    assertAxiom(run, ground, axiom, holds);
  });
}

/** The condition that the axiom holds for an instance. */
function declareWritten(
  script: Script,
  axiom: WrittenAxiom,
  number: number,
  mixture: Mixture | undefined,
): (instance: number) => Smt {
  const literal = script.constant(writtenLiteral(number), "Bool");
  if (mixture === undefined) return () => literal;
  const own = (instance: number): Smt => script.constant(`${literal}_${String(instance)}`, "Bool");
  mixture.levels.forEach((level, instance) => {
    script.assert(imp(literal, own(instance)));
    const asked = level.own?.some(({ text }) => text === axiom.text) ?? false;
    if (asked) script.assert(imp(script.constant(MIXED_LEVELS, "Bool"), own(instance)));
  });
  return own;
}

function assertAxiom(
  run: Run,
  ground: Ground,
  { formula, concerns }: WrittenAxiom,
  holds: (instance: number) => Smt,
): void {
  const { script } = run.database;
  const { variables, conditions, conclusion } = ruleOf(formula);
  const bound = new Map<string, StepRef>();
  /** Conditions indexed by their last variable; those without variables are at the first. */
  const conditionsAt = variables.map((_, at) =>
    conditions.filter((each) => {
      const free = [...freeVariables(each)].map((name) => variables.indexOf(name));
      return Math.max(0, ...free) === at;
    }),
  );
  const demanded = (all: readonly Formula[]): readonly Smt[] =>
    all.flatMap((each) => {
      const { defined, value } = ground(each, bound);
      return [defined, value];
    });
  const extend = (at: number, known: readonly Smt[]): void => {
    const variable = variables[at];
    if (variable === undefined) {
      const { defined, value } = ground(conclusion, bound);
      const guards = concerns.flatMap((name) => {
        const step = bound.get(name);
        return step === undefined ? [] : [holds(step.instance)];
      });
      const always = concerns.length === 0 ? run.instances.map(({ index }) => holds(index)) : [];
      script.assert(imp(and(...guards, ...always, ...known, defined), value));
      return;
    }
    for (const step of run.instances.flatMap((instance) => instance.steps)) {
      bound.set(variable, step);
      const more = and(run.reached(step), ...demanded(conditionsAt[at] ?? []));
      if (more !== FALSE) extend(at + 1, [...known, more]);
    }
    bound.delete(variable);
  };
  extend(0, variables.length > 0 ? [] : demanded(conditions));
}

/** The value of a formula and whether it is defined: it is undefined if it speaks of seeing a statement that wrote nothing. */
interface Truth {
  readonly defined: Smt;
  readonly value: Smt;
}

type Ground = (formula: Formula, bound: Map<string, StepRef>) => Truth;

function makeGround(run: Run): Ground {
  const { script } = run.database;
  const steps = run.instances.flatMap((instance) => instance.steps);
  const wrote = remember(([step]: readonly StepRef[]) => {
    const written = step === undefined ? [] : sitesOf(run, step);
    const rows = written.flatMap((site) =>
      writtenRows(run, site).map((row) => run.changes(site, row)),
    );
    return script.name(or(...rows), "Bool");
  });
  const common = (of: (a: Site, b: Site) => Smt) =>
    remember(([a, b]: readonly StepRef[]) => {
      if (a === undefined || b === undefined) return FALSE;
      const pairs = sitesOf(run, a).flatMap((one) =>
        sitesOf(run, b)
          .filter((other) => other.operation.table === one.operation.table)
          .map((other) => of(one, other)),
      );
      return script.name(or(...pairs), "Bool");
    });
  const conflict = common((one, other) => {
    const rows = isPoint(run.database.flat, one.operation)
      ? writtenRows(run, one)
      : writtenRows(run, other);
    return or(...rows.map((row) => and(run.changes(one, row), run.changes(other, row))));
  });
  const sameKey = common((one, other) => takeSameKey(run, one, other));
  const relate = (relation: Relation, a: StepRef, b: StepRef): Truth => {
    const together = a.instance === b.instance;
    const before = together && a.step < b.step;
    switch (relation) {
      case "vis":
        return together
          ? certain(bool(before))
          : { defined: wrote([a]), value: wrote([a]) === FALSE ? FALSE : run.relations.sees(b, a) };
      case "ar":
        return certain(together ? bool(before) : run.relations.before(a, b));
      // In a check every instance is a separate session.
      case "po":
      case "so":
        return certain(bool(before));
      case "st":
        return certain(bool(together));
      case "eq":
        return certain(bool(together && a.step === b.step));
      case "conflict":
        return certain(together && a.step === b.step ? wrote([a]) : conflict([a, b]));
      case "samekey":
        return certain(together && a.step === b.step ? FALSE : sameKey([a, b]));
      case "write":
        return certain(wrote([a]));
      default: {
        const never: never = relation;
        return never;
      }
    }
  };
  const ground: Ground = (formula, bound) => {
    switch (formula.kind) {
      case "relation": {
        const [a, b = a] = formula.arguments.map((name) => bound.get(name));
        if (a === undefined || b === undefined) throw new Error("a variable is not bound");
        return relate(formula.relation, a, b);
      }
      case "constant":
        return certain(bool(formula.value));
      case "not": {
        const { defined, value } = ground(formula.operand, bound);
        return { defined, value: not(value) };
      }
      case "and":
      case "or": {
        const all = formula.operands.map((each) => ground(each, bound));
        const values = all.map(({ value }) => value);
        const value = formula.kind === "and" ? and(...values) : or(...values);
        return { defined: and(...all.map(({ defined }) => defined)), value };
      }
      case "implies":
      case "iff": {
        const left = ground(formula.left, bound);
        const right = ground(formula.right, bound);
        const join = formula.kind === "implies" ? imp : eq;
        const value = join(left.value, right.value);
        return { defined: and(left.defined, right.defined), value };
      }
      case "forall":
      case "exists": {
        const { kind, variable, body } = formula;
        const all = steps.map((step) => {
          bound.set(variable, step);
          const { defined, value } = ground(body, bound);
          const counts = and(run.reached(step), defined);
          return kind === "forall" ? imp(counts, value) : and(counts, value);
        });
        bound.delete(variable);
        return certain(kind === "forall" ? and(...all) : or(...all));
      }
      default: {
        const never: never = formula;
        return never;
      }
    }
  };
  return ground;
}

function certain(value: Smt): Truth {
  return { defined: TRUE, value };
}

/** The writing operations of a step. */
function sitesOf(run: Run, step: StepRef): readonly Site[] {
  const own = run.instances.find(({ index }) => index === step.instance);
  return (own?.sites ?? []).filter(
    (site) => site.operation.step === step.step && site.writes.size > 0,
  );
}

function remember(compute: (steps: readonly StepRef[]) => Smt): (steps: readonly StepRef[]) => Smt {
  const known = new Map<string, Smt>();
  return (steps) => {
    const key = steps.map(({ instance, step }) => `${String(instance)}.${String(step)}`).join(" ");
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = compute(steps);
    known.set(key, made);
    return made;
  };
}
