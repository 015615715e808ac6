// Characters of a string that cannot stand for themselves in canonical text, which is as long as the user's text.
// They move to a private block of Unicode: ' becomes U+E027, a line break U+E00A; U+E000 stands for nothing.

const BLOCK = 0xe000;

/** Takes a place and means nothing: what is left of a backslash or of a doubled quote. */
export const FILLER = String.fromCharCode(BLOCK);

/** Takes a place in a string that was written as its bytes. */
export const OF_BYTES = String.fromCharCode(BLOCK + 0x81);

/** Stands for the character 0, whose place is the filler's. */
const ZERO = String.fromCharCode(BLOCK + 0x80);

/** A character of the ASCII range inside a quoted string, as one that no lexer minds. */
export function neutralCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0) return ZERO;
  return code < 0x80 ? String.fromCharCode(BLOCK + code) : character;
}

/** The text that the content of a canonical string stands for. */
export function plainText(text: string): string {
  return text.replace(/[\uE000-\uE081]/g, (each) =>
    each === FILLER || each === OF_BYTES
      ? ""
      : String.fromCharCode((each.charCodeAt(0) - BLOCK) & 0x7f),
  );
}
