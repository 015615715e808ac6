// Definitions as all dialects write them: tables and their changes, indexes, views, sequences, types, routines, triggers.
import type { ColumnPlace } from "../frontend/sql/dialects/columnPlace";
import type { IndexExpression, Trigger, ReferenceAction } from "./catalog";
import type { SequenceOptions } from "./sequence";
import type { SqlExpression, SqlQuery } from "./tree";
import type { DeclaredType, TypeName } from "./values/types";

export interface ColumnDefinition {
  readonly name: string;
  readonly type: TypeName;
  /** Type of a parameter that no text declares. */
  readonly declared?: DeclaredType;
  readonly notNull: boolean;
  readonly default?: SqlExpression;
  /** serial, identity, AUTO_INCREMENT; `always` refuses given values. */
  readonly automatic?: "default" | "always" | "serial";
  /** How its sequence goes, where that is said. */
  readonly sequence?: SequenceOptions;
  /** The expression of a generated column. */
  readonly generated?: SqlExpression;
  /** ON UPDATE CURRENT_TIMESTAMP */
  readonly onUpdate?: SqlExpression;
  readonly constraints: readonly ConstraintDefinition[];
  /** Where ALTER TABLE of MySQL puts it. */
  readonly place?: ColumnPlace;
}

export type ConstraintDefinition =
  | {
      readonly kind: "key";
      readonly primary: boolean;
      readonly columns: readonly string[];
      readonly name?: string;
      /** The condition of a partial unique index. */
      readonly where?: SqlExpression;
    }
  /** KEY (a) of MySQL: only makes it fast. */
  | { readonly kind: "index"; readonly columns: readonly string[]; readonly name?: string }
  | {
      readonly kind: "foreign";
      readonly columns: readonly string[];
      readonly table: string;
      readonly referenced: readonly string[];
      readonly onDelete: ReferenceAction;
      readonly onUpdate: ReferenceAction;
      readonly deferrable?: "immediate" | "deferred";
      readonly name?: string;
      /** The table that it refers to may come later. */
      readonly isAhead?: boolean;
    }
  | { readonly kind: "check"; readonly condition: SqlExpression; readonly name?: string };

export type TableChange =
  | {
      readonly kind: "add column";
      readonly column: ColumnDefinition;
      readonly ifNotExists: boolean;
    }
  | { readonly kind: "replace column"; readonly name: string; readonly column: ColumnDefinition }
  | { readonly kind: "drop column"; readonly name: string; readonly ifExists: boolean }
  | { readonly kind: "add constraint"; readonly constraint: ConstraintDefinition }
  | { readonly kind: "drop constraint"; readonly name: string; readonly ifExists: boolean }
  | { readonly kind: "drop primary key" }
  | { readonly kind: "rename"; readonly to: string }
  | { readonly kind: "rename column"; readonly from: string; readonly to: string }
  | { readonly kind: "default"; readonly column: string; readonly value?: SqlExpression }
  | { readonly kind: "not null"; readonly column: string; readonly notNull: boolean }
  | {
      readonly kind: "type";
      readonly column: string;
      readonly type: TypeName;
      /** The value for the rows that are there; their value itself if absent. */
      readonly using?: SqlExpression;
    }
  /** An identity that is added, changed, or taken away. */
  | {
      readonly kind: "identity";
      readonly column: string;
      readonly automatic?: "default" | "always";
      readonly sequence?: SequenceOptions;
    }
  | { readonly kind: "drop identity"; readonly column: string; readonly ifExists: boolean }
  | { readonly kind: "drop expression"; readonly column: string }
  | { readonly kind: "rename key"; readonly from: string; readonly to: string }
  /** AUTO_INCREMENT = n of MySQL. */
  | { readonly kind: "next number"; readonly next: number }
  | { readonly kind: "nothing" };

export type SqlDefinition =
  | {
      readonly kind: "create table";
      readonly table: string;
      /** The database that MySQL's statement names. */
      readonly database?: string;
      readonly columns: readonly ColumnDefinition[];
      readonly constraints: readonly ConstraintDefinition[];
      readonly like?: string;
      readonly ifNotExists: boolean;
    }
  | {
      readonly kind: "alter table";
      readonly table: string;
      readonly changes: readonly TableChange[];
      readonly ifExists: boolean;
    }
  | {
      readonly kind: "create index";
      readonly table: string;
      readonly name?: string;
      readonly columns: readonly string[];
      readonly expressions?: readonly IndexExpression[];
      readonly unique: boolean;
      readonly where?: SqlExpression;
      readonly ifNotExists: boolean;
    }
  | {
      readonly kind: "drop";
      readonly what: DroppedKind;
      readonly names: readonly string[];
      readonly ifExists: boolean;
      /** CASCADE: dependents go with it. */
      readonly cascade: boolean;
    }
  | {
      readonly kind: "create view";
      readonly name: string;
      readonly columns: readonly string[];
      readonly query: SqlQuery;
      /** WITH CHECK OPTION. */
      readonly checksRows?: boolean;
      readonly text?: string;
      readonly replace: boolean;
    }
  | {
      readonly kind: "create sequence" | "alter sequence";
      readonly name: string;
      readonly options: SequenceOptions;
      /** IF NOT EXISTS, or IF EXISTS. */
      readonly guarded: boolean;
    }
  | {
      readonly kind: "rename";
      readonly what: "view" | "index" | "sequence" | "type";
      readonly from: string;
      readonly to: string;
      readonly ifExists: boolean;
    }
  | {
      readonly kind: "create routine";
      readonly name: string;
      readonly language: string;
      readonly isProcedure: boolean;
      readonly replace: boolean;
      readonly parameters: readonly {
        readonly name: string;
        readonly mode: "in" | "out" | "inout" | "table";
        readonly type: TypeName;
        readonly default?: SqlExpression;
      }[];
      readonly returns?: TypeName;
      readonly returnsSet: boolean;
      readonly body: string;
      readonly text?: string;
    }
  | { readonly kind: "create trigger"; readonly trigger: Trigger; readonly replace: boolean }
  | {
      readonly kind: "drop trigger";
      readonly name: string;
      /** Absent in MySQL, whose triggers have names of their own. */
      readonly table?: string;
      readonly ifExists: boolean;
    }
  | { readonly kind: "create enum"; readonly name: string; readonly labels: readonly string[] }
  | {
      readonly kind: "add label";
      readonly name: string;
      readonly label: string;
      readonly beside?: { readonly label: string; readonly isAfter: boolean };
      readonly ifNotExists: boolean;
    }
  | {
      readonly kind: "rename label";
      readonly name: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly kind: "create domain";
      readonly name: string;
      readonly type: TypeName;
      readonly notNull: boolean;
      readonly default?: SqlExpression;
      readonly checks: readonly { readonly name?: string; readonly condition: SqlExpression }[];
    }
  | { readonly kind: "nothing"; readonly tag: string };

export type DroppedKind = "table" | "view" | "index" | "sequence" | "type" | "domain" | "routine";
