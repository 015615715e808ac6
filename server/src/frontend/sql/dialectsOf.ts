// Which dialect each file of a workspace is written in.
import { sameFamily, type Dialect } from "../../program/dialect";
import type { FileId } from "../../protocol/source";
import { detectDialect } from "./detectDialect";

interface Text {
  readonly file: FileId;
  readonly text: string;
}

/** Tells files by their texts and remembers the last reading. */
export interface DialectReader {
  /** The dialect of every file; `configured` holds for all. */
  dialects(files: readonly Text[], configured?: Dialect): ReadonlyMap<FileId, Dialect>;
}

/**
 * What a file's own text says; a file that says nothing is of the dialect that most others are of, PostgreSQL where
 * none says anything.
 */
export function createDialectReader(): DialectReader {
  let known = new Map<FileId, { readonly text: string; readonly dialect: Dialect | undefined }>();
  return {
    dialects: (files, configured) => {
      if (configured !== undefined) {
        return new Map(files.map(({ file }) => [file, configured] as const));
      }
      const next: typeof known = new Map();
      for (const { file, text } of files) {
        const before = known.get(file);
        next.set(file, before?.text === text ? before : { text, dialect: detectDialect(text) });
      }
      known = next;
      const told = [...next.values()].flatMap(({ dialect }) => dialect ?? []);
      const usual = mostFrequent(told);
      return new Map([...next].map(([file, { dialect }]) => [file, dialect ?? usual] as const));
    },
  };
}

/** The dialect of most; MariaDB counts for MySQL, whose files it reads, too. */
function mostFrequent(dialects: readonly Dialect[]): Dialect {
  let best: Dialect = "postgres";
  let most = dialects.filter((each) => each === best).length;
  for (const candidate of new Set(dialects)) {
    const count = dialects.filter((each) => sameFamily(each, candidate)).length;
    if (count > most) {
      best = candidate;
      most = count;
    }
  }
  return best;
}
