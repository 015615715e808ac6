// The modules of a workspace as the evaluator asks for them: parsed when they are needed and remembered by their texts;
// imports followed as TypeScript, Node and Java find them. What is on disk comes in through `CodeFiles`.
import type { FileId } from "../../../protocol/source";
import { codeLanguageOf, type CodeParsers, type CodeTree } from "../workspace/codeParsers";
import type { HirExport, HirModule } from "../hir";
import { readJava } from "../java/readJava";
import { readParts } from "../typescript/readTypeScript";
import { semanticsOf } from "../semantics";
import { ofNode } from "../../../query/nodes";
import { createJavaModules, type JavaModules } from "./javaModules";
import { knownParts, moduleOfParts, type ModulePart } from "./moduleParts";
import { createResolver } from "./resolve";
import type { CodeFiles, NullCheck } from "./codeFiles";

export interface CodeModules {
  /** Undefined for files that are not there or hold no code that is read. */
  moduleOf(file: FileId): HirModule | undefined;
  /** The file that an import names; undefined for packages that are not the workspace's own. */
  resolve(from: FileId, specifier: string): FileId | undefined;
  /** True for names of folders of the workspace. */
  isFolder(name: string): boolean;
  /** True if types of TypeScript do not say what may be null or missing there. */
  hasLooseTypes(file: FileId): boolean;
  /** Another one when imports of TypeScript may lead elsewhere: files came or went, or configurations changed. */
  readonly resolution: unknown;
  /** Where Java's classes are. */
  readonly java: JavaModules;
}

export interface ModuleReader {
  /** The modules of files as they are now; those whose texts did not change are not parsed again. */
  modules(files: CodeFiles): CodeModules;
}

/** Remembers modules from one reading to the next; a file that is edited is parsed from its last tree. */
export function createModuleReader(parsers: CodeParsers): ModuleReader {
  let known = new Map<FileId, ReadModule>();
  let resolver: Resolver | undefined;
  return {
    modules(files) {
      const before = known;
      const own = new Map<FileId, ReadModule>();
      known = own;
      for (const file of files.files) {
        const last = before.get(file);
        if (last) own.set(file, last);
      }
      const asked = new Map<FileId, HirModule | undefined>();
      const moduleOf = (file: FileId): HirModule | undefined => {
        if (asked.has(file)) return asked.get(file);
        const read = readModule(parsers, file, files.text(file), own.get(file) ?? before.get(file));
        if (read) own.set(file, read);
        asked.set(file, read?.module);
        return read?.module;
      };
      const java = createJavaModules(files);
      if (!resolver || !isSameResolution(resolver.files, files)) {
        resolver = { files, resolve: createResolver(files), folders: foldersOf(files) };
      }
      const { resolve, folders } = resolver;
      return {
        moduleOf,
        isFolder: (name) => folders.has(name),
        hasLooseTypes: looseTypes(files.nullChecks ?? []),
        resolution: resolve,
        resolve: (from, specifier) =>
          semanticsOf(from).namesByImport
            ? resolve(from, specifier)
            : java.resolve(from, specifier, moduleOf(from)?.imports ?? []),
        java,
      };
    },
  };
}

/** The exports of a module, by name: the first of each. */
export const exportsOf = ofNode(
  (module: Pick<HirModule, "exports">): ReadonlyMap<string, HirExport> =>
    new Map(module.exports.toReversed().map((each) => [each.name, each] as const)),
);

/** The nearest configuration counts; where none says, null is taken to be checked. */
function looseTypes(checks: readonly NullCheck[]): CodeModules["hasLooseTypes"] {
  const nearest = checks.toSorted((a, b) => b.folder.length - a.folder.length);
  return (file) =>
    nearest.find(({ folder }) => folder === "" || file.startsWith(`${folder}/`))?.isOn === false;
}

interface Resolver {
  readonly files: CodeFiles;
  readonly resolve: ReturnType<typeof createResolver>;
  readonly folders: ReadonlySet<string>;
}

/** The names of the folders that files are in. */
function foldersOf({ files }: CodeFiles): ReadonlySet<string> {
  return new Set(files.flatMap((file) => file.split("/").slice(0, -1)));
}

/** True if imports lead to the same files of both. */
function isSameResolution(before: CodeFiles, now: CodeFiles): boolean {
  return (
    before.files.length === now.files.length &&
    before.files.every((file, at) => file === now.files[at]) &&
    JSON.stringify([before.packages, before.pathMaps, before.nullChecks]) ===
      JSON.stringify([now.packages, now.pathMaps, now.nullChecks])
  );
}

interface ReadModule {
  readonly text: string;
  readonly module: HirModule;
  /** Parts of the module; only of languages whose modules are read in parts. */
  readonly parts?: readonly ModulePart[];
  /** Kept once a file has been edited: it will be again. */
  readonly tree?: CodeTree;
}

function readModule(
  parsers: CodeParsers,
  file: FileId,
  text: string | undefined,
  last: ReadModule | undefined,
): ReadModule | undefined {
  const language = codeLanguageOf(file);
  if (text === undefined || language === undefined) return undefined;
  if (last?.text === text) return last;
  const keep = last !== undefined;
  const known = last?.parts && knownParts(last.parts, text);
  const tree = parsers.parse(language, text, {
    keep,
    ...(last?.tree && { old: last.tree }),
    ...(known && { isKnown: known.isKnown }),
  });
  if (tree === undefined) return undefined;
  const kept = keep && { tree };
  if (language === "java") return { text, module: readJava(tree), ...kept };
  const parts = readParts(tree, ({ start }) => known?.at(start));
  return { text, module: moduleOfParts(language, parts), parts, ...kept };
}
