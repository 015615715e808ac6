// The reference for the explorer: every order of transactions, every version that the level allows for each read.
import type { Client } from "../../server/src/exploration/client";
import type { WeakLevel } from "../../server/src/exploration/commitOrder";
import { finishSync, groundOf } from "../../server/src/exploration/ground";
import { runLog } from "../../server/src/exploration/runLog";

export interface AllOrders {
  readonly runs: number;
  readonly histories: number;
  readonly milliseconds: number;
  readonly exhausted: boolean;
}

/** Stateless depth-first search without reduction; remembers what it met only to count it. */
export function tryAllOrders(
  client: Client,
  level: WeakLevel,
  now: () => number,
  limit: number,
): AllOrders {
  const ground = groundOf(client, {}, []);
  const begin = now();
  const met = new Set<string>();
  let runs = 0;
  // The choices of a run, each with the number of alternatives; the next run changes the last one that has any left.
  const choices: { taken: number; of: number }[] = [];
  for (;;) {
    let at = 0;
    const choose = (of: number): number => {
      const known = choices[at];
      if (known === undefined) choices.push({ taken: 0, of });
      return choices[at++]?.taken ?? 0;
    };
    const { history } = finishSync(
      runLog(
        ground,
        level,
        { transactions: [] },
        {
          nextSession: (waiting) => waiting[choose(waiting.length)] ?? 0,
          read: (writers) => writers[choose(writers.length)] ?? 0,
        },
      ),
    );
    runs++;
    met.add(
      [...history.transactions]
        .sort((a, b) => a.id - b.id)
        .map(({ events }) =>
          events.map((event) => (event.kind === "read" ? event.from : event.key)).join(),
        )
        .join(";"),
    );
    while ((choices.at(-1)?.taken ?? 0) + 1 >= (choices.at(-1)?.of ?? Infinity)) choices.pop();
    const last = choices.at(-1);
    const milliseconds = now() - begin;
    if (last === undefined || milliseconds > limit)
      return { runs, histories: met.size, milliseconds, exhausted: last === undefined };
    last.taken++;
  }
}
