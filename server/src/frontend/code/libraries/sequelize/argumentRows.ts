// Objects of a model's class among the arguments: rows that the caller has read.
import { attribute } from "../../../../query/nodes";
import type { Cell, Connection, ObjectValue, RowValue } from "../../values";
import type { Tools } from "../library";
import type { RowData } from "../orm/statements";
import { withAssociations } from "./associations";
import { modelOfClass } from "./models";

/** The names of arguments that are rows. */
const paths = attribute<RowValue["overlay"], string>();

/** Fields that a row without a result has no more of. */
const NO_COLUMNS = { order: [], types: new Map() } as const;

/** The row that an argument is, by the fields that its caller gives; undefined for objects that the code makes itself. */
export function argumentRow(
  object: ObjectValue,
  connection: Connection,
  tools: Tools,
): RowValue | undefined {
  const own = object.class && modelOfClass({ kind: "class", ...object.class }, tools);
  const path = pathOf(object);
  if (!own || path === undefined) return undefined;
  const model = withAssociations(own, tools);
  for (const { property } of model.columns) {
    if (property === undefined || object.fields.has(property)) continue;
    object.fields.set(property, { value: fieldOf(path, property), birth: 0 });
  }
  paths.set(object.fields, path);
  const data: RowData = { kind: "modelRow", model, connection };
  return {
    kind: "row",
    result: path,
    at: { loop: path },
    columns: NO_COLUMNS,
    data,
    overlay: object.fields,
  };
}

/** True for a field of an argument as its caller gives it. */
export function isOfCaller({ overlay }: RowValue, name: string, { value }: Cell): boolean {
  const path = paths.get(overlay);
  return path !== undefined && value?.kind === "input" && value.path === `${path}.${name}`;
}

function pathOf({ fields }: ObjectValue): string | undefined {
  const known = paths.get(fields);
  if (known !== undefined) return known;
  for (const [name, { value }] of fields) {
    if (value?.kind === "input" && value.origin === "argument" && value.path.endsWith(`.${name}`))
      return value.path.slice(0, -name.length - 1);
  }
  return undefined;
}

function fieldOf(path: string, name: string): Cell["value"] {
  return { kind: "input", path: `${path}.${name}`, origin: "argument" };
}
