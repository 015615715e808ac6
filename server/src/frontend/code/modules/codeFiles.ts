// The files of a workspace and what resolves imports between them.
import type { Note } from "../../../program/program";
import type { FileId } from "../../../protocol/source";
import type { DriverModel } from "../libraries/driverModel";

/** The files of code of a workspace, read when they are asked for. */
export interface CodeFiles {
  /** All there are to find, whether they were read or not. */
  readonly files: readonly FileId[];
  /** Undefined where a file cannot be read. */
  readonly text: (file: FileId) => string | undefined;
  /** The workspace's own packages. */
  readonly packages: readonly CodePackage[];
  /** The names in TypeScript's configurations. */
  readonly pathMaps: readonly PathMap[];
  /** Where TypeScript's configurations say whether null is checked. */
  readonly nullChecks?: readonly NullCheck[];
  /** Schemas of ORMs in files of their own (schema.prisma); `text` gives what they say. */
  readonly schemas?: readonly FileId[];
  /** The texts of mapper files (MyBatis' XML). */
  readonly mappers?: readonly string[];
  /** Libraries that the workspace describes itself, with remarks on these descriptions. */
  readonly described?: { readonly models: readonly DriverModel[]; readonly notes: readonly Note[] };
}

/** The content of a package.json. Paths are relative to the package's folder. */
export interface CodePackage {
  readonly name: string;
  /** As in a file id; empty for the project's folder itself. */
  readonly folder: string;
  /** Entries by what is imported: `.`, `./sub`, `./sub/*`; each with the files that may be meant, the first best. */
  readonly entries: readonly { readonly subpath: string; readonly targets: readonly string[] }[];
}

/** `paths` and `baseUrl` of a tsconfig.json or jsconfig.json, which hold for the files below its folder. */
export interface PathMap {
  readonly folder: string;
  /** Where targets start, as in a file id. */
  readonly base: string;
  /** True if names are looked for at `base` as well. */
  readonly isBaseUrl: boolean;
  readonly paths: readonly { readonly pattern: string; readonly targets: readonly string[] }[];
}

/** `strictNullChecks` or `strict` of a tsconfig.json, which hold for the files below its folder. */
export interface NullCheck {
  readonly folder: string;
  readonly isOn: boolean;
}
