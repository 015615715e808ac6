// Characters of a string that canonical text, which has the user text's length, cannot contain. They are mapped to a private block of
// Unicode: ' becomes U+E027, a line break U+E00A; U+E000 is a filler.

const BLOCK = 0xe000;

/** A filler without meaning: the rest of a backslash escape or doubled quote. */
export const FILLER = String.fromCharCode(BLOCK);

/** A filler in a string that was written as bytes. */
export const OF_BYTES = String.fromCharCode(BLOCK + 0x81);

/** Represents the character 0, whose code is the filler's. */
const ZERO = String.fromCharCode(BLOCK + 0x80);

/** The private equivalent of an ASCII character in a quoted string. */
export function neutralCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0) return ZERO;
  return code < 0x80 ? String.fromCharCode(BLOCK + code) : character;
}

/** The text that a canonical string represents. */
export function plainText(text: string): string {
  return text.replace(/[\uE000-\uE081]/g, (each) =>
    each === FILLER || each === OF_BYTES
      ? ""
      : String.fromCharCode((each.charCodeAt(0) - BLOCK) & 0x7f),
  );
}
