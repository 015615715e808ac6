// Module resolution by package.json and tsconfig.json. Errors in them are ignored: other tools report these.
import path from "node:path";
import type {
  CodeFiles,
  CodePackage,
  PathMap,
  NullCheck,
} from "../frontend/code/modules/codeFiles";
import { parseJson, type JsonValue } from "./json";
import { relativePath } from "./listFolder";

type ReadText = (absolute: string) => string | undefined;

/** Packages and path maps of these files; folders are relative to `base`. */
export function readManifests(
  manifests: readonly string[],
  base: string,
  read: ReadText,
): Pick<CodeFiles, "packages" | "pathMaps" | "nullChecks"> {
  const packages: CodePackage[] = [];
  const pathMaps: PathMap[] = [];
  const nullChecks: NullCheck[] = [];
  for (const absolute of manifests) {
    const folder = path.dirname(absolute);
    const name = path.basename(absolute);
    if (name === "package.json") {
      const found = readPackage(parsed(absolute, read), relativePath(base, folder));
      if (found) packages.push(found);
    } else if (name !== "tsconfig.base.json") {
      const map = readPathMap(absolute, read, base);
      if (map) pathMaps.push({ ...map, folder: relativePath(base, folder) });
      const isOn = checksNull(absolute, read);
      if (isOn !== undefined) nullChecks.push({ folder: relativePath(base, folder), isOn });
    }
  }
  return { packages, pathMaps, nullChecks };
}

function parsed(absolute: string, read: ReadText): JsonValue | undefined {
  const text = read(absolute);
  const result = text === undefined ? undefined : parseJson(text);
  return result?.ok ? result.value : undefined;
}

function field(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (value?.kind !== "object") return undefined;
  return value.entries.findLast((entry) => entry.key === key)?.value;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return value?.kind === "string" ? value.value : undefined;
}

function readPackage(manifest: JsonValue | undefined, folder: string): CodePackage | undefined {
  const name = textOf(field(manifest, "name"));
  if (name === undefined) return undefined;
  const exported = field(manifest, "exports");
  const mains = ["source", "module", "main", "types"].flatMap((key) => {
    const target = textOf(field(manifest, key));
    return target === undefined ? [] : [target];
  });
  return {
    name,
    folder,
    entries: [
      ...entriesOf(exported),
      ...(mains.length > 0 ? [{ subpath: ".", targets: mains }] : []),
    ],
  };
}

/** `exports`: a target, conditions, or subpaths with either. */
function entriesOf(exported: JsonValue | undefined): CodePackage["entries"] {
  if (exported === undefined) return [];
  const isSubpaths =
    exported.kind === "object" && exported.entries.some(({ key }) => key.startsWith("."));
  return isSubpaths
    ? exported.entries.map(({ key, value }) => ({ subpath: key, targets: targetsOf(value) }))
    : [{ subpath: ".", targets: targetsOf(exported) }];
}

/** All targets below: any condition may apply. */
function targetsOf(value: JsonValue): readonly string[] {
  switch (value.kind) {
    case "string":
      return [value.value];
    case "array":
      return value.items.flatMap(targetsOf);
    case "object":
      return value.entries.flatMap((entry) => targetsOf(entry.value));
    default:
      return [];
  }
}

/** The limit of `extends` chains. */
const LONGEST_CHAIN = 8;

function readPathMap(
  absolute: string,
  read: ReadText,
  base: string,
  depth = 0,
): Omit<PathMap, "folder"> | undefined {
  const manifest = parsed(absolute, read);
  if (manifest === undefined || depth > LONGEST_CHAIN) return undefined;
  const folder = path.dirname(absolute);
  const options = field(manifest, "compilerOptions");
  const baseUrl = textOf(field(options, "baseUrl"));
  const paths = field(options, "paths");
  const inherited = extended(manifest)
    .map((name) => readPathMap(path.resolve(folder, name), read, base, depth + 1))
    .findLast((map) => map !== undefined);
  if (baseUrl === undefined && paths === undefined) return inherited;
  const own = paths?.kind === "object" ? paths.entries : undefined;
  return {
    base: relativePath(base, path.resolve(folder, baseUrl ?? ".")),
    isBaseUrl: baseUrl !== undefined,
    paths:
      own?.map(({ key, value }) => ({ pattern: key, targets: targetsOf(value) })) ??
      inherited?.paths ??
      [],
  };
}

/** The value of strictNullChecks; undefined if no file of the workspace sets it. */
function checksNull(absolute: string, read: ReadText, depth = 0): boolean | undefined {
  const manifest = parsed(absolute, read);
  if (manifest === undefined || depth > LONGEST_CHAIN) return undefined;
  const options = field(manifest, "compilerOptions");
  const [own] = ["strictNullChecks", "strict"].flatMap((key) => {
    const value = field(options, key);
    return value?.kind === "boolean" ? [value.value] : [];
  });
  const folder = path.dirname(absolute);
  return (
    own ??
    extended(manifest)
      .map((name) => checksNull(path.resolve(folder, name), read, depth + 1))
      .findLast((each) => each !== undefined)
  );
}

/** Only extended files of the workspace: configurations in packages say nothing about its paths. */
function extended(manifest: JsonValue): readonly string[] {
  const value = field(manifest, "extends");
  const names = value === undefined ? [] : targetsOf(value);
  return names
    .filter((name) => name.startsWith("."))
    .map((name) => (name.endsWith(".json") ? name : `${name}.json`));
}
