// Renames the instances of a witness to T1, T2, ... in the order of their first actions.
import type { ScheduleStep, SerialOutcome, Outcome, Witness } from "../../protocol/witness";
import type { Confirmation, ExecutedStep } from "../../store/execution";

/** The confirmation with instances named by first action; instances that never act come last. */
export function relabel(confirmation: Confirmation): Confirmation {
  const acting = (confirmation.execution?.steps ?? confirmation.witness.schedule).map(
    (step) => step.instance,
  );
  const all = confirmation.witness.instances.map((each) => each.instance);
  const order = [...new Set([...acting, ...all])];
  const names = new Map(order.map((name, n) => [name, `T${String(n + 1)}`]));
  const rename = (name: string): string => names.get(name) ?? name;
  const { execution } = confirmation;
  return {
    ...confirmation,
    witness: renameWitness(confirmation.witness, rename),
    serial: confirmation.serial.map((each) => renameSerial(each, rename)),
    ...(execution && {
      execution: {
        ...execution,
        steps: execution.steps.map((step) => renameStep(step, rename)),
        outcome: renameOutcome(execution.outcome, rename),
        observed: renameKeys(execution.observed, rename),
      },
    }),
  };
}

type Rename = (name: string) => string;

function renameWitness(witness: Witness, rename: Rename): Witness {
  return {
    ...witness,
    instances: byName(
      witness.instances.map((each) => ({ ...each, instance: rename(each.instance) })),
    ),
    schedule: witness.schedule.map((step) => renameScheduled(step, rename)),
    outcome: renameOutcome(witness.outcome, rename),
  };
}

function renameScheduled(step: ScheduleStep, rename: Rename): ScheduleStep {
  return { ...step, instance: rename(step.instance), sees: renameSees(step.sees, rename) };
}

function renameStep(step: ExecutedStep, rename: Rename): ExecutedStep {
  return {
    ...step,
    instance: rename(step.instance),
    sees: renameSees(step.sees, rename),
    reads: step.reads.map((read) =>
      typeof read.writer === "string" ? { ...read, writer: renameRef(read.writer, rename) } : read,
    ),
    ...(step.waitedFor !== undefined && { waitedFor: rename(step.waitedFor) }),
  };
}

function renameSerial(serial: SerialOutcome, rename: Rename): SerialOutcome {
  return { order: serial.order.map(rename), outcome: renameOutcome(serial.outcome, rename) };
}

function renameOutcome(outcome: Outcome, rename: Rename): Outcome {
  return {
    ...outcome,
    status: renameKeys(outcome.status, rename),
    returned: renameKeys(outcome.returned, rename),
  };
}

function renameSees(sees: readonly string[], rename: Rename): readonly string[] {
  return sees.map((each) => renameRef(each, rename)).sort();
}

/** "T1" or "T1.2". */
function renameRef(reference: string, rename: Rename): string {
  const [instance = "", ...rest] = reference.split(".");
  return [rename(instance), ...rest].join(".");
}

function renameKeys<T>(record: Readonly<Record<string, T>>, rename: Rename): Record<string, T> {
  const entries = Object.entries(record).map(([name, value]) => [rename(name), value] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function byName<T extends { readonly instance: string }>(instances: readonly T[]): readonly T[] {
  return [...instances].sort((a, b) =>
    a.instance.localeCompare(b.instance, "en", { numeric: true }),
  );
}
