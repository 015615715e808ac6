// Where the classes of Java's names stand: files are found by package and class, as imports, star imports and the
// package itself tell; a type that only one class implements stands for that class.
import type { FileId } from "../../../protocol/source";
import type { HirImport } from "../hir";
import { semanticsOf } from "../semantics";
import { addToList } from "../multimap";

export interface JavaFiles {
  readonly files: readonly FileId[];
  /** Undefined where a file cannot be read. */
  readonly text: (file: FileId) => string | undefined;
}

export interface JavaModules {
  /**
   * The file of a class as `from` names it: `a.b.C`, `C` (of the same package or a star import), `C.D` for a nested one.
   * Undefined for classes of libraries.
   */
  resolve(from: FileId, name: string, imports: readonly HirImport[]): FileId | undefined;
  /** The only class of the workspace that implements or extends a type of that name; undefined for none or several. */
  implementer(name: string): { readonly file: FileId; readonly name: string } | undefined;
}

/** Reads no file before a name needs it; the second question about implementers and later ones read none. */
export function createJavaModules({ files, text }: JavaFiles): JavaModules {
  const own = files.filter((file) => semanticsOf(file).family === "java");
  const byClass = new Map<string, FileId[]>();
  for (const file of own) {
    const name = classOf(file);
    addToList(byClass, name, file);
  }
  const packages = new Map<FileId, string>();
  let implementers: ReadonlyMap<string, readonly Implementer[]> | undefined;

  function packageOf(file: FileId): string {
    const known = packages.get(file);
    if (known !== undefined) return known;
    const [, name = ""] = PACKAGE.exec(text(file) ?? "") ?? [];
    const found = name.replaceAll(/\s/gu, "");
    packages.set(file, found);
    return found;
  }

  function inPackage(name: string, of: string): FileId | undefined {
    return byClass.get(name)?.find((file) => packageOf(file) === of);
  }

  return {
    resolve(from, written, imports) {
      const { packageName, name } = parts(written);
      if (packageName !== "") return inPackage(name, packageName);
      const imported = imports.find(({ local, isStatic }) => local === name && isStatic !== true);
      if (imported && imported.from !== written) {
        const target = parts(imported.from);
        return inPackage(target.name, target.packageName);
      }
      const beside = inPackage(name, packageOf(from));
      if (beside) return beside;
      for (const { imported: what, from: of, isStatic } of imports) {
        if (what !== "*" || isStatic === true) continue;
        const found = inPackage(name, of);
        if (found) return found;
      }
      return undefined;
    },
    implementer(name) {
      implementers ??= readImplementers(own, text);
      const known = implementers.get(name) ?? [];
      const [only] = known;
      return known.length === 1 ? only : undefined;
    },
  };
}

interface Implementer {
  readonly file: FileId;
  readonly name: string;
}

const PACKAGE = /^\s*package\s+([\w.][\w.\s]*);/mu;

/** `a.b.C.D` is class `C` of package `a.b`: packages are written small. */
function parts(written: string): { readonly packageName: string; readonly name: string } {
  const names = written.split(".");
  const at = names.findIndex((name) => /^[\p{Lu}_$]/u.test(name));
  const index = at === -1 ? names.length - 1 : at;
  return { packageName: names.slice(0, index).join("."), name: names[index] ?? "" };
}

function classOf(file: FileId): string {
  return file.slice(file.lastIndexOf("/") + 1, file.lastIndexOf("."));
}

/** Heads of classes that are not abstract: their name, and what they extend and implement. */
const HEAD = /\b(?:(abstract)\s+(?:\w+\s+)*)?(?:class|record|enum)\s+(\w+)\b([^{;]*)\{/gu;

/** By the simple names of the types that are implemented; linear in the texts. */
function readImplementers(
  files: readonly FileId[],
  text: JavaFiles["text"],
): ReadonlyMap<string, readonly Implementer[]> {
  const found = new Map<string, Implementer[]>();
  for (const file of files) {
    for (const [, abstract, name = "", rest = ""] of (text(file) ?? "").matchAll(HEAD)) {
      const above = /\b(?:extends|implements)\b([\s\S]*)$/u.exec(rest)?.[1];
      if (abstract !== undefined || above === undefined) continue;
      const types = above
        .replaceAll(/<[^<>]*>/gu, "")
        .replaceAll(/<[^<>]*>/gu, "")
        .split(/,|\b(?:implements|permits)\b/u);
      for (const type of types) {
        const simple = type.trim().split(".").at(-1) ?? "";
        addToList(found, simple, { file, name });
      }
    }
  }
  return found;
}
