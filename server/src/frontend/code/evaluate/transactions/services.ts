// Objects that a framework makes once for all who ask for them: services. What holds them holds the same ones.
import type { HirClass } from "../../hir";
import { findAnnotation } from "../../libraries/annotations";
import type { Value } from "../../values";
import type { State } from "../state";

/** The object that stands for one that somebody else made, until that is done. */
interface Making {
  readonly made: Map<HirClass, Value>;
  /** How often something was left out since it holds itself. */
  cuts: number;
}

const makings = new WeakMap<State, Making>();

/**
 * The object of a class, which is the same for all objects that hold it where a framework makes it: services hold
 * services, so that what each of them holds would be made again and again.
 */
export function madeOnce(state: State, of: HirClass, make: () => Value): Value {
  const outer = makings.get(state);
  const making = outer ?? { made: new Map<HirClass, Value>(), cuts: 0 };
  const known = making.made.get(of);
  if (known) return known;
  makings.set(state, making);
  const { cuts } = making;
  try {
    const value = make();
    // A value that holds itself is told by who holds it.
    if (findAnnotation(of.annotations, ...SERVICES) && making.cuts === cuts)
      making.made.set(of, value);
    return value;
  } finally {
    if (!outer) makings.delete(state);
  }
}

/** Notes that something is left out that holds itself. */
export function noteCut(state: State): void {
  const making = makings.get(state);
  if (making) making.cuts += 1;
}

/** Decorators of classes of which a framework makes one object: Nest's, Angular's, Spring's. */
const SERVICES = ["Injectable", "Service", "Component", "Repository", "Controller", "RestController", "Singleton"]; // prettier-ignore
