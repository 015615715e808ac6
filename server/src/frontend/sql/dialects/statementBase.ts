// Base of every statement of the AR.
import type { SourceRange } from "../../../protocol/source";
import { textOf } from "../lowering";
import type { Work } from "./work";

export interface StatementBase {
  readonly id: string;
  readonly source: SourceRange;
  readonly text: string;
}

/** A new statement at the place of the work. */
export function baseOf(work: Work): StatementBase {
  const { context, source } = work;
  return { id: context.ids.statement(), source, text: textOf(context.piece) };
}
