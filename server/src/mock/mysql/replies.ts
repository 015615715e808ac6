// Messages of a MySQL server: handshake, OK, ERR, EOF and result sets. No TLS, and results end with EOF packets.
import { ofNode } from "../../query/nodes";
import { createByteWriter } from "../byteWriter";
import {
  lengthEncodedInteger,
  lengthEncodedText,
  uint16,
  uint32,
  uint8,
  writeText,
} from "./fields";
import { binaryCell, TYPES } from "./parameters";

const FLAGS = {
  longPassword: 0x1,
  foundRows: 0x2,
  longFlag: 0x4,
  connectWithDatabase: 0x8,
  protocol41: 0x200,
  localFiles: 0x80,
  transactions: 0x2000,
  secureConnection: 0x8000,
  multiStatements: 0x10000,
  multiResults: 0x20000,
  preparedMultiResults: 0x40000,
  pluginAuthentication: 0x80000,
  connectAttributes: 0x100000,
  lengthEncodedAuthentication: 0x200000,
} as const;

/** Abilities of client and server, bit by bit; `ours` is what this server offers. */
export const CAPABILITIES = {
  ...FLAGS,
  ours: Object.values(FLAGS).reduce<number>((all, flag) => all | flag, 0),
} as const;

/** State of the session, as every OK and EOF tells it. */
export interface SessionStatus {
  readonly inTransaction: boolean;
  readonly autocommit: boolean;
  /** Conditions that the statement met. */
  readonly warnings?: number;
  /** Another result follows. */
  readonly more: boolean;
  /** The row has the values of OUT parameters. */
  readonly isOutput?: boolean;
}

export interface ColumnDefinition {
  readonly name: string;
  /** The name of the column of the table. */
  readonly original: string;
  readonly table: string;
  readonly schema: string;
  /** One of `TYPES`. */
  readonly type: number;
  /** It has no character set. */
  readonly binary: boolean;
  /** Abilities as `COLUMN_FLAGS` numbers them. */
  readonly flags: number;
  /** Digits after the point; 31 where that varies. */
  readonly decimals: number;
  readonly length: number;
}

/** Facts about a column, bit by bit. */
export const COLUMN_FLAGS = {
  notNull: 0x1,
  primaryKey: 0x2,
  uniqueKey: 0x4,
  multipleKey: 0x8,
  blob: 0x10,
  unsigned: 0x20,
  binary: 0x80,
  enumeration: 0x100,
  automatic: 0x200,
  timestamp: 0x400,
  set: 0x800,
  noDefault: 0x1000,
  partOfKey: 0x4000,
} as const;

const UTF8MB4 = 45;
const BINARY = 63;
const AUTHENTICATION = "mysql_native_password";

/** MariaDB's own abilities, which stand where it does not call itself MySQL: executions of many rows. */
const MARIADB_ABILITIES = 0x4;

/** The first packet of a connection. `salt` has 20 bytes without zeros; what the client makes of it is not looked at. */
export function handshake(version: string, connection: number, salt: Buffer): Buffer {
  const isMariadb = /mariadb/iu.test(version);
  const ours = isMariadb ? CAPABILITIES.ours & ~FLAGS.longPassword : CAPABILITIES.ours;
  return Buffer.concat([
    uint8(10),
    zeroEnded(version),
    uint32(connection),
    salt.subarray(0, 8),
    uint8(0),
    uint16(ours & 0xffff),
    uint8(UTF8MB4),
    uint16(statusBits({ inTransaction: false, autocommit: true, more: false })),
    uint16(ours >>> 16),
    uint8(salt.length + 1),
    Buffer.alloc(6),
    uint32(isMariadb ? MARIADB_ABILITIES : 0),
    salt.subarray(8),
    uint8(0),
    zeroEnded(AUTHENTICATION),
  ]);
}

/** Asks a client that began with another method to answer with the plain one. */
export function authenticationSwitch(salt: Buffer): Buffer {
  return Buffer.concat([uint8(0xfe), zeroEnded(AUTHENTICATION), salt, uint8(0)]);
}

export function ok(
  status: SessionStatus,
  result: { readonly affected: number; readonly inserted: number | bigint; readonly info?: string },
): Buffer {
  return Buffer.concat([
    uint8(0),
    lengthEncodedInteger(result.affected),
    lengthEncodedInteger(result.inserted),
    uint16(statusBits(status)),
    uint16(status.warnings ?? 0),
    ...(result.info === undefined ? [] : [lengthEncodedText(result.info)]),
  ]);
}

/** Asks the client for a file of its own. */
export function fileRequest(name: string): Buffer {
  return Buffer.concat([uint8(0xfb), Buffer.from(name)]);
}

export function eof(status: SessionStatus): Buffer {
  return Buffer.concat([uint8(0xfe), uint16(status.warnings ?? 0), uint16(statusBits(status))]);
}

/** `state` is the SQLSTATE of five characters. */
export function errorReply(number: number, state: string, message: string): Buffer {
  return Buffer.concat([uint8(0xff), uint16(number), Buffer.from(`#${state}${message}`)]);
}

/** A result in the text protocol; cells as text, null for NULL. */
export function textResult(
  columns: readonly ColumnDefinition[],
  rows: readonly (readonly (string | null)[])[],
  status: SessionStatus,
): readonly Buffer[] {
  const encoded = payloadsOf(rows, (row) => {
    for (const cell of row) {
      if (cell === null) writer.putUint8(NULL_CELL, writer.reserve(1));
      else writeText(writer, cell);
    }
  });
  return [...resultHead(columns, status), ...encoded, eof(status)];
}

const NULL_CELL = 0xfb;

/** A result of a prepared statement; cells as text, null for NULL. */
export function binaryResult(
  columns: readonly ColumnDefinition[],
  rows: readonly (readonly (string | null)[])[],
  status: SessionStatus,
): readonly Buffer[] {
  const nulls = new Uint8Array((columns.length + 9) >> 3);
  const encoded = payloadsOf(rows, (row) => {
    writer.putUint8(0, writer.reserve(1));
    nulls.fill(0);
    for (const index of columns.keys()) {
      // Two bits at the start are reserved.
      const bit = index + 2;
      if ((row[index] ?? null) === null)
        nulls[bit >> 3] = (nulls[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
    writer.bytes(nulls);
    for (const [index, { type }] of columns.entries()) {
      const cell = row[index] ?? null;
      if (cell === null) continue;
      const bytes = binaryCell(cell, type);
      if (bytes === undefined) writeText(writer, cell);
      else writer.bytes(bytes);
    }
  });
  return [...resultHead(columns, status), ...encoded, eof(status)];
}

const writer = createByteWriter();

/** A payload for each row, all of them parts of one piece. */
function payloadsOf<T>(rows: readonly T[], write: (row: T) => void): readonly Buffer[] {
  const ends = rows.map((row) => {
    write(row);
    return writer.length;
  });
  const whole = writer.take();
  return ends.map((end, at) => whole.subarray(ends[at - 1] ?? 0, end));
}

const columnsHead = ofNode((columns: readonly ColumnDefinition[]): readonly Buffer[] => [
  lengthEncodedInteger(columns.length),
  ...columns.map(columnDefinition),
]);

function resultHead(
  columns: readonly ColumnDefinition[],
  status: SessionStatus,
): readonly Buffer[] {
  return [...columnsHead(columns), eof(status)];
}

/** The answer to PREPARE. */
export function prepareReply(
  statement: number,
  parameters: number,
  columns: readonly ColumnDefinition[],
  status: SessionStatus,
): readonly Buffer[] {
  const head = Buffer.concat([
    uint8(0),
    uint32(statement),
    uint16(columns.length),
    uint16(parameters),
    uint8(0),
    uint16(0),
  ]);
  const placeholder: ColumnDefinition = {
    name: "?",
    original: "",
    table: "",
    schema: "",
    type: TYPES.varString,
    binary: true,
    flags: COLUMN_FLAGS.binary,
    decimals: 0,
    length: 0,
  };
  return [
    head,
    ...(parameters === 0
      ? []
      : [...Array.from({ length: parameters }, () => columnDefinition(placeholder)), eof(status)]),
    ...(columns.length === 0 ? [] : [...columns.map(columnDefinition), eof(status)]),
  ];
}

function columnDefinition(column: ColumnDefinition): Buffer {
  return Buffer.concat([
    lengthEncodedText("def"),
    lengthEncodedText(column.schema),
    lengthEncodedText(column.table),
    lengthEncodedText(column.table),
    lengthEncodedText(column.name),
    lengthEncodedText(column.original),
    uint8(0x0c),
    uint16(column.binary ? BINARY : UTF8MB4),
    uint32(column.length),
    uint8(column.type),
    uint16(column.flags),
    uint8(column.decimals),
    uint16(0),
  ]);
}

function statusBits({ inTransaction, autocommit, more, isOutput }: SessionStatus): number {
  const bits = (inTransaction ? 1 : 0) | (autocommit ? 2 : 0) | (more ? 8 : 0);
  return bits | (isOutput === true ? 0x1000 : 0);
}

function zeroEnded(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
