// The schedule of a plan with a time per statement: some statements read uncommitted data.
import type { ScheduleStep } from "../../../protocol/witness";
import type { Model } from "../../../solver/solver";
import type { ProductEncoding } from "../../encoding/product/encoding";
import { snapshotName } from "../../encoding/product/names";
import { hasOwnSnapshots } from "../../encoding/product/tuple";
import { instanceName, readInt } from "../readModel";
import type { Moment, Times } from "../../encoding/product/execution";

interface Event {
  readonly instance: number;
  readonly time: number;
  /** Index among the executed statements. */
  readonly number?: number;
}

/** Statements and commits in the order of their beginning; `executed` are the executed steps of each instance. */
export function timedSchedule(
  encoding: ProductEncoding,
  times: Times,
  model: Model,
  executed: readonly (readonly number[])[],
): readonly ScheduleStep[] {
  const at = ({ instance, time }: Moment): Pick<Event, "instance" | "time"> => ({
    instance,
    time: readInt(model, time),
  });
  const ends = executed.map((_, instance): Event => at(times.ends(instance)));
  const events = [
    ...ends,
    ...executed.flatMap((steps, instance) =>
      steps.map((step, index): Event => ({
        ...at(times.begins(instance, step)),
        number: index + 1,
      })),
    ),
  ].sort((a, b) => a.time - b.time || a.instance - b.instance);
  const before = (event: Event): readonly number[] =>
    ends
      .filter(
        (end) =>
          end.time < event.time || (end.time === event.time && end.instance < event.instance),
      )
      .map((end) => end.instance);
  return events.map((event): ScheduleStep => {
    const { instance, number } = event;
    if (number === undefined)
      return { instance: instanceName(instance), statement: "commit", sees: [] };
    const committed = snapshotOf(encoding, model, instance) ?? before(event);
    return {
      instance: instanceName(instance),
      statement: number,
      sees: committed.map(instanceName),
    };
  });
}

/** The earlier committers in an instance's single snapshot; undefined if each statement has its own. */
function snapshotOf(
  { tuple }: ProductEncoding,
  model: Model,
  instance: number,
): readonly number[] | undefined {
  if (hasOwnSnapshots(tuple, instance)) return undefined;
  return [...tuple.transactions.keys()].filter(
    (earlier) => earlier < instance && model.bool(snapshotName(earlier, instance, "all")),
  );
}
