// A level that the text or the configuration gives to one transaction.
import type { SourceRange } from "../protocol/source";

export interface DeclaredLevel {
  /** A level's full name as in `isolation/levels.ts`, or what the user wrote when it is not known; see `atBegin`. */
  readonly name: string;
  readonly from: "comment" | "sql" | "configuration";
  readonly source?: SourceRange;
}

/** Suffix of a level's name where its snapshot is that of BEGIN: START TRANSACTION WITH CONSISTENT SNAPSHOT. */
const AT_BEGIN = "(consistent-snapshot)";

/** The level's name with the snapshot of BEGIN; without a name, of the level that the transaction has anyway. */
export function atBegin(name = ""): string {
  return name.endsWith(AT_BEGIN) ? name : `${name}${AT_BEGIN}`;
}

/**
 * Instead of a level's name, where all statements read the snapshot of the one that calls them: a STABLE or IMMUTABLE
 * function of PostgreSQL, at whatever level it runs.
 */
export const ONE_SNAPSHOT = "(one-snapshot)";

/** The level's name alone, absent where the transaction declares none, and whether its snapshot is that of BEGIN. */
export function namedLevel(declared: string): {
  readonly name?: string;
  readonly isAtBegin: boolean;
} {
  if (declared === ONE_SNAPSHOT) return { isAtBegin: false };
  if (!declared.endsWith(AT_BEGIN)) return { name: declared, isAtBegin: false };
  const name = declared.slice(0, -AT_BEGIN.length);
  return { ...(name !== "" && { name }), isAtBegin: true };
}
