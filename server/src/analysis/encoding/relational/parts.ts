// The parts that visibility and arbitration relate at the papers' levels: the transactions of a tuple; a unit has several, which form a
// session.
import type { Instance, StepRef } from "./instances";

export interface Part {
  /** Index among all transactions of the tuple. */
  readonly index: number;
  /** The instance that contains it. */
  readonly instance: number;
  /** In program order. */
  readonly steps: readonly StepRef[];
  /** The steps that write. */
  readonly writers: readonly StepRef[];
}

/** The transactions of these instances, each instance's in program order. Without units they are the instances. */
export function partsOf(instances: readonly Instance[]): readonly Part[] {
  return instances
    .flatMap(({ index, transaction, steps, writers }): readonly Omit<Part, "index">[] => {
      if (!transaction.parts) return [{ instance: index, steps, writers }];
      return transaction.parts.map(({ from, to }) => {
        const isOwn = ({ step }: StepRef): boolean => step >= from && step < to;
        return { instance: index, steps: steps.filter(isOwn), writers: writers.filter(isOwn) };
      });
    })
    .map((part, index) => ({ ...part, index }));
}

/** Finds the transaction that a statement belongs to. */
export function partFinder(parts: readonly Part[]): (ref: StepRef) => Part | undefined {
  const known = parts.flatMap((part) => Array.from(part.steps, ({ step }) => ({ part, step })));
  const places = new Map(
    known.map(({ part, step }) => [`${String(part.instance)} ${String(step)}`, part]),
  );
  const whole = parts.map(({ instance }) => parts.filter((each) => each.instance === instance));
  const alone = new Map(
    whole.flatMap(([part, ...others]) =>
      part && others.length === 0 ? [[part.instance, part] as const] : [],
    ),
  );
  return ({ instance, step }) =>
    alone.get(instance) ?? places.get(`${String(instance)} ${String(step)}`);
}
