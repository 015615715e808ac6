// The calls that lead from the root to a function or a statement, outermost first: what is told of statements in helpers.
import type { CallPlace } from "../../../../program/statement";
import type { FileId, SourceRange } from "../../../../protocol/source";
import { offsetsOf } from "../../../sql/text/lines";
import type { Span } from "../../../sql/text/split";
import { sourceOf, type CallSite, type Frame, type State } from "../state";

/** The calls that lead to a function that is called now: one that is written within an open function is reached as that is. */
export function throughCall(
  state: State,
  file: FileId,
  span: Span,
  name: string,
  site: CallSite,
): readonly CallPlace[] {
  const [innermost] = holding(state, file, span);
  return (
    innermost?.through ?? [...state.frame.through, { name, source: sourceOf(state, site.span) }]
  );
}

/** The calls that lead to the function that holds a place: a text may stand further out than where it is sent. */
export function throughTo(state: State, { file, range }: SourceRange): readonly CallPlace[] {
  const place = offsetsOf(state.workspace.lines(file), range);
  return (holding(state, file, place).at(-1) ?? state.frame).through;
}

/** The open functions that hold a place, innermost first. */
function holding(state: State, file: FileId, { start, end }: Span): readonly Frame[] {
  const found: Frame[] = [];
  for (let each: Frame | undefined = state.frame; each; each = each.caller) {
    if (each.file === file && each.span.start <= start && end <= each.span.end) found.push(each);
  }
  return found;
}
