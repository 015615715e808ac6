// The texts of a load: those of open documents, else what is on disk, as much as time and memory allow.
import type { TextResult } from "./textFile";
import { LARGEST_FILE, readTextFile, readTextFileNow } from "./textFile";
import { workspaceFinder } from "./regularFile";

export interface Sources {
  /** The text of an open document or a file; `workspace` as of `openRegularFile`. */
  read(absolute: string, workspace?: string): Promise<TextResult>;
  /** The same at once, for files of at most `largest` bytes: many small ones are read faster so. */
  readNow(absolute: string, largest?: number): TextResult;
}

export interface SourceOptions {
  /** Folders that links may lead to where there is no repository. */
  readonly roots: readonly string[];
  /** Texts by absolute path that replace what is on disk. */
  readonly openTexts?: ReadonlyMap<string, string> | undefined;
  /** Milliseconds after which nothing more is read from disk. */
  readonly budget?: number | undefined;
  /** Code units that may be read in all. */
  readonly most?: number;
}

/** More than a machine holds beside the analysis is no workspace. */
const MOST_TEXT = 512 * 1024 * 1024;

/** Where texts come from, until the budget is over. */
export function openSources({
  roots,
  openTexts,
  budget = Infinity,
  most = MOST_TEXT,
}: SourceOptions): Sources {
  const workspaceOf = workspaceFinder(roots);
  const end = performance.now() + budget;
  let left = most;
  const spent = (): TextResult | undefined => {
    if (performance.now() > end)
      return { ok: false, reason: "not read: the time budget was over (--budget gives more)" };
    if (left <= 0) return { ok: false, reason: "not read: the files before it fill 512 MB" };
    return undefined;
  };
  const counted = (result: TextResult): TextResult => {
    if (result.ok) left -= result.text.length;
    return result;
  };
  const opened = (absolute: string): TextResult | undefined => {
    const text = openTexts?.get(absolute);
    return text === undefined ? undefined : { ok: true, text };
  };
  const within = (absolute: string): string | undefined => {
    try {
      return workspaceOf(absolute);
    } catch {
      // Its folder has gone; whoever opens the file says so.
      return undefined;
    }
  };
  return {
    read: async (absolute, workspace = within(absolute)) =>
      opened(absolute) ?? spent() ?? counted(await readTextFile(absolute, { workspace })),
    readNow: (absolute, largest = LARGEST_FILE) =>
      opened(absolute) ??
      spent() ??
      counted(readTextFileNow(absolute, { workspace: within(absolute), largest })),
  };
}
