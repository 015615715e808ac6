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
      for (const target of places(file, from)) {
        const known = importers.get(target);
        if (known) known.push(file);
        else importers.set(target, [file]);
      }
    }
  }
  // Grows while it is gone over.
  const found = new Set(first);
  for (const file of found) for (const each of importers.get(file) ?? []) found.add(each);
  return [...found].slice(first.length);
}

/** The files that an import may mean: those that it leads to where it is relative, and those that end so where it begins with an alias. */
function placesOf(files: readonly string[]): (file: string, from: string) => readonly string[] {
  const byEnd = new Map<string, { readonly file: string; readonly stem: string }[]>();
  for (const file of files) {
    const stem = stemOf(file);
    const end = path.basename(stem);
    const known = byEnd.get(end);
    if (known) known.push({ file, stem });
    else byEnd.set(end, [{ file, stem }]);
  }
  const filesWhere = (asked: string, isMeant: (stem: string) => boolean): readonly string[] => {
    const all = byEnd.get(path.basename(asked)) ?? [];
    return all.flatMap(({ file, stem }) => (isMeant(stem) ? [file] : []));
  };
  return (file, from) => {
    if (from.startsWith(".")) {
      const asked = stemOf(path.resolve(path.dirname(file), from));
      return filesWhere(asked, (stem) => stem === asked);
    }
    const inside = stemOf(from.slice(from.indexOf("/")));
    return filesWhere(inside, (stem) => stem.endsWith(inside));
  };
}

/** A path without the ending of code, and without `index`. */
function stemOf(file: string): string {
  return file.replace(/\.[cm]?[jt]sx?$/u, "").replace(/\/index$/u, "");
}
