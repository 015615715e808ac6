// Writes of a builder to columns for which the code may give nothing: an UPDATE leaves them out, an INSERT asks for
// their defaults.
import { orAbsent } from "../../evaluate/values/absence";
import { constant, scalar, unknown, type Value } from "../../values";
import type { Tools } from "../library";
import {
  caseText,
  flagOf,
  valueFragment,
  quoteIdentifier,
  raw,
  type Draft,
  type Fragment,
} from "./draft";

export interface WrittenPlace {
  readonly verb: Draft["verb"];
  /** The table's name. */
  readonly table: string;
  /** The text for a value that is there. */
  readonly written: (value: Value) => Fragment;
  readonly tools: Tools;
}

/** The text for a value in a SET or among VALUES; undefined where nothing is given on any path. */
export function columnValue(
  column: string,
  value: Value,
  place: WrittenPlace,
): Fragment | undefined {
  return value.kind === "undefined" ? undefined : partGiven(column, orAbsent(value), place);
}

function partGiven(column: string, value: Value, place: WrittenPlace): Fragment {
  if (value.kind === "undefined") return ofNothing(column, place);
  if (value.kind !== "choice" || !mayBeNothing(value)) return place.written(value);
  const { then, otherwise } = value;
  const [yes, no] = [partGiven(column, then, place), partGiven(column, otherwise, place)];
  return caseText(flagOf(value), yes, no);
}

function mayBeNothing(value: Value): boolean {
  if (value.kind !== "choice") return value.kind === "undefined";
  return mayBeNothing(value.then) || mayBeNothing(value.otherwise);
}

function ofNothing(name: string, { verb, table, tools }: WrittenPlace): Fragment {
  if (verb === "update") return raw(quoteIdentifier(name, tools.dialect));
  const declared = tools.table(table);
  const column = declared?.inferred === false ? declared.columns.find((each) => each.name === name) : undefined; // prettier-ignore
  if (!column) return valueFragment(unknown("the default of a column that nobody declares"));
  if (column.default === undefined) return valueFragment(constant(null));
  if (column.default.kind === "literal") return valueFragment(scalar(column.default, column.type));
  return valueFragment(unknown("a column's default that is not a constant"));
}
