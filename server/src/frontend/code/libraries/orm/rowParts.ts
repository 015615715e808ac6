// Records that stand in the same row of a result as others: what a join read along with it.
import { ofNode } from "../../../../query/nodes";
import {
  constant,
  fieldExpression,
  type ResultColumns,
  type RowValue,
  type RowsValue,
  type Value,
} from "../../values";

/** How a record is found in a row. */
export interface RowPart {
  readonly property: string;
  /** The prefix of its columns' names in the result. */
  readonly prefix: string;
  /** The result's columns by what the code calls them. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Where this column is NULL, there is no such record. */
  readonly isThere?: string;
  /** The library's knowledge of it. */
  readonly data?: unknown;
  readonly relatedTo?: ResultColumns["relatedTo"];
}

/** Objects that were made of rows, by what is assigned to these: the same whenever they are asked for. */
const partsMade = ofNode((_overlay: RowValue["overlay"]) => new Map<string, RowValue>());

/** The record in a row; null where it may be missing and is. */
export function partOfRow(row: RowValue, part: RowPart): Value {
  const known = partsMade(row.overlay);
  const { prefix, data, isThere } = part;
  const own = known.get(prefix) ?? {
    ...row,
    columns: columnsOfPart(row.columns, part),
    data,
    overlay: new Map(),
  };
  known.set(prefix, own);
  if (isThere === undefined) return own;
  const condition = {
    kind: "not",
    operand: { kind: "isNull", operand: fieldExpression(row, isThere) },
  } as const;
  return { kind: "choice", condition, then: own, otherwise: constant(null) };
}

/** The columns of a result that such a record has. */
export function columnsOfPart(
  { order, types, required }: ResultColumns,
  { prefix, renamed, relatedTo }: RowPart,
): ResultColumns {
  return {
    order: order.filter((name) => name.startsWith(prefix)),
    types,
    ...(required && { required }),
    renamed,
    ...(relatedTo && { relatedTo }),
  };
}

/** The rows, which hold such records under their names. */
export function withParts(rows: Value, parts: readonly RowPart[]): Value {
  if (rows.kind !== "rows" || parts.length === 0) return rows;
  const relatedTo = new Map(rows.columns.relatedTo);
  for (const part of parts) relatedTo.set(part.property, (row) => partOfRow(row, part));
  return { ...rows, columns: { ...rows.columns, relatedTo } } satisfies RowsValue;
}
