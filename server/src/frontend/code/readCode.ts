// Reads the transactions of a workspace from its modules: evaluates every function that runs by itself; functions that others were found to
// call belong to their callers.
import type { Transaction } from "../../program/program";
import type { Taint } from "../../program/precision";
import type { FileId } from "../../protocol/source";
import { createInterner, sameData } from "../../query/interner";
import { ofNode } from "../../query/nodes";
import {
  firstFiles,
  isAbout,
  readingProgress,
  type FilePart,
  type ReadingProgress,
} from "./workspace/readingOrder";
import { unsupportedLibraries } from "./libraries/unsupported";
import { withoutParts } from "./roots/ownTransactions";
import { ReadingCancelled, type SlicedWork } from "./queries/slices";
import { withoutOpenCallers } from "./queries/cancellation";
import { unreachedCalls } from "./callGraph/unreachedCalls";
import type { ReadFunction } from "./queries/rootReading";
import type { CodeSurroundings } from "./workspace/codeSurroundings";
import { beginEvaluation, readFile } from "./workspaceEvaluation";

export interface CodeReading {
  readonly transactions: readonly Transaction[];
  /** Files that had not been reached when reading was stopped. */
  readonly unread: readonly FileId[];
}

/**
 * The transactions of the files' functions, ordered by file and position. Never throws for bad input: an unsupported construct taints its
 * transaction.
 */
export function* readCode(around: CodeSurroundings): SlicedWork<CodeReading> {
  const { first } = around;
  if (first?.files.some((file) => around.files.includes(file)) === false) {
    return { transactions: [], unread: around.files };
  }
  const { evaluated, passed, near, read } = yield* evaluateAll(around);
  const unread = around.files.filter((file) => !read.isWhole(file));
  const isWhole = unread.length === 0;
  const found = withoutParts(evaluated, around.modules);
  const closed = isWhole ? found : withoutOpenCallers(found, { ...around, near, read });
  const own = new Set(first ? closed.filter((each) => isAbout(each, first.files)) : closed);
  const said = new Set<string>();
  const followed = new Set(evaluated.flatMap(({ key, inlined }) => [...inlined].filter((each) => each !== key))); // prettier-ignore
  // A note on a helper alone (for example that its callers name the table) does not concern its callers.
  for (const each of evaluated) {
    const isOfCallers = each.statements > 0 ? !own.has(each) : followed.has(each.key);
    if (isOfCallers) continue;
    for (const note of each.notes) {
      const key = JSON.stringify(note);
      if (!said.has(key)) around.note(note);
      said.add(key);
    }
  }
  const lossesOf = unfollowed(evaluated, around.files, passed);
  const unreached = isWhole ? unreachedCalls(evaluated, passed, around) : NOTHING_MISSED;
  for (const note of unreached.notes) around.note(note);
  if (isWhole) for (const note of unsupportedLibraries(around)) around.note(note);
  return {
    transactions: [...own].flatMap((each) => {
      const { transaction: made } = each;
      const more = [...lossesOf(each), ...unreached.lossesOf(each)];
      return made && more.length > 0 ? tainted(made)(more) : (made ?? []);
    }),
    unread,
  };
}

/** A transaction with more losses: the same object for the same losses, so that what follows from it is known. */
const tainted = ofNode((made: Transaction) => {
  const same = createInterner<readonly Taint[]>(sameData, 2);
  const withLosses = ofNode((more: readonly Taint[]): Transaction => {
    return { ...made, taint: [...made.taint, ...more] };
  });
  return (more: readonly Taint[]): Transaction => withLosses(same(more));
});

/** As long as files are missing, no call is known to be unreached. */
const NOTHING_MISSED: ReturnType<typeof unreachedCalls> = { notes: [], lossesOf: () => [] };

/** Evaluates every root of the files and the functions that run because of it; each function once, where it comes first. */
function* evaluateAll(around: CodeSurroundings): SlicedWork<{
  readonly evaluated: readonly ReadFunction[];
  /** The keys of functions that were skipped or cut short, which is reported. */
  readonly passed: ReadonlySet<string>;
  readonly read: ReadingProgress;
  /** The files whose functions may use a database. */
  readonly near: ReadonlySet<FileId>;
}> {
  const { files, isStopped = () => false, first } = around;
  const done = readingProgress();
  if (files.length === 0) return { evaluated: [], passed: new Set(), read: done, near: new Set() };
  const evaluation = yield* beginEvaluation(around);
  const { near, evaluated, passedKeys } = evaluation;
  const parts = first
    ? firstFiles({ ...around, first, near, read: done, evaluated })
    : files.map((file): FilePart => ({ file }));
  for (const part of parts) {
    const step = { done: done.count(), total: files.length };
    if (!isStopped() && (yield* untilStopped(readFile(evaluation, part, step)))) done.add(part);
  }
  return { evaluated, passed: passedKeys, read: done, near };
}

/** Runs a piece of work until reading is stopped; true if it was completed. */
function* untilStopped(work: SlicedWork<void>): SlicedWork<boolean> {
  try {
    yield* work;
    return true;
  } catch (error) {
    if (error instanceof ReadingCancelled) return false;
    throw error;
  }
}

/** The taints of a function for callees that were not followed and do run statements. */
function unfollowed(
  evaluated: readonly ReadFunction[],
  files: readonly FileId[],
  passed: ReadonlySet<string>,
): (read: ReadFunction) => readonly Taint[] {
  const known = new Map(evaluated.map((each) => [each.key, each]));
  const candidates = new Set<string>(files);
  const answers = new Map<string, boolean>();
  const runs = (key: string): boolean => {
    const answer = answers.get(key);
    if (answer !== undefined) return answer;
    // Assumed until shown otherwise: mutual recursion alone runs nothing.
    answers.set(key, false);
    const read = known.get(key);
    // A function that is no root may run a statement if its file mentions a database.
    const found = read
      ? read.statements > 0 || passed.has(key) || read.unfollowed.some((each) => runs(each.key))
      : candidates.has(key.slice(0, key.lastIndexOf("#")));
    answers.set(key, found);
    return found;
  };
  return (read) => read.unfollowed.flatMap(({ key, loss }) => (runs(key) ? [loss] : []));
}
