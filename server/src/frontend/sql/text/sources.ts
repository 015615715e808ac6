// Sources of a program: texts, and application code with its environment.
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

/** Application code that is read together with the SQL files whose tables it uses. */
export interface CodeSources {
  readonly modules: CodeModules;
  /** The files whose functions are transactions; other files are read on demand. */
  readonly files: readonly SourceFile[];
  /** Undefined for unreadable files. */
  readonly text: (file: FileId) => string | undefined;
  readonly dialect: Dialect;
  /** The schema in an ORM's files, by library: that of the only applicable one of `sources`. */
  readonly models?: (library: string) => unknown;
  /** Known libraries, after those that the workspace describes. */
  readonly libraries?: readonly Library[];
  /** Memo of earlier readings. */
  readonly memory?: CodeMemory;
  /** Validity check of cached readings of other processes. */
  readonly lasting?: LastingTeller;
  /** Tables declared in code, by ORM models and migrations. */
  readonly tables?: readonly Table[];
  /** Migrations written in code, as SQL of that dialect at the code's lines. */
  readonly migrations?: (dialect: Dialect) => readonly SourceFile[];
  /** ORM schemas in separate files; several ones contradict each other. */
  readonly sources?: readonly SchemaSource[];
  /** True to stop reading with what there is. */
  readonly isStopped?: IsStopped;
  /** The files to report first. */
  readonly first?: FirstFiles;
  /** Files that were not reached before reading was stopped. */
  readonly unread?: readonly FileId[];
  /** Notes on these files. */
  readonly notes?: readonly Note[];
}

/** The schema of an ORM. */
export interface SchemaSource {
  /** Its library. */
  readonly library: string;
  /** The file, or the folder of its files. */
  readonly place: string;
  readonly models: unknown;
  readonly tables: readonly Table[];
  /** The product that it names. */
  readonly dialect?: Dialect;
}
