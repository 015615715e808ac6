// DDL of MySQL's and MariaDB's syntax tree.
import { unsupported } from "../sqlError";
import type {
  ColumnDefinition,
  ConstraintDefinition,
  SqlDefinition,
  TableChange,
} from "../definitionTree";
import type { ReferenceAction } from "../catalog";
import type {
  ColumnDefinition as SyntaxColumn,
  ConstraintDefinition as SyntaxConstraint,
  Definition,
  TableChange as SyntaxChange,
} from "../../frontend/sql/dialects/definition";
import { expressionOf } from "./expression";
import { queryOf } from "./recursion";

/** Definitions as ours; `guarded`: IF [NOT] EXISTS stands in the text. */
export function definitionsOf(
  tree: Definition,
  guarded: boolean,
  tag: string,
): readonly SqlDefinition[] {
  switch (tree.kind) {
    case "create": {
      const [unread] = tree.unread;
      if (unread !== undefined)
        throw unsupported(`a part of the table ${tree.table} (${unread.message})`);
      if (tree.query !== undefined) throw unsupported("CREATE TABLE ... SELECT");
      return [
        {
          kind: "create table",
          table: tree.table,
          ...(tree.schema !== undefined && { database: tree.schema }),
          columns: tree.columns.map(columnOf),
          constraints: tree.constraints.map(constraintOf),
          ...(tree.like === undefined ? {} : { like: tree.like }),
          ifNotExists: guarded,
        },
      ];
    }
    case "alter":
      return [
        {
          kind: "alter table",
          table: tree.table,
          changes: tree.changes.map((change) => changeOf(change, guarded)),
          ifExists: guarded,
        },
      ];
    case "index":
      return [
        {
          kind: "create index",
          table: tree.table,
          name: tree.name,
          columns: tree.columns,
          unique: tree.unique,
          ifNotExists: guarded,
        },
      ];
    case "drop":
      return [
        { kind: "drop", what: "table", names: tree.tables, ifExists: guarded, cascade: false },
      ];
    case "drop key":
      return [{ kind: "drop", what: "index", names: [tree.name], ifExists: true, cascade: false }];
    case "renames":
      return tree.pairs.map(({ from, to }) => ({
        kind: "alter table",
        table: from,
        changes: [{ kind: "rename", to: to.name }],
        ifExists: false,
      }));
    case "view":
      return [
        {
          kind: "create view",
          name: tree.name,
          columns: tree.columns,
          query: queryOf(tree.query),
          replace: true,
        },
      ];
    case "drop schema":
    case "nothing":
      return [{ kind: "nothing", tag }];
    default:
      return tree satisfies never;
  }
}

function columnOf(tree: SyntaxColumn): ColumnDefinition {
  const isSerial = tree.type === "serial";
  return {
    name: tree.name,
    type: {
      name: tree.unsigned === true ? `${tree.type} unsigned` : tree.type,
      modifiers: tree.sizes ?? [],
      array: false,
      labels: tree.labels ?? [],
    },
    notNull: !tree.nullable || isSerial,
    ...(tree.default === undefined || isNull(tree.default)
      ? {}
      : { [tree.generated ? "generated" : "default"]: expressionOf(tree.default) }),
    ...(tree.automatic ? { automatic: "default" as const } : {}),
    ...(tree.touched === true ? { onUpdate: expressionOf(NOW) } : {}),
    constraints: tree.constraints.map(constraintOf),
    ...(tree.place && { place: tree.place }),
  };
}

const NOW = {
  kind: "call",
  name: "current_timestamp",
  arguments: [],
  distinct: false,
  windowed: false,
} as const;

function isNull(tree: NonNullable<SyntaxColumn["default"]>): boolean {
  return tree.kind === "literal" && tree.value === null;
}

const ACTIONS = { cascade: "cascade", set: "set null", none: "no action" } as const;

function actionOf(action: keyof typeof ACTIONS | undefined): ReferenceAction {
  return action === undefined ? "restrict" : ACTIONS[action];
}

function constraintOf(tree: SyntaxConstraint): ConstraintDefinition {
  switch (tree.kind) {
    case "primary":
      return { kind: "key", primary: true, columns: tree.columns };
    case "index":
      return {
        kind: "index",
        columns: tree.columns,
        ...(tree.name === undefined ? {} : { name: tree.name }),
      };
    case "unique":
      return {
        kind: "key",
        primary: false,
        columns: tree.columns,
        ...(tree.name === undefined ? {} : { name: tree.name }),
      };
    case "foreign":
      return {
        kind: "foreign",
        columns: tree.columns,
        table: tree.table,
        referenced: tree.referenced,
        onDelete: actionOf(tree.onDelete),
        onUpdate: actionOf(tree.onUpdate),
        ...(tree.name === undefined ? {} : { name: tree.name }),
      };
    case "check":
      return {
        kind: "check",
        condition: expressionOf(tree.condition),
        ...(tree.name === undefined ? {} : { name: tree.name }),
      };
    default:
      return tree satisfies never;
  }
}

function changeOf(tree: SyntaxChange, guarded: boolean): TableChange {
  switch (tree.kind) {
    case "column":
      return tree.replaces === undefined
        ? { kind: "add column", column: columnOf(tree.column), ifNotExists: guarded }
        : { kind: "replace column", name: tree.replaces, column: columnOf(tree.column) };
    case "constraint":
      return { kind: "add constraint", constraint: constraintOf(tree.constraint) };
    case "drop column":
      return { kind: "drop column", name: tree.name, ifExists: guarded };
    case "drop key":
      return { kind: "drop constraint", name: tree.name, ifExists: guarded };
    case "drop primary key":
      return { kind: "drop primary key" };
    case "rename":
      return { kind: "rename", to: tree.to.name };
    case "rename column":
      return { kind: "rename column", from: tree.from, to: tree.to };
    case "default":
      return {
        kind: "default",
        column: tree.column,
        ...(tree.value === undefined ? {} : { value: expressionOf(tree.value) }),
      };
    case "option":
    case "nothing":
      return { kind: "nothing" };
    default:
      return tree satisfies never;
  }
}
