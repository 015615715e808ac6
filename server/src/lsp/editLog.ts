// The edits of files since they were last read, for moving findings of an earlier text to the current one.
import type { FileId } from "../protocol/source";
import type { TextEdit } from "./editRange";

/** The number of edits of each file of a project at some moment. */
export type EditMark = ReadonlyMap<FileId, number>;

export interface EditLog {
  add(key: string, file: FileId, edits: readonly TextEdit[]): void;
  /** The current moment, for `since`. */
  mark(key: string): EditMark;
  /** The edits of each file since it was read: a project was read as of a mark, except some files with an older standing reading. */
  since(
    key: string,
    mark: EditMark,
    standing: ReadonlySet<FileId>,
  ): readonly { readonly file: FileId; readonly edits: readonly TextEdit[] }[];
  /** As `since`; the reading becomes the current one, and older edits are dropped. */
  settle(key: string, mark: EditMark, standing: ReadonlySet<FileId>): void;
}

interface Edits {
  /** The number of the first kept edit. */
  first: number;
  readonly kept: TextEdit[];
}

export function createEditLog(): EditLog {
  const projects = new Map<string, Map<FileId, Edits>>();
  const filesOf = (key: string): Map<FileId, Edits> => {
    const known = projects.get(key) ?? new Map<FileId, Edits>();
    projects.set(key, known);
    return known;
  };
  return {
    add(key, file, edits) {
      const files = filesOf(key);
      const own = files.get(file) ?? { first: 0, kept: [] };
      own.kept.push(...edits);
      files.set(file, own);
    },
    mark: (key) =>
      new Map([...filesOf(key)].map(([file, { first, kept }]) => [file, first + kept.length])),
    since: (key, mark, standing) =>
      [...filesOf(key)].map(([file, { first, kept }]) => ({
        file,
        edits: standing.has(file) ? kept : kept.slice(Math.max(0, (mark.get(file) ?? 0) - first)),
      })),
    settle(key, mark, standing) {
      for (const [file, own] of filesOf(key)) {
        if (standing.has(file)) continue;
        const gone = Math.max(0, (mark.get(file) ?? 0) - own.first);
        own.kept.splice(0, gone);
        own.first += gone;
      }
    },
  };
}
