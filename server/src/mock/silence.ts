// Ends connections whose clients say nothing for longer than their session's settings allow.
import type { MockSession } from "./session";

export interface Silence {
  /** The client was answered, and is waited for. */
  begins(session: MockSession | undefined): void;
  /** The client has said something, or is gone. */
  ends(): void;
}

/** Calls `over` when a silence has lasted as long as the session allows. */
export function createSilence(over: () => void): Silence {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    begins(session) {
      clearTimeout(timer);
      const longest = session?.longestSilence ?? 0;
      if (longest > 0) timer = setTimeout(over, longest);
    },
    ends() {
      clearTimeout(timer);
    },
  };
}
