// Changes through views that show rows of one table: they become changes of that table.
import { isAggregate } from "./compile/aggregates";
import { contains } from "./compile/walk";
import type { Catalog, View } from "./catalog";
import { failure, unsupported } from "./sqlError";
import type {
  SqlAssignment,
  SqlChange,
  SqlExpression,
  SqlInsert,
  SqlOutput,
  SqlQueryBody,
  SqlRelation,
} from "./tree";

/** The change of the table behind the view that a change names; the change itself where that is a table. */
export function throughViews(change: SqlChange, catalog: Catalog): SqlChange {
  if (catalog.views.size === 0) return change;
  switch (change.kind) {
    case "insert": {
      const view = catalog.views.get(change.table);
      return view === undefined ? change : throughViews(inserted(change, view, catalog), catalog);
    }
    case "update":
    case "delete": {
      const target = change.kind === "update" ? change.target : change.from[0];
      if (target?.kind !== "table" || target.schema !== undefined) return change;
      const view = catalog.views.get(target.name);
      // In MySQL a view may be read beside the table that is changed.
      if (view === undefined || (change.kind === "delete" && !isTarget(change.targets, target)))
        return change;
      const { alias = target.name } = target;
      const shown = shownBy(view, alias, change.kind, catalog);
      if (change.kind === "update" && shown.checksRows)
        throw unsupported("a change through a view with a check option");
      const table: SqlRelation = { kind: "table", name: shown.table, alias, columns: [] };
      const { returning, ...rest } = change;
      const own = {
        ...substituted(rest, shown),
        ...(returning && { returning: returned(returning, shown) }),
      };
      const where = both(shown.where, own.where);
      const next: SqlChange =
        own.kind === "update"
          ? { ...own, target: table, set: own.set.map((each) => assigned(each, shown, view)) }
          : { ...own, from: [table, ...own.from.slice(1)], targets: [alias] };
      return throughViews({ ...next, ...(where && { where }) }, catalog);
    }
    case "merge":
      return change;
    default:
      return change satisfies never;
  }
}

/** The table behind a view that statements change; the name itself for all else. */
export function tableBehind(name: string, catalog: Catalog): string {
  const { body } = catalog.views.get(name)?.query ?? {};
  const [relation] = body?.kind === "select" ? body.from : [];
  if (relation?.kind === "table") return tableBehind(relation.name, catalog);
  return catalog.tables.get(name)?.name ?? name;
}

type TableRelation = Extract<SqlRelation, { readonly kind: "table" }>;

function isTarget(targets: readonly string[], { name, alias = name }: TableRelation): boolean {
  return targets.includes(alias);
}

/** A view that shows rows of one relation as they are. */
interface Shown {
  readonly table: string;
  /** By this name the change knows the view's rows. */
  readonly alias: string;
  readonly columns: readonly { readonly name: string; readonly value: SqlExpression }[];
  readonly where: SqlExpression | undefined;
  readonly checksRows: boolean;
}

type SelectBody = Extract<SqlQueryBody, { readonly kind: "select" }>;

function shownBy(
  view: View,
  alias: string,
  kind: "insert" | "update" | "delete",
  catalog: Catalog,
): Shown {
  const { query } = view;
  const { body } = query;
  const isWhole = query.with.length > 0 || (query.limit ?? query.offset) !== undefined;
  if (body.kind !== "select" || isWhole || !showsRows(body)) throw fixed(view, kind, catalog);
  const [relation, ...others] = body.from;
  if (relation?.kind !== "table" || others.length > 0) throw fixed(view, kind, catalog);
  const inner = relation.alias ?? relation.name;
  const outside = (value: SqlExpression): SqlExpression =>
    replaced(value, (path) =>
      path.length === 1 || path.at(-2) === inner
        ? { kind: "column", path: [alias, path.at(-1) ?? ""] }
        : undefined,
    );
  const outputs = body.outputs.flatMap((output) => columnsOf(output, relation, catalog));
  return {
    table: relation.name,
    alias,
    columns: outputs.map(({ name, value }, at) => ({
      name: view.columns[at] ?? name,
      value: outside(value),
    })),
    where: body.where && outside(body.where),
    checksRows:
      view.checksRows === true || /\bwith\s(?:\w+\s)?check\soption/i.test(view.text ?? ""),
  };
}

function showsRows({ distinct, groupBy, groupingSets, having, outputs }: SelectBody): boolean {
  const groups = distinct !== false || groupBy.length > 0 || (groupingSets ?? having) !== undefined;
  return !groups && !outputs.some(({ value }) => contains(value, isSummary));
}

function isSummary(part: SqlExpression): boolean {
  return (
    part.kind === "call" && (part.over !== undefined || isAggregate(part, { dialect: "mysql" }))
  );
}

function fixed(view: View, kind: "insert" | "update" | "delete", catalog: Catalog): Error {
  const { name } = view;
  if (catalog.dialect === "postgres") {
    const words = { insert: "insert into", update: "update", delete: "delete from" };
    return failure("notReady", `cannot ${words[kind]} view "${name}"`, {
      detail: "Views that do not show the rows of one table are not automatically updatable.",
    });
  }
  return kind === "insert"
    ? failure("notInsertable", `The target table ${name} of the INSERT is not insertable-into`)
    : failure(
        "notUpdatable",
        `The target table ${name} of the ${kind.toUpperCase()} is not updatable`,
      );
}

function columnsOf(
  { value, alias, text }: SqlOutput,
  relation: TableRelation,
  { tables, views }: Catalog,
): readonly { readonly name: string; readonly value: SqlExpression }[] {
  if (value.kind !== "star") {
    const name = alias ?? (value.kind === "column" ? value.path.at(-1) : text) ?? "?column?";
    return [{ name, value }];
  }
  const names =
    tables.get(relation.name)?.columns.map(({ name }) => name) ??
    (views.get(relation.name)?.columns.length === 0 ? [] : views.get(relation.name)?.columns) ??
    [];
  if (names.length === 0) throw unsupported("a change through a view of all columns of a view");
  return names.map((name) => ({ name, value: { kind: "column", path: [name] } }));
}

function inserted(change: SqlInsert, view: View, catalog: Catalog): SqlInsert {
  const { alias = view.name, conflict, returning } = change;
  const shown = shownBy(view, alias, "insert", catalog);
  if (shown.checksRows) throw unsupported("a change through a view with a check option");
  const names =
    change.columns.length > 0 ? change.columns : shown.columns.map((column) => column.name);
  return {
    ...change,
    table: shown.table,
    alias,
    columns: names.map((name) => columnBehind(name, shown, view)),
    ...(conflict && {
      conflict: {
        ...conflict,
        ...(conflict.target && {
          target: conflict.target.map((name) => columnBehind(name, shown, view)),
        }),
        set: conflict.set.map((each) =>
          assigned({ ...each, value: substituted(each.value, shown) }, shown, view),
        ),
        ...(conflict.where && { where: substituted(conflict.where, shown) }),
      },
    }),
    ...(returning && { returning: returned(returning, shown) }),
  };
}

/** The column of the table that a column of the view shows. Fails for one that is computed. */
function columnBehind(name: string, { columns }: Shown, view: View): string {
  const column = columns.find((each) => each.name === name);
  if (column === undefined)
    throw failure("noColumn", `column "${name}" of relation "${view.name}" does not exist`, {
      column: name,
    });
  if (column.value.kind === "column") return column.value.path.at(-1) ?? name;
  throw failure("notChangeable", `cannot change column "${name}" of view "${view.name}"`, {
    detail: "View columns that are not columns of their base relation are not updatable.",
  });
}

function assigned({ path, value }: SqlAssignment, shown: Shown, view: View): SqlAssignment {
  return { path: [columnBehind(path.at(-1) ?? "", shown, view)], value };
}

function returned(outputs: readonly SqlOutput[], shown: Shown): readonly SqlOutput[] {
  return outputs.flatMap((output): readonly SqlOutput[] => {
    const { value, alias } = output;
    if (value.kind === "star")
      return shown.columns.map((column) => ({ value: column.value, alias: column.name }));
    const name = alias ?? (value.kind === "column" ? value.path.at(-1) : undefined);
    const own = { ...output, value: substituted(value, shown) };
    return [name === undefined ? own : { ...own, alias: name }];
  });
}

function both(
  one: SqlExpression | undefined,
  other: SqlExpression | undefined,
): SqlExpression | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { kind: "binary", operator: "and", left: one, right: other };
}

/** The tree with the view's columns as what they show. */
function substituted<T>(tree: T, { columns, alias }: Shown): T {
  const known = new Map(columns.map(({ name, value }) => [name, value]));
  return replaced(tree, (path, isNested) => {
    const value = known.get(path.at(-1) ?? "");
    if (path.length > 1 && path.at(-2) === PROPOSED)
      return value?.kind === "column"
        ? { kind: "column", path: [PROPOSED, value.path.at(-1) ?? ""] }
        : undefined;
    if (path.length > 1) return path.at(-2) === alias ? value : undefined;
    if (!isNested || value === undefined) return value;
    // A query inside has names of its own: one that the table has as well means the same.
    if (value.kind === "column" && value.path.at(-1) === path[0]) return undefined;
    throw unsupported(`the column ${path[0] ?? ""} of a view in a query inside of its change`);
  });
}

/** The tree with other expressions for some columns; `isNested` inside of a query. */
function replaced<T>(
  tree: T,
  change: (path: readonly string[], isNested: boolean) => SqlExpression | undefined,
): T {
  const walked = (part: unknown, isNested: boolean): unknown => {
    if (Array.isArray(part)) return part.map((each) => walked(each, isNested));
    if (part instanceof Map)
      return new Map([...part].map(([key, each]) => [key, walked(each, isNested)] as const));
    if (typeof part !== "object" || part === null) return part;
    if (isColumn(part)) return change(part.path, isNested) ?? part;
    if (isProposed(part)) {
      const behind = change([part.column], false);
      return behind?.kind === "column" ? { ...part, column: behind.path.at(-1) } : part;
    }
    const isQuery = "kind" in part && part.kind === "select" && "body" in part;
    return Object.fromEntries(
      Object.entries(part).map(([key, each]) => [key, walked(each, isNested || isQuery)]),
    );
  };
  // A tree is plain data: what comes back has the form of what went in.
  return walked(tree, false) as T;
}

/** The row that a conflict is about. */
const PROPOSED = "excluded";

function isProposed(part: object): part is { readonly column: string } {
  return "kind" in part && part.kind === "proposed" && "column" in part;
}

function isColumn(part: object): part is { readonly path: readonly string[] } {
  return "kind" in part && part.kind === "column" && "path" in part;
}
