// Importers of files that use a database: a handler that calls two services runs their statements one after the other,
// and no word of its own says so. Told by the texts of imports alone, so that nothing is parsed for it.
import path from "node:path";

/**
 * The modules that a file imports, as it writes them; none where it runs in a browser, which calls what it imports of a
 * server over the network, or only shows what it reads. Linear in the text.
 */
export function importsIn(file: string, text: string): readonly string[] {
  const isShown = COMPONENT.test(file) && !OF_SERVERS.test(text);
  if (isShown || OF_BROWSERS.test(text.slice(0, HEAD))) return [];
  const all = [...text.matchAll(IMPORT)].flatMap(({ groups }) => groups?.from ?? []);
  return all.filter((from) => from.startsWith(".") || from.includes("/"));
}

const COMPONENT = /\.[jt]sx$/u;
const OF_SERVERS = /["']use server["']/u;
const OF_BROWSERS = /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*["']use client["']/u;
const HEAD = 2000;

/** Imports of types alone bring nothing that runs. Stops at the next import, so that a text without quotes is read once. */
const IMPORT =
  /\bimport\s+type\b(?:(?!\bimport\b)[^;"'`])*["'`]|(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["'`](?<from>[^"'`\n]+)["'`]/gu;

/**
 * The files that import one of `first`, themselves or by way of others, beside these. `imports` has what each of the
 * other files imports; all paths are absolute.
 */
export function importersOf(
  first: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const places = placesOf([...first, ...imports.keys()]);
  const importers = new Map<string, string[]>();
  for (const [file, all] of imports) {
    for (const from of all) {
      for (const target of places(file, from)) addTo(importers, target, file);
    }
  }
  // Grows while it is gone over.
  const found = new Set(first);
  for (const file of found) for (const each of importers.get(file) ?? []) found.add(each);
  return [...found].slice(first.length);
}

/**
 * The files that an import may mean: those that it leads to where it is relative, and those that end so where it begins with an alias, or with
 * the scope of a package whose sources are in `src`.
 */
function placesOf(files: readonly string[]): (file: string, from: string) => readonly string[] {
  const byStem = new Map<string, string[]>();
  const byEnd = new Map<string, string[]>();
  for (const file of files) addTo(byStem, stemOf(file), file);
  for (const stem of byStem.keys()) addTo(byEnd, path.basename(stem), stem);
  const byAlias = new Map<string, readonly string[]>();
  const endingIn = (inside: string): readonly string[] => {
    const known = byAlias.get(inside);
    if (known) return known;
    const found = [inside, `${inside}/src`].flatMap((end) =>
      (byEnd.get(path.basename(end)) ?? [])
        .filter((stem) => stem.endsWith(end))
        .flatMap((stem) => byStem.get(stem) ?? []),
    );
    byAlias.set(inside, found);
    return found;
  };
  return (file, from) =>
    from.startsWith(".")
      ? (byStem.get(stemOf(path.resolve(path.dirname(file), from))) ?? [])
      : endingIn(stemOf(from.slice(from.indexOf("/"))));
}

function addTo(lists: Map<string, string[]>, key: string, item: string): void {
  const known = lists.get(key);
  if (known) known.push(item);
  else lists.set(key, [item]);
}

/** A path without the ending of code, and without `index`. */
function stemOf(file: string): string {
  return file.replace(/\.[cm]?[jt]sx?$/u, "").replace(/\/index$/u, "");
}
