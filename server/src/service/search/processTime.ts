// The clock of time budgets: process time, so that a busy machine does not end a search that got no processor.

export interface OwnTimeSources {
  /** Wall time in milliseconds, from any origin. */
  readonly wall: () => number;
  /** Processor milliseconds of all threads of the process. */
  readonly computed: () => number;
}

/**
 * A clock in milliseconds, from 0: as fast as wall time while the process computes, slower while it waits, but at least 1/`SLOWEST` of wall
 * time, because somebody waits for the answer.
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

/** The maximal ratio of wall time to budget on a busy machine. */
export const SLOWEST = 8;

const PROCESS: OwnTimeSources = {
  wall: () => performance.now(),
  computed: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};
