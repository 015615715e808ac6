// All executions of two or more instances over small inputs at the papers' levels from read committed on.
import { permutations } from "../../../server/src/store/permutations";
import type { FlatProgram } from "../../../server/src/analysis/operations/operation";
import type { PaperLevelName } from "../../../server/src/isolation/levels";
import type { Row, ScheduleStep, WitnessInstance } from "../../../server/src/protocol/witness";
import type { Confirmation, WitnessPlan } from "../../../server/src/store/execution";

/**
 * The first plan that is an anomaly of committed transactions with a visible effect. Transactions are arbitrated one
 * after the other; the second sees the first from some statement on (read committed), or all or nothing of it.
 */
export function enumerateWeak(
  flat: FlatProgram,
  pair: readonly number[],
  level: PaperLevelName,
  judge: (plan: WitnessPlan) => Confirmation,
): WitnessPlan | undefined {
  for (const { instances, initial } of inputs(flat, pair)) {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      for (const schedule of schedules(flat, pair, order, level)) {
        const plan = { instances, initial, schedule };
        const { status, severity, witness } = judge(plan);
        const committed = Object.values(witness.outcome.status).every(
          (each) => each === "committed",
        );
        if (status === "confirmed" && severity !== "unused" && committed) return plan;
      }
    }
  }
  return undefined;
}

/**
 * As `enumerateWeak` for any number of instances at levels where transactions are seen whole: every order, each instance
 * seeing any of those before it; over every `stride`-th of the inputs.
 */
export function enumerateWhole(
  flat: FlatProgram,
  tuple: readonly number[],
  stride: number,
  judge: (plan: WitnessPlan) => Confirmation,
): WitnessPlan | undefined {
  let number = 0;
  for (const { instances, initial } of inputs(flat, tuple)) {
    number += 1;
    if (number % stride !== 0) continue;
    for (const order of permutations(range(tuple.length))) {
      for (const seen of visibilities(order)) {
        const schedule = order.flatMap((at, place) =>
          wholeSteps(flat, tuple, at, seen[place] ?? []),
        );
        const plan = { instances, initial, schedule };
        const { status, severity, witness } = judge(plan);
        const committed = Object.values(witness.outcome.status).every(
          (each) => each === "committed",
        );
        if (status === "confirmed" && severity !== "unused" && committed) return plan;
      }
    }
  }
  return undefined;
}

/** For each place of the order the instances before it that are seen. */
function* visibilities(order: readonly number[]): Iterable<readonly (readonly number[])[]> {
  const bits = (order.length * (order.length - 1)) / 2;
  for (let chosen = 0; chosen < 2 ** bits; chosen += 1) {
    let bit = 0;
    yield order.map((_, place) =>
      order.slice(0, place).filter(() => {
        bit += 1;
        return (chosen & (1 << (bit - 1))) !== 0;
      }),
    );
  }
}

/** The first statement and the commit: the program gives the rest, which sees the same. */
function wholeSteps(
  flat: FlatProgram,
  tuple: readonly number[],
  at: number,
  seen: readonly number[],
): readonly ScheduleStep[] {
  const sees = seen.flatMap((other) => {
    const count = flat.transactions[tuple[other] ?? 0]?.operations.length ?? 0;
    return range(count).map((n) => `T${String(other + 1)}.${String(n + 1)}`);
  });
  const instance = `T${String(at + 1)}`;
  return [
    { instance, statement: 1, sees },
    { instance, statement: "commit", sees: [] },
  ];
}

function* inputs(
  flat: FlatProgram,
  pair: readonly number[],
): Iterable<Pick<WitnessPlan, "instances" | "initial">> {
  const rows = (id: number, v: number | undefined): Row[] => (v === undefined ? [] : [{ id, v }]);
  for (const first of [undefined, 0, 1, 2]) {
    for (const second of [undefined, 1]) {
      for (const other of [undefined, 1]) {
        const initial = { x: [...rows(1, first), ...rows(2, second)], y: rows(1, other) };
        for (const k of [1, 2]) {
          for (const v of [0, 1]) {
            const instances = pair.map((index, at): WitnessInstance => ({
              instance: `T${String(at + 1)}`,
              transaction: flat.transactions[index]?.id ?? "",
              arguments: at === 0 ? { k: 1, v: 1 } : { k, v },
            }));
            yield { instances, initial };
          }
        }
      }
    }
  }
}

/** As many statements as there may be: the program leaves out those that its guards leave out. */
function* schedules(
  flat: FlatProgram,
  pair: readonly number[],
  order: readonly number[],
  level: PaperLevelName,
): Iterable<readonly ScheduleStep[]> {
  const [first = 0, second = 1] = order;
  const length = (at: number): number => flat.transactions[pair[at] ?? 0]?.operations.length ?? 0;
  const [early, late] = [length(first), length(second)];
  const starts = level === "read-committed" ? range(late + 1) : [0, late];
  const sees = range(early).map((at) => `T${String(first + 1)}.${String(at + 1)}`);
  for (const start of starts) {
    yield [
      ...steps(first, early, () => []),
      ...steps(second, late, (at) => (at >= start ? sees : [])),
    ];
  }
}

function steps(
  at: number,
  count: number,
  sees: (statement: number) => readonly string[],
): readonly ScheduleStep[] {
  const instance = `T${String(at + 1)}`;
  return [
    ...range(count).map((n) => ({ instance, statement: n + 1, sees: sees(n) })),
    { instance, statement: "commit", sees: [] },
  ];
}

function range(count: number): readonly number[] {
  return [...Array(count).keys()];
}
