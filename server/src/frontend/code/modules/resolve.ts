// Which file an import names: relative paths, tsconfig's `paths` and `baseUrl`, the workspace's own packages. Only files
// of code are found; packages of others are not.
import { dictionary } from "../../../protocol/dictionary";
import type { FileId } from "../../../protocol/source";
import type { CodeFiles, CodePackage, PathMap } from "./codeFiles";

/** The resolver of TypeScript's and JavaScript's imports over a fixed set of files. */
export function createResolver(
  code: CodeFiles,
): (from: FileId, specifier: string) => FileId | undefined {
  const files = new Set<string>(code.files);
  const packages = new Map(code.packages.map((each) => [each.name, each] as const));
  // The nearest one counts: longer folders first.
  const maps = code.pathMaps.toSorted((a, b) => b.folder.length - a.folder.length);
  const known = new Map<string, FileId | undefined>();

  /** The file at a path without its extension, or of a folder. */
  function probe(path: string | undefined): FileId | undefined {
    if (path === undefined) return undefined;
    const found = candidates(path).find((file) => files.has(file));
    // Ids are what this set was made of.
    return found as FileId | undefined;
  }

  function first(paths: readonly (string | undefined)[]): FileId | undefined {
    for (const path of paths) {
      const found = probe(path);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function search(folder: string, specifier: string): FileId | undefined {
    if (isRelative(specifier)) {
      const path = joinPath(folder, specifier);
      // `.`, `..` and what ends with a slash name folders.
      return probe(/(?:^|\/)\.{0,2}$/u.test(specifier) ? joinPath(path, "index") : path);
    }
    const map = maps.find((each) => isBelow(folder, each.folder));
    return (map && first(mappedPaths(map, specifier))) ?? first(packagePaths(packages, specifier));
  }

  return (from, specifier) => {
    const folder = folderOf(from);
    const key = `${folder}\0${specifier}`;
    if (!known.has(key)) known.set(key, search(folder, specifier));
    return known.get(key);
  };
}

const EXTENSIONS = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

/** The extensions that compilers write for the sources' own. */
const WRITTEN = dictionary<readonly string[]>({
  ".js": [".ts", ".tsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
});

/** The files that may stand for a path, the first one first. */
function candidates(path: string): readonly string[] {
  const dot = /\.(?:js|jsx|mjs|cjs)$/u.exec(path);
  const bare = dot ? path.slice(0, dot.index) : path;
  const sources = dot ? (WRITTEN[dot[0]] ?? []).map((extension) => bare + extension) : [];
  const inFolder = path === "" ? "index" : `${path}/index`;
  return [
    path,
    ...sources,
    ...EXTENSIONS.map((extension) => path + extension),
    ...EXTENSIONS.map((extension) => inFolder + extension),
  ];
}

function isRelative(specifier: string): boolean {
  return /^\.{1,2}(?:\/|$)/u.test(specifier);
}

function folderOf(file: string): string {
  const at = file.lastIndexOf("/");
  return at === -1 ? "" : file.slice(0, at);
}

function isBelow(folder: string, other: string): boolean {
  return other === "" || folder === other || folder.startsWith(`${other}/`);
}

/** A path relative to a folder, without `.` and `..` inside; leading `..` stay. */
export function joinPath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of [...folder.split("/"), ...path.split("/")]) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

function mappedPaths({ base, paths, isBaseUrl }: PathMap, specifier: string): readonly string[] {
  // Only the pattern that says most counts, as TypeScript has it.
  const [best] = paths
    .flatMap(({ pattern, targets }) => {
      const rest = matched(pattern, specifier);
      return rest === undefined ? [] : [{ pattern, targets, rest }];
    })
    .toSorted((a, b) => b.pattern.length - a.pattern.length);
  const found = (best?.targets ?? []).map((target) =>
    joinPath(
      base,
      target.replace("*", () => best?.rest ?? ""),
    ),
  );
  return isBaseUrl ? [...found, joinPath(base, specifier)] : found;
}

/** Meaning of `*` of a pattern; undefined where the pattern does not match. */
function matched(pattern: string, name: string): string | undefined {
  const star = pattern.indexOf("*");
  if (star === -1) return pattern === name ? "" : undefined;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits =
    name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
  return fits ? name.slice(before.length, name.length - after.length) : undefined;
}

function packagePaths(
  packages: ReadonlyMap<string, CodePackage>,
  specifier: string,
): readonly string[] {
  const parts = specifier.split("/");
  const length = specifier.startsWith("@") ? 2 : 1;
  const own = packages.get(parts.slice(0, length).join("/"));
  if (own === undefined) return [];
  const inner = parts.slice(length).join("/");
  const subpath = inner === "" ? "." : `./${inner}`;
  const said = own.entries.flatMap(({ subpath: pattern, targets }) => {
    const rest = matched(pattern, subpath);
    return rest === undefined ? [] : targets.map((target) => target.replace("*", () => rest));
  });
  const usual = inner === "" ? ["src/index", "index", "src/main", "src"] : [inner, `src/${inner}`];
  return [...said, ...usual].flatMap((path) => sourcesOf(own.folder, path));
}

/** Entries name what a build makes; the sources usually stand under src. */
function sourcesOf(folder: string, path: string): readonly string[] {
  const plain = path.replace(/\.d\.([mc]?)ts$/u, ".$1js");
  const source = plain.replace(
    /^(?:\.\/)?(?:dist|lib|build|out)\/(?:(?:esm|cjs|es|src)\/)?/u,
    "src/",
  );
  return [
    joinPath(folder, plain),
    joinPath(folder, source),
    joinPath(folder, source.replace(/^src\//u, "")),
  ];
}
