// Patterns with single-character and multi-character wildcards, like those of LIKE, matched with backtracking to the last multi-character
// wildcard only: O(pattern length * text length).

/** A character, or `ONE` or `ANY`. */
export type Wildcard = string | typeof ONE | typeof ANY;

/** Matches one character. */
export const ONE = Symbol("one character");
/** Matches any number of characters. */
export const ANY = Symbol("any characters");

/** True if the pattern matches the whole text; `insensitive` ignores case. */
export function matchesWildcards(
  form: readonly Wildcard[],
  text: string,
  { insensitive }: { readonly insensitive: boolean },
): boolean {
  const fold = (each: string): string => (insensitive ? each.toLowerCase() : each);
  const characters = Array.from(text, fold);
  const wanted = form.map((each) => (typeof each === "string" ? fold(each) : each));
  let at = 0;
  let next = 0;
  let lastAny = -1;
  let resumed = 0;
  while (at < characters.length) {
    const each = wanted[next];
    if (each === ANY) {
      lastAny = next;
      resumed = at;
      next += 1;
    } else if (each !== undefined && (each === ONE || each === characters[at])) {
      at += 1;
      next += 1;
    } else if (lastAny >= 0) {
      // The last wildcard takes one character more; earlier ones need never change.
      resumed += 1;
      at = resumed;
      next = lastAny + 1;
    } else return false;
  }
  return wanted.slice(next).every((each) => each === ANY);
}
