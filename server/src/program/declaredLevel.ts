// The level that the text or the configuration declares for one transaction.
import type { SourceRange } from "../protocol/source";

export interface DeclaredLevel {
  /** A full name of `isolation/levels.ts`, or the user's text if it is unknown; see `atBegin`. */
  readonly name: string;
  readonly from: "comment" | "sql" | "configuration";
  readonly source?: SourceRange;
}

/** Suffix of a level whose snapshot is taken at BEGIN: START TRANSACTION WITH CONSISTENT SNAPSHOT. */
const AT_BEGIN = "(consistent-snapshot)";

/** The level's name with a snapshot at BEGIN; without a name, for the transaction's default level. */
export function atBegin(name = ""): string {
  return name.endsWith(AT_BEGIN) ? name : `${name}${AT_BEGIN}`;
}

/** Pseudo level for a STABLE or IMMUTABLE function of PostgreSQL: all statements read the calling statement's snapshot, at any level. */
export const ONE_SNAPSHOT = "(one-snapshot)";

/** The plain level name, absent if none is declared, and whether its snapshot is taken at BEGIN. */
export function namedLevel(declared: string): {
  readonly name?: string;
  readonly isAtBegin: boolean;
} {
  if (declared === ONE_SNAPSHOT) return { isAtBegin: false };
  if (!declared.endsWith(AT_BEGIN)) return { name: declared, isAtBegin: false };
  const name = declared.slice(0, -AT_BEGIN.length);
  return { ...(name !== "" && { name }), isAtBegin: true };
}
