// Fits monospaced text into cards: wrapping and cutting by a character's width, which is measured once per figure.

/** The text in lines of at most `columns` characters, continued lines indented; the last is cut where `most` are full. */
export function wrapped(text: string, columns: number, most: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trim().split(/\s+/u)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= columns || line === "") line = longer;
    else {
      lines.push(line);
      line = `  ${word}`;
    }
  }
  lines.push(line);
  const kept = lines.slice(0, most);
  const last = kept.length - 1;
  return kept.map((each, index) => {
    const isCut = each.length > columns || (index === last && lines.length > most);
    return isCut ? `${each.slice(0, Math.max(1, columns - 1)).trimEnd()}\u2026` : each;
  });
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
