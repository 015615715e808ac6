// All executions of the small programs of anomalies: every arbitration, and every choice of what statements see.
import type { Program } from "../../../server/src/program/program";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { ScheduleStep } from "../../../server/src/protocol/witness";
import type { Setup } from "../../../server/src/store/execution";
import type { AnomalyProgram } from "./anomalyTable";
import { instances, programOf, rowsOf, table } from "./programs";

/** The program with one instance of each transaction. */
export function anomalyProgram(anomaly: AnomalyProgram): { program: Program; setup: Setup } {
  const names = anomaly.transactions.map((_, at) => `T${String(at + 1)}`);
  const scripts = names.map((name, at): [string, string] => [
    name,
    anomaly.transactions[at]?.join("\n") ?? "",
  ]);
  return {
    program: programOf(Object.fromEntries(scripts), [table("t", { id: "int", v: "int" })]),
    setup: { instances: instances(...names), initial: { t: rowsOf({ 1: 10, 2: 20 }) } },
  };
}

/** Interleavings of the statements that keep to `before`. */
export function orders(anomaly: AnomalyProgram): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const extend = (order: readonly string[], done: readonly number[]): void => {
    const next = anomaly.transactions.flatMap((statements, at) =>
      (done[at] ?? 0) < statements.length ? [at] : [],
    );
    if (next.length === 0) found.push(order);
    for (const at of next) {
      const name = `T${String(at + 1)}.${String((done[at] ?? 0) + 1)}`;
      extend(
        [...order, name],
        done.map((count, other) => (other === at ? count + 1 : count)),
      );
    }
  };
  extend(
    [],
    anomaly.transactions.map(() => 0),
  );
  return found.filter((order) =>
    (anomaly.before ?? []).every(([a, b]) => order.indexOf(a) < order.indexOf(b)),
  );
}

/** Every choice of what each statement sees among the writes before it. */
export function* schedules(
  anomaly: AnomalyProgram,
  order: readonly string[],
  done: readonly ScheduleStep[],
): Iterable<readonly ScheduleStep[]> {
  const name = order[done.length];
  if (name === undefined) {
    yield done;
    return;
  }
  const [instance = "", statement = ""] = name.split(".");
  const asked = ownEntry(anomaly.sees, name) ?? [];
  const visible = order
    .slice(0, done.length)
    .filter((other) => !other.startsWith(`${instance}.`) && isWrite(anomaly, other));
  const wanted = asked.filter((each) => !each.startsWith("!"));
  if (!wanted.every((each) => visible.includes(each))) return;
  const free = visible.filter((each) => !asked.includes(each) && !asked.includes(`!${each}`));
  for (let mask = 0; mask < 2 ** free.length; mask += 1) {
    const sees = [...wanted, ...free.filter((_, at) => (mask & (1 << at)) !== 0)];
    yield* schedules(anomaly, order, [...done, { instance, statement: Number(statement), sees }]);
  }
}

function isWrite(anomaly: AnomalyProgram, name: string): boolean {
  const [at = 0, number = 0] = name.slice(1).split(".").map(Number);
  return !(anomaly.transactions[at - 1]?.[number - 1] ?? "SELECT").startsWith("SELECT");
}
