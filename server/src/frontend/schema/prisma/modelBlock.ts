// A model of a Prisma schema while it is read.
import type { Note } from "../../../program/program";
import type { SourceRange } from "../../../protocol/source";
import type { Span } from "../../sql/text/split";
import type { PrismaBlock } from "./syntax";

/** A block of a model or view with what reading its parts needs. */
export interface ModelBlock {
  readonly block: Extract<PrismaBlock, { readonly kind: "model" | "view" | "type" }>;
  readonly table: string;
  /** The database schema that `@@schema` names. */
  readonly schema?: string;
  /** The place of a part of it. */
  readonly at: (span: Span) => SourceRange;
}

/** Says what is wrong, and where. */
export type Say = (severity: Note["severity"], message: string, source: SourceRange) => void;
