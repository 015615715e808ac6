// Arguments of the Prisma client as values: fields that may be absent, choices between them, lists of records.
import type { Expression } from "../../../../program/expression";
import type { PrismaScalar } from "../../../schema/prisma/model";
import { connective } from "../../../sql/terms";
import { negate } from "../../evaluate/values/convert";
import { constantScalar, isNull, type HandleValue, type Value } from "../../values";
import type { Tools } from "../library";

/** Left out: `undefined`, or `Prisma.skip`. */
export function isAbsent(value: Value | undefined): boolean {
  if (value === undefined || value.kind === "undefined") return true;
  return value.kind === "handle" && value.path === "Prisma.skip";
}

/** A field of a record; undefined where it is left out or the record is none. */
export function argumentField(
  tools: Tools,
  record: Value | undefined,
  name: string,
): Value | undefined {
  const value = record && tools.fields(record)?.get(name);
  return isAbsent(value) ? undefined : value;
}

/** The fields of a record that are there; undefined where not all are known. */
export function knownFields(
  tools: Tools,
  record: Value,
): readonly (readonly [string, Value])[] | undefined {
  const fields = tools.fields(record);
  return fields && [...fields].filter(([, value]) => !isAbsent(value));
}

/** A list's items, or the record itself where one stands for a list. */
export function itemsOrSelf(tools: Tools, value: Value): readonly Value[] | undefined {
  const items = tools.items(value);
  if (items !== undefined) return items;
  return value.kind === "object" ? [value] : undefined;
}

/**
 * Values that are nothing where a document stands: `Prisma.DbNull`, `Prisma.AnyNull`, and `Prisma.JsonNull`, which is the
 * document null, as a plain null is.
 */
export function nothingOf(field: PrismaScalar, value: Value): "db" | "json" | "any" | undefined {
  const said =
    value.kind === "handle" ? /^Prisma\.(Db|Json|Any)Null$/.exec(value.path)?.[1] : undefined;
  if (said !== undefined) return said === "Db" ? "db" : said === "Json" ? "json" : "any";
  if (!isNull(value)) return undefined;
  return field.type === "json" && !field.isList ? "json" : "db";
}

export function constantOf(value: Value | undefined): number | string | boolean | null | undefined {
  return constantScalar(value);
}

export function isTrue(value: Value | undefined): boolean {
  return constantOf(value) === true;
}

/** A handle of a part of a client. */
export function isHandle(value: Value | undefined): value is HandleValue {
  return value?.kind === "handle";
}

/** Both ways of a choice as conditions. */
export function eitherWay(
  choice: Extract<Value, { readonly kind: "choice" }>,
  each: (value: Value) => Expression,
): Expression {
  const { condition, then, otherwise } = choice;
  const [yes, no] = [each(then), each(otherwise)];
  return connective("or", [
    connective("and", [condition, yes]),
    connective("and", [negate(condition), no]),
  ]);
}
