// Separates transactions of an application from migrations, dumps and seed data, which run once and alone.
import type { Note } from "../../../program/program";
import { commentName } from "../annotations/annotations";
import { rangeOf, type LineIndex } from "../text/lines";
import { preLex } from "../text/preLex";
import type { Span } from "../text/split";
import { firstWords } from "../text/statementKind";
import type { Region, StatementItem } from "./region";
import type { Regions } from "./regions";

/** Larger transactions, or files with as many single statements, are no application code. */
const MOST_STATEMENTS = 400;
const MOST_SINGLE = 100;
/** In characters: longer lists of rows are not written by hand. */
const LONGEST_INSERT = 100_000;
const MOST_SEED_ROWS = 20;
/** In characters. */
const FIRST_ROWS = 20_000;

export interface Applications {
  readonly regions: readonly Region[];
  readonly notes: readonly Note[];
}

/**
 * The regions that an application runs; a marked region always is one. Excluded with a note: whole migrations, transactions with DDL, long
 * lists of plain INSERTs, and single statements without placeholders in a file with DDL or COPY data. Linear in the text.
 */
export function applicationRegions(
  lines: LineIndex,
  grouped: Regions,
  isMigration = false,
): Applications {
  const notes: Note[] = [];
  const add = (message: string, at: Span): void => {
    const source = rangeOf(lines, at.start, at.end);
    notes.push({ severity: "information", code: "set-up", message, source });
  };
  const left: Region[] = [];
  const single = grouped.regions.filter((region) => region.boundary === "autocommit");
  const singles = {
    many: single.length > MOST_SINGLE,
    setUp: grouped.ddl.length > 0,
    seeds: single.every((region) => region.items.every((item) => isSeed(lines, item))),
  };
  const kept = grouped.regions.filter((region) => {
    if (isMarked(region)) return true;
    if (region.boundary === "autocommit") {
      if (!isMigration && isApplication(lines, region, singles)) return true;
      left.push(region);
      return false;
    }
    const why = isMigration ? MIGRATION : whySetUp(lines, region);
    if (why !== undefined) add(`${why} ${MARK}`, region.header);
    return why === undefined;
  });
  const [first] = left;
  if (first !== undefined) {
    const count = left.length === 1 ? "This statement" : `${left.length} statements`;
    const verb = left.length === 1 ? "is" : "are";
    add(
      `${count} outside of a transaction ${verb} taken for set-up and left out. ${MARK}`,
      first.header,
    );
  }
  return { regions: kept, notes };
}

const MIGRATION = "A transaction of a migration is left out: migrations run once and alone.";
const MARK = "Mark it with -- @transaction NAME if the application runs it.";

function isMarked(region: Region): boolean {
  return commentName(region.annotations) !== undefined;
}

function statementsOf(region: Region): readonly StatementItem[] {
  return region.items.filter((item) => item.kind === "statement");
}

function whySetUp(lines: LineIndex, region: Region): string | undefined {
  const statements = statementsOf(region);
  if (statements.some((item) => item.what === "ddl")) {
    return "A transaction with DDL is taken for a migration and left out.";
  }
  if (statements.some((item) => item.end - item.start > LONGEST_INSERT && isSeed(lines, item))) {
    return "A transaction with an INSERT of this length is taken for a data load and left out.";
  }
  if (statements.length > MOST_STATEMENTS) {
    return `A transaction of ${statements.length} statements is taken for a data load and left out.`;
  }
  const seeds = statements.filter((item) => item.what !== "session");
  return seeds.length > MOST_SEED_ROWS && seeds.every((item) => isSeed(lines, item))
    ? "A transaction of plain INSERTs only is taken for a data load and left out."
    : undefined;
}

function isApplication(
  lines: LineIndex,
  region: Region,
  singles: { readonly many: boolean; readonly setUp: boolean; readonly seeds: boolean },
): boolean {
  if (singles.many) return false;
  const [item] = statementsOf(region);
  // A call runs a routine, which has its own transaction; unknown statements are reported as such.
  if (item === undefined || item.what !== "data") return false;
  const [first] = firstWords(lines.text, item.start, item.end, 1);
  const text = lines.text.slice(item.start, item.end);
  if (first === "select" && !/\bfrom\b/i.test(text)) return false;
  return hasPlaceholder(lines, item) || (!singles.setUp && !singles.seeds);
}

/** True for INSERT of literals, or anything that is no row statement. */
function isSeed(lines: LineIndex, item: Region["items"][number]): boolean {
  if (item.kind !== "statement") return true;
  if (item.what !== "data") return item.what === "session" || item.what === "assign";
  const words = firstWords(lines.text, item.start, item.end, 3);
  const isInsert = words[0] === "insert" || words[0] === "replace";
  return isInsert && words.includes("into") && !hasPlaceholder(lines, item);
}

function hasPlaceholder(lines: LineIndex, item: Span): boolean {
  // The first rows of a long INSERT are representative.
  const [first] = firstWords(lines.text, item.start, item.end, 1);
  const isList = first === "insert" || first === "replace";
  const end = isList ? Math.min(item.end, item.start + FIRST_ROWS) : item.end;
  const isVariable = lines.written !== undefined && /@\w/.test(lines.text.slice(item.start, end));
  return isVariable || preLex(lines, item.start, end).placeholders.length > 0;
}
