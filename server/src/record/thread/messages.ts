// Messages between a recording's proxy and the thread that looks at its bytes.
import type { Protocol } from "../events";
import type { IntakeState } from "../intake";
import type { RecordingFile } from "../recording";
import type { Batch } from "./batches";

/** Data that the thread is started with. */
export interface IntakeThreadData {
  readonly protocol: Protocol;
  readonly recording: RecordingFile;
}

export type ToThread = { readonly kind: "batch"; readonly batch: Batch } | { readonly kind: "end" };

export type FromThread =
  /** So many bytes were looked at. */
  | { readonly kind: "done"; readonly bytes: number }
  | { readonly kind: "remark"; readonly text: string }
  /** The last message: everything that came, which is in the file as well. */
  | { readonly kind: "state"; readonly state: IntakeState };
