// Versions of rows (optimistic locking): a writing and a comparison that end with an error where another transaction was first.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import { scalar, type ObjectValue, type RowValue, type Value } from "../../values";
import { valueFragment, type Fragment } from "../builders/draft";
import type { Tools } from "../library";
import { heldIn } from "./entityColumns";
import { roleOf, type Model } from "./model";
import { byKey, columnText, equals, runUpdate, type Place } from "./statements";

interface Versioned {
  readonly model: Model;
  readonly subject: RowValue | ObjectValue;
  /** Values where the row is there. */
  readonly assume?: (value: Value) => Value;
}

/** The version of what is kept, and the next one; undefined where its model has none. */
export function versionOf({ model, subject, assume = (value) => value }: Versioned, tools: Tools) {
  const column = roleOf(model, "version");
  if (!column) return undefined;
  const name = column.property ?? column.column;
  const value = assume(heldIn(subject, name, tools));
  const next: Expression = {
    kind: "arithmetic",
    operator: "+",
    left: tools.expression(value),
    right: literal(1),
  };
  return { column, name, value, next };
}

/** Writes the version alone. */
export function forceVersion(place: Place, subject: Value): void {
  const { tools, model } = place;
  if (subject.kind !== "row" && subject.kind !== "object") return;
  const version = versionOf({ model, subject }, tools);
  const key = byKey(place, (name) => heldIn(subject, name, tools));
  if (!version || !key) return;
  const set = new Map([[version.column.column, valueFragment(scalar(version.next, "int"))]]);
  const { count } = runUpdate(place, set, [...key, ...guardOf(place, version)], { isVersioned: false }); // prettier-ignore
  requireOne(place, count, true);
  tools.assign(subject, version.name, scalar(version.next, "int"));
}

/** Ends with an error where the version of a row is another one than that of what is kept. */
export function requireVersion(place: Place, row: Value, kept: Value): void {
  const { tools, model, source } = place;
  const column = roleOf(model, "version");
  if (!column) return;
  const name = column.property ?? column.column;
  const [left, right] = [row, kept].map((each) => tools.expression(tools.field(each, name)));
  if (!left || !right) return;
  tools.require(compare("=", left, right), "another transaction has changed the row", source);
}

/** The condition that the version is that of what is kept. */
export function guardOf(place: Place, version: ReturnType<typeof versionOf>): readonly Fragment[] {
  return version ? [equals(columnText(place, version.column), version.value)] : [];
}

/** Ends with an error unless one row was changed. */
export function requireOne({ tools, source }: Place, count: Value, isVersioned: boolean): void {
  const why = isVersioned ? "another transaction has changed the row" : "the row is not there any more"; // prettier-ignore
  tools.require(compare("=", tools.expression(count), literal(1)), why, source);
}
