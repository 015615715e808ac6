// The process that explores a client program with its own code: sandboxed and single-threaded.
import { installFence } from "../../clients/code/fence";
import type { ExploreJob } from "./job";
import type { FromExploreThread } from "./messages";
import { exploreAndTell } from "./thread";
import { NO_FENCE } from "./openFence";

type ToFenced = { readonly kind: "job"; readonly job: ExploreJob } | { readonly kind: "stop" };

/** Milliseconds between two heartbeats. */
const BEAT = 250;

/** Waits for the job, runs it and sends its outcome. */
export function serveFencedJob(): void {
  const send = process.send?.bind(process);
  if (!send) throw new Error("This script runs in a process that explore starts.");
  const tell = (message: FromExploreThread): void => {
    send(message);
  };
  let isStopped = false;
  let pulse = 1;
  const take = (message: ToFenced): void => {
    if (message.kind === "stop") isStopped = true;
    else if (!installFence())
      tell({ kind: "done", outcome: { reports: [], problems: [NO_FENCE] } });
    else {
      // The client's code may run from here on, and may never return.
      const beat = (): void => {
        tell({ kind: "pulse", count: pulse });
      };
      beat();
      setInterval(beat, BEAT);
      exploreAndTell(message.job, tell, {
        cancelled: () => {
          pulse += 1;
          return isStopped;
        },
      });
    }
  };
  process.on("message", take);
}
