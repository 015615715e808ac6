// Messages of a client of MySQL or MariaDB: its answer to the handshake, and commands.
import { MalformedPacket, readFields, type FieldReader } from "./fields";
import { readParameters, type Parameter, type ParameterType } from "./parameters";
import { CAPABILITIES } from "./replies";

export interface HandshakeResponse {
  readonly user: string;
  readonly database?: string;
  readonly plugin?: string;
  /** The capabilities that both sides have. */
  readonly capabilities: number;
}

export type Command =
  | { readonly kind: "quit" }
  | { readonly kind: "use"; readonly database: string }
  | { readonly kind: "query"; readonly sql: string }
  | { readonly kind: "ping" }
  | { readonly kind: "statistics" }
  | { readonly kind: "prepare"; readonly sql: string }
  | { readonly kind: "execute"; readonly statement: number; readonly body: Buffer }
  | { readonly kind: "bulk"; readonly statement: number; readonly body: Buffer }
  | {
      readonly kind: "longData";
      readonly statement: number;
      readonly parameter: number;
      readonly data: Buffer;
    }
  | { readonly kind: "closeStatement"; readonly statement: number }
  | { readonly kind: "resetStatement"; readonly statement: number }
  | { readonly kind: "setOption"; readonly option: number }
  | { readonly kind: "resetConnection" }
  | { readonly kind: "changeUser"; readonly database: string }
  | { readonly kind: "unknown"; readonly code: number };

/** Throws `MalformedPacket`. */
export function handshakeResponse(payload: Buffer): HandshakeResponse {
  const from = readFields(payload);
  const capabilities = from.uint32() & CAPABILITIES.ours;
  if ((capabilities & CAPABILITIES.protocol41) === 0)
    throw new MalformedPacket("a client older than MySQL 4.1");
  from.bytes(4 + 1 + 23);
  const user = from.zeroEnded();
  if ((capabilities & CAPABILITIES.lengthEncodedAuthentication) !== 0) from.lengthEncodedBytes();
  else from.bytes(from.uint8());
  const database = (capabilities & CAPABILITIES.connectWithDatabase) !== 0 ? from.zeroEnded() : "";
  const plugin = (capabilities & CAPABILITIES.pluginAuthentication) !== 0 ? from.zeroEnded() : "";
  return {
    user,
    ...(database !== "" && { database }),
    ...(plugin !== "" && { plugin }),
    capabilities,
  };
}

/** Throws `MalformedPacket`. */
export function command(payload: Buffer): Command {
  const from = readFields(payload);
  const code = from.uint8();
  switch (code) {
    case 0x01:
      return { kind: "quit" };
    case 0x02:
      return { kind: "use", database: from.rest() };
    case 0x03:
      return { kind: "query", sql: from.rest() };
    case 0x09:
      return { kind: "statistics" };
    case 0x0e:
      return { kind: "ping" };
    case 0x11:
      from.zeroEnded();
      from.bytes(from.uint8());
      return { kind: "changeUser", database: from.zeroEnded() };
    case 0x16:
      return { kind: "prepare", sql: from.rest() };
    case 0x17:
      return { kind: "execute", statement: from.uint32(), body: from.bytes(from.left) };
    case 0x18:
      return {
        kind: "longData",
        statement: from.uint32(),
        parameter: from.uint16(),
        data: from.bytes(from.left),
      };
    case 0x19:
      return { kind: "closeStatement", statement: from.uint32() };
    case 0x1a:
      return { kind: "resetStatement", statement: from.uint32() };
    case 0x1b:
      return { kind: "setOption", option: from.uint16() };
    case 0x1f:
      return { kind: "resetConnection" };
    case 0xfa:
      return { kind: "bulk", statement: from.uint32(), body: from.bytes(from.left) };
    default:
      return { kind: "unknown", code };
  }
}

/** The id that stands for the statement that was prepared last (MariaDB's drivers send both in one go). */
export const LAST_PREPARED = 0xffffffff;

/**
 * The arguments of an execution. Their types come with the first one only, so those of the one before are needed.
 * `long` holds what came in advance. Throws `MalformedPacket`.
 */
export function executionArguments(
  body: Buffer,
  count: number,
  known: readonly ParameterType[],
  long: ReadonlyMap<number, Buffer>,
): { readonly types: readonly ParameterType[]; readonly values: readonly Parameter[] } {
  const from = readFields(body);
  from.bytes(1 + 4);
  if (count === 0) return { types: [], values: [] };
  const nulls = from.bytes((count + 7) >> 3);
  const types = from.uint8() === 1 ? readTypes(from, count) : known;
  if (types.length !== count) throw new MalformedPacket("arguments without their types");
  const isNull = (index: number): boolean => (((nulls[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
  return { types, values: readParameters(from, types, isNull, long) };
}

function readTypes(from: FieldReader, count: number): readonly ParameterType[] {
  return Array.from({ length: count }, () => ({
    type: from.uint8(),
    unsigned: from.uint8() >= 0x80,
  }));
}

export interface BulkArguments {
  readonly types: readonly ParameterType[];
  readonly rows: readonly (readonly Parameter[])[];
  /** True if the client asks for the number that each row was given. */
  readonly asksNumbers: boolean;
  /** True if some argument is DEFAULT or IGNORE; NULL stands for it. */
  readonly hasOmissions: boolean;
}

/** The flags of a bulk execution. */
const BULK = { numbers: 64, types: 128 };

/** Before each argument of a bulk execution; what is greater stands for DEFAULT and IGNORE. */
const [VALUE, NULL] = [0, 1];

/** The arguments of MariaDB's COM_STMT_BULK_EXECUTE: many rows for one prepared statement. Throws `MalformedPacket`. */
export function bulkArguments(
  body: Buffer,
  count: number,
  known: readonly ParameterType[],
): BulkArguments {
  const from = readFields(body);
  const flags = from.uint16();
  const types = (flags & BULK.types) === 0 ? known : readTypes(from, count);
  if (count === 0 || types.length !== count)
    throw new MalformedPacket("rows of arguments without their types");
  let hasOmissions = false;
  const rows: Parameter[][] = [];
  while (from.left > 0)
    rows.push(
      types.flatMap((type) => {
        const indicator = from.uint8();
        hasOmissions ||= indicator > NULL;
        return readParameters(from, [type], () => indicator !== VALUE, new Map());
      }),
    );
  return { types, rows, asksNumbers: (flags & BULK.numbers) !== 0, hasOmissions };
}
