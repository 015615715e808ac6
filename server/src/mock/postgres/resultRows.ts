// Rows of results as a PostgreSQL server sends them, and the description of their columns.
import { ofNode } from "../../query/nodes";
import { typeId } from "../../sqlstore/pg/typeIds";
import type { SqlType } from "../../sqlstore/values/types";
import { createByteWriter, type ByteWriter } from "../byteWriter";
import type { ResultColumn, StatementResult } from "../session";
import * as backend from "./backendMessages";
import { hasBinary, recordToBinary, toBinary } from "./binaryTypes";
import { formatOf, type Format } from "./frontendMessages";

const descriptions = ofNode((_columns: readonly ResultColumn[]) => new Map<string, Buffer>());

/** The description of columns in the formats that were asked for. */
export function rowDescription(
  columns: readonly ResultColumn[],
  formats: readonly Format[],
): Buffer {
  const known = descriptions(columns);
  const name = formats.join();
  const bytes = known.get(name) ?? backend.rowDescription(describe(columns, formats));
  known.set(name, bytes);
  return bytes;
}

function describe(
  columns: readonly ResultColumn[],
  formats: readonly Format[],
): readonly backend.ColumnDescription[] {
  return columns.map(({ name, type, object, shape }, index) => {
    const { id, size } = typeId(type);
    const plain = { type: id, size, modifier: -1, table: 0, position: 0 };
    const asked = formatOf(formats, index);
    const sent = type === "record" && shape?.fields !== undefined ? asked : sentAs(asked, id);
    return { name, ...plain, ...object, format: sent };
  });
}

const writer = createByteWriter();

/** A message for each row. */
export function dataRows(
  rows: StatementResult["rows"],
  columns: readonly ResultColumn[],
  formats: readonly Format[],
): Buffer {
  const encoders = columns.map((column, index) => binaryForm(column, formatOf(formats, index)));
  for (const row of rows) {
    writer.putUint8(backend.DATA_ROW, writer.reserve(1));
    const start = writer.reserve(LENGTH);
    writer.putInt16BE(row.length, writer.reserve(2));
    for (const [at, cell] of row.entries()) writeCell(writer, cell, encoders[at]);
    writer.putInt32BE(writer.length - start, start);
  }
  return writer.take();
}

/** Bytes of a length. */
const LENGTH = 4;

function writeCell(into: ByteWriter, cell: string | null, encode: BinaryForm | undefined): void {
  const at = into.reserve(LENGTH);
  if (cell === null) {
    into.putInt32BE(-1, at);
    return;
  }
  const bytes = encode?.(cell);
  if (bytes === undefined) into.putInt32BE(into.text(cell), at);
  else {
    into.bytes(bytes);
    into.putInt32BE(bytes.length, at);
  }
}

type BinaryForm = (cell: string) => Buffer | undefined;

/** The binary form of a column's cells; undefined for those that go as text. */
function binaryForm({ type, shape }: ResultColumn, format: Format): BinaryForm | undefined {
  if (format === "text") return undefined;
  const { fields } = shape ?? {};
  if (type === "record" && fields !== undefined) {
    const ids = fields.map(fieldId);
    return (cell) => recordToBinary(cell, ids);
  }
  const { id } = typeId(type);
  return sentAs(format, id) === "binary" ? (cell) => toBinary(cell, id) : undefined;
}

/** The object id of a field of a row; literals have the type of what is not known. */
function fieldId({ type }: { readonly type: SqlType }): number {
  return type === "unknown" ? UNKNOWN : typeId(type).id;
}

const UNKNOWN = 705;

/** Types without a binary form here go as text, whatever was asked for; the description of the rows says so. */
function sentAs(format: Format, type: number): Format {
  return format === "binary" && hasBinary(type) ? "binary" : "text";
}
