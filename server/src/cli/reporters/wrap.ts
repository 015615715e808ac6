// Text in columns of a fixed width.

/** Lines of at most `width` characters, broken at spaces if there are any; at least one line. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/u)) {
    let rest = word;
    if (line !== "" && line.length + 1 + rest.length > width) {
      lines.push(line);
      line = "";
    }
    while (rest.length > width) {
      lines.push(rest.slice(0, width));
      rest = rest.slice(width);
    }
    line = line === "" ? rest : `${line} ${rest}`;
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

/** A paragraph whose first line starts with `first`; the others are indented equally. */
export function hangingText(first: string, text: string, width: number): readonly string[] {
  const lines = wrapText(text, Math.max(20, width - first.length));
  return lines.map((line, n) => (n === 0 ? first : " ".repeat(first.length)) + line);
}
