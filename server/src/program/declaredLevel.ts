// A level that the text or the configuration gives to one transaction.
import type { SourceRange } from "../protocol/source";

export interface DeclaredLevel {
  /** A level's full name as in `isolation/levels.ts`, or what the user wrote when it is not known. */
  readonly name: string;
  readonly from: "comment" | "sql" | "configuration";
  readonly source?: SourceRange;
}
