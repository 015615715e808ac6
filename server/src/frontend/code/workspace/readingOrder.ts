// Order of reading, so that something can be told of it soon: the files that somebody looks at, and the functions that
// call what these do with a database, without which nothing is certain of it.
import type { FileId } from "../../../protocol/source";
import { callerNames, type CallerNames } from "../callGraph/callerNames";
import type { CodeModules } from "../modules/modules";
import type { ReadFunction } from "../queries/rootReading";

/** The readings that are wanted before all others. */
export interface FirstFiles {
  /** In the order in which they are to be read. */
  readonly files: readonly FileId[];
  /** How many times other files are read for them. */
  readonly most: number;
}

/** A file to read. */
export interface FilePart {
  readonly file: FileId;
  /** Only its functions that name one of these. */
  readonly naming?: ReadonlySet<string>;
}

/** Which parts of files have been read. */
export interface ReadingProgress {
  readonly add: (part: FilePart) => void;
  readonly isWhole: (file: FileId) => boolean;
  /** True if all that names something there has been read. */
  readonly isReadFor: (file: FileId, name: string) => boolean;
  /** Files that were read as a whole. */
  readonly count: () => number;
}

/** Nothing has been read. */
export function readingProgress(): ReadingProgress {
  const whole = new Set<FileId>();
  const named = new Map<FileId, Set<string>>();
  return {
    add: ({ file, naming }) => {
      if (naming === undefined) whole.add(file);
      const names = named.get(file) ?? new Set();
      for (const name of naming ?? []) names.add(name);
      named.set(file, names);
    },
    isWhole: (file) => whole.has(file),
    isReadFor: (file, name) => whole.has(file) || (named.get(file)?.has(name) ?? false),
    count: () => whole.size,
  };
}

/** A function that is called from more files than these is left to the reading of all. */
const MOST_CALLERS = 16;

interface Reading {
  readonly files: readonly FileId[];
  readonly modules: CodeModules;
  readonly first: FirstFiles;
  /** The files whose functions may use a database. */
  readonly near: ReadonlySet<FileId>;
  readonly read: ReadingProgress;
  /** Grows while files are read. */
  readonly evaluated: readonly ReadFunction[];
}

/**
 * Gives what to read, one after the other; between two of them, what was read of the last one is to be added to `read` and
 * `evaluated`. Linear in the files for each function that others may call.
 */
export function* firstFiles({
  first,
  near,
  read,
  evaluated,
  ...around
}: Reading): Generator<FilePart, void, void> {
  for (const file of first.files) if (around.files.includes(file)) yield { file };
  const names = callerNames(around);
  const asked = new Set<string>();
  let left = first.most;
  for (let isMore = true; isMore;) {
    isMore = false;
    for (const each of evaluated.filter((one) => isAbout(one, first.files))) {
      if (asked.has(each.key)) continue;
      asked.add(each.key);
      const naming = names.of(each);
      const callers = unreadCallers(names, naming, read, near);
      if (callers.length > MOST_CALLERS || callers.length > left) continue;
      left -= callers.length;
      for (const file of callers) {
        isMore = true;
        yield { file, naming };
      }
    }
  }
}

function unreadCallers(
  names: CallerNames,
  naming: ReadonlySet<string>,
  read: ReadingProgress,
  near: ReadonlySet<FileId>,
): readonly FileId[] {
  return names.files(naming, (file, name) => near.has(file) && !read.isReadFor(file, name));
}

/** True if a function does something with a database in one of the files. */
export function isAbout({ transaction, places }: ReadFunction, files: readonly FileId[]): boolean {
  if (!transaction) return false;
  return [transaction.source, ...places].some(({ file }) => files.includes(file));
}
