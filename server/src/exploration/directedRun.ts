// The directed driver: realises a given history, such as the witness of an anomaly.
import type { Client } from "./client";
import type { DirectedOptions, DirectedRun } from "./exploration";
import { finish, finishSync, groundOf } from "./ground";
import type { Steps } from "./ground";
import { uniqueKeysHold } from "./uniqueKeys";
import type { History } from "./history";
import { allows } from "./levels";
import { publicRun } from "./randomRuns";
import { runLog } from "./runLog";
import { valueText } from "./unfolding";

/** Follows a history. Beyond it, sessions run in order and reads return the latest version. */
export function directedRun(client: Client, options: DirectedOptions): Promise<DirectedRun> {
  return finish(follow(client, options));
}

/** For clients whose sessions are all `sync`. */
export function directedRunSync(client: Client, options: DirectedOptions): DirectedRun {
  return finishSync(follow(client, options));
}

function* follow(client: Client, options: DirectedOptions): Steps<DirectedRun> {
  const { schedule, level } = options;
  const keys = schedule.transactions.flatMap(({ events }) => events.map(({ key }) => key));
  const ground = groundOf(client, options, keys);
  const finished = yield* runLog(ground, "any", schedule, {
    nextSession: ([first = 0]) => first,
    read: ([latest = 0]) => latest,
  });
  const allowed =
    uniqueKeysHold(client, finished.history, level) && allows(finished.history, level);
  return {
    ...publicRun(client, level, finished),
    followed: finished.problems.length === 0 && sameEvents(schedule, finished.history),
    ...(allowed !== undefined && { allowed }),
  };
}

/** True if the run's transactions begin with those of the schedule, event by event. */
function sameEvents(schedule: History, came: History): boolean {
  return schedule.transactions.every((planned, index) => {
    const transaction = came.transactions[index];
    return (
      transaction?.id === planned.id &&
      planned.events.every((event, at) => {
        const other = transaction.events[at];
        if (other?.kind !== event.kind || other.key !== event.key) return false;
        if (event.kind === "read") return other.kind === "read" && other.from === event.from;
        return other.kind === "write" && valueText(other.value) === valueText(event.value);
      })
    );
  });
}
