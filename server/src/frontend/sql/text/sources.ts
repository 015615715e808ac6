// Sources of a program: texts, and application code with what its surroundings say.
import type { Dialect } from "../../../program/dialect";
import type { Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import type { FirstFiles } from "../../code/workspace/readingOrder";
import type { LastingTeller } from "../../code/queries/persistence";
import type { Library } from "../../code/libraries/library";
import type { CodeMemory } from "../../code/queries/memo";
import type { CodeModules } from "../../code/modules/modules";
import type { IsStopped } from "../../code/queries/slices";

export interface SourceFile {
  readonly file: FileId;
  readonly text: string;
}

/** Application code that is read together with the SQL files, whose tables it uses. */
export interface CodeSources {
  readonly modules: CodeModules;
  /** The files whose functions are transactions; others are read where these lead to them. */
  readonly files: readonly SourceFile[];
  /** Undefined for what cannot be read. */
  readonly text: (file: FileId) => string | undefined;
  readonly dialect: Dialect;
  /** The schema in files of an ORM, by its library: that of the only one of `sources` that holds. */
  readonly models?: (library: string) => unknown;
  /** Those that are known, and before them those that the workspace describes. */
  readonly libraries?: readonly Library[];
  /** Earlier readings. */
  readonly memory?: CodeMemory;
  /** The state by which readings of other processes are known to hold. */
  readonly lasting?: LastingTeller;
  /** Tables that the code itself declares, as ORMs' models and migrations do. */
  readonly tables?: readonly Table[];
  /** Migrations that are written in code, as SQL of that dialect at the lines where the code has them. */
  readonly migrations?: (dialect: Dialect) => readonly SourceFile[];
  /** Schemas of ORMs in files of their own; where there are several, they contradict each other. */
  readonly sources?: readonly SchemaSource[];
  /** True if reading is to end with what it has so far. */
  readonly isStopped?: IsStopped;
  /** The files of which alone something is to be told for now. */
  readonly first?: FirstFiles;
  /** Files that were not come to before reading was stopped. */
  readonly unread?: readonly FileId[];
  /** The defects of these files. */
  readonly notes?: readonly Note[];
}

/** The schema of an ORM. */
export interface SchemaSource {
  /** The library that it is for. */
  readonly library: string;
  /** The file, or the folder of its files. */
  readonly place: string;
  readonly models: unknown;
  readonly tables: readonly Table[];
  /** The product that it names. */
  readonly dialect?: Dialect;
}
