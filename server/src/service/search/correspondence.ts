// Which anomalies of a changed program are those that it had before: told by the stale reads of each, which the edits move
// about and write into.
import { editedText, type TextEdit } from "../../analysis/repair/candidate";
import { indexLines, offsetsOf, type LineIndex } from "../../frontend/sql/text/lines";
import type { SourceFile } from "../../frontend/sql/readProgram";
import type { Anomaly, CycleEnd } from "../../protocol/report";
import { staleReads, type StaleRead } from "../findings/causes";

/**
 * The anomaly behind the edits, as one of the changed program tells it:
 * - `same`: it has a stale read of the old one, in the same transaction. A statement is the one before where it keeps
 *   characters of it, so that a lock which is written into a read makes no new read of it. What no statement shows is the same.
 * - `other`: none of its stale reads is one of the old one, and the edits left their texts alone: another mistake, which
 *   the old anomaly may have hidden, as the search tells one anomaly of a kind, transactions and tables.
 * - `new`: it rests on what the edits wrote, or is of another kind, other transactions or other tables.
 */
export type Relation = "same" | "other" | "new";

/** Tells how an anomaly of the changed program relates to one of the program before. Linear in the edits per read. */
export function correspondence(
  files: readonly SourceFile[],
  edits: readonly TextEdit[],
): (before: Anomaly, now: Anomaly) => Relation {
  const texts = new Map<string, SourceFile>(files.map((each) => [each.file, each]));
  const known = new Map<string, Rewriting | undefined>();
  const rewritingOf = (file: string): Rewriting | undefined => {
    const own = texts.get(file);
    if (own && !known.has(file)) known.set(file, rewriting(own, edits));
    return known.get(file);
  };
  const isOf = (before: StaleRead, now: StaleRead): boolean => {
    if (!before.read || !now.read) return true;
    if (before.transaction !== now.transaction || before.read.file !== now.read.file) return false;
    const change = rewritingOf(now.read.file);
    if (!change) return before.statement === now.statement && before.table === now.table;
    const old = offsetsOf(change.before, before.read.range);
    const kept = change.formerly(now.read);
    return kept.some(({ start, end }) => start < old.end && old.start < end);
  };
  const isUntouched = ({ read }: StaleRead): boolean =>
    read !== undefined && (rewritingOf(read.file)?.isUntouched(read) ?? true);
  return (before, now) => {
    if (claimOf(before) !== claimOf(now)) return "new";
    const old = staleReads(before);
    const reads = staleReads(now);
    if (reads.some((read) => old.some((each) => isOf(each, read)))) return "same";
    return reads.every(isUntouched) ? "other" : "new";
  };
}

/** Key of an anomaly without its levels, which are part of its id, and without its cause. */
export function claimOf({ kind, transactions, tables }: Anomaly): string {
  return JSON.stringify([kind, [...transactions].sort(), tables]);
}

/** A text before and after its edits. */
interface Rewriting {
  readonly before: LineIndex;
  /** The unchanged part of a statement, in offsets of the text before. */
  formerly(end: CycleEnd): readonly Span[];
  isUntouched(end: CycleEnd): boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function rewriting({ file, text }: SourceFile, edits: readonly TextEdit[]): Rewriting {
  const own = edits.filter((each) => each.file === file);
  const before = indexLines(file, text);
  const after = indexLines(file, editedText(text, own));
  const stretches = keptStretches(text, own);
  const formerly = ({ range }: CycleEnd): readonly Span[] => {
    const { start, end } = offsetsOf(after, range);
    return stretches.flatMap(({ at, shift }) => {
      const kept = { start: Math.max(start, at.start), end: Math.min(end, at.end) };
      return kept.start < kept.end ? [{ start: kept.start - shift, end: kept.end - shift }] : [];
    });
  };
  const isUntouched = (end: CycleEnd): boolean => {
    const place = offsetsOf(after, end.range);
    const [kept, ...others] = formerly(end);
    return (
      kept !== undefined && others.length === 0 && kept.end - kept.start === place.end - place.start
    );
  };
  return { before, formerly, isUntouched };
}

/** The stretches of the changed text that the edits left alone, and how far each is from where it was. */
function keptStretches(
  text: string,
  edits: readonly TextEdit[],
): readonly { readonly at: Span; readonly shift: number }[] {
  let from = 0;
  let shift = 0;
  const stretches: { readonly at: Span; readonly shift: number }[] = [];
  for (const { start, end, newText } of edits) {
    stretches.push({ at: { start: from + shift, end: start + shift }, shift });
    shift += newText.length - (end - start);
    from = end;
  }
  return [...stretches, { at: { start: from + shift, end: text.length + shift }, shift }];
}
