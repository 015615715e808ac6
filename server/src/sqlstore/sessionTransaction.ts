// The transaction of a session: how it begins, what is written in it, and what is left when it ends.
import type { Key as StoreKey, Reply, Request, Value } from "../exploration/client";
import type { StatementContext, StatementEnd } from "./run/statement";
import { undoDefinitions } from "./savepoints";
import { checkPending } from "./sessionConstraints";
import { storeFailure } from "./sessionParts";
import type { State } from "./sessionState";
import type { SessionOptions, TransactionStatus } from "./sessionTypes";

type Steps<T = void> = Generator<Request, T, Reply>;
type Ended = Extract<StatementEnd, { readonly ok: true }>;

export interface SessionTransaction {
  readonly begin: () => Steps;
  readonly commit: () => Steps;
  readonly abort: () => Steps;
  /** Forgets what belongs to the transaction, which the store has ended. */
  readonly ended: () => void;
  /** Writes what a statement changed, or takes note that the store ended the transaction. */
  readonly finished: (end: StatementEnd) => Steps<Ended>;
  /** Others hear of it when the transaction is committed. */
  readonly notify: (channel: string, payload: string) => void;
}

export interface TransactionHost {
  readonly state: State;
  readonly isPostgres: boolean;
  readonly options: Pick<SessionOptions, "transactionName" | "now" | "channels">;
  readonly context: () => StatementContext;
  /** Told that one has ended. */
  readonly transactionEnded: () => void;
}

export function sessionTransaction({
  state,
  isPostgres,
  options,
  context,
  transactionEnded,
}: TransactionHost): SessionTransaction {
  let notifications: (readonly [string, string])[] = [];

  function* begin(): Steps {
    const name = options.transactionName?.();
    const level = state.level ?? state.usualLevel;
    yield {
      kind: "begin",
      ...(name !== undefined && { name }),
      ...(level !== undefined && { level }),
    };
    state.status = "open";
    state.hasRun = false;
    state.startedAt = options.now();
  }

  function ended(): void {
    state.status = "idle";
    notifications = [];
    state.level = undefined;
    state.readOnly = undefined;
    state.isImplicit = false;
    undoDefinitions(state);
    state.pending = [];
    state.deferred = new Map();
    transactionEnded();
    state.savepoints = [];
    state.waiting = new Map();
    state.settings = state.settingsBefore ?? state.settings;
    state.settingsBefore = undefined;
  }

  function* commit(): Steps {
    try {
      const end = yield* checkPending(state, state.pending, context());
      if (end?.ok === false) yield* finished(end);
    } catch (error) {
      if (statusNow() === "open") yield* abort();
      throw error;
    }
    for (const [key, value] of state.waiting) yield* written(key, value);
    const reply = yield { kind: "commit" };
    const told = notifications;
    if (reply.kind !== "failed") state.undo = [];
    ended();
    if (reply.kind === "failed") throw storeFailure(reply);
    for (const [channel, payload] of told) options.channels?.notify(channel, payload);
  }

  /** Read anew: what runs in between changes it. */
  function statusNow(): TransactionStatus {
    return state.status;
  }

  function* abort(): Steps {
    yield { kind: "abort" };
    ended();
  }

  function* written(key: StoreKey, value: Value): Steps {
    const reply = yield { kind: "write", key, value };
    if (reply.kind !== "failed") return;
    if (reply.goesOn !== true) lost();
    throw storeFailure(reply);
  }

  /** The store ended the transaction: MySQL's sessions go on without one, PostgreSQL's wait for ROLLBACK. */
  function lost(): void {
    const isImplicit = state.isImplicit;
    ended();
    if (isPostgres && !isImplicit) state.status = "failed";
  }

  function* finished(end: StatementEnd): Steps<Ended> {
    if (!end.ok) {
      if (end.goesOn !== true) lost();
      throw storeFailure(end);
    }
    state.pending.push(...(end.pending ?? []));
    for (const [key, value] of end.writes) {
      if (state.savepoints.length > 0 || state.waiting.size > 0) state.waiting.set(key, value);
      else yield* written(key, value);
    }
    return end;
  }

  return {
    begin,
    commit,
    abort,
    ended,
    finished,
    notify(channel, payload) {
      // A statement that begins again says it again.
      const isNew = !notifications.some(([one, other]) => one === channel && other === payload);
      if (isNew) notifications.push([channel, payload]);
    },
  };
}
