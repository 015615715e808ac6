// The tables and routines that a test creates: the user's own files where a test can load them as they are, so that it
// tests what is written there now, else a copy of what they define.
import type { ScannedFile } from "../frontend/sql/scanFile";
import { isForbidden } from "../replay/jobs";

/** `text` is absent where the test loads the file itself. */
export interface DefinitionFile {
  readonly file: string;
  readonly text?: string;
}

export type Definitions = readonly DefinitionFile[];

/** Files with tables come first. */
export function definitionsOf(files: readonly ScannedFile[]): Definitions {
  const all = files.flatMap((file) => {
    const definition = definitionOf(file);
    return definition ? [{ definition, first: file.ddl.length > 0 }] : [];
  });
  const inOrder = [...all.filter(({ first }) => first), ...all.filter(({ first }) => !first)];
  return inOrder.map(({ definition }) => definition);
}

function definitionOf({ lines, ddl, routines, regions }: ScannedFile): DefinitionFile | undefined {
  const spans = [...ddl, ...routines].sort((a, b) => a.start - b.start);
  if (spans.length === 0) return undefined;
  const all = spans.map(({ start, end }) => lines.text.slice(start, end));
  const texts = all.filter((sql) => !isForbidden(sql) && !/^\s*do\b/i.test(sql));
  if (texts.length === all.length && regions.length === 0 && isPlain(lines.text))
    return { file: lines.file };
  return { file: lines.file, text: texts.map((sql) => `${sql.trim()};`).join("\n\n") };
}

/** Nothing but SQL: no commands of psql, no data of COPY, and names stay in the schema of the test. */
function isPlain(text: string): boolean {
  return !/^\\|^\s*copy\s[^;]*\sfrom\s+stdin|\bsearch_path\b/im.test(text);
}
