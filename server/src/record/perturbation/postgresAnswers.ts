// Answers of a PostgreSQL server on their way to the client, message by message, with another value in some.
import { createByteQueue } from "../../mock/byteQueue";
import { fromBinary, toBinary } from "../../mock/postgres/binaryTypes";
import { LONGEST_ROW, type AnswerColumn, type Decoder } from "../events";
import { isLabel } from "../proxy/postgresDecoder";
import type { AnswerChanges, ColumnChange } from "./answerChanges";

const ROW = 0x44;
const COMPLETE = 0x43;
const CHANGED_ROWS = /^(UPDATE|DELETE) [1-9]\d*\0$/;

/** The bytes for the client. The decoder is shown what the client gets; an incomplete message waits for its rest. */
export function postgresAnswers(
  decoder: Decoder,
  connection: number,
  changes: AnswerChanges,
): (chunk: Buffer) => Buffer {
  const queue = createByteQueue();
  let passing = 0;

  function next(): Buffer | undefined {
    if (passing > 0) {
      const bytes = queue.take(Math.min(passing, queue.length));
      passing -= bytes?.length ?? 0;
      return bytes !== undefined && bytes.length > 0 ? bytes : undefined;
    }
    const header = queue.peek(5);
    if (header === undefined) return undefined;
    const size = header.readInt32BE(1);
    if (size > LONGEST_ROW || size < 4) {
      passing = size < 4 ? Infinity : size + 1;
      return next();
    }
    const frame = queue.take(size + 1);
    return frame && (changedFrame(frame) ?? frame);
  }

  function changedFrame(frame: Buffer): Buffer | undefined {
    const statement = decoder.answering();
    if (statement === undefined) return undefined;
    if (frame[0] === ROW && statement.rows === 0) {
      const change = changes.ofRow(connection, statement);
      return change && changedRow(frame, statement.columns, change);
    }
    const verb =
      frame[0] === COMPLETE ? CHANGED_ROWS.exec(frame.toString("latin1", 5))?.[1] : undefined;
    return verb !== undefined && changes.ofCount(connection, statement)
      ? message(COMPLETE, [Buffer.from(`${verb} 0\0`)])
      : undefined;
  }

  return (chunk) => {
    queue.push(chunk);
    const out: Buffer[] = [];
    for (let each = next(); each !== undefined; each = next()) {
      out.push(each);
      decoder.fromServer(each);
    }
    return Buffer.concat(out);
  };
}

function message(type: number, parts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(type, 0);
  header.writeInt32BE(4 + parts.reduce((sum, { length }) => sum + length, 0), 1);
  return Buffer.concat([header, ...parts]);
}

/** The row with another value in a column; undefined where it has none that could be changed. */
function changedRow(
  frame: Buffer,
  columns: readonly AnswerColumn[],
  { column, replaced }: ColumnChange,
): Buffer | undefined {
  const count = frame.readUInt16BE(5);
  let at = 7;
  for (let index = 0; index < count; index++) {
    const size = frame.readInt32BE(at);
    const end = at + 4 + Math.max(0, size);
    if (index === column) {
      const cell =
        size < 0 ? undefined : otherCell(frame.subarray(at + 4, end), columns[index], replaced);
      if (cell === undefined) return undefined;
      const length = Buffer.alloc(4);
      length.writeInt32BE(cell.length);
      return message(ROW, [frame.subarray(5, at), length, cell, frame.subarray(end)]);
    }
    at = end;
  }
  return undefined;
}

function otherCell(
  bytes: Buffer,
  column: AnswerColumn | undefined,
  replaced: ColumnChange["replaced"],
): Buffer | undefined {
  const isOwn = column !== undefined && isLabel(bytes, column.type);
  if (column?.isBinary !== true || isOwn) {
    const text = replaced(bytes.toString("utf8"), {
      largest: column?.largest,
      ...(isOwn && { enumeration: column.type }),
    });
    return text === undefined ? undefined : Buffer.from(text);
  }
  const value = fromBinary(bytes, column.type);
  // One that could not be written again is left.
  if (value === undefined || toBinary(value, column.type) === undefined) return undefined;
  const text = replaced(value, { largest: column.largest });
  return text === undefined ? undefined : toBinary(text, column.type);
}
