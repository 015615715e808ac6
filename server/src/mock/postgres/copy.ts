// COPY on the wire: rows of texts from what a client sends, and to what it is sent, in the three formats.
import { copyLine, readCopy } from "../../sqlstore/copyText";
import { typeId } from "../../sqlstore/pg/typeIds";
import type { ResultColumn, StatementResult } from "../session";
import type { CopyOptions } from "../../sqlstore/statementTree";
import { fromBinary, toBinary } from "./binaryTypes";
import { ProtocolViolation } from "./frontendMessages";
import { int16, int32 } from "./integers";

type Cells = readonly (string | null)[];

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
/** Flags and the length of the extension, which is empty. */
const HEADER = Buffer.concat([SIGNATURE, Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);

/** The rows that a client has sent. Fails with 22P04 or a protocol violation where they are not in the format. */
export function copiedRows(
  data: Buffer,
  options: CopyOptions,
  columns: readonly ResultColumn[],
): readonly Cells[] {
  return options.format === "binary"
    ? binaryRows(data, columns)
    : readCopy(data.toString("utf8"), options);
}

function binaryRows(data: Buffer, columns: readonly ResultColumn[]): readonly Cells[] {
  if (!data.subarray(0, SIGNATURE.length).equals(SIGNATURE))
    throw new ProtocolViolation("COPY in binary form without its signature");
  let at = SIGNATURE.length + 4;
  at += 4 + data.readInt32BE(at);
  const rows: Cells[] = [];
  while (at + 2 <= data.length) {
    const count = data.readInt16BE(at);
    at += 2;
    if (count < 0) break;
    const cells: (string | null)[] = [];
    for (let index = 0; index < count; index++) {
      const size = data.readInt32BE(at);
      at += 4;
      if (size < 0) {
        cells.push(null);
        continue;
      }
      const bytes = data.subarray(at, at + size);
      const type = typeId(columns[index]?.type ?? "text").id;
      cells.push(fromBinary(bytes, type) ?? bytes.toString("utf8"));
      at += size;
    }
    rows.push(cells);
  }
  return rows;
}

/** COPY OUT as messages, one for each row. */
export function* copiedPieces(
  { rows, columns = [] }: Pick<StatementResult, "rows" | "columns">,
  options: CopyOptions,
): Generator<Buffer> {
  if (options.format !== "binary") {
    if (options.header)
      yield Buffer.from(
        copyLine(
          columns.map(({ name }) => name),
          options,
        ),
      );
    for (const row of rows) yield Buffer.from(copyLine(row, options));
    return;
  }
  yield HEADER;
  for (const row of rows) {
    const parts: Buffer[] = [int16(row.length)];
    for (const [index, cell] of row.entries()) {
      if (cell === null) parts.push(int32(-1));
      else {
        const bytes =
          toBinary(cell, typeId(columns[index]?.type ?? "text").id) ?? Buffer.from(cell);
        parts.push(int32(bytes.length), bytes);
      }
    }
    yield Buffer.concat(parts);
  }
  yield TRAILER;
}
