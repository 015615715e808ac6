// Results of evaluating a root, as the memo and its persisted form have them.
import type { Taint } from "../../../program/precision";
import type { Note, Transaction } from "../../../program/program";
import type { FileId, SourceRange } from "../../../protocol/source";
import type { HirFunction } from "../hir";
import type { Site } from "../callGraph/callSites";
import type { Snapshot } from "./relocation";
import type { Facts } from "./dependencies";
import type { PartNumbers } from "./stableIds";

/** A function that was evaluated by itself. */
export interface ReadFunction {
  /** Unique in the workspace. */
  readonly key: string;
  /** The key by which callers know it, where it is another. */
  readonly calledAs?: string;
  /** Its name in the code. */
  readonly names: readonly string[];
  readonly statements: number;
  /** The functions that it was found to call, by key. */
  readonly inlined: ReadonlySet<string>;
  /** The calls of databases that it came to. */
  readonly reached: ReadonlySet<Site>;
  /** Functions that were not followed, by key, with what is lost if they run statements. */
  readonly unfollowed: readonly { readonly key: string; readonly loss: Taint }[];
  /** Where its transactions and statements stand. */
  readonly places: readonly SourceRange[];
  /** The places of each of its transactions, with those of what is inside. */
  readonly atomics: readonly (readonly SourceRange[])[];
  readonly notes: readonly Note[];
  /** Absent where it does nothing with a database. */
  readonly transaction?: Transaction;
}

/** A function that was not looked at, or not to its end. */
export interface PassedFunction {
  readonly key: string;
  readonly name: string;
  /** Its header. */
  readonly source: SourceRange;
  /** The error that ended it, where that was not its length. */
  readonly failure?: string;
}

/** Effect of a root, with the functions that run by themselves because of it. */
export interface RootReading {
  readonly evaluated: readonly ReadFunction[];
  readonly passed: readonly PassedFunction[];
  /** The keys of all functions that it was the first to lead to. */
  readonly own: ReadonlySet<string>;
  /** The keys of functions that it leads to as well and that others led to before, so that they are theirs. */
  readonly elsewhere: ReadonlySet<string>;
  /** Steps that this took, and whether they were all there were. */
  readonly steps: number;
  readonly isCut: boolean;
  /** An error ended a part of it. */
  readonly isBroken: boolean;
}

/** A root as it is asked for. */
export interface AskedRoot {
  /** The file that has it. */
  readonly file: FileId;
  readonly name: string;
  readonly function: HirFunction;
  /** The call around it says so of its first argument. */
  readonly argument?: string;
  /** Steps that it may take. */
  readonly steps: number;
}

/** One reading of a workspace. */
export interface Present {
  readonly snapshot: Snapshot;
  readonly facts: Facts;
  /** Where imports lead, and the names that lead to a database: each the same while nothing of it has changed. */
  readonly resolution: unknown;
  readonly reaching: unknown;
  /** Other dependencies of readings: each part is compared by identity. */
  readonly environment: readonly unknown[];
  /** The state that readings of other processes are held against. */
  readonly lasting?: Omit<Surroundings, "present">;
}

/** The state that lasting data is held against. */
export interface Surroundings {
  readonly present: Present;
  readonly numbers: PartNumbers;
  /** The environment of readings of the file, as a text. */
  readonly environment: string;
  readonly digest: (text: string) => string;
  /** The digest of the file's present text. */
  readonly digestOf: (file: FileId) => string;
  /** The calls of these names in all files. */
  readonly declaring: (names: ReadonlySet<string>) => string;
}
