// Results of evaluating a root, as the memo and its persistent form store them.
import type { Taint } from "../../../program/precision";
import type { Note, Transaction } from "../../../program/program";
import type { FileId, SourceRange } from "../../../protocol/source";
import type { HirFunction } from "../hir";
import type { Site } from "../callGraph/callSites";
import type { Snapshot } from "./relocation";
import type { PartNumbers } from "./stableIds";

/** A function that was evaluated on its own. */
export interface ReadFunction {
  /** Unique in the workspace. */
  readonly key: string;
  /** The key that callers use, if it differs. */
  readonly calledAs?: string;
  /** Its name in the code. */
  readonly names: readonly string[];
  readonly statements: number;
  /** The keys of the functions that it was found to call. */
  readonly inlined: ReadonlySet<string>;
  /** The database call sites that it reached. */
  readonly reached: ReadonlySet<Site>;
  /** Functions that were not followed, by key, with the taint that applies if they run statements. */
  readonly unfollowed: readonly { readonly key: string; readonly loss: Taint }[];
  /** The positions of its transactions and statements. */
  readonly places: readonly SourceRange[];
  /** The positions of each of its transactions and of their contents. */
  readonly atomics: readonly (readonly SourceRange[])[];
  readonly notes: readonly Note[];
  /** Absent if it does not use a database. */
  readonly transaction?: Transaction;
}

/** A function that was skipped or cut short. */
export interface PassedFunction {
  readonly key: string;
  readonly name: string;
  /** Its header. */
  readonly source: SourceRange;
  /** The error that ended its evaluation, unless it was too long. */
  readonly failure?: string;
}

/** Result of a root, with the functions that run by themselves because of it. */
export interface RootReading {
  readonly evaluated: readonly ReadFunction[];
  readonly passed: readonly PassedFunction[];
  /** The keys of all functions that it was the first to reach. */
  readonly own: ReadonlySet<string>;
  /** The keys of functions that it reaches, too, but that earlier roots reached first and own. */
  readonly elsewhere: ReadonlySet<string>;
  /** The steps that this took, and whether they exhausted the budget. */
  readonly steps: number;
  readonly isCut: boolean;
  /** An error ended a part of it. */
  readonly isBroken: boolean;
}

/** A root to be looked up. */
export interface AskedRoot {
  /** The file that contains it. */
  readonly file: FileId;
  readonly name: string;
  readonly function: HirFunction;
  /** The call around it says so of its first argument. */
  readonly argument?: string;
  /** Its step budget. */
  readonly steps: number;
}

/** One reading of a workspace. */
export interface Present {
  readonly snapshot: Snapshot;
  /** Other dependencies of readings, compared part by part by identity. */
  readonly environment: readonly unknown[];
  /** The state that persisted readings are compared with. */
  readonly lasting?: Omit<Surroundings, "present">;
}

/** The state that persistent data is compared with. */
export interface Surroundings {
  readonly present: Present;
  readonly numbers: PartNumbers;
  /** The environment of the file's readings, as a text. */
  readonly environment: string;
  readonly digest: (text: string) => string;
  /** The digest of the file's present text. */
  readonly digestOf: (file: FileId) => string;
  /** The calls of these names in all files. */
  readonly declaring: (names: ReadonlySet<string>) => string;
}
