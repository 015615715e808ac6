// The intake of a recording in a thread of its own, so that decoding is on no statement's way: the proxy's side.
import { Worker } from "node:worker_threads";
import { faultText } from "../../protocol/fault";
import type { Remark } from "../events";
import type { IntakeState } from "../intake";
import type { Watch } from "../proxy/watch";
import { createBatcher, ORIGIN, type Batch } from "./batches";
import type { FromThread, IntakeThreadData, ToThread } from "./messages";

export interface RemoteIntake {
  watch(connection: number): Watch;
  /** Ends the thread when it has looked at all that it was sent; undefined if it failed before. */
  close(): Promise<IntakeState | undefined>;
}

export interface RemoteIntakeOptions extends IntakeThreadData {
  /** Absolute path of the thread's script. */
  readonly script: string;
  readonly remark: Remark;
}

/** Bytes that wait for the thread before connections are made to wait. */
const MOST_WAITING = 16 * 1024 * 1024;

/** Starts the thread. A thread that fails ends the recording, never a connection. */
export function startIntakeThread({ script, remark, ...data }: RemoteIntakeOptions): RemoteIntake {
  const worker = new Worker(script, { workerData: data satisfies IntakeThreadData, execArgv: [] });
  let waiting = 0;
  let relief: { readonly promise: Promise<void>; readonly give: () => void } | undefined;
  let isOver = false;
  let settle: (state: IntakeState | undefined) => void = () => undefined;
  const last = new Promise<IntakeState | undefined>((resolve) => (settle = resolve));
  const relieve = (): void => {
    relief?.give();
    relief = undefined;
  };
  const fail = (why: string): void => {
    if (isOver) return;
    isOver = true;
    remark(
      `nothing is recorded from here on (${why}), the application goes on; ${data.recording.file} has what came before: isolens record --from learns from it`,
    );
    settle(undefined);
    relieve();
  };
  worker.on("message", (message: FromThread) => {
    if (message.kind === "remark") remark(message.text);
    else if (message.kind === "state") {
      isOver = true;
      settle(message.state);
    } else {
      waiting -= message.bytes;
      if (waiting <= MOST_WAITING / 2) relieve();
    }
  });
  worker.on("error", (error) => {
    fail(faultText(error));
  });
  worker.on("exit", (code) => {
    fail(`its thread ended with code ${String(code)}`);
  });
  const post = (message: ToThread, transfer: readonly ArrayBuffer[] = []): void => {
    if (!isOver) worker.postMessage(message, [...transfer]);
  };
  const batcher = createBatcher((batch: Batch) => {
    post({ kind: "batch", batch }, [batch.bytes.buffer, batch.parts.buffer]);
  });
  return {
    watch: (connection) => {
      const add = (origin: typeof ORIGIN.client | typeof ORIGIN.server, chunk: Buffer): void => {
        if (isOver) return;
        waiting += chunk.length;
        batcher.add(connection, origin, chunk);
      };
      return {
        isTransparent: true,
        fromClient: (chunk) => {
          add(ORIGIN.client, chunk);
        },
        fromServer: (chunk) => {
          add(ORIGIN.server, chunk);
          return chunk;
        },
        relief: () => {
          if (isOver || waiting <= MOST_WAITING) return undefined;
          relief ??= promiseToGive();
          return relief.promise;
        },
        end: () => {
          if (!isOver) batcher.add(connection, ORIGIN.end, Buffer.alloc(0));
        },
      };
    },
    async close() {
      batcher.flush();
      post({ kind: "end" });
      const state = await last;
      await worker.terminate();
      return state;
    },
  };
}

function promiseToGive(): { readonly promise: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (give = resolve));
  return { promise, give };
}
