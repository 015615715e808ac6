// The texts of a load: open documents, else files on disk, within limits of time and memory.
import type { TextResult } from "./textFile";
import { LARGEST_FILE, readTextFile, readTextFileNow } from "./textFile";
import { workspaceFinder } from "./regularFile";

export interface Sources {
  /** The text of an open document or file; `workspace` as for `openRegularFile`. */
  read(absolute: string, workspace?: string): Promise<TextResult>;
  /** The synchronous form, for files of at most `largest` bytes: faster for many small files. */
  readNow(absolute: string, largest?: number): TextResult;
}

export interface SourceOptions {
  /** Folders that links may lead to if there is no repository. */
  readonly roots: readonly string[];
  /** Unsaved texts by absolute path; they replace the files on disk. */
  readonly openTexts?: ReadonlyMap<string, string> | undefined;
  /** Milliseconds after which nothing more is read from disk. */
  readonly budget?: number | undefined;
  /** Limit of code units in total. */
  readonly most?: number;
}

/** Larger workspaces do not fit in memory beside the analysis. */
const MOST_TEXT = 512 * 1024 * 1024;

/** Opens the source of texts, within the budget. */
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
      // The folder is gone; opening the file reports that.
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
