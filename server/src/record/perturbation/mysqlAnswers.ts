// Answers of a MySQL server on their way to the client, packet by packet, with another value in some.
import { createByteQueue } from "../../mock/byteQueue";
import { lengthEncodedInteger, lengthEncodedText, readFields } from "../../mock/mysql/fields";
import { binaryCell, readParameters } from "../../mock/mysql/parameters";
import { LONGEST_ROW, type AnswerColumn, type Decoder } from "../events";
import type { AnswerChanges, ColumnChange } from "./answerChanges";

const OK = 0x00;
const ERROR = 0xff;
const NULL_CELL = 0xfb;
const END = 0xfe;
/** An end of rows is shorter than a row that begins alike. */
const LONGEST_END = 0xffffff;
const CHANGES_ROWS = /^(?:\s|\/\*[^]*?\*\/)*(?:update|delete)\b/i;

/** The bytes for the client. The decoder is shown what the client gets; an incomplete packet waits for its rest. */
export function mysqlAnswers(
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
    const header = queue.peek(4);
    if (header === undefined) return undefined;
    const size = header.readUIntLE(0, 3);
    if (size > LONGEST_ROW) {
      passing = size + 4;
      return next();
    }
    const packet = queue.take(size + 4);
    return packet && (changedPacket(packet) ?? packet);
  }

  function changedPacket(packet: Buffer): Buffer | undefined {
    const payload = packet.subarray(4);
    const statement = decoder.answering();
    if (statement === undefined || payload[0] === ERROR) return undefined;
    const other = statement.isInRows
      ? statement.rows > 0 || isEnd(payload)
        ? undefined
        : otherRow(payload, statement.columns, changes.ofRow(connection, statement))
      : CHANGES_ROWS.test(statement.sql) &&
          payload[0] === OK &&
          readFields(payload.subarray(1)).lengthEncoded() > 0 &&
          changes.ofCount(connection, statement)
        ? withoutCount(payload)
        : undefined;
    if (other === undefined) return undefined;
    const header = Buffer.from(packet.subarray(0, 4));
    header.writeUIntLE(other.length, 0, 3);
    return Buffer.concat([header, other]);
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

function isEnd(payload: Buffer): boolean {
  return payload[0] === END && payload.length < LONGEST_END;
}

/** The end of a statement that says that no row was changed. */
function withoutCount(payload: Buffer): Buffer {
  const from = readFields(payload.subarray(1));
  from.lengthEncoded();
  const rest = payload.subarray(payload.length - from.left);
  return Buffer.concat([Buffer.of(OK), lengthEncodedInteger(0), rest]);
}

function otherRow(
  payload: Buffer,
  columns: readonly AnswerColumn[],
  change: ColumnChange | undefined,
): Buffer | undefined {
  if (change === undefined) return undefined;
  return columns[0]?.isBinary === true
    ? otherBinaryRow(payload, columns, change)
    : otherTextRow(payload, columns, change);
}

function otherTextRow(
  payload: Buffer,
  columns: readonly AnswerColumn[],
  { column, replaced }: ColumnChange,
): Buffer | undefined {
  let at = 0;
  for (let index = 0; at < payload.length; index++) {
    const isNull = payload[at] === NULL_CELL;
    const from = readFields(payload.subarray(at));
    const cell = isNull ? undefined : from.lengthEncodedBytes();
    const end = isNull ? at + 1 : payload.length - from.left;
    if (index === column) {
      const text = cell && replaced(cell.toString("utf8"), { largest: columns[index]?.largest });
      return text === undefined
        ? undefined
        : Buffer.concat([payload.subarray(0, at), lengthEncodedText(text), payload.subarray(end)]);
    }
    at = end;
  }
  return undefined;
}

function otherBinaryRow(
  payload: Buffer,
  columns: readonly AnswerColumn[],
  { column, replaced }: ColumnChange,
): Buffer | undefined {
  const from = readFields(payload.subarray(1));
  const nulls = from.bytes((columns.length + 9) >> 3);
  for (const [index, { type, unsigned = false, largest }] of columns.entries()) {
    if ((((nulls[(index + 2) >> 3] ?? 0) >> ((index + 2) & 7)) & 1) === 1) {
      if (index === column) return undefined;
      continue;
    }
    const at = payload.length - from.left;
    const [value] = readParameters(from, [{ type, unsigned }], () => false, new Map());
    if (index !== column) continue;
    const isPlain = typeof value === "number" || typeof value === "string";
    const text = isPlain ? replaced(String(value), { largest }) : undefined;
    return text === undefined
      ? undefined
      : Buffer.concat([
          payload.subarray(0, at),
          binaryCell(text, type) ?? lengthEncodedText(text),
          payload.subarray(payload.length - from.left),
        ]);
  }
  return undefined;
}
