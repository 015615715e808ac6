// The clock of time budgets: the process' own time, so that a machine that is busy with others does not end a search
// that got no turn.

export interface OwnTimeSources {
  /** Milliseconds of wall time, from any moment on. */
  readonly wall: () => number;
  /** Milliseconds that all threads of the process computed together. */
  readonly computed: () => number;
}

/**
 * A clock in milliseconds, from 0 on: as fast as wall time while the process computes, slower while it gets no turn or
 * waits, but never slower than a `SLOWEST`th, because somebody waits for the answer.
 */
export function ownTime({ wall, computed }: OwnTimeSources = PROCESS): () => number {
  let own = 0;
  let last = { wall: wall(), computed: computed() };
  return () => {
    const now = { wall: wall(), computed: computed() };
    const passed = now.wall - last.wall;
    own += Math.min(passed, Math.max(now.computed - last.computed, passed / SLOWEST));
    last = now;
    return own;
  };
}

/** How many times its budget a search may last where the machine is busy. */
export const SLOWEST = 8;

const PROCESS: OwnTimeSources = {
  wall: () => performance.now(),
  computed: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};
