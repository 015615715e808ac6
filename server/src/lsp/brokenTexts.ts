// Reliable findings while open texts have syntax errors and no earlier reading exists: a file was opened broken, or is being written.
// Everything else would report what is merely missing yet.
import { codeLanguageOf } from "../frontend/code/workspace/codeParsers";
import type { Note } from "../program/program";
import type { Anomaly, LevelReport, ReportTransaction, Unknown } from "../protocol/report";
import type { FileId, Range } from "../protocol/source";
import { compare } from "./editRange";
import { SYNTAX } from "./standingReadings";
import { linesOf, partOf } from "./significantText";

type Told = Readonly<{ report: LevelReport; notes: readonly Note[] }>;

/** Syntax notes in open files. */
export function brokenPlaces(notes: readonly Note[], open: readonly FileId[]): readonly Note[] {
  return notes.filter(({ code, source }) => SYNTAX.has(code) && open.includes(source.file));
}

/**
 * The outcome without remarks, open questions and anomalies that may disappear when the broken texts are complete. The omitted part becomes
 * one open question at the first broken place, so that nothing counts as safe.
 */
export function certainPart<Outcome extends Told>(
  outcome: Outcome,
  open: readonly FileId[],
  texts: readonly { readonly file: FileId; readonly text: string }[],
): Outcome {
  const { notes } = outcome;
  // A proof covers the whole text only.
  const { proof: _, sufficient: __, ...report } = outcome.report;
  const broken = brokenPlaces(notes, open);
  const [first] = broken;
  if (!first) return outcome;
  const uncertain = new Set(
    report.transactions.filter((each) => isUncertain(each, broken)).map(({ name }) => name),
  );
  const missing = missingTables(notes, broken, texts);
  const isHeld = ({ status, transactions, tables }: Anomaly): boolean =>
    status !== "confirmed" ||
    transactions.some((name) => uncertain.has(name)) ||
    tables.some((table) => missing(table));
  // A cause is represented by one of its anomalies: it is certain if all of them are.
  const heldCauses = new Set(
    report.anomalies.filter(isHeld).flatMap(({ cause }) => (cause === undefined ? [] : [cause])),
  );
  const anomalies = report.anomalies.filter(
    (each) => !isHeld(each) && (each.cause === undefined || !heldCauses.has(each.cause)),
  );
  const places = new Set(broken.map(({ source }) => placeKey(source)));
  const own = report.unknown.filter(
    ({ file, range }) => file !== undefined && range && places.has(placeKey({ file, range })),
  );
  const held = report.unknown.length - own.length + (report.anomalies.length - anomalies.length);
  const one: Unknown = {
    reason: "This text is not whole. What else there is to say waits until it can be read.",
    unread: "part",
    transactions: [],
    ...first.source,
    count: Math.max(1, held),
  };
  return {
    ...outcome,
    notes: notes.filter(({ code }) => SYNTAX.has(code)),
    report: {
      ...report,
      verdict: anomalies.length > 0 || report.verdict === "cancelled" ? report.verdict : "unknown",
      anomalies,
      ...(report.causes && { causes: report.causes.filter(({ id }) => !heldCauses.has(id)) }),
      unknown: [...own, one],
    },
  };
}

/** True if a transaction may differ in the complete text. */
function isUncertain(
  { file, range, precision }: ReportTransaction,
  broken: readonly Note[],
): boolean {
  if (precision !== "exact") return true;
  const own = broken.filter(({ source }) => source.file === file);
  // Code parsers recover after errors; a script's statements are independent.
  if (own.length > 0 && codeLanguageOf(file) !== undefined) return true;
  return own.some(({ source }) => overlap(source.range, range));
}

/** True if a table's definition may be unread: none was found, or its name occurs in the broken part. */
function missingTables(
  notes: readonly Note[],
  broken: readonly Note[],
  texts: readonly { readonly file: FileId; readonly text: string }[],
): (table: string) => boolean {
  const guessed = new Set(notes.flatMap(({ table }) => (table === undefined ? [] : [table])));
  const words = new Set(
    broken.flatMap(({ source }) => {
      const text = texts.find(({ file }) => file === source.file)?.text ?? "";
      const part = partOf(linesOf(text), source.range);
      return [...part.toLowerCase().matchAll(/[\p{L}\p{N}_$]+/gu)].map(([word]) => word);
    }),
  );
  return (table) =>
    guessed.has(table) || words.has(table.slice(table.lastIndexOf(".") + 1).toLowerCase());
}

function overlap(a: Range, b: Range): boolean {
  return compare(a.start, b.end) <= 0 && compare(b.start, a.end) <= 0;
}

function placeKey({ file, range }: { readonly file: string; readonly range: Range }): string {
  return JSON.stringify([file, range.start, range.end]);
}
