// Reads of the Prisma client from the rows that it writes: keys, links, all columns.
import type { Expression, Output } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import type { PrismaLink, PrismaModel } from "../../../schema/prisma/model";
import { isNull, type Value } from "../../values";
import { columnOf, fieldNameOf, type Operation } from "./context";
import { knownFields } from "./argumentValues";

/** The columns that a unique `where` equates with values. */
export function equatedColumns(
  operation: Operation,
  model: PrismaModel,
  where: Value,
): readonly (readonly [string, Expression])[] {
  const { tools } = operation;
  return (knownFields(tools, where) ?? []).flatMap(([name, value]) => {
    const field = model.fields.get(name);
    if (field?.kind === "scalar") {
      const isPlain = value.kind !== "object" && value.kind !== "choice" && !isNull(value);
      return isPlain ? [[field.column, tools.expression(value)] as const] : [];
    }
    const isKey = model.keys.some((key) => key.name === name);
    return isKey ? equatedColumns(operation, model, value) : [];
  });
}

/**
 * The columns that the client reads of a row that it only looks for: those of its key, and `further` ones.
 * All columns where the model has no key.
 */
export function keyOutputs(model: PrismaModel, further: readonly string[] = []): readonly Output[] {
  const key = (model.keys.find(({ isPrimary }) => isPrimary) ?? model.keys[0])?.fields;
  const all = allOutputs(model);
  if (key === undefined) return all;
  const wanted = new Set([...key, ...further.map((column) => fieldNameOf(model, column))]);
  return all.filter(({ name }) => wanted.has(name));
}

/** All columns of a model, by the names of their fields. */
export function allOutputs(model: PrismaModel) {
  return [...model.fields.values()].flatMap((field) =>
    field.kind === "scalar"
      ? [{ name: field.name, value: columnOf(model.table, field.column) }]
      : [],
  );
}

/** Those that the client reads of rows only to write them and what hangs on them: keys and links. */
export function linkingOutputs(model: PrismaModel) {
  const keys = model.keys[0]?.fields ?? [];
  const links = [...model.fields.values()].flatMap((field) =>
    field.kind === "relation" && field.link ? columnsOfLink(field.link) : [],
  );
  const isNeeded = (name: string): boolean => {
    const field = model.fields.get(name);
    return keys.includes(name) || (field?.kind === "scalar" && links.includes(field.column));
  };
  return allOutputs(model).filter(({ name }) => isNeeded(name));
}

function columnsOfLink(link: PrismaLink): readonly string[] {
  if (link.at === "between") return [link.ownKey];
  return link.at === "here" ? link.columns : link.referenced;
}

/** The client throws where there was no row to change. */
export function mustAffect(operation: Operation, statement: string, model: PrismaModel): void {
  const holds = compare(">", { kind: "affected", statement }, literal(0));
  operation.tools.require(holds, `no ${model.name} was found`, operation.source);
}
