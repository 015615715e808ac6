// Objects that a framework makes once for all who ask for them: services. What holds them holds the same ones.
import { within } from "../fork";
import type { HirClass } from "../../hir";
import { findAnnotation } from "../../libraries/annotations";
import type { Value } from "../../values";
import type { State } from "../state";

/**
 * The object of a class, which is the same for all objects that hold it where a framework makes it: services hold
 * services, so that what each of them holds would be made again and again.
 */
export function madeOnce(state: State, of: HirClass, make: () => Value): Value {
  const { services = { made: new Map<HirClass, Value>(), cuts: 0 } } = state;
  const known = services.made.get(of);
  if (known) return known;
  const { cuts } = services;
  const value = within(state, { services }, make);
  // A value that holds itself is told by who holds it.
  if (findAnnotation(of.annotations, ...SERVICES) && services.cuts === cuts)
    services.made.set(of, value);
  return value;
}

/** Notes that something is left out that holds itself. */
export function noteCut({ services }: State): void {
  if (services) services.cuts += 1;
}

/** Decorators of classes of which a framework makes one object: Nest's, Angular's, Spring's. */
const SERVICES = ["Injectable", "Service", "Component", "Repository", "Controller", "RestController", "Singleton"]; // prettier-ignore
