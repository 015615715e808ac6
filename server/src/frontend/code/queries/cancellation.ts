// Conclusions about the code that are still possible after a cancelled reading.
import type { FileId } from "../../../protocol/source";
import { callerNames } from "../callGraph/callerNames";
import type { ReadingProgress } from "../workspace/readingOrder";
import type { CodeModules } from "../modules/modules";
import type { ReadFunction } from "./rootReading";

/** A reading that did not reach all files. */
interface Stopped {
  readonly files: readonly FileId[];
  readonly modules: CodeModules;
  /** The files whose functions may use a database. */
  readonly near: ReadonlySet<FileId>;
  readonly read: ReadingProgress;
}

/**
 * The functions without callers among unread code. All others are dropped: an unread caller may run them in its own transaction. Linear in
 * the files.
 */
export function withoutOpenCallers(
  functions: readonly ReadFunction[],
  around: Stopped,
): readonly ReadFunction[] {
  const calling = callingFiles(around);
  const names = callerNames(around);
  const isOpen = (file: FileId, name: string): boolean =>
    calling.has(file) && !around.read.isReadFor(file, name);
  return functions.filter((each) => names.files(names.of(each), isOpen).length === 0);
}

/** Unread files that may call something that uses a database, and their imports, which may do so for them. */
function callingFiles({ files, near, modules, read }: Stopped): ReadonlySet<FileId> {
  const left = new Set(files.filter((file) => !read.isWhole(file)));
  const found = new Set([...left].filter((file) => near.has(file)));
  for (const file of found) {
    for (const { from } of modules.moduleOf(file)?.imports ?? []) {
      const target = modules.resolve(file, from);
      if (target !== undefined && left.has(target)) found.add(target);
    }
  }
  return found;
}
