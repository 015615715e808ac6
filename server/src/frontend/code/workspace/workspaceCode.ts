// The code of a workspace beside its SQL: modules and schema files of ORMs, remembered from one reading to the next.
import type { Dialect } from "../../../program/dialect";
import type { Note } from "../../../program/program";
import type { FileId } from "../../../protocol/source";
import { migrationOf } from "../../schema/migrations";
import { readPrismaSchemas, type PrismaSchemas } from "../../schema/prisma/datasources";
import type { CodeSources, SourceFile } from "../../sql/text/sources";
import { indexLines } from "../../sql/text/lines";
import type { LastingReadings } from "../queries/persistence";
import { createCodeMemory, type CodeMemory } from "../queries/memo";
import { migrates, migrationText } from "../migrations/codeMigrations";
import { createModuleReader, type CodeModules } from "../modules/modules";
import { driver } from "../libraries/driver";
import type { DriverModel } from "../libraries/driverModel";
import { librariesWith } from "../libraries/libraries";
import type { Library } from "../libraries/library";
import { atOnce, type IsStopped, type SlicedWork } from "../queries/slices";
import type { CodeFiles } from "../modules/codeFiles";
import { importClosure } from "./importClosure";
import { codeTables } from "./codeTables";
import type { CodeParsers } from "./codeParsers";
import { createDialectTeller } from "./codeDialect";

/** Code that was found, before it is known which database it runs on. */
export interface WorkspaceCode extends Omit<CodeSources, "dialect"> {
  /** The product that schema files, imports and connection strings name; undefined where nothing does. */
  readonly dialect: Dialect | undefined;
  /** On schema files. */
  readonly notes: readonly Note[];
}

export interface WorkspaceCodeReader {
  /** `files` are those whose functions may be transactions; what they import comes from `code`. */
  read(files: readonly SourceFile[], code?: CodeFiles): WorkspaceCode;
  /** The same in slices; what is stopped has read some of the files only. */
  reading(
    files: readonly SourceFile[],
    code?: CodeFiles,
    isStopped?: IsStopped,
  ): SlicedWork<WorkspaceCode>;
  /** The results of the last reading, as they last. */
  readonly lasting: CodeMemory["lasting"];
}

/** A reader that remembers the modules of its last reading by their texts, and finds what others have kept of files. */
export function createWorkspaceCode(
  parsers: CodeParsers,
  kept?: LastingReadings,
): WorkspaceCodeReader {
  const reader = createModuleReader(parsers);
  const memory = createCodeMemory(kept);
  const named = createDialectTeller();
  let libraries: { readonly key: string; readonly all: readonly Library[] } | undefined;
  /** The same list for the same models: what was made of it is kept by it. */
  function librariesOf(
    models: readonly DriverModel[],
    mappers: readonly string[],
  ): readonly Library[] {
    const key = JSON.stringify([models, mappers]);
    if (libraries?.key !== key) {
      // A description of the workspace's own comes before ours.
      libraries = {
        key,
        all: [...models.map((model) => driver(model)), ...librariesWith(mappers)],
      };
    }
    return libraries.all;
  }

  let known: { readonly key: string; readonly schemas: PrismaSchemas } | undefined;

  function schemasOf(
    files: readonly SourceFile[],
    product: () => Dialect | undefined,
  ): PrismaSchemas {
    const key = files.map(({ file, text }) => `${file}\0${text}`).join("\0");
    if (known?.key !== key) known = { key, schemas: readPrismaSchemas(files, product) };
    return known.schemas;
  }

  const self: WorkspaceCodeReader = {
    read: (files, code) => atOnce(self.reading(files, code)),
    lasting: memory.lasting,
    *reading(given, code = NO_OTHERS, isStopped = undefined) {
      memory.begin();
      const own = new Map(given.map(({ file, text }) => [file, text] as const));
      const text = (file: FileId): string | undefined => own.get(file) ?? code.text(file);
      const all = [...new Set([...code.files, ...own.keys()])];
      const inCodeDialect = (): Dialect | undefined => named(given);
      const { schemas, notes } = schemasOf(
        (code.schemas ?? []).map((file) => ({ file, text: text(file) ?? "" })),
        inCodeDialect,
      );
      const modules = reader.modules({ ...code, files: all, text });
      const parsed = yield* parsedOf(given, modules, isStopped);
      const files = given.slice(0, parsed);
      const unread = given.slice(parsed).map(({ file }) => file);
      const dialect = schemas[0]?.schema.datasource?.dialect ?? inCodeDialect();
      const inCode = codeTables({
        modules,
        files: importClosure(
          files.map(({ file }) => file),
          modules,
        ),
        lines: (file) => indexLines(file, text(file) ?? ""),
        dialect: dialect ?? "postgres",
      });
      const migrating = files.filter((each) => isMigration(each, modules));
      return {
        modules,
        files: files.filter((each) => !migrating.includes(each)),
        migrations: (product) =>
          migrating.flatMap(({ file, text: written }) => {
            const module = modules.moduleOf(file);
            const sql = module && migrationText(module, written, product);
            return sql === undefined ? [] : [{ file, text: sql }];
          }),
        text,
        dialect,
        memory,
        libraries: librariesOf(code.described?.models ?? [], code.mappers ?? []),
        sources: schemas.map(({ place, schema }) => ({
          library: "prisma",
          place,
          models: schema,
          tables: schema.tables,
          ...(schema.datasource?.dialect && { dialect: schema.datasource.dialect }),
        })),
        tables: inCode,
        notes: [
          ...schemas.flatMap(({ schema }) => schema.notes),
          ...notes,
          ...(code.described?.notes ?? []),
        ],
        ...(isStopped && { isStopped }),
        ...(unread.length > 0 && { unread }),
      };
    },
  };
  return self;
}

/** How many of the files were parsed before reading was stopped. */
function* parsedOf(
  files: readonly SourceFile[],
  modules: CodeModules,
  isStopped: IsStopped | undefined,
): SlicedWork<number> {
  for (const [at, { file }] of files.entries()) {
    yield { done: 0, total: files.length };
    if (isStopped?.()) return at;
    modules.moduleOf(file);
  }
  return files.length;
}

/** A word without which code is no migration. */
const MIGRATES = /\bup\b/u;

/** Migrations run once and alone, so that what stands in them is no transaction. */
function isMigration(file: SourceFile, { moduleOf }: CodeModules): boolean {
  if (migrationOf(file.file)?.isCertain === true) return true;
  const module = MIGRATES.test(file.text) ? moduleOf(file.file) : undefined;
  if (!module) return false;
  return migrates(module, file) || migrationText(module, file.text, "postgres") !== undefined;
}

const NO_OTHERS: CodeFiles = { files: [], text: () => undefined, packages: [], pathMaps: [] };
