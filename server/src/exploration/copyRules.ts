// Levels at which all sessions share one copy of the database, as rules for a session's atomic steps.
import { findLevel } from "../isolation/levels";
import type { ProductLevel } from "../isolation/levels";
import type { StoreLevel } from "./exploration";

export interface CopyRules {
  /**
   * The granularity of a step: a whole transaction; all of it except the commit, on one snapshot; or a statement, after which its writes
   * and locking reads stay locked.
   */
  readonly moment: "transaction" | "snapshot" | "statement";
  /** True if two transactions that write a common key must not overlap. */
  readonly exclusive: boolean;
  /** For steps of a statement: the snapshot of plain reads. */
  readonly snapshot: ProductLevel["snapshot"];
  /** True if nothing that changed since the snapshot is written or locked; such transactions fail and are left out. */
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
 * The rules of a level; undefined for levels without a single copy. At products' levels, transactions that the product aborts are left out;
 * serializable and snapshot isolation use the papers' rules in place of locks. Gaps are not locked, and a statement that waited acts as if
 * it had begun after the wait: PostgreSQL's READ COMMITTED would search before and recheck the rows that it found.
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

/** The gap in the exploration of a level, as a reason why it cannot claim that nothing else happens. */
export function leftOutAt(level: StoreLevel): string | undefined {
  const product = level.includes(":") ? findLevel(level) : undefined;
  if (product?.family !== "product" || product.conflict !== "recheck") return undefined;
  return `a statement that waits for a row is run as if it were sent after the wait; ${product.label} looks for rows before it waits, and what that alone leads to is not explored`;
}

/** The reason why the store does not support the level; undefined if it does. */
export function unsupportedLevel(level: StoreLevel): string | undefined {
  if (!level.includes(":") || copyRules(level) !== undefined) return undefined;
  return `Client programs cannot be run at ${level}: the store does not know reads that wait for writers, or that read what is not committed.`;
}
