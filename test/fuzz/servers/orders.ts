// The orders of steps that were run: no order runs twice, and a small program ends when all of its orders have run.
import type { Chooser } from "./drive";

interface Orders {
  /** True if every order that was seen to be possible has run. */
  areDone(): boolean;
  /** The next run: its chooser picks among the steps behind which some order has not run. One that was given up does not end. */
  begin(choose: Chooser): { readonly choose: Chooser; end(): void };
}

interface Moment {
  isDone: boolean;
  /** The moments that follow, by the instance that goes on: of all that were ready at any time. */
  readonly next: Map<number, Moment>;
}

export function openOrders(): Orders {
  const first = moment();
  return {
    areDone: () => first.isDone,
    begin: (choose) => {
      const path = [first];
      return {
        choose: (ready) => {
          const here = path.at(-1) ?? first;
          for (const each of ready) if (!here.next.has(each)) here.next.set(each, moment());
          const open = ready.filter((each) => here.next.get(each)?.isDone !== true);
          const among = open.length > 0 ? open : ready;
          const asked = choose(among);
          const chosen = among.includes(asked) ? asked : (among[0] ?? asked);
          path.push(here.next.get(chosen) ?? moment());
          return chosen;
        },
        end: () => {
          for (const each of path.reverse())
            each.isDone = [...each.next.values()].every(({ isDone }) => isDone);
        },
      };
    },
  };
}

function moment(): Moment {
  return { isDone: false, next: new Map() };
}
