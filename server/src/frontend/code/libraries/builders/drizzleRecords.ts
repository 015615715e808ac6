// Drizzle's records whose fields are not all known: an argument of `values()` or `set()`, or a spread of one. Drizzle writes what
// they hold for the columns of the table and nothing else.
import { isArray, unknown, type Value } from "../../values";
import type { Tools } from "../library";
import type { DrizzleColumn, DrizzleTable } from "./drizzleTables";

/**
 * The values of the table's columns in such a record, by the names that the record has for them; undefined if the value may be no record.
 * A column that the record may leave out has an unknown value, except a key: nobody changes one, and a new one is generated.
 */
export function openRecord(
  value: Value,
  table: DrizzleTable,
  verb: "insert" | "update",
  tools: Tools,
): ReadonlyMap<string, Value> | undefined {
  if (!isOpenRecord(value)) return undefined;
  const named = value.kind === "object" ? value.fields : new Map<string, { value?: Value }>();
  return new Map(
    [...table.columns].flatMap(([key, column]): readonly [string, Value][] => {
      const known = named.get(key)?.value;
      if (known !== undefined) return [[key, known]];
      const field = tools.field(value, key);
      if (verb === "insert" && !mayDefault(column)) return [[key, field]];
      if (isKeyOf(table, column) || column.isGenerated) return [];
      return [
        [key, unknown("which fields the record has is not known", [tools.expression(field)])],
      ];
    }),
  );
}

/** True for an argument that has a type, for an item of a list, and for an object with a spread of something whose fields are not known. */
function isOpenRecord(value: Value): boolean {
  if (value.kind === "object") return value.rest !== undefined && value.isMap !== true;
  if (value.kind !== "input" || isArray(value)) return false;
  return value.type !== undefined || value.element !== undefined;
}

/** True if something else than NULL is written where an insertion leaves the column out. */
function mayDefault({
  hasDefault,
  isSequence,
  onInsert,
  onUpdate,
  default: other,
}: DrizzleColumn): boolean {
  return hasDefault === true || isSequence || [onInsert, onUpdate, other].some((each) => each !== undefined); // prettier-ignore
}

function isKeyOf({ primaryKey }: DrizzleTable, { isKey, name }: DrizzleColumn): boolean {
  return isKey || primaryKey.some((each) => each === name);
}
