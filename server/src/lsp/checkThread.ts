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

type Asked<Kind> = Extract<ToCheckThread, { kind: Kind }>;

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

  async function check(asked: Asked<"check">): Promise<void> {
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

  /** Runs a request until its last message. */
  async function answer(
    id: number,
    run: (signal: AbortSignal) => Promise<FromCheckThread>,
  ): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      send(await run(controller.signal));
    } catch (error) {
      send({ kind: "failed", id, message: reasonOf(error) });
    } finally {
      running.delete(id);
    }
  }

  function fix({ id, level, anomaly, project: sent }: Asked<"fixes">): Promise<void> {
    const project = received(sent);
    return answer(id, async (signal) => {
      const report = await checker.fixes(project, level, anomaly, signal, (found) => {
        send({ kind: "fix", id, fix: found });
      });
      return { kind: "fixed", id, report };
    });
  }

  function allocate({ id, level, project: sent }: Asked<"allocation">): Promise<void> {
    const project = received(sent);
    return answer(id, async (signal) => {
      const allocation = await checker.allocation(project, level, signal);
      return { kind: "allocated", id, allocation };
    });
  }

  port.on("message", (message: ToCheckThread) => {
    switch (message.kind) {
      case "check":
        void check(message);
        return;
      case "fixes":
        void fix(message);
        return;
      case "allocation":
        void allocate(message);
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
