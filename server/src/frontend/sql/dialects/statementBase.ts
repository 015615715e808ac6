// The common part of every AR statement.
import type { SourceRange } from "../../../protocol/source";
import { textOf } from "../lowering";
import type { Work } from "./work";

export interface StatementBase {
  readonly id: string;
  readonly source: SourceRange;
  readonly text: string;
}

/** A new statement at the current place. */
export function baseOf(work: Work): StatementBase {
  const { context, source } = work;
  return { id: context.ids.statement(), source, text: textOf(context.piece) };
}
