// Patterns of literal characters, any one character and any characters, as those of LIKE, matched without going back
// further than to the last run of any characters: in the product of both lengths at most.

/** A character, or `ONE` or `ANY`. */
export type Wildcard = string | typeof ONE | typeof ANY;

/** Any one character. */
export const ONE = Symbol("one character");
/** Any number of characters. */
export const ANY = Symbol("any characters");

/** True if a whole text is of the form; `insensitive` takes upper and lower case for the same. */
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
      // The last run takes one character more; what earlier runs took need never change.
      resumed += 1;
      at = resumed;
      next = lastAny + 1;
    } else return false;
  }
  return wanted.slice(next).every((each) => each === ANY);
}
