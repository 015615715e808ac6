// LIKE, SIMILAR TO and regular expressions, translated to JavaScript's and kept.
import { dictionary } from "../../protocol/dictionary";
import { failure } from "../sqlError";

const KEPT = new Map<string, RegExp>();
const MOST_KEPT = 500;

function kept(key: string, make: () => RegExp): RegExp {
  const before = KEPT.get(key);
  if (before !== undefined) return before;
  if (KEPT.size >= MOST_KEPT) KEPT.clear();
  const made = make();
  KEPT.set(key, made);
  return made;
}

/** What a LIKE pattern matches; `escape` is one character, or empty for none. */
export function likePattern(pattern: string, escape: string, insensitive: boolean): RegExp {
  return kept(`l${escape}${insensitive ? "i" : "s"}${pattern}`, () => {
    let source = "";
    const characters = Array.from(pattern);
    for (let at = 0; at < characters.length; at++) {
      const character = characters[at] ?? "";
      if (character === escape && escape !== "") {
        const next = characters[++at];
        if (next === undefined) {
          throw failure("badPattern", "LIKE pattern must not end with escape character");
        }
        source += literal(next);
      } else if (character === "%") source += ".*";
      else if (character === "_") source += ".";
      else source += literal(character);
    }
    return new RegExp(`^${source}$`, insensitive ? "isu" : "su");
  });
}

function literal(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

/** A regular expression of POSIX with the classes and escapes that both have. */
export function regularExpression(pattern: string, flags: string): RegExp {
  return kept(`r${flags}/${pattern}`, () => {
    const source = pattern
      .replace(/\[\[:<:\]\]|\[\[:>:\]\]|\\[mMy](?![a-z])/g, "\\b")
      .replace(/\[:(\w+):\]/g, (found, name: string) =>
        Object.hasOwn(CLASSES, name) ? (CLASSES[name] ?? found) : found,
      )
      .replace(/\\A/g, "^")
      .replace(/\\Z/g, "$");
    return checked(source, flags);
  });
}

const CLASSES = dictionary<string>({
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}\\p{N}",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: "\\s",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9A-Fa-f",
});

function checked(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    // What needs no escape in POSIX may need one with the flag for Unicode.
    try {
      return new RegExp(source, flags.replace("u", ""));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw failure("badRegexp", `invalid regular expression: ${message}`);
    }
  }
}
