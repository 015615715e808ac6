// A candidate fix: edits of the user's texts, not verified yet. Plain data; the caller with a solver verifies it.
import type { FixKind } from "../../protocol/fixes";
import type { FileId } from "../../protocol/source";

/** The replacement of `[start, end)` of a file; offsets are UTF-16. */
export interface TextEdit {
  readonly file: FileId;
  readonly start: number;
  readonly end: number;
  readonly newText: string;
  /** True for a new file: the text is its whole content. */
  readonly creates?: true;
}

export interface Candidate {
  readonly kind: FixKind;
  readonly title: string;
  readonly edits: readonly TextEdit[];
  readonly costs: readonly string[];
}

/** The reason why a kind of fix is not offered, in one sentence without a full stop. */
export interface Refusal {
  readonly kind: FixKind;
  readonly reason: string;
  readonly example?: string;
}

export interface Proposals {
  readonly candidates: readonly Candidate[];
  readonly refusals: readonly Refusal[];
}

/** Edits sorted by file and position, without duplicates; undefined if two of them overlap. */
export function orderedEdits(edits: readonly TextEdit[]): readonly TextEdit[] | undefined {
  const distinct = new Map(edits.map((each) => [JSON.stringify(each), each]));
  const ordered = [...distinct.values()].sort(
    (a, b) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.start - b.start || a.end - b.end,
  );
  const overlap = ordered.some((each, at) => {
    const next = ordered[at + 1];
    if (next?.file !== each.file) return false;
    return next.start < each.end || (next.start === each.start && next.end === each.end);
  });
  return overlap ? undefined : ordered;
}

/** The edits with the line ends of their files: whoever writes them writes `\n`. Linear in the texts. */
export function withLineEnds(
  files: readonly { readonly file: FileId; readonly text: string }[],
  edits: readonly TextEdit[],
): readonly TextEdit[] {
  const ofWindows = new Set(
    files.flatMap(({ file, text }) => (text.includes("\r\n") ? [file] : [])),
  );
  return edits.map((each) =>
    ofWindows.has(each.file)
      ? { ...each, newText: each.newText.replaceAll(/\r?\n/gu, "\r\n") }
      : each,
  );
}

/** The text with the edits of its file applied; they are ordered and do not overlap. Linear in the text. */
export function editedText(text: string, edits: readonly TextEdit[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, newText } of edits) {
    parts.push(text.slice(at, start), newText);
    at = end;
  }
  return parts.join("") + text.slice(at);
}
