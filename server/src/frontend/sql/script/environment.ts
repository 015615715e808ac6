// Variables of a script over time: the \set definitions before each point.
import type { Span } from "../text/split";

/** The expression that a name was set to (absent if unseen), and the definition before that. */
export interface Definition {
  readonly expression: Span | undefined;
  readonly before: Environment;
}

/** The definition of a name at one point of the script, undefined if it was not set. */
export type Environment = (name: string) => Definition | undefined;

export interface Definitions {
  define(name: string, expression: Span | undefined): void;
  /** The current environment; later definitions do not change it. */
  now(): Environment;
}

/** An append-only history, so that a snapshot is free. */
export function createDefinitions(): Definitions {
  const history = new Map<string, (Definition & { readonly at: number })[]>();
  let clock = 0;
  function now(): Environment {
    const until = clock;
    return (name) => history.get(name)?.findLast((entry) => entry.at < until);
  }
  return {
    define(name, expression) {
      const entry = { before: now(), at: clock, expression };
      clock++;
      const entries = history.get(name);
      if (entries === undefined) history.set(name, [entry]);
      else entries.push(entry);
    },
    now,
  };
}
