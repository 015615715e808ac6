// Levels at which all sessions read from one copy of the database, as rules of what a session does at a time.
import { findLevel } from "../isolation/levels";
import type { ProductLevel } from "../isolation/levels";
import type { StoreLevel } from "./exploration";

export interface CopyRules {
  /**
   * One event of a run: a whole transaction; all of it but its commit, on one snapshot; or a statement, after
   * which what it wrote or read for update stays locked.
   */
  readonly moment: "transaction" | "snapshot" | "statement";
  /** Two transactions that both write a key do not overlap. */
  readonly exclusive: boolean;
  /** Where a moment is a statement: what its plain reads see, and from when on. */
  readonly snapshot: ProductLevel["snapshot"];
  /** Nothing is written or locked that has changed since the snapshot; such transactions fail, and are left out. */
  readonly firstUpdaterWins: boolean;
}

const SERIAL: CopyRules = {
  moment: "transaction",
  exclusive: false,
  snapshot: "first-statement",
  firstUpdaterWins: false,
};
const PREFIX: CopyRules = { ...SERIAL, moment: "snapshot" };
const SNAPSHOT: CopyRules = { ...PREFIX, exclusive: true };

/**
 * The rules of a level, or undefined for levels that are not of one copy. Of products' levels, transactions that the
 * product aborts are left out; where it gives serializable or snapshot isolation the papers' rules stand for its locks.
 * Gaps between keys are not locked, and a statement that had to wait acts as if it had begun after the wait: READ
 * COMMITTED of PostgreSQL would look for rows before, and look again at those it found.
 */
export function copyRules(level: StoreLevel): CopyRules | undefined {
  switch (level) {
    case "serializable":
      return SERIAL;
    case "snapshot-isolation":
      return SNAPSHOT;
    case "prefix":
      return PREFIX;
    case "any":
    case "read-committed":
    case "read-atomic":
    case "causal":
    case "parallel-snapshot-isolation":
      return undefined;
  }
  const product = findLevel(level);
  if (product?.family !== "product") return undefined;
  if (product.serializable) return SERIAL;
  if (product.plainRead !== "snapshot") return undefined;
  const firstUpdaterWins = product.conflict === "first-updater-wins";
  const wholeSnapshot = product.snapshot === "first-statement" || product.snapshot === "begin";
  if (firstUpdaterWins && wholeSnapshot) return SNAPSHOT;
  return { moment: "statement", exclusive: true, snapshot: product.snapshot, firstUpdaterWins };
}

/** Gap of the exploration of a level, as a reason for which it cannot say that nothing else happens. */
export function leftOutAt(level: StoreLevel): string | undefined {
  const product = level.includes(":") ? findLevel(level) : undefined;
  if (product?.family !== "product" || product.conflict !== "recheck") return undefined;
  return `a statement that waits for a row is run as if it were sent after the wait; ${product.label} looks for rows before it waits, and what that alone leads to is not explored`;
}

/** The reason why the store does not know the level; undefined where it does. */
export function unsupportedLevel(level: StoreLevel): string | undefined {
  if (!level.includes(":") || copyRules(level) !== undefined) return undefined;
  return `Client programs cannot be run at ${level}: the store does not know reads that wait for writers, or that read what is not committed.`;
}
