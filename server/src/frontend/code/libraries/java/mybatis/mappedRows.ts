// Rows that a mapper makes objects of: their class, and the columns that its properties are.
import type { Call, ClassValue, Tools } from "../../library";
import { methodOfClass } from "../../orm/ownMethods";
import { superclassOf } from "../../../evaluate/values/methods";
import { UNDEFINED, type ResultColumns, type Value } from "../../../values";

interface MappedClass {
  readonly mapped: ClassValue;
}

function isMapped(data: unknown): data is MappedClass {
  return typeof data === "object" && data !== null && "mapped" in data;
}

/** Rows as objects of a class; other values as they are. */
export function mappedRows(
  rows: Value,
  of: ClassValue | undefined,
  named: ReadonlyMap<string, string> = new Map(),
): Value {
  if (rows.kind !== "rows" || !of || rows.data !== undefined) return rows;
  const renamed = new Map(rows.columns.renamed);
  for (const property of propertiesOf(of)) {
    const column = columnOf(rows.columns, named.get(property) ?? property);
    if (column !== undefined) renamed.set(property, column);
  }
  const data: MappedClass = { mapped: of };
  return { ...rows, columns: { ...rows.columns, renamed }, data };
}

function propertiesOf(of: ClassValue): readonly string[] {
  const names: string[] = [];
  for (let at: ClassValue | undefined = of, depth = 0; at && depth < 8; depth += 1) {
    names.push(...at.class.fields.filter(({ isStatic }) => !isStatic).map(({ name }) => name));
    at = superclassOf(at);
  }
  return names;
}

/** The column of a property: of its name, in whatever letters, or with underscores. */
function columnOf({ order }: ResultColumns, name: string): string | undefined {
  const lower = name.toLowerCase();
  return (
    order.find((each) => each.toLowerCase() === lower) ??
    order.find((each) => each.toLowerCase().replaceAll("_", "") === lower.replaceAll("_", ""))
  );
}

/** A method of the class that a row becomes, or a getter or setter that is written nowhere. */
export function mappedCall(
  row: Value,
  method: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  if (row.kind !== "row" || !isMapped(row.data)) return undefined;
  const { mapped } = row.data;
  const own = methodOfClass(row, mapped, method, call, tools);
  if (own) return own;
  const [, verb, capital = ""] = /^(get|is|set)([A-Z]\w*)$/u.exec(method) ?? [];
  const property = capital.charAt(0).toLowerCase() + capital.slice(1);
  const { arguments: given } = call;
  if (verb === undefined || given.length !== (verb === "set" ? 1 : 0)) return undefined;
  if (!propertiesOf(mapped).includes(property)) return undefined;
  if (verb !== "set") return tools.member(row, property);
  tools.assign(row, property, given[0] ?? UNDEFINED);
  return UNDEFINED;
}
