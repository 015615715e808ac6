// Lock modes under PostgreSQL's names, and their conflicts. Locks are held until the transaction ends.
import { dictionary } from "../protocol/dictionary";
import { ROW_LOCKS, rowLocksExclude } from "../program/rowLocks";
import type { SqlValue } from "./value";

export interface HeldLock {
  readonly name: string;
  readonly mode: string;
  /** True for rows that nobody else may insert into a locked gap. */
  readonly covers?: (values: Readonly<Record<string, SqlValue>>) => boolean;
}

/** True if two locks on the same object conflict. */
export function excludes(name: string, held: string, wanted: string): boolean {
  if (name.startsWith("table ")) return tableConflict(held, wanted);
  if (name.startsWith("advisory ")) return !(isShared(held) && isShared(wanted));
  const [own, other] = [held, wanted].map((mode) => ROW_LOCKS.find((each) => each === mode));
  return own === undefined || other === undefined || rowLocksExclude(own, other);
}

/** The modes that each table lock conflicts with, from PostgreSQL's documentation of explicit locking. */
const TABLE_CONFLICTS = dictionary<readonly string[] | undefined>({
  "access share": ["access exclusive"],
  "row share": ["exclusive", "access exclusive"],
  "row exclusive": ["share", "share row exclusive", "exclusive", "access exclusive"],
  "share update exclusive": [
    "share update exclusive",
    "share",
    "share row exclusive",
    "exclusive",
    "access exclusive",
  ],
  share: [
    "row exclusive",
    "share update exclusive",
    "share row exclusive",
    "exclusive",
    "access exclusive",
  ],
});

function tableConflict(held: string, wanted: string): boolean {
  const a = tableMode(held);
  const b = tableMode(wanted);
  const list = TABLE_CONFLICTS[a] ?? TABLE_CONFLICTS[b];
  // The three strongest modes conflict with each other, and with weaker ones as listed there.
  return list === undefined || list.includes(TABLE_CONFLICTS[a] === undefined ? a : b);
}

/** The mode's plain name; by default the strongest, as for LOCK TABLE. */
function tableMode(mode: string): string {
  const name = mode
    .toLowerCase()
    .replace(/\bmode\b|\bin\b|\bnowait\b/g, "")
    .replace(/[_\s]+/g, " ")
    .trim();
  const known =
    Object.hasOwn(TABLE_CONFLICTS, name) || name === "share row exclusive" || name === "exclusive";
  return known ? name : "access exclusive";
}

function isShared(mode: string): boolean {
  return mode.toLowerCase().includes("share");
}
