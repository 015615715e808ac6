// What the functions of a file were found to do, kept from one reading of a workspace to the next for as long as nothing
// has changed that they may use.
import type { Note, Transaction } from "../../program/program";
import type { FileId } from "../../protocol/source";
import type { Evaluated } from "./evaluate/evaluator";
import type { HirModule } from "./hir";
import type { CodeModules } from "./modules";

/** A function that was evaluated by itself. */
export interface ReadFunction {
  readonly result: Evaluated;
  readonly notes: readonly Note[];
  /** Absent where it does nothing with a database. */
  readonly transaction?: Transaction;
}

export interface FileReading {
  readonly evaluated: readonly ReadFunction[];
}

/** What else readings depend on: each part is compared by identity. */
export type Environment = readonly unknown[];

export interface CodeMemory {
  /** What is known of a file whose modules are these. */
  recall(
    file: FileId,
    modules: readonly HirModule[],
    environment: Environment,
  ): FileReading | undefined;
  keep(
    file: FileId,
    modules: readonly HirModule[],
    environment: Environment,
    reading: FileReading,
  ): void;
}

interface Kept {
  readonly modules: readonly HirModule[];
  readonly environment: Environment;
  readonly reading: FileReading;
}

/** A reading goes over each file once or twice: before and after tables are inferred. */
const MOST_PER_FILE = 2;

/** A memory that holds the last readings of each file. */
export function createCodeMemory(): CodeMemory {
  const known = new Map<FileId, readonly Kept[]>();
  return {
    recall: (file, modules, environment) =>
      (known.get(file) ?? []).find(
        (each) => same(each.modules, modules) && same(each.environment, environment),
      )?.reading,
    keep: (file, modules, environment, reading) => {
      const others = (known.get(file) ?? []).filter(
        (each) => same(each.modules, modules) && !same(each.environment, environment),
      );
      const own: Kept = { modules, environment, reading };
      known.set(file, [own, ...others].slice(0, MOST_PER_FILE));
    },
  };
}

function same(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}

/**
 * The modules that a file's functions may use: its own and what it imports, directly or not. Of Java all of the given
 * files, whose classes are known by their names alone.
 */
export function createClosures(
  modules: CodeModules,
  files: readonly FileId[],
): (file: FileId) => readonly HirModule[] {
  const java = files.filter((file) => file.endsWith(".java"));
  const imports = new Map<FileId, readonly FileId[]>();
  const importsOf = (file: FileId): readonly FileId[] => {
    const known = imports.get(file);
    if (known) return known;
    const hir = modules.moduleOf(file);
    const names = [
      ...(hir?.imports.map(({ from }) => from) ?? []),
      ...(hir?.exports.flatMap(({ from }) => from ?? []) ?? []),
    ];
    const found = [...new Set(names)].flatMap((name) => modules.resolve(file, name) ?? []);
    imports.set(file, found);
    return found;
  };
  let allOfJava: readonly HirModule[] | undefined;
  return (file) => {
    if (file.endsWith(".java")) {
      allOfJava ??= java.flatMap((each) => modules.moduleOf(each) ?? []);
      return allOfJava;
    }
    const seen = new Set<FileId>([file]);
    for (const each of seen) for (const next of importsOf(each)) seen.add(next);
    return [...seen].flatMap((each) => modules.moduleOf(each) ?? []);
  };
}
