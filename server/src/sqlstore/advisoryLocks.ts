// Advisory locks, which applications name themselves: those of PostgreSQL, and GET_LOCK of MySQL. They belong to sessions, or to
// transactions, and are outside of what isolation levels speak of.

export interface AdvisoryLocks {
  /** Takes a lock, once more where it is the session's own; false where another session has it. */
  readonly take: (name: string, mode: LockMode) => boolean;
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
export function createAdvisoryLocks(): (session: number) => AdvisoryLocks {
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
    return {
      take(name, mode) {
        const holds = held.get(name) ?? [];
        const isFree = holds.every(
          (hold) => hold.session === session || (hold.isShared && mode.isShared),
        );
        if (isFree) held.set(name, [...holds, { ...mode, session }]);
        return isFree;
      },
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
