// Catalogue of the store's tables: columns with their types, keys, references, checks, views, sequences.
import type { Dialect } from "../program/dialect";
import { SchemaMap } from "./schemaMap";
import type { Sequence } from "./sequence";
import type { SqlExpression, SqlQuery } from "./tree";
import type { DeclaredType } from "./values/types";

export type ReferenceAction = "no action" | "restrict" | "cascade" | "set null" | "set default";

export interface Column {
  readonly name: string;
  readonly declared: DeclaredType;
  readonly notNull: boolean;
  readonly default?: SqlExpression;
  /** Numbered by the sequence of this name; `always`: a given value is refused. */
  readonly automatic?: {
    readonly sequence: string;
    readonly always: boolean;
    /** GENERATED AS IDENTITY, not serial. */
    readonly identity?: boolean;
  };
  readonly generated?: SqlExpression;
  readonly onUpdate?: SqlExpression;
}

/** A primary or unique key. */
export interface Key {
  readonly name: string;
  readonly primary: boolean;
  /** Positions of its columns. */
  readonly columns: readonly number[];
  /** A partial unique index is about rows that satisfy this. */
  readonly where?: SqlExpression;
  /** It was made by CREATE INDEX, and is no constraint of the table. */
  readonly isIndex?: boolean;
  readonly expressions?: readonly IndexExpression[];
}

/** An expression among the columns of an index, at its place among all of them. */
export interface IndexExpression {
  readonly at: number;
  readonly value: SqlExpression;
}

export interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly table: string;
  /** Empty: the primary key. */
  readonly referenced: readonly string[];
  readonly onDelete: ReferenceAction;
  readonly onUpdate: ReferenceAction;
  /** DEFERRABLE, and when it is checked where SET CONSTRAINTS says nothing. */
  readonly deferrable?: "immediate" | "deferred";
}

export interface Check {
  readonly name: string;
  readonly condition: SqlExpression;
}

export interface Table {
  readonly name: string;
  /** The schema that its definition names. */
  readonly schema?: string;
  /** The prefix of its keys in the store, where that is not its name: after a change of name, or of a table that is gone. */
  readonly storage?: string;
  readonly columns: readonly Column[];
  readonly keys: readonly Key[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly checks: readonly Check[];
  /** Indexes that are not unique: they only make it fast, but are listed. */
  readonly indexes?: readonly Index[];
}

export interface Index {
  readonly name: string;
  /** Positions of its columns. */
  readonly columns: readonly number[];
  readonly where?: SqlExpression;
  readonly expressions?: readonly IndexExpression[];
}

export interface View {
  readonly name: string;
  readonly schema?: string;
  /** WITH CHECK OPTION. */
  readonly checksRows?: boolean;
  /** The statement that made it, where the dialect shows it. */
  readonly text?: string;
  readonly columns: readonly string[];
  readonly query: SqlQuery;
}

/** A function or procedure of the user's own. */
export interface Routine {
  readonly name: string;
  readonly language: "plpgsql" | "sql" | "mysql";
  readonly isProcedure: boolean;
  readonly parameters: readonly RoutineParameter[];
  /** Undefined for what returns nothing or rows of its parameters. */
  readonly returns?: DeclaredType;
  /** The table whose rows it returns. */
  readonly returnsRow?: string;
  readonly returnsSet: boolean;
  readonly isTrigger: boolean;
  readonly body: string;
  /** The statement that made it, where the dialect shows it. */
  readonly text?: string;
}

export interface RoutineParameter {
  readonly name: string;
  readonly mode: "in" | "out" | "inout" | "table";
  readonly declared: DeclaredType;
  readonly default?: SqlExpression;
}

export interface Trigger {
  readonly name: string;
  readonly table: string;
  readonly timing: "before" | "after";
  readonly events: readonly ("insert" | "update" | "delete")[];
  /** Once for each row, not for each statement. */
  readonly forRows: boolean;
  readonly when?: SqlExpression;
  readonly routine: string;
  readonly arguments: readonly string[];
  /** The statement that made it, where the dialect shows it. */
  readonly text?: string;
}

/** A type with conditions of its own; in them the value is the column `value`. */
export interface Domain {
  readonly name: string;
  readonly declared: DeclaredType;
  readonly notNull: boolean;
  readonly default?: SqlExpression;
  readonly checks: readonly Check[];
}

/** Tables by name. Only DDL changes it; `version` grows with each change, so that plans can be kept. */
export interface Catalog {
  readonly dialect: Dialect;
  readonly tables: SchemaMap<Table>;
  readonly views: SchemaMap<View>;
  readonly sequences: Map<string, Sequence>;
  /** The user's functions by name, in the order of their making. */
  readonly routines: Map<string, readonly Routine[]>;
  /** Triggers by the names of their tables, in the order of their names. */
  readonly triggers: Map<string, readonly Trigger[]>;
  /** Labels of enumerations. */
  readonly enumerations: Map<string, readonly string[]>;
  readonly domains: Map<string, Domain>;
  /** The prefixes of keys of the store so far. */
  readonly storages: Set<string>;
  /** How names were written that are looked up in lower case (`mysql/spelling.ts`). */
  readonly spelling: Map<string, string>;
  version: number;
}

export function createCatalog(dialect: Dialect): Catalog {
  return {
    dialect,
    tables: new SchemaMap(),
    views: new SchemaMap(),
    sequences: new Map(),
    routines: new Map(),
    triggers: new Map(),
    enumerations: new Map(),
    domains: new Map(),
    storages: new Set(),
    spelling: new Map(),
    version: 0,
  };
}

/** The type that a name of the user's own means; undefined where there is none. */
export function ownType(
  { enumerations, domains }: Pick<Catalog, "enumerations" | "domains">,
  name: string,
): DeclaredType | undefined {
  const labels = enumerations.get(name);
  if (labels !== undefined) return { type: "enum", labels };
  const domain = domains.get(name);
  return domain && { ...domain.declared, domain: name };
}

/** Carries out a change of the catalogue and returns what takes it back. What fails is taken back at once. */
export function undoable(catalog: Catalog, change: () => void): () => void {
  const entries = (): readonly ReadonlyMap<string, unknown>[] =>
    PARTS.map((part) => new Map<string, unknown>(catalog[part]));
  const before = entries();
  const undo = (): void => {
    for (const [at, part] of PARTS.entries()) restore(catalog[part], before[at] ?? NONE);
    catalog.version++;
  };
  try {
    change();
  } catch (error) {
    undo();
    throw error;
  }
  const after = entries();
  // Others may have changed something else since.
  return () => {
    for (const [at, part] of PARTS.entries()) {
      const [own, then] = [before[at] ?? NONE, after[at] ?? NONE];
      const names = new Set([...own.keys(), ...then.keys()]);
      for (const name of names)
        if (own.get(name) !== then.get(name)) restoreEntry(catalog[part], name, own);
    }
    catalog.version++;
  };
}

const NONE: ReadonlyMap<string, unknown> = new Map();

const PARTS = [
  "tables",
  "views",
  "sequences",
  "routines",
  "triggers",
  "enumerations",
  "domains",
  "spelling",
] as const satisfies readonly (keyof Catalog)[];

function restore(part: Map<string, unknown>, before: ReadonlyMap<string, unknown>): void {
  part.clear();
  for (const [name, value] of before) part.set(name, value);
}

function restoreEntry(
  part: Map<string, unknown>,
  name: string,
  before: ReadonlyMap<string, unknown>,
): void {
  if (before.has(name)) part.set(name, before.get(name));
  else part.delete(name);
}

/** The prefix of the keys of a table's rows. */
export function storageOf({ name, storage = name }: Table): string {
  return storage;
}

export function primaryKeyOf(table: Table): Key | undefined {
  return table.keys.find((key) => key.primary);
}

/** Columns by which rows are found, in their order: those of the primary key, of indexes, and of references. */
export function indexesOf(table: Table): readonly (readonly number[])[] {
  const { keys, indexes = [], foreignKeys } = table;
  const whole = [...keys, ...indexes].filter(({ where }) => where === undefined);
  return [
    ...whole.map(({ columns }) => columns),
    ...foreignKeys.map(({ columns }) => columns.flatMap((name) => columnAt(table, name) ?? [])),
  ].filter(({ length }) => length > 0);
}

/** The position of a column, undefined when the table has none of that name. */
export function columnAt(table: Table, name: string): number | undefined {
  const at = table.columns.findIndex((column) => column.name === name);
  return at < 0 ? undefined : at;
}
