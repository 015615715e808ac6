// The tables and routines that a test creates: the user's own files if a test can load them unchanged, so that it tests their current
// content, else a copy of their definitions.
import type { ScannedFile } from "../frontend/sql/scanFile";
import { isForbidden } from "../replay/jobs";

/** `text` is absent if the test loads the file itself. */
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

/** True for plain SQL: no psql commands, no COPY data, and no schema-qualified names. */
function isPlain(text: string): boolean {
  return !/^\\|^\s*copy\s[^;]*\sfrom\s+stdin|\bsearch_path\b/im.test(text);
}
