// Fits monospaced text into cards: wraps and cuts by the character width, which is measured once per figure.

/**
 * The text in at most `most` lines of at most `columns` characters, continuation lines indented. It breaks at spaces, else before a dot (of
 * `table.column`), else anywhere; cut text ends with an ellipsis. An arrow stays with its value.
 */
export function wrapText(text: string, columns: number, most: number): readonly string[] {
  const lines: string[] = [];
  let line = text.startsWith(INDENT) ? INDENT : "";
  const open = piecesOf(text);
  for (let piece = open.shift(); piece !== undefined; piece = open.shift()) {
    const separator = line.trim() === "" || piece.startsWith(".") ? "" : " ";
    const longer = line + separator + piece;
    const room = columns - INDENT.length;
    if (longer.length <= columns) line = longer;
    else if (line.trim() !== "") {
      lines.push(line);
      line = INDENT;
      open.unshift(piece);
    } else {
      lines.push(line + piece.slice(0, Math.max(1, room)));
      line = INDENT;
      open.unshift(piece.slice(Math.max(1, room)));
    }
  }
  if (line.trim() !== "") lines.push(line);
  const kept = lines.slice(0, Math.max(1, most));
  if (kept.length === lines.length) return kept;
  const last = kept.pop() ?? "";
  return [...kept, `${last.slice(0, Math.max(1, columns - 1)).trimEnd()}\u2026`];
}

const INDENT = "  ";

function piecesOf(text: string): string[] {
  const words = text
    .trim()
    .replace(/\s+/gu, " ")
    .replace(/([\u2190\u2192]) /gu, "$1\u00a0")
    .split(" ");
  return words.flatMap((word) => word.split(/(?=\.[a-z_])/iu)).filter((piece) => piece !== "");
}

/** The width of one character of the figures' monospaced font, in pixels. */
export function measureCharacter(parent: Element): number {
  const probe = document.createElement("span");
  probe.className = "probe";
  probe.textContent = "0".repeat(20);
  parent.append(probe);
  const width = probe.getBoundingClientRect().width / 20;
  probe.remove();
  return width > 0 ? width : 7;
}
