// Definitions of MySQL, MariaDB, SQL Server and SQLite as the parser gives them.
import type { WrittenName } from "../relationNames";
import type { TableOption, TextCollation } from "./parseOptions";
import type { Unreadable } from "./reader";
import type { ColumnPlace } from "./columnPlace";
import type { SyntaxExpression, SyntaxQuery } from "./syntax";

export interface ColumnDefinition {
  readonly name: string;
  /** Empty where SQLite needs none. */
  readonly type: string;
  /** Numbers in parentheses behind the type, labels of an ENUM, and UNSIGNED. */
  readonly sizes?: readonly number[];
  readonly labels?: readonly string[];
  readonly unsigned?: boolean;
  /** ON UPDATE CURRENT_TIMESTAMP */
  readonly touched?: boolean;
  readonly nullable: boolean;
  readonly automatic: boolean;
  readonly generated: boolean;
  readonly default?: SyntaxExpression;
  /** How its texts are compared, where that is said of the column itself. */
  readonly collation?: TextCollation;
  readonly place?: ColumnPlace;
  /** Keys and checks that stand behind the column. */
  readonly constraints: readonly ConstraintDefinition[];
}

export type ConstraintDefinition =
  | { readonly kind: "primary"; readonly columns: readonly string[] }
  | {
      /** `index`: KEY (a), which only makes it fast. */
      readonly kind: "unique" | "index";
      readonly columns: readonly string[];
      readonly name?: string;
    }
  | {
      readonly kind: "foreign";
      readonly columns: readonly string[];
      readonly table: string;
      readonly referenced: readonly string[];
      readonly onDelete?: "cascade" | "set" | "none";
      readonly onUpdate?: "cascade" | "set" | "none";
      readonly name?: string;
    }
  | { readonly kind: "check"; readonly condition: SyntaxExpression; readonly name?: string };

export type TableChange =
  | { readonly kind: "column"; readonly column: ColumnDefinition; readonly replaces?: string }
  | { readonly kind: "constraint"; readonly constraint: ConstraintDefinition }
  | { readonly kind: "drop column" | "drop key"; readonly name: string }
  | { readonly kind: "drop primary key" }
  | { readonly kind: "rename"; readonly to: WrittenName }
  | { readonly kind: "rename column"; readonly from: string; readonly to: string }
  | { readonly kind: "default"; readonly column: string; readonly value?: SyntaxExpression }
  | { readonly kind: "option"; readonly option: TableOption }
  | { readonly kind: "nothing" };

export type Definition =
  | {
      readonly kind: "create";
      readonly table: string;
      /** The database or schema that it names. */
      readonly schema?: string | undefined;
      readonly columns: readonly ColumnDefinition[];
      readonly constraints: readonly ConstraintDefinition[];
      readonly like?: string;
      readonly query?: SyntaxQuery;
      readonly options: readonly TableOption[];
      /** Parts that were not read, with the place of each. */
      readonly unread: readonly Unreadable[];
    }
  | { readonly kind: "alter"; readonly table: string; readonly changes: readonly TableChange[] }
  | {
      readonly kind: "index";
      readonly unique: boolean;
      readonly table: string;
      readonly columns: readonly string[];
      readonly name: string;
      readonly where?: SyntaxExpression;
    }
  | { readonly kind: "drop"; readonly tables: readonly string[] }
  | { readonly kind: "drop schema"; readonly schema: string }
  | { readonly kind: "drop key"; readonly table?: string; readonly name: string }
  | {
      readonly kind: "renames";
      readonly pairs: readonly { readonly from: string; readonly to: WrittenName }[];
    }
  | {
      readonly kind: "view";
      readonly name: string;
      readonly schema?: string | undefined;
      readonly columns: readonly string[];
      readonly query: SyntaxQuery;
    }
  | { readonly kind: "nothing" };
