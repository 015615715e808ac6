// Visibility and arbitration of a schedule as assertions over the encoding's relations.
import assert from "node:assert/strict";
import type { Instance, StepRef } from "../../../server/src/analysis/encoding/relational/instances";
import type { Relations } from "../../../server/src/analysis/encoding/relational/relations";
import { not } from "../../../server/src/analysis/encoding/smt";
import type { Script } from "../../../server/src/analysis/encoding/smt";
import type { ScheduleStep } from "../../../server/src/protocol/witness";

/** Statements come in the schedule's order, and see the writing statements that it says and no others. */
export function assertSchedule(
  script: Script,
  relations: Relations,
  instances: readonly Instance[],
  schedule: readonly ScheduleStep[],
): void {
  const refOf = (name: string): StepRef => {
    const [instance = 0, statement = 0] = name.slice(1).split(".").map(Number);
    const ref = instances[instance - 1]?.steps[statement - 1];
    assert.ok(ref, name);
    return ref;
  };
  const names = schedule.map((step) => `${step.instance}.${String(step.statement)}`);
  names.forEach((name, at) => {
    const next = names[at + 1];
    if (next !== undefined) script.assert(relations.before(refOf(name), refOf(next)));
  });
  for (const [at, step] of schedule.entries())
    for (const writer of instances.flatMap((each) => each.writers)) {
      const reader = refOf(names[at] ?? "");
      if (reader.instance === writer.instance) continue;
      const name = `T${String(writer.instance + 1)}.${String(writer.step + 1)}`;
      const sees = relations.sees(reader, writer);
      script.assert(step.sees.includes(name) ? sees : not(sees));
    }
}
