// The thread that reads and checks for the language server, so that the server stays responsive.
import { parentPort, workerData } from "node:worker_threads";
import { openSession } from "../service/session";
import { reasonOf } from "../protocol/fault";
import {
  createReceiver,
  type CheckThreadData,
  type FromCheckThread,
  type ToCheckThread,
} from "./checkMessages";
import { sessionChecker } from "./sessionChecker";

/** Serves checks until it is told to end. */
export function serveChecks(): void {
  const port = parentPort;
  if (!port) throw new Error("This script runs as a worker thread only.");
  // Only `threadChecker` starts this thread, with these data.
  const options = workerData as CheckThreadData;
  const checker = sessionChecker(() => openSession(options));
  const received = createReceiver();
  const running = new Map<number, AbortController>();
  const send = (message: FromCheckThread): void => {
    port.postMessage(message);
  };

  async function check(asked: Extract<ToCheckThread, { kind: "check" }>): Promise<void> {
    const { id, level, first } = asked;
    const project = received(asked.project);
    const flag = new Int32Array(asked.stop);
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const outcome = await checker.check(
        project,
        level,
        controller.signal,
        {
          reading: (done, total) => {
            send({ kind: "reading", id, done, total });
          },
          progress: (done, total, size) => {
            send({ kind: "progress", id, done, total, size });
          },
          read: (reading) => {
            send({ kind: "read", id, reading });
          },
          found: (anomaly) => {
            send({ kind: "found", id, anomaly });
          },
        },
        { first, isStopped: () => Atomics.load(flag, 0) !== 0 },
      );
      send({ kind: "done", id, outcome });
    } catch (error) {
      const message = reasonOf(error);
      send({ kind: "failed", id, message });
    } finally {
      running.delete(id);
    }
  }

  async function fix(asked: Extract<ToCheckThread, { kind: "fixes" }>): Promise<void> {
    const { id, level, anomaly } = asked;
    const project = received(asked.project);
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const report = await checker.fixes(project, level, anomaly, controller.signal, (found) => {
        send({ kind: "fix", id, fix: found });
      });
      send({ kind: "fixed", id, report });
    } catch (error) {
      send({ kind: "failed", id, message: reasonOf(error) });
    } finally {
      running.delete(id);
    }
  }

  port.on("message", (message: ToCheckThread) => {
    switch (message.kind) {
      case "check":
        void check(message);
        return;
      case "fixes":
        void fix(message);
        return;
      case "abort":
        running.get(message.id)?.abort();
        return;
      case "dispose":
        for (const each of running.values()) each.abort();
        void checker.dispose().finally(() => {
          port.close();
        });
        return;
      default:
        message satisfies never;
    }
  });
}
