// All executions of two instances over small inputs at the papers' levels from read committed on.
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

/** How many statements run depends on guards: every number is tried, the store refuses the wrong ones. */
function* schedules(
  flat: FlatProgram,
  pair: readonly number[],
  order: readonly number[],
  level: PaperLevelName,
): Iterable<readonly ScheduleStep[]> {
  const [first = 0, second = 1] = order;
  const length = (at: number): number => flat.transactions[pair[at] ?? 0]?.operations.length ?? 0;
  for (let early = 0; early <= length(first); early += 1) {
    for (let late = 0; late <= length(second); late += 1) {
      const starts = level === "read-committed" ? range(late + 1) : [0, late];
      for (const start of starts) {
        const sees = range(early).map((at) => `T${String(first + 1)}.${String(at + 1)}`);
        yield [
          ...steps(first, early, () => []),
          ...steps(second, late, (at) => (at >= start ? sees : [])),
        ];
      }
    }
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
