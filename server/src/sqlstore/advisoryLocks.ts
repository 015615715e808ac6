// Advisory locks, which applications name themselves: those of PostgreSQL, and GET_LOCK of MySQL. They belong to sessions, or to
// transactions, and are outside of what isolation levels speak of.
import type { ReadRequest, Request } from "../exploration/client";

/** A statement waits for a lock that another session has. Thrown while it is evaluated, and caught by what then waits. */
export class LockTaken extends Error {
  /** `seconds`: it gives up behind them; the session's settings say when if absent. */
  constructor(readonly seconds?: number) {
    super("a lock is taken");
  }
}

/** A request to wait for a moment: other sessions may give their locks back. */
export interface LockWait extends ReadRequest {
  readonly lockSeconds: number | undefined;
}

/** A lock that nobody ever gets: who awaits it sleeps. */
export const NEVER = "\0never";

export function isLockWait(request: Request): request is LockWait {
  return "lockSeconds" in request;
}

export interface AdvisoryLocks {
  /** Whoever carries out statements lets them wait for locks. */
  readonly canWait?: boolean;
  /** Takes a lock, once more where it is the session's own; false where another session has it. */
  readonly take: (name: string, mode: LockMode) => boolean;
  /** The same for who would wait: false only where nobody can, or the seconds are over. */
  readonly await: (name: string, mode: LockMode, seconds?: number) => boolean;
  /** Gives it back once; false where the session does not have it in that mode. */
  readonly release: (name: string, isShared: boolean) => boolean;
  readonly releaseAll: () => number;
  /** The transaction has ended. */
  readonly transactionEnded: () => void;
  /** Who has it, by the number of the session; undefined for nobody. */
  readonly holder: (name: string) => number | undefined;
}

export interface LockMode {
  readonly isShared: boolean;
  /** It goes with the transaction. */
  readonly isOfTransaction: boolean;
}

interface Hold extends LockMode {
  readonly session: number;
}

/** The locks of one database; gives those of a session by its number. */
export function createAdvisoryLocks(canWait = false): (session: number) => AdvisoryLocks {
  const held = new Map<string, Hold[]>();

  function keep(name: string, holds: Hold[]): void {
    if (holds.length === 0) held.delete(name);
    else held.set(name, holds);
  }

  return (session) => {
    const drop = (isDropped: (hold: Hold) => boolean): number => {
      let count = 0;
      for (const [name, holds] of [...held]) {
        const rest = holds.filter((hold) => hold.session !== session || !isDropped(hold));
        count += holds.length - rest.length;
        if (rest.length < holds.length) keep(name, rest);
      }
      return count;
    };
    const take = (name: string, mode: LockMode): boolean => {
      const holds = held.get(name) ?? [];
      const isFree =
        name !== NEVER &&
        holds.every((hold) => hold.session === session || (hold.isShared && mode.isShared));
      if (isFree) held.set(name, [...holds, { ...mode, session }]);
      return isFree;
    };
    return {
      canWait,
      take,
      await: take,
      release(name, isShared) {
        const holds = held.get(name) ?? [];
        const at = holds.findIndex(
          (hold) => hold.session === session && hold.isShared === isShared && !hold.isOfTransaction,
        );
        if (at < 0) return false;
        keep(name, holds.toSpliced(at, 1));
        return true;
      },
      releaseAll: () => drop(({ isOfTransaction }) => !isOfTransaction),
      transactionEnded: () => {
        drop(({ isOfTransaction }) => isOfTransaction);
      },
      holder: (name) => held.get(name)?.[0]?.session,
    };
  };
}
