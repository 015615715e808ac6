// The invariants of a workspace: those of comments, and those of a configuration.
import type { Invariant, Note, Transaction } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { FileId, Range, SourceRange } from "../../../protocol/source";
import { indexLines, rangeOf, type LineIndex } from "../text/lines";
import { createLowering } from "../lowerSql";
import type { SqlParsers } from "../parsers";
import type { LowerSql } from "../script/state";
import { invariantText, readInvariant, type InvariantReading } from "./invariants";
import type { AnnotationComment } from "./annotations";

export interface InvariantsReading {
  readonly invariants: readonly Invariant[];
  /** Invariants over sums and counts. */
  readonly totals: readonly Invariant[];
  /** With the preconditions from comments. */
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
}

/** A file with its comments. */
export interface CommentedFile {
  readonly lines: LineIndex;
  readonly invariants: readonly InvariantComment[];
}

export type InvariantComment = Extract<AnnotationComment, { kind: "invariant" }>;

/**
 * The invariants in comments of these files: on rows, and on the arguments of the transactions that they are attached to. Unusable ones are
 * errors at their place.
 */
export function readInvariants(
  files: readonly CommentedFile[],
  transactions: readonly Transaction[],
  tables: readonly Table[],
  lower: LowerSql,
): InvariantsReading {
  const invariants: Invariant[] = [];
  const totals: Invariant[] = [];
  const notes: Note[] = [];
  let result = transactions;
  for (const { lines, invariants: comments } of files)
    for (const { start, end, text } of comments) {
      const source = rangeOf(lines, start, end);
      const owner = result.find((each) =>
        each.annotations.some((own) => own.kind === "invariant" && samePlace(own.source, source)),
      );
      const written = { lines, start: end - text.length, end, origin: "comment" as const, source };
      const parameters = owner?.parameters ?? [];
      const reading = readInvariant(written, { tables, lower, parameters });
      if (reading.kind === "rows") invariants.push(...reading.invariants);
      if (reading.kind === "total") totals.push(reading.total);
      if (reading.kind === "problem") notes.push(problemNote(reading));
      if (reading.kind === "arguments" && owner)
        result = result.map((each) =>
          each === owner
            ? { ...each, preconditions: [...each.preconditions, reading.condition] }
            : each,
        );
    }
  return { invariants, totals, transactions: result, notes };
}

/** An invariant of a configuration file with its range there. */
export interface ConfiguredInvariant {
  readonly text: string;
  readonly range: Range;
}

/** The invariants of a configuration file; unusable ones are errors at their place. */
export function readConfiguredInvariants(
  configured: readonly ConfiguredInvariant[],
  file: FileId,
  tables: readonly Table[],
  parsers: SqlParsers,
): Omit<InvariantsReading, "transactions"> {
  const { lower } = createLowering(parsers);
  const readings = configured.map(({ text, range }) => {
    const source = { file, range };
    const written = invariantText(indexLines(file, text), "configuration", source);
    const reading = readInvariant(written, { tables, lower, parameters: [] });
    // Positions inside of a JSON string are not distinguished.
    return reading.kind === "problem" ? { ...reading, source } : reading;
  });
  return {
    invariants: readings.flatMap((each) => (each.kind === "rows" ? each.invariants : [])),
    totals: readings.flatMap((each) => (each.kind === "total" ? [each.total] : [])),
    notes: readings.flatMap((each) => (each.kind === "problem" ? [problemNote(each)] : [])),
  };
}

function problemNote({ message, source }: Extract<InvariantReading, { kind: "problem" }>): Note {
  return { severity: "error", code: "invariant", message, source };
}

function samePlace(a: SourceRange, b: SourceRange): boolean {
  return a.file === b.file && JSON.stringify(a.range) === JSON.stringify(b.range);
}
