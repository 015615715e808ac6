// The memory of a process, minute by minute, and whether it stays flat.

export interface Memory {
  /** Takes a figure when its time has come; `told` says what was done by then. */
  look(told: () => string): void;
  /** True if the last third holds hardly more than the third before it. */
  isFlat(): boolean;
}

/** Beyond this share, and so many megabytes, memory grew. */
const SHARE = 1.15;
const SLACK = 40;
/** Minutes from which on a run is judged. */
const JUDGED = 6;

export function openMemory(
  name: string,
  minutes: number,
  megabytes: () => number | undefined,
): Memory {
  const interval = Math.min(60_000, (minutes * 60_000) / 6);
  const figures: number[] = [];
  let next = Date.now();
  return {
    look: (told) => {
      if (Date.now() < next) return;
      next += interval;
      const now = megabytes();
      if (now === undefined) return;
      figures.push(now);
      console.log(`${name}: ${String(now).padStart(5)} MB, ${told()}`);
    },
    isFlat: () => {
      const third = Math.floor(figures.length / 3);
      // A process that has just begun grows: short runs only print.
      if (third === 0 || minutes < JUDGED) return true;
      const most = (part: readonly number[]): number => Math.max(...part);
      const before = most(figures.slice(third, 2 * third));
      return most(figures.slice(2 * third)) <= Math.max(before * SHARE, before + SLACK);
    },
  };
}
