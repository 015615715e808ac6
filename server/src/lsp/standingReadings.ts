// The last reading of each file with fewer syntax errors than the current text: it stands while somebody types.
import type { Note, Program } from "../program/program";
import type { FileId } from "../protocol/source";
import type { Project } from "../workspace/projects";
import type { StandingReading } from "./checker";

export interface StandingReadings {
  /** The standing readings of a project as it was just read. For all other files the new text is remembered. */
  settle(project: Project, program: Program): readonly StandingReading[];
}

interface GoodReading {
  readonly text: string;
  readonly errors: number;
}

/** Remembers the texts of one reading per project. */
export function createStandingReadings(): StandingReadings {
  const projects = new Map<string, Map<FileId, GoodReading>>();
  return {
    settle({ folder, files }, { notes }) {
      const errors = new Map<FileId, Note[]>();
      for (const note of notes.filter(({ code }) => SYNTAX.has(code))) {
        const own = errors.get(note.source.file);
        if (own) own.push(note);
        else errors.set(note.source.file, [note]);
      }
      const known = projects.get(folder) ?? new Map<FileId, GoodReading>();
      projects.set(folder, known);
      return files.flatMap(({ file, text }): StandingReading[] => {
        const own = errors.get(file) ?? [];
        const [first] = own;
        const before = known.get(file);
        if (first && before && before.errors < own.length && before.text !== text) {
          return [{ file, text: before.text, message: first.message, range: first.source.range }];
        }
        known.set(file, { text, errors: own.length });
        return [];
      });
    },
  };
}

/** Codes of notes on syntax errors and unterminated text. */
export const SYNTAX: ReadonlySet<string> = new Set([
  "syntax",
  "code-syntax",
  "open-quote",
  "open-comment",
  "open-routine",
  "no-commit",
]);

/** The project with other texts of some files. */
export function withReadings(project: Project, standing: readonly StandingReading[]): Project {
  const texts = new Map(standing.map(({ file, text }) => [file, text]));
  const files = project.files.map(({ file, text }) => ({ file, text: texts.get(file) ?? text }));
  return { ...project, files };
}
