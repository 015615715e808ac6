// AR loops around statements of a stored routine.
import type { LoopRange } from "../../../program/statement";
import type { Rows } from "../routine/assign";
import { emit, sourceAt } from "../routine/state";
import type { Span } from "../text/split";
import { innerList } from "./control";
import type { LoopFrame, State } from "./state";

export interface LoopText {
  readonly label: string | undefined;
  readonly span: Span;
  readonly left?: LoopFrame["left"];
}

/** A loop whose body `run` lowers; returns its id. */
export function emitLoop(
  state: State,
  loop: LoopText,
  over: LoopRange,
  run: (id: string) => void,
): string {
  const id = state.ids.fresh("loop");
  const { label, span, left } = loop;
  const outer = state.frames;
  const frame = { kind: "loop", id, label, start: span.start } as const;
  state.frames = [...outer, left === undefined ? frame : { ...frame, left }];
  const body = innerList(state, () => {
    run(id);
  });
  state.frames = outer;
  emit(state, { kind: "loop", id, over, body, source: sourceAt(state, span) });
  return id;
}

/** A loop over the rows of a result. */
export function emitRowsLoop(
  state: State,
  loop: LoopText,
  rows: Rows,
  run: (id: string) => void,
): string {
  return emitLoop(state, loop, { kind: "rows", result: rows.name }, run);
}
