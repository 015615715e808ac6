// What the store knows of tables: columns with their types, keys, references, checks, views, sequences.
import type { Dialect } from "../program/dialect";
import type { ReferenceAction, SqlExpression, SqlQuery } from "./tree";
import type { DeclaredType } from "./values/types";

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
}

export interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly table: string;
  /** Empty: the primary key. */
  readonly referenced: readonly string[];
  readonly onDelete: ReferenceAction;
  readonly onUpdate: ReferenceAction;
}

export interface Check {
  readonly name: string;
  readonly condition: SqlExpression;
}

export interface Table {
  readonly name: string;
  /** What its keys in the store begin with, where that is not its name: after a change of name, or of a table that is gone. */
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
}

export interface View {
  readonly name: string;
  readonly columns: readonly string[];
  readonly query: SqlQuery;
}

/** Tables by name. Only DDL changes it; `version` grows with each change, so that plans can be kept. */
export interface Catalog {
  readonly dialect: Dialect;
  readonly tables: Map<string, Table>;
  readonly views: Map<string, View>;
  /** Where sequences start. */
  readonly sequences: Map<string, number>;
  /** Labels of enumerations. */
  readonly enumerations: Map<string, readonly string[]>;
  /** What keys of the store have begun with so far. */
  readonly storages: Set<string>;
  /** How names were written that are looked up in lower case (`mysql/spelling.ts`). */
  readonly spelling: Map<string, string>;
  version: number;
}

export function createCatalog(dialect: Dialect): Catalog {
  return {
    dialect,
    tables: new Map(),
    views: new Map(),
    sequences: new Map(),
    enumerations: new Map(),
    storages: new Set(),
    spelling: new Map(),
    version: 0,
  };
}

/** What the keys of a table's rows begin with. */
export function storageOf({ name, storage = name }: Table): string {
  return storage;
}

export function primaryKeyOf(table: Table): Key | undefined {
  return table.keys.find((key) => key.primary);
}

/** The position of a column, undefined when the table has none of that name. */
export function columnAt(table: Table, name: string): number | undefined {
  const at = table.columns.findIndex((column) => column.name === name);
  return at < 0 ? undefined : at;
}
