// The underlined range of a remark: a name, however long its subject is.
import type { Range } from "../protocol/source";

/**
 * The name in a range: of a declaration the declared name, else the first word. A range within one line that contains a single word or
 * quoted text is unchanged. Constant except for the range's first line.
 */
export function nameRange(lines: readonly string[], range: Range): Range {
  const { start, end } = range;
  const line = lines[start.line] ?? "";
  const part = line.slice(start.character, start.line === end.line ? end.character : undefined);
  if (start.line === end.line && !/\s/u.test(part.trim())) return range;
  const declared = DECLARED.exec(part);
  const name = declared?.[1] ?? WORD.exec(part)?.[0] ?? part.slice(0, 1);
  const from =
    start.character +
    (declared ? declared.index + declared[0].length - name.length : part.indexOf(name));
  return {
    start: { line: start.line, character: from },
    end: { line: start.line, character: from + Math.max(1, name.length) },
  };
}

/** Matches the words before a declared name, and the name. */
const DECLARED =
  /\b(?:function|procedure|trigger|event|class|const|let|var|table|void)\s+(?:if\s+not\s+exists\s+)?([\p{L}_$"`][\p{L}\p{N}_$."`]*)/iu;

const WORD = /[\p{L}\p{N}_$@]+/u;
