// The files of a workspace by database: by dialect, and by declarations if folders declare the same table differently.
import { dialectLabel, sameFamily, type Dialect } from "../../../program/dialect";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import { databasesOf, type Databases, type Declaration } from "../../schema/databases";
import { createdTables, inRunOrder, migrationOf } from "../../schema/migrations";
import { joinedPath } from "../../schema/prisma/paths";
import type { CodeSources, SchemaSource } from "../text/sources";
import type { Language } from "../language";
import type { PgSchemaReading } from "../pg/schema/schema";
import { scanFile, type ScannedFile } from "../scanFile";

/** Files of one database. */
export interface Group {
  readonly dialect: Dialect;
  readonly language: Language;
  /** Files whose transactions run there. */
  readonly files: readonly ScannedFile[];
  /** Files that declare its tables, in run order: its own, and those that belong to all databases. */
  readonly declaring: readonly ScannedFile[];
  /** The tables that these declare. */
  readonly schema: PgSchemaReading;
  readonly code?: CodeSources;
  /** Tables declared by ORM schemas. */
  readonly modelled: readonly Table[];
  /** The suffix of its tables if another database has tables of the same names. */
  readonly label: string;
}

/** Groups files repeatedly; declarations of a folder are only re-read if its files changed. */
export interface Grouping {
  groups(
    files: readonly ScannedFile[],
    code: CodeSources | undefined,
    languageOf: (dialect: Dialect) => Language,
  ): readonly Group[];
}

/** An empty grouping. */
export function createGrouping(): Grouping {
  let known: KnownSchema[] = [];
  let scanned: readonly ScannedFile[] = [];
  return {
    groups(files, code, languageOf) {
      const before = known;
      const families = familiesOf(files, code ? partsOf(code) : []).map((family) =>
        withMigrations(family, scanned),
      );
      scanned = families.flatMap(({ migrations }) => migrations);
      const used: KnownSchema[] = [];
      const schemaOf = (dialect: Dialect, all: readonly ScannedFile[]): PgSchemaReading => {
        const own = inOrderOfRuns(all.filter(({ ddl }) => ddl.length > 0));
        const isIt = (each: KnownSchema): boolean =>
          each.dialect === dialect && sameItems(each.files, own);
        const found = used.find(isIt);
        if (found) return found.schema;
        const remembered = before.find(isIt);
        const schema = remembered?.schema ?? languageOf(dialect).schema(own);
        used.push({ dialect, files: own, schema });
        return schema;
      };
      const groups = families.flatMap((family) => {
        const surroundings = { language: languageOf(family.dialect), schemaOf };
        const declared = declaredIn(family, schemaOf);
        const databases = databasesOf(declared.map(({ declaration }) => declaration));
        return databases
          ? separate(family, declared, databases, surroundings)
          : [whole(family, surroundings)];
      });
      known = used;
      return groups;
    },
  };
}

interface KnownSchema {
  readonly dialect: Dialect;
  readonly files: readonly ScannedFile[];
  readonly schema: PgSchemaReading;
}

type SchemaOf = (dialect: Dialect, files: readonly ScannedFile[]) => PgSchemaReading;

interface Surroundings {
  readonly language: Language;
  readonly schemaOf: SchemaOf;
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}

/** Code by product, if schemas of its ORM name several. */
function partsOf(code: CodeSources): readonly CodeSources[] {
  const { files, sources = [], tables = [] } = code;
  const dialectOf = (source: SchemaSource | undefined): Dialect => source?.dialect ?? code.dialect;
  const databases = databasesOf(sources.map(declaredBySource));
  const dialects = [...new Set(sources.map(dialectOf))];
  if (databases === undefined || dialects.length < 2) {
    return [{ ...code, dialect: dialectOf(sources[0]) }];
  }
  const homeOf = (file: FileId, text: () => string): Dialect => {
    const home = databases.of(file, text, () => importedBy(file, code.modules));
    const [at] = databases.declarations[home] ?? [];
    return dialectOf(at === undefined ? undefined : sources[at]);
  };
  return dialects.map((dialect) => ({
    ...code,
    dialect,
    files: files.filter(({ file, text }) => homeOf(file, () => text) === dialect),
    sources: sources.filter((source) => dialectOf(source) === dialect),
    ...(code.migrations && {
      migrations: (product: Dialect) =>
        (code.migrations?.(product) ?? []).filter(
          ({ file, text }) => homeOf(file, () => text) === dialect,
        ),
    }),
    tables: tables.filter(
      ({ source }) => source && homeOf(source.file, () => code.text(source.file) ?? "") === dialect,
    ),
  }));
}

/** Limit of imports that are followed to find a file's database. */
const MOST_IMPORTED = 50;

/** The transitive imports of a file, nearest first, including missing (generated) files. */
function* importedBy(file: FileId, modules: CodeSources["modules"]): Iterable<string> {
  const seen = new Set<FileId>([file]);
  for (const each of seen) {
    for (const { from } of modules.moduleOf(each)?.imports ?? []) {
      const found = modules.resolve(each, from);
      if (found === undefined) {
        if (from.startsWith(".")) yield joinedPath(each, from);
      } else if (!seen.has(found)) {
        yield found;
        if (seen.size < MOST_IMPORTED) seen.add(found);
      }
    }
  }
}

/** Files of one dialect (MySQL and MariaDB count as one), with the code for it. */
interface Family {
  readonly dialect: Dialect;
  readonly files: readonly ScannedFile[];
  readonly code?: CodeSources;
}

/** With the definitions in code; unchanged texts keep their scan. */
interface MigratedFamily extends Family {
  readonly migrations: readonly ScannedFile[];
}

function withMigrations(family: Family, known: readonly ScannedFile[]): MigratedFamily {
  const { dialect, code } = family;
  const migrations = (code?.migrations?.(dialect) ?? []).map(({ file, text }) => {
    const before = known.find(
      ({ lines, dialect: own }) =>
        lines.file === file && own === dialect && (lines.written ?? lines.text) === text,
    );
    if (before) return before;
    // Other statements than definitions do not concern the schema.
    return { ...scanFile(file, text, dialect), regions: [], routines: [], notes: [] };
  });
  return { ...family, migrations };
}

function familiesOf(
  files: readonly ScannedFile[],
  parts: readonly CodeSources[],
): readonly Family[] {
  const families: { dialect: Dialect; files: ScannedFile[]; code?: CodeSources }[] = [];
  const familyOf = (dialect: Dialect): (typeof families)[number] => {
    const found = families.find((each) => sameFamily(each.dialect, dialect));
    if (found) return found;
    const family = { dialect, files: [] };
    families.push(family);
    return family;
  };
  for (const file of files) familyOf(file.dialect).files.push(file);
  for (const code of parts) {
    const isUsed = code.files.length > 0 || (code.migrations?.(code.dialect) ?? []).length > 0;
    if (isUsed) familyOf(code.dialect).code = code;
  }
  return families;
}

/** Files with related definitions: a file, or a series of migrations. */
interface Place {
  readonly place: string;
  readonly dialect: Dialect;
  readonly files: readonly ScannedFile[];
}

function placesOf({ dialect, files, migrations }: MigratedFamily): readonly Place[] {
  const places = new Map<string, ScannedFile[]>();
  for (const each of [...files, ...migrations]) {
    if (each.ddl.length === 0) continue;
    const { file } = each.lines;
    const place = migrationOf(file)?.set ?? file;
    const known = places.get(place);
    if (known) known.push(each);
    else places.set(place, [each]);
  }
  return [...places].map(([place, own]) => ({ place, dialect, files: own }));
}

/** A source of table declarations, with its files or schema. */
interface Declared {
  readonly declaration: Declaration;
  readonly files: readonly ScannedFile[];
  readonly source?: SchemaSource;
}

/** The sources that declare tables; empty if no name is declared in two places, so that there is no contradiction. */
function declaredIn(family: MigratedFamily, schemaOf: SchemaOf): readonly Declared[] {
  const places = placesOf(family);
  const models = family.code ? modelsOf(family.code) : [];
  if (!hasCommonNames(places, models)) return [];
  const inFiles = places.map((each): Declared => {
    const { place, dialect, files } = each;
    const { tables } = schemaOf(dialect, files);
    return { declaration: { place, tables, isModel: false }, files };
  });
  return [...inFiles, ...models];
}

function hasCommonNames(places: readonly Place[], models: readonly Declared[]): boolean {
  const seen = new Map<string, string>();
  const isElsewhere = (name: string, place: string): boolean => {
    const before = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), place);
    return before !== undefined && before !== place;
  };
  return (
    places.some(({ place, files }) =>
      files
        .flatMap(({ lines }) => createdTables(lines.written ?? lines.text))
        .some((name) => isElsewhere(name, place)),
    ) ||
    models.some(({ declaration: { place, tables } }) =>
      tables.some(({ name }) => isElsewhere(name, place)),
    )
  );
}

function modelsOf({ tables = [], sources = [] }: CodeSources): readonly Declared[] {
  const byFile = new Map<string, Table[]>();
  for (const table of tables) {
    const file = table.source?.file ?? "";
    const known = byFile.get(file);
    if (known) known.push(table);
    else byFile.set(file, [table]);
  }
  const inCode = [...byFile].map(([place, own]): Declared => {
    return { declaration: { place, tables: own, isModel: true }, files: [] };
  });
  const inSchemas = sources.map((source): Declared => {
    return { declaration: declaredBySource(source), files: [], source };
  });
  return [...inCode, ...inSchemas];
}

function declaredBySource({ place, tables, dialect }: SchemaSource): Declaration {
  return { place, tables, isModel: true, ...(dialect && { product: dialect }) };
}

function inOrderOfRuns(files: readonly ScannedFile[]): readonly ScannedFile[] {
  return inRunOrder(files.map((each) => ({ ...each.lines, each }))).map(({ each }) => each);
}

/** A dialect's files as one database. */
function whole(
  { dialect, files, migrations, code }: MigratedFamily,
  { language, schemaOf }: Surroundings,
): Group {
  const own = code && withSources(code, code.sources ?? [], code.tables ?? []);
  return {
    dialect,
    language,
    files,
    declaring: inOrderOfRuns(files),
    schema: schemaOf(dialect, [...files, ...migrations]),
    ...(own && { code: own }),
    modelled: own?.tables ?? [],
    label: dialectLabel(dialect),
  };
}

/** Code that uses the ORM client of that schema. */
function withSources(
  code: CodeSources,
  sources: readonly SchemaSource[],
  tables: readonly Table[],
): CodeSources {
  const modelled = sources.flatMap((source) => source.tables);
  return {
    ...code,
    models: (asked) => sources.find(({ library }) => library === asked)?.models,
    tables: [...modelled, ...tables],
  };
}

function separate(
  { dialect, files, migrations, code }: MigratedFamily,
  declared: readonly Declared[],
  databases: Databases,
  { language, schemaOf }: Surroundings,
): readonly Group[] {
  const held = databases.declarations.map((own) => new Set(own));
  const homes = new Map<ScannedFile, number>();
  for (const [at, { files: own }] of declared.entries()) {
    const [home, other] = held.flatMap((each, database) => (each.has(at) ? [database] : []));
    if (home === undefined || other !== undefined) continue;
    for (const file of own) homes.set(file, home);
  }
  const isIn = (file: ScannedFile, database: number): boolean =>
    (homes.get(file) ?? databases.of(file.lines.file, () => file.lines.text)) === database;
  const codeHomes = new Map(
    (code?.files ?? []).map(({ file, text }) => {
      const imported = (): Iterable<string> => (code ? importedBy(file, code.modules) : []);
      return [file, databases.of(file, () => text, imported)] as const;
    }),
  );
  return held.flatMap((own, database): readonly Group[] => {
    const here = declared.filter((_, at) => own.has(at));
    const elsewhere = new Set(declared.flatMap((each, at) => (own.has(at) ? [] : each.files)));
    const inCode = here.flatMap(({ declaration, source }) =>
      declaration.isModel && !source ? declaration.tables : [],
    );
    const ownCode =
      code &&
      withSources(
        { ...code, files: code.files.filter(({ file }) => codeHomes.get(file) === database) },
        here.flatMap(({ source }) => source ?? []),
        inCode,
      );
    const ownFiles = files.filter((file) => isIn(file, database));
    const isCode = ownCode !== undefined && ownCode.files.length > 0;
    if (ownFiles.length === 0 && !isCode) return [];
    const declaring = files.filter((file) => !elsewhere.has(file));
    return [
      {
        dialect,
        language,
        files: ownFiles,
        declaring: inOrderOfRuns(declaring),
        schema: schemaOf(dialect, [
          ...declaring,
          ...migrations.filter((file) => !elsewhere.has(file)),
        ]),
        ...(isCode && { code: ownCode }),
        modelled: ownCode?.tables ?? [],
        label: databases.labels[database] ?? dialectLabel(dialect),
      },
    ];
  });
}
