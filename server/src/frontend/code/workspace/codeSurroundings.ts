// The surroundings that reading code needs of the workspace.
import type { Dialect } from "../../../program/dialect";
import type { Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import type { LineIndex } from "../../sql/text/lines";
import type { LowerSql } from "../../sql/script/state";
import type { LastingTeller } from "../queries/persistence";
import type { Library } from "../libraries/library";
import type { CodeMemory } from "../queries/memo";
import type { CodeModules } from "../modules/modules";
import type { IsStopped } from "../queries/slices";
import type { FirstFiles } from "./readingOrder";

/** The surroundings that reading code needs of the workspace. */
export interface CodeSurroundings {
  readonly modules: CodeModules;
  /** The files whose functions are roots; others are read where these lead to them. */
  readonly files: readonly FileId[];
  readonly lines: (file: FileId) => LineIndex;
  readonly dialect: Dialect;
  readonly table: (name: string) => Table | undefined;
  /** The same object as long as `table` and `spelling` give the same; those of one reading alone where it is missing. */
  readonly tables?: unknown;
  /** How a name is spelled that SQL may have in any case. */
  readonly spelling?: (written: string) => string;
  /** Tells which tables and spellings `table` and `lowerSql` look at. Without it, `environment` has to hold them all. */
  readonly watchTables?: (asked: (kind: "table" | "spelling", name: string) => void) => void;
  readonly lowerSql: LowerSql;
  readonly note: (note: Note) => void;
  /** The schema in files of an ORM, by its library. */
  readonly models: (library: string) => unknown;
  /** In the order in which they are asked. */
  readonly libraries?: readonly Library[];
  /** Earlier readings, with what else these depend on. */
  readonly memory?: CodeMemory;
  readonly environment?: readonly unknown[];
  /** The state by which readings of other processes are known to hold. */
  readonly lasting?: LastingTeller;
  /** True to end with what was read so far. */
  readonly isStopped?: IsStopped;
  /** Read these and who calls them, and tell of these alone. */
  readonly first?: FirstFiles;
}
