// The tables of a Prisma schema's models, and the join tables between them.
import type { Column, ForeignKey, Table, UniqueKey } from "../../../program/schema";
import { argument, namedArgument, textOf } from "./attributes";
import type { PrismaKey, PrismaModel, PrismaScalar, PrismaSchema } from "./model";
import { singleKey } from "./relations";
import type { ModelBlock } from "./modelBlock";

type Integrity = PrismaSchema["integrity"];

/** The tables of the models in order, then join tables. */
export function tablesOf(
  models: ReadonlyMap<string, PrismaModel>,
  drafts: ReadonlyMap<string, ModelBlock>,
  integrity: Integrity,
): readonly Table[] {
  const tables = [...models.values()].map((model) =>
    tableOf(model, drafts.get(model.name), models, integrity),
  );
  return [...tables, ...tablesBetween(models, integrity)];
}

function tableOf(
  model: PrismaModel,
  draft: ModelBlock | undefined,
  models: ReadonlyMap<string, PrismaModel>,
  integrity: Integrity,
): Table {
  const scalars = [...model.fields.values()].filter((field) => field.kind === "scalar");
  const primary = model.keys.find((key) => key.isPrimary);
  const primaryKey = primary === undefined ? [] : columnsOf(primary, model);
  const columns = scalars.map((field): Column => {
    const nullable = field.isOptional && !primaryKey.includes(field.column);
    // The client, not the database, sets the time of an update.
    const isGiven = field.default !== undefined;
    return {
      name: field.column,
      type: field.type,
      nullable,
      ...(field.takes && { takes: field.takes }),
      ...(isGiven && { default: field.default }),
    };
  });
  const uniqueKeys = model.keys
    .filter((key) => !key.isPrimary)
    .map((key): UniqueKey => {
      const own = columnsOf(key, model);
      const name = mappedKeyName(key, draft) ?? `${model.table}_${own.join("_")}_key`;
      return { columns: own, name };
    });
  return {
    name: model.table,
    ...(model.schema !== undefined && { schema: model.schema }),
    columns,
    primaryKey,
    uniqueKeys,
    foreignKeys: integrity === "database" ? foreignKeysOf(model, models) : [],
    checks: [],
    source: model.source,
    inferred: false,
  };
}

function columnsOf(key: PrismaKey, model: PrismaModel): readonly string[] {
  return key.fields.flatMap((name) => {
    const field = model.fields.get(name);
    return field?.kind === "scalar" ? [field.column] : [];
  });
}

/** The name of a key in the database, from `map`. */
function mappedKeyName(key: PrismaKey, draft: ModelBlock | undefined): string | undefined {
  const attributes = [
    ...(draft?.block.attributes ?? []).filter(({ name }) => name === "unique"),
    ...(draft?.block.fields ?? [])
      .filter(({ name }) => key.fields.length === 1 && key.fields[0] === name.text)
      .flatMap((field) => field.attributes.filter(({ name }) => name === "unique")),
  ];
  for (const attribute of attributes) {
    const map = namedArgument(attribute, "map");
    if (map === undefined) continue;
    const fields = argument(attribute, "fields");
    const isOf =
      fields?.kind === "list"
        ? fields.items.map((item) => (item.kind === "name" ? item.text : "")).join() ===
          key.fields.join()
        : key.fields.length === 1;
    if (isOf) return textOf(map);
  }
  return undefined;
}

function foreignKeysOf(
  model: PrismaModel,
  models: ReadonlyMap<string, PrismaModel>,
): readonly ForeignKey[] {
  return [...model.fields.values()].flatMap((field): readonly ForeignKey[] => {
    if (field.kind !== "relation" || field.link?.at !== "here") return [];
    const target = models.get(field.model);
    if (target === undefined || target.kind === "view") return [];
    const { columns, referenced, onDelete } = field.link;
    const key = { columns, table: target.table, referenced };
    if (onDelete === "cascade") return [{ ...key, onDelete: "cascade" }];
    const isSet = onDelete === "set-null" || onDelete === "set-default";
    return [isSet ? { ...key, onDelete: "set" } : key];
  });
}

function tablesBetween(
  models: ReadonlyMap<string, PrismaModel>,
  integrity: Integrity,
): readonly Table[] {
  const tables = new Map<string, Table>();
  for (const model of models.values()) {
    for (const field of model.fields.values()) {
      if (field.kind !== "relation" || field.link?.at !== "between") continue;
      const other = models.get(field.model);
      const { link } = field;
      if (other === undefined || tables.has(link.table)) continue;
      const [first, last] = link.own === "A" ? [model, other] : [other, model];
      const columns = [linkColumn("A", singleKey(first)), linkColumn("B", singleKey(last))];
      const keys = [first, last].map((each, at): ForeignKey => {
        const referenced = [singleKey(each)?.column ?? ""];
        return {
          columns: [at === 0 ? "A" : "B"],
          table: each.table,
          referenced,
          onDelete: "cascade",
        };
      });
      tables.set(link.table, {
        name: link.table,
        columns,
        primaryKey: ["A", "B"],
        uniqueKeys: [],
        foreignKeys: integrity === "database" ? keys : [],
        checks: [],
        source: field.source,
        inferred: false,
      });
    }
  }
  return [...tables.values()];
}

function linkColumn(name: string, key: PrismaScalar | undefined): Column {
  return { name, type: key?.type ?? "other", nullable: false };
}
