// Objects of a model's class among the arguments: rows that the caller has read.
import { argumentField, argumentPlace } from "../../evaluate/transactions/entities";
import type { Connection, ObjectValue, RowValue } from "../../values";
import type { Tools } from "../library";
import type { RowData } from "../orm/statements";
import { withAssociations } from "./associations";
import { modelOfClass } from "./models";

/** Fields that a row without a result has no more of. */
const NO_COLUMNS = { order: [], types: new Map() } as const;

/** The row that an argument is, by the fields that its caller gives; undefined for objects that the code makes itself. */
export function argumentRow(
  object: ObjectValue,
  connection: Connection,
  tools: Tools,
): RowValue | undefined {
  const own = object.class && modelOfClass({ kind: "class", ...object.class }, tools);
  const place = argumentPlace(object);
  if (!own || place === undefined) return undefined;
  const model = withAssociations(own, tools);
  for (const { property } of model.columns) {
    if (property === undefined || object.fields.has(property)) continue;
    object.fields.set(property, { value: argumentField({ name: property }, place), birth: 0 });
  }
  const data: RowData = { kind: "modelRow", model, connection };
  return {
    kind: "row",
    result: place.path,
    at: { loop: place.path },
    columns: NO_COLUMNS,
    data,
    overlay: object.fields,
  };
}

/** True for a field of an argument as its caller gives it. */
export function isOfCaller(row: RowValue, name: string): boolean {
  const value = row.overlay.get(name)?.value;
  return (
    row.columns === NO_COLUMNS && value?.kind === "input" && value.path === `${row.result}.${name}`
  );
}
