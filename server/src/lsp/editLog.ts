// The edits of files since they were last read, so that what was found in an earlier text can be moved to the present one.
import type { FileId } from "../protocol/source";
import type { TextEdit } from "./editRange";

/** How many edits each file of a project had at some moment. */
export type EditMark = ReadonlyMap<FileId, number>;

export interface EditLog {
  add(key: string, file: FileId, edits: readonly TextEdit[]): void;
  /** The present, to ask from later. */
  mark(key: string): EditMark;
  /**
   * A project was read as it was at a mark, but for some files whose earlier reading still stands. Answers with the edits
   * that each file had since it was read.
   */
  since(
    key: string,
    mark: EditMark,
    standing: ReadonlySet<FileId>,
  ): readonly { readonly file: FileId; readonly edits: readonly TextEdit[] }[];
  /** The same, and the reading is the one that stands from now on: older edits are forgotten. */
  settle(key: string, mark: EditMark, standing: ReadonlySet<FileId>): void;
}

interface Edits {
  /** The number of the first edit that is kept. */
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
