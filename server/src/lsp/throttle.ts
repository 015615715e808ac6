// Work that is requested more often than it should run.

export interface Throttle {
  /** Runs the work now, or once after a pause that ten times its last run fill. */
  request(): void;
  /** Runs the work now if it was requested and has not run. */
  flush(): void;
  cancel(): void;
}

/** Milliseconds of the shortest pause. */
const PAUSE = 50;

/** So that at most an eleventh of the time goes to the work, however long it takes. */
const SHARE = 10;

export function createThrottle(work: () => void): Throttle {
  let timer: NodeJS.Timeout | undefined;
  let next = 0;

  function run(): void {
    clearTimeout(timer);
    timer = undefined;
    const started = Date.now();
    work();
    const ended = Date.now();
    next = ended + Math.max(PAUSE, SHARE * (ended - started));
  }

  return {
    request() {
      const pause = next - Date.now();
      if (pause <= 0) run();
      else timer ??= setTimeout(run, pause);
    },
    flush() {
      if (timer !== undefined) run();
    },
    cancel() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
