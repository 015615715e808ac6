// All histories of a small program, found without the explorer: every order of transactions, every committed version for
// every read, duplicates thrown away; then the level's definition decides.
import type { AxiomaticLevel } from "../../../server/src/exploration/exploration";
import type { Event, History, Transaction } from "../../../server/src/exploration/history";
import { INITIAL, OWN, transactionId } from "../../../server/src/exploration/history";
import { satisfiesLevel } from "./axioms";
import { historyText, type Operation, type Program } from "./keyPrograms";

/** Undefined where there are more than so many steps to take. */
export function allHistories(program: Program, most: number): readonly History[] | undefined {
  const found = new Map<string, History>();
  let steps = 0;
  const next = (done: readonly Transaction[]): void => {
    if (++steps > most) return;
    let any = false;
    program.sessions.forEach((transactions, session) => {
      const index = done.filter((each) => each.session === session).length;
      const operations = transactions[index];
      if (operations === undefined) return;
      any = true;
      run(done, session, index, operations, []);
    });
    if (!any) {
      const history = { transactions: done };
      found.set(historyText(history), history);
    }
  };
  const run = (
    done: readonly Transaction[],
    session: number,
    index: number,
    operations: readonly Operation[],
    events: readonly Event[],
    at = 0,
    read = 0,
  ): void => {
    if (++steps > most) return;
    const end = (status: Transaction["status"], events: readonly Event[]): void => {
      const id = transactionId(session, index);
      next([...done, { id, session, index, name: undefined, events, status }]);
    };
    const operation = operations[at];
    if (operation === undefined) {
      end("committed", events);
      return;
    }
    const { kind, key, value } = operation;
    if (kind === "w") {
      run(done, session, index, operations, [...events, { kind: "write", key, value }], at + 1);
      return;
    }
    const first = key[read] ?? "";
    const own = events.some((event) => event.kind === "write" && event.key === first);
    const writers = done.filter((each) => written(each, first) !== undefined).map(({ id }) => id);
    for (const from of own ? [OWN] : [INITIAL, ...writers]) {
      const got =
        from === OWN
          ? lastWrite(events, first)
          : (lastWrite(done.find(({ id }) => id === from)?.events ?? [], first) ?? 0);
      const more: readonly Event[] = [...events, { kind: "read", key: first, from, statement: at }];
      if (read + 1 < key.length) run(done, session, index, operations, more, at, read + 1);
      else if (kind === "!" && got !== 0) end("aborted", more);
      else if (kind === "?" && got === 0) end("committed", more);
      else run(done, session, index, operations, more, at + 1);
    }
  };
  next([]);
  return steps > most ? undefined : [...found.values()];
}

/** Those of the histories that the level allows, as texts. */
export function allowedTexts(
  histories: readonly History[],
  level: AxiomaticLevel,
): ReadonlySet<string> {
  return new Set(histories.filter((history) => satisfiesLevel(history, level)).map(historyText));
}

function written({ status, events }: Transaction, key: string): unknown {
  return status === "committed" ? lastWrite(events, key) : undefined;
}

function lastWrite(events: readonly Event[], key: string): unknown {
  return events.findLast((event) => event.kind === "write" && event.key === key) === undefined
    ? undefined
    : events.reduce<unknown>(
        (last, event) => (event.kind === "write" && event.key === key ? event.value : last),
        undefined,
      );
}
