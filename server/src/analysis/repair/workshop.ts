// Input of the candidates: the program with its texts, the anomaly, and the statements at fault.
import type { CodeParsers, CodeTree } from "../../frontend/code/workspace/codeParsers";
import { codeLanguageOf } from "../../frontend/code/workspace/codeParsers";
import { indexLines, offsetsOf, type LineIndex } from "../../frontend/sql/text/lines";
import type { SourceFile } from "../../frontend/sql/readProgram";
import type { Dialect } from "../../program/dialect";
import type { Program, Transaction } from "../../program/program";
import type { Statement } from "../../program/statement";
import { shownEdges, type Anomaly } from "../../protocol/report";
import type { FileId, SourceRange } from "../../protocol/source";
import { statementsOf } from "../operations/tables";
import type { CycleEnd } from "../../protocol/dependency";

/** A statement of a transaction with the place of its text. */
export interface Site {
  readonly transaction: Transaction;
  readonly statement: Statement;
  readonly file: FileId;
  readonly start: number;
  readonly end: number;
}

export interface Workshop {
  readonly program: Program;
  readonly anomaly: Anomaly;
  /** The dialect of the texts if they do not show it. */
  readonly dialect: Dialect;
  /** The texts of the project. */
  readonly files: readonly SourceFile[];
  /** Stale reads in the order of the cycle, without duplicates. */
  readonly staleReads: readonly Site[];
  /** The transactions of the anomaly, without duplicates. */
  readonly transactions: readonly Transaction[];
  /** Names of the connections that statements are going to be sent through in place of their own, by statement. */
  readonly receivers?: ReadonlyMap<string, string>;
  textOf(file: FileId): LineIndex | undefined;
  /** The syntax tree of a code file; undefined for SQL and for files that cannot be parsed. */
  treeOf(file: FileId): CodeTree | undefined;
  sitesOf(transaction: Transaction): readonly Site[];
  /** The end of a source range in its text. */
  endOf(source: SourceRange): number | undefined;
}

/** Opens the input. Linear in the transactions of the anomaly; files are indexed and parsed on demand. */
export function openWorkshop(
  program: Program,
  anomaly: Anomaly,
  dialect: Dialect,
  files: readonly SourceFile[],
  parsers: CodeParsers | undefined,
): Workshop {
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  const lines = memoized((file: FileId): LineIndex | undefined => {
    const text = texts.get(file);
    return text === undefined ? undefined : indexLines(file, text);
  });
  const trees = memoized((file: FileId): CodeTree | undefined => {
    const language = codeLanguageOf(file);
    const text = texts.get(file);
    return language === undefined || text === undefined
      ? undefined
      : parsers?.parse(language, text);
  });
  const siteOf = (transaction: Transaction, statement: Statement): readonly Site[] => {
    const place = placeIn(lines, statement.source);
    return place ? [{ transaction, statement, ...place }] : [];
  };
  const sitesOf = (transaction: Transaction): readonly Site[] =>
    [...statementsOf(transaction.body)].flatMap((statement) => siteOf(transaction, statement));
  const idOf = new Map(
    anomaly.witness.instances.map(({ instance, transaction }) => [instance, transaction]),
  );
  const byId = new Map(program.transactions.map((each) => [each.id, each]));
  const transactions = [...new Set(anomaly.transactions)].flatMap((id) => byId.get(id) ?? []);
  const sitesAt = (end: CycleEnd): readonly Site[] => {
    const transaction = byId.get(idOf.get(end.instance) ?? "");
    if (!transaction) return [];
    return sitesOf(transaction).filter(({ statement }) => isAt(statement, end));
  };
  const stale = shownEdges(anomaly)
    .filter(({ dependency }) => dependency === "rw")
    .flatMap(({ from }) => sitesAt(from));
  const staleReads = [...new Map(stale.map((site) => [site.statement.id, site])).values()];
  return {
    program,
    anomaly,
    dialect,
    files,
    staleReads,
    transactions,
    textOf: lines,
    treeOf: trees,
    sitesOf,
    endOf: (source) => placeIn(lines, source)?.end,
  };
}

function placeIn(
  lines: (file: FileId) => LineIndex | undefined,
  { file, range }: SourceRange,
): Pick<Site, "file" | "start" | "end"> | undefined {
  const index = lines(file);
  return index && { file, ...offsetsOf(index, range) };
}

function isAt({ source }: Statement, { file, range }: CycleEnd): boolean {
  return source.file === file && JSON.stringify(source.range) === JSON.stringify(range);
}

function memoized<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key) as Value;
  };
}
