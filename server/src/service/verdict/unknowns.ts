// Sentences about what a check could not decide: statements that were not understood, files that were not read, tuples that were not
// reached.
import type { FlatProgram } from "../../analysis/operations/operation";
import type { Level } from "../../isolation/levels";
import type { Note, Program, Transaction } from "../../program/program";
import type { Statement } from "../../program/statement";
import type { Taint } from "../../program/precision";
import type { Anomaly, Coverage, Unknown, UnreadKind } from "../../protocol/report";
import type { SourceRange } from "../../protocol/source";
import { durationText, durationWords } from "../../workspace/duration";
import type { SkippedFile } from "../../workspace/projects";
import type { SearchResult, UndecidedTuple } from "../search/search";
import { statementPrecision, statementsOf, tablesOf } from "../statements";
import { lastingLocks, unsearchedParts } from "./searchGaps";
import type { SearchedAs } from "./searchGaps";

/** The reason why a check ended early. */
export type EndedBy = "budget" | "cancel";

/** The number of statements per precision. */
export function coverageOf(program: Program): Coverage {
  const counts = { exact: 0, over: 0, approx: 0, opaque: 0 };
  let statements = 0;
  for (const transaction of program.transactions) {
    for (const statement of statementsOf(transaction.body)) {
      counts[statementPrecision(statement)] += 1;
      statements += 1;
    }
  }
  return { statements, ...counts };
}

/** Note codes of unread input. */
const UNREAD: ReadonlyMap<string, UnreadKind> = new Map([
  ["routine-unread", "routine"],
  ["code-unread", "part"],
  ["code-syntax", "part"],
  ["call-unreached", "call"],
  ["library-unread", "library"],
]);

/** Note codes of unread code that runs with the transactions, or of settings that change them. */
const UNFOLLOWED: ReadonlySet<string> = new Set(["trigger", "rule", "event", "setting"]);

/** True if a note reports code that the check did not look at: an error, an unread part, a trigger, a rule. */
export function isGap(note: Note): boolean {
  return note.severity === "error" || UNREAD.has(note.code) || UNFOLLOWED.has(note.code);
}

/** Files and folders that were not read. */
export function skippedUnknowns(skipped: readonly SkippedFile[]): readonly Unknown[] {
  return skipped.map(({ file, reason, isFolder = false }) => {
    const unread = isFolder ? "folder" : "file";
    return { reason, unread, transactions: [], file: file === "" ? "." : file };
  });
}

/** Losses of reading, and what the search leaves out. Statements that were only weakened (`over`) are reported by `weakenings`. */
export function unreadParts(
  program: Program,
  skipped: readonly SkippedFile[],
  searched?: {
    readonly flat: FlatProgram;
    readonly levelOf: (id: string) => Level;
    /** Transactions on no cycle, for any number of loop rounds. */
    readonly apart: Pick<ReadonlySet<string>, "has">;
  },
): readonly Unknown[] {
  const lasting = lastingLocks(searched?.flat.transactions ?? []);
  const searchedAs = (id: string): SearchedAs => {
    const flat = searched?.flat.transactions.find((each) => each.id === id);
    const isApart = (): boolean => searched?.apart.has(id) ?? false;
    return flat ? { flat, level: searched?.levelOf(id), lasting, isApart } : {};
  };
  const files = skippedUnknowns(skipped);
  const notes = program.notes.filter(isGap).map(noteUnknown);
  // The function that holds a call has a loss for it already, which the note does not name.
  const covered = new Set(notes.filter(({ unread }) => unread !== "call").map(placeKey));
  const parts = program.transactions
    .flatMap((transaction) => [
      ...transactionUnknowns(transaction),
      ...unsearchedParts(program, transaction, searchedAs(transaction.id)).map(
        ({ reason, source }) => unknownAt(transaction, reason, source),
      ),
      ...cascades(program, transaction),
      ...(searched ? truncations(program, transaction, searched.levelOf) : []),
    ])
    .filter((unknown) => !covered.has(placeKey(unknown)));
  return [...files, ...notes, ...parts];
}

/**
 * Statements that were weakened for the solver. The searched program then has values and rows that stand for others, so that "nothing
 * found" would claim too much: executions that depend on them may be missed. With `serializable`, the levels guarantee all reads and
 * writes, and only the exceptions are reported.
 */
export function weakenings(
  program: Program,
  flat: FlatProgram,
  levelOf: (id: string) => Level,
  {
    serializable,
    apart,
  }: {
    readonly serializable: boolean;
    /** Transactions on no cycle, whichever rows their statements concern. */
    readonly apart: Pick<ReadonlySet<string>, "has">;
  },
): readonly Unknown[] {
  // At the papers' levels an unconfirmed candidate is dropped, so a guess may hide something there as well.
  const guesses = (id: string, all: readonly string[] = []): readonly string[] =>
    levelOf(id).family === "paper" ? all : [];
  const losses = new Map(
    flat.transactions.map((each) => [each.id, [...each.losses, ...guesses(each.id, each.guesses)]]),
  );
  return program.transactions.flatMap((transaction) => {
    const statements = statementsOf(transaction.body);
    const placed = [
      ...transaction.taint.map((loss) => ({ loss, source: loss.source ?? transaction.header })),
      ...statements.flatMap(({ source, taint }) => taint.map((loss) => ({ loss, source }))),
    ];
    const told = new Set(placed.map(({ loss }) => loss.reason));
    const open = (losses.get(transaction.id) ?? []).filter((reason) => !told.has(reason));
    const all = [
      ...placed.filter(
        ({ loss }) => loss.effect === "outside" || (!serializable && loss.effect === "over"),
      ),
      ...open
        .filter(() => !serializable && !apart.has(transaction.id))
        .map((reason) => ({ loss: { reason }, source: transaction.header })),
    ];
    return all.map(({ loss, source }) => ({
      reason: `weakened: ${loss.reason.replace(/\.$/u, "")}`,
      transactions: [transaction.id],
      ...placeOf(source),
    }));
  });
}

/** Undecided tuples, with advice. */
export function undecidedTuples(
  program: Program,
  result: SearchResult,
  endedBy: EndedBy,
  budget: number,
): readonly Unknown[] {
  const namesOf = (members: readonly number[]): readonly string[] =>
    members.map((member) => program.transactions[member]?.id ?? "");
  const inOrder = [...result.undecided].sort(compareUndecided);
  const undecided = inOrder.map(({ members, reason }) => ({
    reason,
    transactions: namesOf(members),
  }));
  if (result.failure) {
    const unreached = [...new Set(result.unreached.flat())].sort((a, b) => a - b);
    const reason = `the solver is not available: ${result.failure.message}`;
    return [...undecided, { reason, transactions: namesOf(unreached) }];
  }
  const why = endedBy === "cancel" ? "cancelled" : budgetText(budget);
  const unreached = result.unreached.slice(0, MOST_LISTED).map((members) => ({
    reason: why,
    transactions: namesOf(members),
  }));
  const rest = result.unreached.length - unreached.length;
  const others = [
    ...(rest > 0 ? [{ what: `${String(rest)} further groups of transactions`, count: rest }] : []),
    ...(result.cut && unreached.length === 0
      ? [{ what: `more than ${String(result.completed)} transactions at a time were not searched` }]
      : []),
  ].map(({ what, ...counted }) => ({
    reason: `${why} (${what})`,
    ...counted,
    transactions: [],
  }));
  return [...undecided, ...unreached, ...others];
}

/** Candidates that the store could not execute: too uncertain for the verdict "anomaly". */
export function unconfirmedCandidates(anomalies: readonly Anomaly[]): readonly Unknown[] {
  return anomalies
    .filter((anomaly) => anomaly.status === "unconfirmed")
    .map((anomaly) => ({
      reason: `a possible anomaly (${anomaly.id}) is not confirmed: ${anomaly.reason ?? "no reason is known"}`,
      transactions: anomaly.transactions,
    }));
}

/** "time budget of 10 s; --budget 60s tries longer". */
export function budgetText(budget: number): string {
  const longer = Math.max(60_000, budget * 4);
  return `time budget of ${durationWords(budget)}; --budget ${longer === 60_000 ? "60s" : durationText(longer)} tries longer`;
}

const MOST_LISTED = 50;

/** Sorts the answers of workers, which arrive in any order. */
function compareUndecided(a: UndecidedTuple, b: UndecidedTuple): number {
  const size = a.members.length - b.members.length;
  if (size !== 0) return size;
  const at = a.members.findIndex((member, n) => member !== b.members[n]);
  if (at >= 0) return (a.members[at] ?? 0) - (b.members[at] ?? 0);
  return a.reason < b.reason ? -1 : a.reason > b.reason ? 1 : 0;
}

/** A note that leaves the verdict open, as a reason. */
export function noteUnknown(note: Note): Unknown {
  const unread = UNREAD.get(note.code);
  const reason = note.message;
  return { reason, ...(unread && { unread }), transactions: [], ...placeOf(note.source) };
}

function transactionUnknowns(transaction: Transaction): readonly Unknown[] {
  const losses = transaction.taint.filter(isSerious).map((taint) => ({
    reason: taint.reason,
    transactions: [transaction.id],
    ...placeOf(taint.source ?? transaction.header),
  }));
  const statements = statementsOf(transaction.body).flatMap((statement) =>
    statementUnknown(transaction, statement),
  );
  return [...losses, ...statements];
}

function unknownAt(transaction: Transaction, reason: string, source: SourceRange): Unknown {
  return { reason, transactions: [transaction.id], ...placeOf(source) };
}

/**
 * Deletions that change other tables by ON DELETE CASCADE or SET NULL, where these changes are not written out; REPLACE deletes as well, and
 * is refused where the rows that refer to its own stay.
 */
function cascades(program: Program, transaction: Transaction): readonly Unknown[] {
  return statementsOf(transaction.body).flatMap((statement) => {
    const changed = tableWithDeletions(statement);
    if (changed === undefined) return [];
    const isReplace = statement.kind === "insert";
    const what = isReplace ? "replacing rows of" : "deleting from";
    return program.schema.tables
      .filter(({ foreignKeys }) =>
        foreignKeys.some((key) => key.table === changed && (isReplace || key.onDelete)),
      )
      .map((table) => ({
        reason: `${what} ${changed} also changes ${table.name} by its foreign key, which is not followed`,
        transactions: [transaction.id],
        ...placeOf(statement.source),
      }));
  });
}

function tableWithDeletions(statement: Statement): string | undefined {
  switch (statement.kind) {
    case "insert":
      return statement.onConflict?.action === "replace" ? statement.table : undefined;
    case "delete": {
      const isFollowed = statement.truncates !== undefined || statement.leavesNoChildren;
      return isFollowed ? undefined : statement.relation.table;
    }
    default:
      return undefined;
  }
}

/** Truncations that change what a transaction with an older snapshot sees, at levels with one snapshot for all statements. */
function truncations(
  program: Program,
  transaction: Transaction,
  levelOf: (id: string) => Level,
): readonly Unknown[] {
  return statementsOf(transaction.body).flatMap((statement) => {
    if (statement.kind !== "delete" || !statement.truncates) return [];
    const { table } = statement.relation;
    const touching = program.transactions.filter((each) => tablesOf(each).has(table));
    if (touching.length === 1 && tablesOf(transaction).size === 1) return [];
    const keeping = touching.filter(({ id }) => keepsSnapshot(levelOf(id)));
    if (keeping.length === 0) return [];
    const reason = `TRUNCATE takes the rows of ${table} from transactions that took their snapshot before it, which is not followed`;
    return [unknownAt(transaction, reason, statement.source)];
  });
}

function keepsSnapshot(level: Level): boolean {
  return level.family === "product" && level.snapshot !== "statement";
}

function statementUnknown(transaction: Transaction, statement: Statement): readonly Unknown[] {
  const precision = statementPrecision(statement);
  if (precision === "exact" || precision === "over") return [];
  const reasons = [...new Set(statement.taint.filter(isSerious).map((taint) => taint.reason))];
  const reason = reasons.length > 0 ? reasons.join("; ") : "the statement is not understood";
  return [{ reason, transactions: [transaction.id], ...placeOf(statement.source) }];
}

function isSerious(taint: Taint): boolean {
  return taint.effect === "approx" || taint.effect === "opaque";
}

function placeOf(source: SourceRange) {
  return { file: source.file, range: source.range };
}

function placeKey(unknown: Unknown): string {
  const { start } = unknown.range ?? { start: { line: 0, character: 0 } };
  return `${unknown.file ?? ""}:${String(start.line)}`;
}
