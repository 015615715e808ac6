// The thread of a recording: decodes the bytes of all connections and takes their statements in.
import { parentPort, workerData } from "node:worker_threads";
import { openIntake } from "../intake";
import { decodingWatch, type Watch } from "../proxy/watch";
import { forEachPart, ORIGIN, type Batch } from "./batches";
import type { FromThread, IntakeThreadData, ToThread } from "./messages";

/** Works on what the proxy sends until that says that it is all. */
export function serveIntake(): void {
  const port = parentPort;
  if (port === null) throw new Error("this script is a thread's");
  // Given by the thread's owner.
  const data = workerData as IntakeThreadData;
  const take = intakeOf(data, (message) => {
    port.postMessage(message);
  });
  port.on("message", (message: ToThread) => {
    take(message);
    if (message.kind === "end") port.close();
  });
}

/** The work of the thread on each message. */
export function intakeOf(
  { protocol, recording }: IntakeThreadData,
  post: (message: FromThread) => void,
): (message: ToThread) => void {
  const remark = (text: string): void => {
    post({ kind: "remark", text });
  };
  const intake = openIntake({ protocol, recording, remark });
  const { emit, nextOrder } = intake;
  const watches = new Map<number, Watch>();
  const watchOf = (connection: number): Watch => {
    const before = watches.get(connection);
    if (before) return before;
    const watch = decodingWatch(connection, { protocol, emit, remark, nextOrder });
    watches.set(connection, watch);
    return watch;
  };
  const look = (batch: Batch): void => {
    forEachPart(batch, (connection, origin, chunk) => {
      const watch = watchOf(connection);
      if (origin === ORIGIN.client) watch.fromClient(chunk);
      else if (origin === ORIGIN.server) watch.fromServer(chunk);
      else {
        watch.end();
        watches.delete(connection);
      }
    });
    post({ kind: "done", bytes: batch.bytes.length });
  };
  return (message) => {
    if (message.kind === "batch") {
      look(message.batch);
      return;
    }
    intake.close();
    post({ kind: "state", state: intake.state() });
  };
}
