// Correspondence of anomalies before and after edits, by the stale reads of each: edits move these about and insert text into them.
import { editedText, type TextEdit } from "../../analysis/repair/candidate";
import { indexLines, offsetsOf, type LineIndex } from "../../frontend/sql/text/lines";
import type { SourceFile } from "../../frontend/sql/readProgram";
import type { Anomaly } from "../../protocol/report";
import { staleReads, type StaleRead } from "../findings/causes";
import type { CycleEnd } from "../../protocol/dependency";

/**
 * The relation of an anomaly after the edits to one before:
 * - `same`: they share a stale read in the same transaction. Two statements are the same if the new one keeps characters of the old one, so
 *   that a lock clause inserted into a read does not make a new read. An anomaly without located statements is the same.
 * - `other`: they share no stale read, and the edits left the new one's reads alone: another mistake, which the old anomaly may have
 *   hidden, since the search reports one anomaly per kind, transactions and tables.
 * - `new`: it rests on edited text, or has another kind, other transactions or other tables.
 */
export type Relation = "same" | "other" | "new";

export interface Correspondence {
  relationOf(before: Anomaly, now: Anomaly): Relation;
  /** True if a stale read of one is that of the other, whatever they claim. */
  sharesRead(before: Anomaly, now: Anomaly): boolean;
}

/** Builds the relation of anomalies after the edits to anomalies before. Linear in the edits per read. */
export function correspondence(
  files: readonly SourceFile[],
  edits: readonly TextEdit[],
): Correspondence {
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
  const sharesRead = (before: Anomaly, now: Anomaly): boolean => {
    const old = staleReads(before);
    return staleReads(now).some((read) => old.some((each) => isOf(each, read)));
  };
  return {
    sharesRead,
    relationOf: (before, now) => {
      if (claimOf(before) !== claimOf(now)) return "new";
      if (sharesRead(before, now)) return "same";
      return staleReads(now).every(isUntouched) ? "other" : "new";
    },
  };
}

/** The claim of an anomaly: its kind, transactions and tables, without levels and cause. */
export function claimOf({ kind, transactions, tables }: Anomaly): string {
  return JSON.stringify([kind, [...transactions].sort(), tables]);
}

/** A text before and after its edits. */
interface Rewriting {
  readonly before: LineIndex;
  /** The unchanged part of a statement, as spans of the text before. */
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

/** The unedited stretches of the changed text, with their offset from the old position. */
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
