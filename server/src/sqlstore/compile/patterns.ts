// LIKE and regular expressions over texts of anybody: none of them goes back over a text, so that no pattern of a query
// takes more time than its length times that of the text.
import { RE2JS, RE2JSSyntaxException } from "re2js";
import { ANY, matchesWildcards, ONE, type Wildcard } from "../../program/wildcards";
import { failure, unsupported } from "../sqlError";

/** A regular expression that was understood. Each throws a failure where text and pattern are too large together. */
export interface Pattern {
  test(text: string): boolean;
  /** The first match and its groups; null where there is none, and for groups that took no part. */
  find(text: string): readonly (string | null)[] | null;
  /** The text with the first match, or all of them, replaced by what is given for its groups. */
  replace(text: string, all: boolean, by: (groups: readonly (string | null)[]) => string): string;
}

const KEPT = new Map<string, Pattern>();
const MOST_KEPT = 500;
/** The most instructions of the pattern times characters of the text: a second or so. */
const MOST_STEPS = 20_000_000;

/** True if a text is of a LIKE pattern's form; `escape` is one character, or empty for none. */
export function isLike(
  text: string,
  pattern: string,
  { escape, insensitive }: { readonly escape: string; readonly insensitive: boolean },
): boolean {
  const form: Wildcard[] = [];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    if (character === escape && escape !== "") {
      const next = characters[++at];
      if (next === undefined)
        throw failure("badPattern", "LIKE pattern must not end with escape character");
      form.push(next);
    } else form.push(character === "%" ? ANY : character === "_" ? ONE : character);
  }
  if (form.length * text.length > MOST_STEPS) throw tooLarge();
  return matchesWildcards(form, text, { insensitive });
}

/** A regular expression of POSIX with the classes and escapes that RE2 has as well; throws a failure for any other. */
export function regularExpression(pattern: string, insensitive: boolean): Pattern {
  const key = `${insensitive ? "i" : "s"}${pattern}`;
  const before = KEPT.get(key);
  if (before !== undefined) return before;
  if (KEPT.size >= MOST_KEPT) KEPT.clear();
  const source = pattern
    .replace(/\[\[:[<>]:\]\]/g, "\\b")
    .replace(/\\[^]/gu, (escape) => ESCAPES.get(escape) ?? escape)
    .replace(/\[:([a-z]+):\]/g, (found, name: string) => CLASSES.get(name) ?? found);
  const made = patternOf(compiled(source, insensitive));
  KEPT.set(key, made);
  return made;
}

/** Begin and end of a word, either of them, and the end of the text. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\m", "\\b"],
  ["\\M", "\\b"],
  ["\\y", "\\b"],
  ["\\Z", "\\z"],
]);

const CLASSES: ReadonlyMap<string, string> = new Map([
  ["alpha", "\\p{L}"],
  ["digit", "0-9"],
  ["alnum", "\\p{L}\\p{N}"],
  ["upper", "\\p{Lu}"],
  ["lower", "\\p{Ll}"],
  ["space", "\\s"],
  ["punct", "!-\\/:-@\\[-`{-~"],
  ["xdigit", "0-9A-Fa-f"],
]);

function compiled(source: string, insensitive: boolean): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL | (insensitive ? RE2JS.CASE_INSENSITIVE : 0));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    // A pattern that JavaScript understands is right, only more than is matched here.
    if (isJavaScript(source))
      throw unsupported("a regular expression that looks around, refers back or is very large");
    throw failure("badRegexp", `invalid regular expression: ${error.message}`);
  }
}

function isJavaScript(source: string): boolean {
  try {
    return new RegExp(source).source !== "";
  } catch {
    return false;
  }
}

function patternOf(expression: RE2JS): Pattern {
  const size = expression.programSize();
  const matcherOf = (text: string) => {
    if (size * text.length > MOST_STEPS) throw tooLarge();
    return expression.matcher(text);
  };
  return {
    test: (text) => matcherOf(text).find(),
    find: (text) => {
      const matcher = matcherOf(text);
      return matcher.find() ? groupsOf(matcher) : null;
    },
    replace: (text, all, by) => {
      const matcher = matcherOf(text);
      let out = "";
      let from = 0;
      while (matcher.find()) {
        out += text.slice(from, matcher.start()) + by(groupsOf(matcher));
        from = matcher.end();
        if (!all) break;
      }
      return out + text.slice(from);
    },
  };
}

function groupsOf(matcher: ReturnType<RE2JS["matcher"]>): readonly (string | null)[] {
  return Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at) ?? null);
}

function tooLarge(): ReturnType<typeof unsupported> {
  return unsupported("a pattern over a text that is too large for it");
}
