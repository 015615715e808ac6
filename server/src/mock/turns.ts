// Turns of sessions: a statement that has run for a while lets others go first, so that none blocks them for long.

export interface Turns {
  /** True if the statement at hand has used up its turn. */
  readonly isDue: () => boolean;
  /** A statement begins its first turn. */
  readonly begin: () => void;
  /** Resolves when the others have had theirs, and begins the next one. */
  readonly pass: () => Promise<void>;
}

/** Milliseconds of a turn. */
const LONGEST_TURN = 20;
/** The clock is read once in so many questions. */
const QUESTIONS = 16;

export function createTurns(): Turns {
  let begun = 0;
  let asked = 0;
  let isOver = false;
  function begin(): void {
    begun = performance.now();
    isOver = false;
  }
  return {
    isDue() {
      if (!isOver && ++asked % QUESTIONS === 0) isOver = performance.now() - begun > LONGEST_TURN;
      return isOver;
    },
    begin,
    async pass() {
      await new Promise((resolve) => setImmediate(resolve));
      begin();
    },
  };
}
