// Several schema.prisma files in a workspace: which files form one schema, which are variants for another product, and which are separate
// databases.
import { dialectLabel, type Dialect } from "../../../program/dialect";
import type { Note } from "../../../program/program";
import type { FileId } from "../../../protocol/source";
import { databasesOf, type Declaration } from "../databases";
import type { PrismaSchema } from "./model";
import { readPrismaSchema } from "./readSchema";

interface PrismaFile {
  readonly file: FileId;
  readonly text: string;
}

export interface PlacedSchema {
  /** The file, or the folder of its files. */
  readonly place: string;
  readonly schema: PrismaSchema;
}

export interface PrismaSchemas {
  /** Several schemas contradict each other. */
  readonly schemas: readonly PlacedSchema[];
  /** Notes on unused files. */
  readonly notes: readonly Note[];
}

/**
 * The schemas of all the files: one per datasource, merged unless they contradict each other. Of variants for several products the one for
 * `product` is used, else the first.
 */
export function readPrismaSchemas(
  files: readonly PrismaFile[],
  product: () => Dialect | undefined,
): PrismaSchemas {
  const units = unitsOf(files);
  const [only, second] = units;
  if (only === undefined) return { schemas: [], notes: [] };
  if (second === undefined) return { schemas: [placed(only)], notes: [] };
  const { kept, notes } = withoutCopies(units.map(placed), product);
  const databases = databasesOf(kept.map(declarationOf));
  const parts = databases?.declarations ?? [kept.map((_, at) => at)];
  return {
    schemas: parts.flatMap((part) => joined(part.flatMap((at) => kept[at] ?? [])) ?? []),
    notes,
  };
}

/** Files by datasource: files without one belong to the nearest datasource above or below them. */
function unitsOf(files: readonly PrismaFile[]): readonly (readonly PrismaFile[])[] {
  const heads = files.filter(({ text }) => DATASOURCE.test(text));
  if (heads.length < 2) return files.length === 0 ? [] : [files];
  const units = new Map<PrismaFile, PrismaFile[]>(heads.map((head) => [head, [head]]));
  for (const each of files.filter((file) => !heads.includes(file))) {
    const [nearest] = heads.toSorted(
      (a, b) => common(b.file, each.file) - common(a.file, each.file),
    );
    if (nearest) units.get(nearest)?.push(each);
  }
  return [...units.values()];
}

const DATASOURCE = /^\s*datasource\s+\w+\s*\{/mu;

/** The number of leading folders that two files share. */
function common(left: string, right: string): number {
  const [a, b] = [left.split("/"), right.split("/")];
  const end = a.findIndex((part, at) => part !== b[at]);
  return end < 0 ? a.length : end;
}

function placed(files: readonly PrismaFile[]): PlacedSchema {
  const [first] = files;
  const place = first?.file ?? "";
  return {
    place: files.length === 1 ? place : place.split("/").slice(0, -1).join("/"),
    schema: readPrismaSchema(files),
  };
}

function declarationOf({ place, schema }: PlacedSchema): Declaration {
  const dialect = schema.datasource?.dialect;
  return { place, tables: schema.tables, isModel: true, ...(dialect && { product: dialect }) };
}

function withoutCopies(
  all: readonly PlacedSchema[],
  product: () => Dialect | undefined,
): { readonly kept: readonly PlacedSchema[]; readonly notes: readonly Note[] } {
  const kept: PlacedSchema[] = [];
  const notes: Note[] = [];
  const drop = (each: PlacedSchema, instead: PlacedSchema): void => {
    const { datasource } = each.schema;
    const other = instead.schema.datasource?.dialect;
    if (!datasource || !other) return;
    const message = `This schema is not read: ${instead.place} says the same for ${dialectLabel(other)}. "dialect" in isolens.json chooses another.`;
    notes.push({ severity: "information", code: "dialect", message, source: datasource.source });
  };
  for (const each of all) {
    const at = kept.findIndex((other) => isCopy(other.schema, each.schema));
    const other = kept[at];
    if (other === undefined) kept.push(each);
    else if (each.schema.datasource?.dialect === product() && product() !== undefined) {
      kept[at] = each;
      drop(other, each);
    } else drop(each, other);
  }
  return { kept, notes };
}

/** True if most fields of one schema are in the other, for another product. */
function isCopy(left: PrismaSchema, right: PrismaSchema): boolean {
  const [a, b] = [left.datasource?.dialect, right.datasource?.dialect];
  if (a === b || a === undefined || b === undefined) return false;
  const [one, other] = [fieldsOf(left), fieldsOf(right)];
  const both = [...one].filter((name) => other.has(name)).length;
  return both > 0 && both >= COPY * Math.min(one.size, other.size);
}

const COPY = 0.8;

function fieldsOf({ models }: PrismaSchema): ReadonlySet<string> {
  return new Set(
    [...models].flatMap(([name, { fields }]) =>
      [...fields.keys()].map((field) => `${name}.${field}`),
    ),
  );
}

/** Merges schemas of one database; the first declaration wins. */
function joined(all: readonly PlacedSchema[]): PlacedSchema | undefined {
  const [first, ...others] = all;
  if (first === undefined || others.length === 0) return first;
  const schemas = all.map(({ schema }) => schema);
  const tables = schemas.flatMap((schema) => schema.tables).toReversed();
  return {
    place: first.place,
    schema: {
      ...first.schema,
      models: new Map(schemas.toReversed().flatMap((schema) => [...schema.models])),
      enums: new Map(schemas.toReversed().flatMap((schema) => [...schema.enums])),
      tables: [...new Map(tables.map((table) => [table.name, table] as const)).values()],
      outputs: schemas.flatMap((schema) => schema.outputs),
      notes: schemas.flatMap((schema) => schema.notes),
    },
  };
}
