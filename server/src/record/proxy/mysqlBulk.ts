// MariaDB's execution of one prepared statement for many rows of arguments in one command (COM_STMT_BULK_EXECUTE).
import { readFields } from "../../mock/mysql/fields";
import { readParameters, type Parameter, type ParameterType } from "../../mock/mysql/parameters";

/** The command's first byte. */
export const BULK_EXECUTE = 0xfa;
const SENDS_TYPES = 128;
/** Before each value; others stand for NULL, the column's default, and nothing. */
const IS_VALUE = 0;

export interface BulkArguments {
  readonly types: readonly ParameterType[];
  readonly rows: readonly (readonly Parameter[])[];
}

/** The arguments behind the statement's number. Throws `MalformedPacket`. */
export function bulkArguments(
  body: Buffer,
  count: number,
  known: readonly ParameterType[],
): BulkArguments {
  const from = readFields(body);
  const hasTypes = (from.uint16() & SENDS_TYPES) !== 0;
  const types = hasTypes
    ? Array.from({ length: count }, () => ({
        type: from.uint8(),
        unsigned: from.uint8() >= 0x80,
      }))
    : known;
  const rows: (readonly Parameter[])[] = [];
  while (types.length > 0 && from.left > 0)
    rows.push(
      types.map((type) =>
        from.uint8() === IS_VALUE
          ? (readParameters(from, [type], () => false, new Map())[0] ?? null)
          : null,
      ),
    );
  return { types, rows };
}
