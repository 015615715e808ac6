// A file as text: its slices, comments and transactions, before parsing. A pure function of the text, so that it is cached.
import type { Note } from "../../program/program";
import type { Dialect } from "../../program/dialect";
import type { Suppression } from "../../program/suppression";
import type { FileId } from "../../protocol/source";
import { readSuppressions } from "../suppressions";
import { migrationOf, undoSpans } from "../schema/migrations";
import { commentName, readAnnotations } from "./annotations/annotations";
import { readCanonical } from "./text/canonical";
import { schemaSwitches } from "./text/currentSchema";
import { indexLines, rangeOf, type LineIndex } from "./text/lines";
import type { InvariantComment } from "./annotations/readInvariants";
import type { Region, RoutineSlice } from "./script/region";
import { groupRegions, type Regions } from "./script/regions";
import { applicationRegions } from "./script/setUp";
import {
  isBinary,
  splitStatements,
  type Span,
  type SplitProblem,
  type SplitResult,
} from "./text/split";
import { nextToken, stringOf } from "./text/tokens";

export interface ScannedFile {
  readonly lines: LineIndex;
  readonly dialect: Dialect;
  /** An application's transactions, with a name for unnamed ones. */
  readonly regions: readonly { readonly region: Region; readonly name: string }[];
  readonly routines: readonly RoutineSlice[];
  readonly ddl: readonly Span[];
  /** `@isolens invariant`, anywhere. */
  readonly invariants: readonly InvariantComment[];
  /** `@isolens at`: the application place of the text from a line (from zero) on. */
  readonly places: readonly { readonly line: number; readonly place: string }[];
  /** `@isolens ignore`, anywhere. */
  readonly suppressions: readonly Suppression[];
  readonly notes: readonly Note[];
}

/** Scans a file in time linear in its text. */
export function scanFile(file: FileId, text: string, dialect: Dialect = "postgres"): ScannedFile {
  const { lines, slices, comments, problems } = cut(file, text, dialect);
  const inBodies = slices.flatMap((slice) => bodyComments(text, slice));
  const all = [...comments, ...inBodies].sort((a, b) => a.start - b.start);
  const annotations = readAnnotations(lines, all);
  const ignored = readSuppressions(lines, all);
  const migration = migrationOf(file);
  const written = groupRegions(lines, slices, annotations.comments, dialect);
  const grouped = withoutUndone(
    written,
    migration?.isUndo === true ? [whole(text)] : undoSpans(text),
  );
  const isMigration = migration?.isCertain === true;
  const { regions, notes } = applicationRegions(lines, grouped, isMigration);
  return {
    lines,
    dialect,
    regions: nameRegions(file, regions),
    routines: grouped.routines,
    ddl: grouped.ddl,
    invariants: annotations.comments.filter((comment) => comment.kind === "invariant"),
    places: annotations.comments.flatMap((comment) =>
      comment.kind === "at"
        ? [
            {
              line: rangeOf(lines, comment.end, comment.end).range.end.line + 1,
              place: comment.place,
            },
          ]
        : [],
    ),
    suppressions: ignored.suppressions,
    notes: [
      ...problems.map((problem) => problemNote(lines, problem)),
      ...annotations.notes,
      ...ignored.notes,
      ...grouped.notes,
      ...notes,
    ],
  };
}

function cut(
  file: FileId,
  text: string,
  dialect: Dialect,
): SplitResult & { readonly lines: LineIndex } {
  if (dialect === "postgres" || isBinary(text)) {
    const split = splitStatements(text);
    return { lines: withSchemas(indexLines(file, text), split, dialect), ...split };
  }
  const { text: canonical, ...result } = readCanonical(text, dialect);
  const lines = { ...indexLines(file, canonical), written: text };
  return { lines: withSchemas(lines, result, dialect), ...result };
}

function withSchemas(lines: LineIndex, { slices }: SplitResult, dialect: Dialect): LineIndex {
  const schemas = schemaSwitches(lines.text, slices, dialect);
  return schemas.length === 0 ? lines : { ...lines, schemas };
}

function whole(text: string): Span {
  return { start: 0, end: text.length };
}

/** Without parts of a migration that undo it: these do not run. */
function withoutUndone(grouped: Regions, undone: readonly Span[]): Regions {
  if (undone.length === 0) return grouped;
  const runs = ({ start }: Span): boolean =>
    !undone.some((part) => part.start <= start && start < part.end);
  return {
    ...grouped,
    ddl: grouped.ddl.filter(runs),
    routines: grouped.routines.filter(runs),
    regions: grouped.regions.filter((region) => runs(region.header)),
  };
}

/** Comments inside of a routine's dollar-quoted body, which the splitter takes for a string. */
function bodyComments(text: string, slice: Span): readonly Span[] {
  const part = text.slice(slice.start, slice.end);
  if (!/^create\b/i.test(part) || !part.includes("@")) return [];
  const found: Span[] = [];
  for (let at = slice.start; ;) {
    const token = nextToken(text, at, slice.end);
    if (token === undefined) return found;
    at = token.end;
    if (token.kind !== "string" || text[token.start] !== "$") continue;
    const body = stringOf(text, token);
    const start = text.indexOf("$", token.start + 1) + 1;
    for (let inner = start; ;) {
      const next = nextToken(text, inner, start + body.length);
      if (next === undefined) break;
      if (next.kind === "comment") found.push({ start: next.start, end: next.end });
      inner = next.end;
    }
  }
}

/** The file's name, numbered if it contains several unnamed transactions. */
function nameRegions(
  file: FileId,
  regions: readonly Region[],
): readonly { readonly region: Region; readonly name: string }[] {
  const base = (file.split("/").at(-1) ?? file).replace(/\.[^.]*$/, "");
  const named = regions.map((region) => ({ region, name: commentName(region.annotations) }));
  const nameless = named.filter(({ name }) => name === undefined).length;
  let ordinal = 0;
  return named.map(({ region, name }) => {
    if (name !== undefined) return { region, name };
    return { region, name: nameless === 1 ? base : `${base}-${++ordinal}` };
  });
}

function problemNote(lines: LineIndex, problem: SplitProblem): Note {
  const { code, message, start, end } = problem;
  const severity = code === "binary" ? "warning" : "error";
  return { severity, code, message, source: rangeOf(lines, start, end) };
}
