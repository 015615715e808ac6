// Model of a schema.prisma: its tables, and how the models, fields and relations of the client lead to them.
import type { Dialect } from "../../../program/dialect";
import type { Expression, ValueType } from "../../../program/expression";
import type { Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Takes } from "../../../program/takes";
import type { SourceRange } from "../../../protocol/source";

export interface PrismaScalar {
  readonly kind: "scalar";
  readonly name: string;
  readonly column: string;
  readonly type: ValueType;
  /** The scalar type or enumeration as written. */
  readonly written: string;
  /** The form of its values, where that is known. */
  readonly takes?: Takes;
  readonly isList: boolean;
  readonly isOptional: boolean;
  /** The value that the client or the database gives it where a `create` leaves it out; absent: NULL, or required. */
  readonly default?: Expression;
  /** The client sets it to the time of day with every update. */
  readonly isUpdatedAt: boolean;
  /** The client does not have it (`@ignore`, `Unsupported`). */
  readonly isHidden: boolean;
  readonly source: SourceRange;
}

/** Where the link of a relation is kept: in columns of this model's table, of the other's, or in a table between them. */
export type PrismaLink =
  | {
      readonly at: "here" | "there";
      /** Columns of the table that keeps the link, and those of the other table that they refer to. */
      readonly columns: readonly string[];
      readonly referenced: readonly string[];
      readonly onDelete: PrismaAction;
      readonly onUpdate: PrismaAction;
    }
  | {
      readonly at: "between";
      readonly table: string;
      /** Its columns that hold the key of this model and of the other. */
      readonly own: string;
      readonly other: string;
      readonly ownKey: string;
      readonly otherKey: string;
    };

export type PrismaAction = "cascade" | "restrict" | "no-action" | "set-null" | "set-default";

export interface PrismaRelation {
  readonly kind: "relation";
  readonly name: string;
  readonly model: string;
  readonly isList: boolean;
  readonly isOptional: boolean;
  /** Absent where the other side is missing or does not fit, which is noted. */
  readonly link?: PrismaLink;
  readonly source: SourceRange;
}

export type PrismaField = PrismaScalar | PrismaRelation;

/** A primary or unique key, by which `findUnique` finds. */
export interface PrismaKey {
  /** The name that a `where` uses for several fields: `tenant_email`; a single field's own name. */
  readonly name: string;
  /** Names of fields. */
  readonly fields: readonly string[];
  readonly isPrimary: boolean;
}

export interface PrismaModel {
  readonly name: string;
  readonly kind: "model" | "view";
  /** Its table as the database knows it. */
  readonly table: string;
  /** The database schema that `@@schema` names. */
  readonly schema?: string;
  readonly fields: ReadonlyMap<string, PrismaField>;
  readonly keys: readonly PrismaKey[];
  /** The client does not have it (`@@ignore`). */
  readonly isHidden: boolean;
  readonly source: SourceRange;
}

export interface PrismaEnum {
  readonly name: string;
  /** From names to what the database stores. */
  readonly values: ReadonlyMap<string, string>;
}

export interface PrismaDatasource {
  readonly provider: string;
  /** Absent where its tables are not read: MongoDB, or an unknown provider. */
  readonly dialect?: Dialect;
  /** CockroachDB, which speaks PostgreSQL's dialect and has levels of its own. */
  readonly isCockroach: boolean;
  readonly source: SourceRange;
}

export interface PrismaSchema {
  readonly datasource?: PrismaDatasource;
  /** `client`: the database has no foreign keys; the client does what they would. */
  readonly integrity: "database" | "client";
  readonly models: ReadonlyMap<string, PrismaModel>;
  readonly enums: ReadonlyMap<string, PrismaEnum>;
  /** The tables of the models, then those between them. */
  readonly tables: readonly Table[];
  /** Folders where generators put clients, from where file ids start: modules in them are Prisma's client. */
  readonly outputs: readonly string[];
  readonly notes: readonly Note[];
}
