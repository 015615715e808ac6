// Replays one history of a client: the code of its sessions, answered as in the history, to observe the code at each statement.
import type { AsyncSession, Key, Reply, Request, Session, Value } from "../exploration/client";
import { INITIAL, OWN, type History, type Transaction } from "../exploration/history";

/** Replays the history; resolves when all of its transactions have ended. `told` receives every read before the code gets the answer. */
export async function replay(
  sessions: readonly Session[],
  initial: ReadonlyMap<Key, Value>,
  history: History,
  told: (event: ReadEvent, transaction: Transaction) => void = () => undefined,
): Promise<void> {
  const written = lastWrites(history);
  const running = sessions.map(launch);
  for (const transaction of history.transactions) {
    const session = running[transaction.session];
    if (session === undefined) continue;
    let at = 0;
    const answer = (request: Request): Reply => {
      switch (request.kind) {
        case "read": {
          const values = new Map<Key, Value>();
          for (const event of readsOf(request, transaction, at)) {
            at += 1;
            told(event, transaction);
            values.set(event.key, valueRead(event, transaction, at - 1, written, initial));
          }
          return { kind: "values", values };
        }
        case "write":
          at += 1;
          return { kind: "done" };
        case "commit":
          return transaction.failure === undefined
            ? { kind: "done" }
            : { kind: "failed", code: "40001", message: transaction.failure };
        case "begin":
        case "abort":
          return { kind: "done" };
      }
    };
    await runTransaction(session, answer);
  }
}

interface Running {
  /** The current request; undefined if the session has ended. */
  request: Request | undefined;
  readonly start: () => Promise<Request | undefined>;
  readonly next: (reply: Reply) => Promise<Request | undefined>;
  started: boolean;
}

/** Answers a session's requests up to the end of its next transaction. */
async function runTransaction(
  session: Running,
  answer: (request: Request) => Reply,
): Promise<void> {
  if (!session.started) {
    session.started = true;
    session.request = await session.start();
  }
  for (;;) {
    const { request } = session;
    if (request === undefined) return;
    session.request = await session.next(answer(request));
    if (request.kind === "commit" || request.kind === "abort") return;
  }
}

export type ReadEvent = Extract<Transaction["events"][number], { kind: "read" }>;

/** The recorded reads that answer a request: its keys in order, then those found by its scans. */
function readsOf(
  request: Extract<Request, { kind: "read" }>,
  { events }: Transaction,
  from: number,
): readonly ReadEvent[] {
  const reads: ReadEvent[] = [];
  const first = events[from];
  const { keys, scans = [] } = request;
  for (let at = from; at < events.length; at += 1) {
    const event = events[at];
    if (event?.kind !== "read") break;
    const expected = keys[reads.length];
    const belongs =
      expected === undefined
        ? scans.some((scan) => event.key.startsWith(scan)) &&
          first?.kind === "read" &&
          event.statement === first.statement
        : expected === event.key;
    if (!belongs) break;
    reads.push(event);
  }
  return reads;
}

function valueRead(
  { key, from }: ReadEvent,
  { events }: Transaction,
  at: number,
  written: ReadonlyMap<number, ReadonlyMap<Key, Value>>,
  initial: ReadonlyMap<Key, Value>,
): Value {
  if (from === OWN) {
    const own = events.slice(0, at).findLast((each) => each.kind === "write" && each.key === key);
    return own?.kind === "write" ? own.value : undefined;
  }
  return from === INITIAL ? initial.get(key) : written.get(from)?.get(key);
}

/** The visible writes of each transaction. */
function lastWrites({ transactions }: History): ReadonlyMap<number, ReadonlyMap<Key, Value>> {
  return new Map(
    transactions.map(({ id, events }) => [
      id,
      new Map(
        events.flatMap((event) => (event.kind === "write" ? [[event.key, event.value]] : [])),
      ),
    ]),
  );
}

function launch(session: Session): Running {
  if (session.kind === "async") return launchAsync(session);
  const code = session.run();
  const requestOf = (step: IteratorResult<Request, void>): Request | undefined =>
    step.done === true ? undefined : step.value;
  return {
    request: undefined,
    started: false,
    start: () => Promise.resolve(requestOf(code.next())),
    next: (reply) => Promise.resolve(requestOf(code.next(reply))),
  };
}

function launchAsync(session: AsyncSession): Running {
  let arrived: (request: Request | undefined) => void = () => undefined;
  let reply: (reply: Reply) => void = () => undefined;
  const nextRequest = (): Promise<Request | undefined> =>
    new Promise((resolve) => {
      arrived = resolve;
    });
  return {
    request: undefined,
    started: false,
    start: () => {
      const first = nextRequest();
      session
        .run(
          (request) =>
            new Promise((resolve) => {
              reply = resolve;
              arrived(request);
            }),
        )
        .then(
          () => {
            arrived(undefined);
          },
          // Its error was reported during the exploration; here it only ends the session.
          () => {
            arrived(undefined);
          },
        );
      return first;
    },
    next: (given) => {
      const following = nextRequest();
      reply(given);
      return following;
    },
  };
}
