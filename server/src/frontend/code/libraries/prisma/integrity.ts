// Integrity that the Prisma client keeps in place of foreign keys (`relationMode = "prisma"`) where a row is deleted.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import type { PrismaModel } from "../../../schema/prisma/model";
import { columnOf, queryOf, relationTo, run, type Operation } from "./context";

/** Models refer to each other in circles: deeper chains of cascades are not followed. */
const DEEPEST = 6;

/** Deletes, unlinks or refuses rows that refer to those that the condition finds. */
export function removeDependants(
  operation: Operation,
  model: PrismaModel,
  where: Expression,
  depth = 0,
): void {
  const { schema, tools, source } = operation;
  if (schema.integrity !== "client") return;
  if (depth > DEEPEST) {
    tools.lose("deletions that cascade further are not followed", source);
    return;
  }
  for (const field of model.fields.values()) {
    if (field.kind !== "relation" || field.link?.at !== "there") continue;
    const target = schema.models.get(field.model);
    const { columns, referenced, onDelete } = field.link;
    const [column, key] = [columns[0], referenced[0]];
    if (target === undefined || column === undefined || key === undefined) continue;
    if (columns.length > 1) {
      tools.lose(`rows of ${target.name}, whose key has several columns, stay`, source);
      continue;
    }
    const found = { ...queryOf([relationTo(model.table)], where) };
    const query = { ...found, outputs: [{ name: key, value: columnOf(model.table, key) }] };
    const condition: Expression = {
      kind: "inQuery",
      operand: columnOf(target.table, column),
      query,
    };
    const relation = relationTo(target.table);
    switch (onDelete) {
      case "cascade":
        removeDependants(operation, target, condition, depth + 1);
        run(operation, { kind: "delete", relation, using: [], where: condition }, []);
        break;
      case "set-null":
      case "set-default": {
        const set = columns.map((each) => ({ column: each, value: literal(null) }));
        run(operation, { kind: "update", relation, from: [], set, where: condition }, []);
        break;
      }
      case "restrict": {
        const into = tools.fresh("r");
        const outputs = [{ name: column, value: columnOf(target.table, column) }];
        const dependants = { ...queryOf([relation], condition), outputs, limit: literal(1) };
        run(operation, { kind: "select", query: dependants, into, discarded: false }, []);
        const isFree = compare("=", { kind: "size", result: into }, literal(0));
        tools.require(isFree, `a ${target.name} refers to it`, source);
        break;
      }
      case "no-action":
        break;
      default:
        onDelete satisfies never;
    }
  }
}
