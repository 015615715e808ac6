// The conversation of one MySQL or MariaDB connection as statements: text and prepared, several results of one command,
// LOCAL INFILE. Commands wait in the order in which they were sent; packets of the server complete them one by one.
import {
  bulkArguments,
  command,
  executionArguments,
  handshakeResponse,
  LAST_PREPARED,
  type BulkArguments,
  type Command,
} from "../../mock/mysql/commands";
import { readFields, type FieldReader } from "../../mock/mysql/fields";
import { createPacketReader } from "../../mock/mysql/packets";
import {
  readParameters,
  TYPES,
  type Parameter,
  type ParameterType,
} from "../../mock/mysql/parameters";
import {
  KEPT_ROWS,
  LONGEST_ROW,
  type Decoder,
  type EventSink,
  type Remark,
  type TransactionStatus,
  type Value,
} from "../events";
import { statementsOf } from "../pieces";

export interface MysqlDecoderOptions {
  readonly connection: number;
  readonly emit: EventSink;
  readonly nextOrder: () => number;
  readonly remark: Remark;
}

interface Prepared {
  readonly sql: string;
  readonly count: number;
  types: readonly ParameterType[];
  readonly long: Map<number, Buffer>;
  /** As the server described them last: it may leave that out the next time. */
  columns: readonly Column[];
}

interface Column extends ParameterType {
  readonly name: string;
}

/** A command that the server has not answered completely. */
interface Operation {
  readonly kind: "query" | "prepare" | "fetch" | "authentication" | "text" | "plain";
  /** Statements of the command that have no result yet. */
  pieces: string[];
  /** Arguments of each execution: several of a bulk. */
  values: readonly (readonly Value[])[];
  /** The statement of a prepared execution, whose rows are binary. */
  statement?: Prepared;
  /** An execution whose statement is known when the command before it was answered. */
  readonly execution?: Execution;
  /** The database that the session is in where the command succeeds. */
  readonly database?: string;
  readonly order: number;
}

interface Execution {
  /** Undefined: the statement that was prepared last. */
  readonly statement: Prepared | undefined;
  readonly body: Buffer;
  readonly long: ReadonlyMap<number, Buffer>;
  readonly isBulk: boolean;
}

/** Where in an answer the server is. */
type Phase =
  | { readonly at: "first" }
  | { readonly at: "definitions"; left: number; readonly next: "rows" | "done" }
  | { readonly at: "rows" };

const LONGEST = 16 * 1024 * 1024;
const FULL = 0xffffff;
const DEPRECATE_EOF = 1 << 24;
/** MariaDB's own capabilities, of the upper word. */
const EXTENDED_METADATA = 1 << 3;
const CACHE_METADATA = 1 << 4;
const CLIENT_TLS = 1 << 11;
const MULTI_STATEMENTS = 1 << 16;
const IN_TRANSACTION = 0x1;
const MORE_RESULTS = 0x8;
const CURSOR = 0x40;
const DEADLOCK = "1213";
const USE = /^(?:\s|\/\*[^]*?\*\/|(?:#|--\s).*\n)*use\s+(?:`([^`]+)`|([^\s;/#`]+))/i;

export function createMysqlDecoder({
  connection,
  emit,
  nextOrder,
  remark,
}: MysqlDecoderOptions): Decoder {
  const client = createPacketReader(LONGEST);
  const server = createPacketReader(LONGEST);
  client.introduced();
  server.introduced();
  const statements = new Map<number, Prepared>();
  const operations: Operation[] = [{ ...plain("authentication"), order: 0 }];
  let hasGreeted = false;
  let capabilities = { eof: true, metadata: false, caches: false };
  /** A text may hold several statements. */
  let hasSeveral = false;
  /** The client's packets are those of a file, up to an empty one. */
  let isSendingFile = false;
  let lastPrepared = 0;
  let phase: Phase = { at: "first" };
  let columns: Column[] = [];
  let rows: (readonly Value[])[] = [];
  let count = 0;
  let status: TransactionStatus = "idle";
  let database: string | undefined;

  function plain(kind: Operation["kind"]): Omit<Operation, "order"> {
    return { kind, pieces: [], values: [[]] };
  }

  function push(operation: Omit<Operation, "order">): void {
    operations.push({ ...operation, order: nextOrder() });
  }

  function introduced(payload: Buffer): void {
    const flags = payload.readUInt32LE(0);
    const own = (flags & 1) === 0 && payload.length >= 32 ? payload.readUInt32LE(28) : 0;
    capabilities = {
      eof: (flags & DEPRECATE_EOF) === 0,
      metadata: (own & EXTENDED_METADATA) !== 0,
      caches: (own & CACHE_METADATA) !== 0,
    };
    hasSeveral = (flags & MULTI_STATEMENTS) !== 0;
    if ((flags & CLIENT_TLS) === 0) ({ database } = handshakeResponse(payload));
    else if (payload.length <= 32)
      throw new Error(
        "the client asked for TLS, which hides its statements: let it connect without (ssl-mode=DISABLED, useSSL=false)",
      );
  }

  function asked(payload: Buffer): void {
    if (payload[0] === 0x1c) {
      push(plain("fetch"));
      return;
    }
    const read: Command = command(payload);
    switch (read.kind) {
      case "query":
        push({
          ...plain("query"),
          pieces: hasSeveral ? [...statementsOf(read.sql, "mysql")] : [read.sql],
        });
        return;
      case "execute":
      case "bulk":
        execute(read.statement, read.body, read.kind === "bulk");
        return;
      case "prepare":
        push({ ...plain("prepare"), pieces: [read.sql] });
        return;
      case "longData":
        statements.get(read.statement)?.long.set(read.parameter, read.data);
        return;
      case "closeStatement":
        statements.delete(read.statement);
        return;
      case "use":
        push({ ...plain("plain"), database: read.database });
        return;
      case "setOption":
        hasSeveral = read.option === 0;
        push(plain("plain"));
        return;
      case "quit":
        return;
      case "changeUser":
        push({ ...plain("authentication"), database: read.database });
        return;
      case "statistics":
        push(plain("text"));
        return;
      default:
        push(plain("plain"));
    }
  }

  function enter(name: string | undefined): void {
    if (name !== undefined) database = name === "" ? undefined : name;
  }

  function execute(id: number, body: Buffer, isBulk: boolean): void {
    const isPreparing = operations.some(({ kind }) => kind === "prepare");
    const own = id === LAST_PREPARED ? lastPrepared : id;
    const statement = id === LAST_PREPARED && isPreparing ? undefined : statements.get(own);
    const long = new Map(statement?.long);
    statement?.long.clear();
    push({ ...plain("query"), execution: { statement, body, long, isBulk } });
  }

  /** Reads what is executed, now that all that was sent before it is answered. */
  function resolve(operation: Operation): void {
    const { execution } = operation;
    if (execution === undefined || operation.statement !== undefined) return;
    const { body, long, isBulk } = execution;
    const statement = execution.statement ?? statements.get(lastPrepared);
    if (statement === undefined) return;
    const { types, rows: given } = isBulk
      ? bulkArguments(body, statement.count, statement.types)
      : executedOnce(executionArguments(body, statement.count, statement.types, long));
    statement.types = types;
    operation.statement = statement;
    operation.pieces = [statement.sql];
    operation.values = given.map((each) => each.map(textOf));
  }

  function answered(payload: Buffer): void {
    const head = operations[0];
    if (head === undefined) return;
    resolve(head);
    const first = payload[0] ?? 0;
    if (head.kind === "authentication") {
      if (first === 0x00) enter(head.database);
      if (first === 0x00 || first === 0xff) operations.shift();
      return;
    }
    if (first === 0xff) {
      fail(head, payload);
      return;
    }
    switch (phase.at) {
      case "first":
        begin(head, payload, first);
        return;
      case "definitions":
        define(head, phase, payload);
        return;
      case "rows":
        if (first === 0xfe && payload.length < (capabilities.eof ? 9 : FULL))
          endRows(head, payload);
        else row(head, payload);
        return;
      default:
        phase satisfies never;
    }
  }

  function begin(head: Operation, payload: Buffer, first: number): void {
    if (head.kind === "text") {
      operations.shift();
    } else if (head.kind === "fetch") {
      phase = { at: "rows" };
      answered(payload);
    } else if (head.kind === "prepare" && first === 0x00) {
      prepared(head, payload);
    } else if (first === 0xfb) {
      // LOCAL INFILE; then comes the result.
      isSendingFile = true;
    } else if (first === 0x00) {
      const from = readFields(payload.subarray(1));
      const affected = from.lengthEncoded();
      const insertId = from.lengthEncoded();
      const status = from.uint16();
      tell(head, status, { affected, ...(insertId > 0 && { insertId: String(insertId) }) });
    } else if (head.kind === "query") {
      const from = readFields(payload);
      const left = from.lengthEncoded();
      const follows = !capabilities.caches || from.left === 0 || from.uint8() === 1;
      columns = follows ? [] : [...(head.statement?.columns ?? [])];
      phase = follows ? { at: "definitions", left, next: "rows" } : { at: "rows" };
    } else {
      operations.shift();
    }
  }

  function prepared(head: Operation, payload: Buffer): void {
    const from = readFields(payload.subarray(1));
    const id = from.uint32();
    const results = from.uint16();
    const parameters = from.uint16();
    lastPrepared = id;
    statements.set(id, {
      sql: head.pieces[0] ?? "",
      count: parameters,
      types: [],
      long: new Map(),
      columns: [],
    });
    const ends = capabilities.eof ? Number(parameters > 0) + Number(results > 0) : 0;
    const left = parameters + results + ends;
    if (left === 0) operations.shift();
    else phase = { at: "definitions", left, next: "done" };
  }

  function define(
    head: Operation,
    current: Extract<Phase, { at: "definitions" }>,
    payload: Buffer,
  ): void {
    if (current.next === "done") {
      if (--current.left > 0) return;
      phase = { at: "first" };
      operations.shift();
      return;
    }
    if (current.left === 0) {
      // The EOF behind the definitions. A cursor's rows come when they are fetched.
      const status = payload.length >= 5 ? payload.readUInt16LE(3) : 0;
      if ((status & CURSOR) !== 0) tell(head, status, {});
      else phase = { at: "rows" };
      return;
    }
    columns.push(columnOf(readFields(payload)));
    if (head.statement) head.statement.columns = columns;
    if (--current.left === 0 && !capabilities.eof) phase = { at: "rows" };
  }

  function columnOf(from: FieldReader): Column {
    for (let skipped = 0; skipped < 4; skipped++) from.lengthEncodedBytes();
    const name = from.text();
    from.lengthEncodedBytes();
    if (capabilities.metadata) from.lengthEncodedBytes();
    from.bytes(1 + 2 + 4);
    const type = from.uint8();
    return { name, type, unsigned: (from.uint16() & 0x20) !== 0 };
  }

  function row(head: Operation, payload: Buffer): void {
    count++;
    if (head.kind === "fetch" || rows.length >= KEPT_ROWS) return;
    const isLong = payload.length > LONGEST_ROW;
    rows.push(isLong ? [] : head.statement ? binaryRow(payload) : textRow(payload));
  }

  function binaryRow(payload: Buffer): readonly Value[] {
    const from = readFields(payload.subarray(1));
    const nulls = from.bytes((columns.length + 9) >> 3);
    const isNull = (at: number): boolean =>
      (((nulls[(at + 2) >> 3] ?? 0) >> ((at + 2) & 7)) & 1) === 1;
    return readParameters(from, columns, isNull, new Map()).map(textOf);
  }

  function textRow(payload: Buffer): readonly Value[] {
    const cells: Value[] = [];
    for (let at = 0; cells.length < columns.length && at < payload.length;) {
      if (payload[at] === 0xfb) {
        cells.push(null);
        at++;
        continue;
      }
      const from = readFields(payload.subarray(at));
      const before = from.left;
      cells.push(textOf(from.lengthEncodedBytes()));
      at += before - from.left;
    }
    return cells;
  }

  function endRows(head: Operation, payload: Buffer): void {
    const from = readFields(payload.subarray(1));
    if (!capabilities.eof) {
      from.lengthEncoded();
      from.lengthEncoded();
    } else from.uint16();
    tell(head, from.uint16(), {});
  }

  function tell(
    head: Operation,
    flags: number,
    outcome: { readonly affected?: number; readonly insertId?: string },
  ): void {
    const sql = head.pieces.shift();
    enter(head.database);
    if (head.kind === "query" && sql !== undefined) {
      enter(USE.exec(sql)?.slice(1).join(""));
      status = (flags & IN_TRANSACTION) !== 0 ? "open" : "idle";
      const hasRows = columns.length > 0 && outcome.affected === undefined;
      const { affected, ...rest } = outcome;
      const times = head.values.length;
      for (const [at, values] of head.values.entries()) {
        const own = shareOf(affected, times);
        emit({
          ...{ connection, order: head.order + at / times, at: Date.now(), sql, arguments: values },
          columns: hasRows ? columns.map(({ name }) => name) : [],
          ...{ rows, count, status },
          ...(database !== undefined && { database }),
          ...rest,
          ...(own !== undefined && { affected: own }),
        });
      }
    }
    finish((flags & MORE_RESULTS) !== 0);
  }

  function fail(head: Operation, payload: Buffer): void {
    const error = String(payload.readUInt16LE(1));
    // A deadlock undoes the transaction; other errors undo their statement alone.
    if (error === DEADLOCK) status = "idle";
    // A statement that is executed by its name fails as well.
    if (head.kind === "prepare") lastPrepared = 0;
    const sql = head.pieces.shift();
    if (sql !== undefined)
      emit({
        ...{
          connection,
          order: head.order,
          at: Date.now(),
          sql,
          arguments: head.values[0] ?? [],
          columns: [],
        },
        ...{ rows: [], count: 0, error, status },
      });
    finish(false);
  }

  function finish(more: boolean): void {
    columns = [];
    rows = [];
    count = 0;
    phase = { at: "first" };
    if (!more) operations.shift();
  }

  return {
    fromClient(chunk) {
      for (const { sequence, payload } of client.read(chunk)) {
        if (isSendingFile) isSendingFile = payload === undefined || payload.length > 0;
        else if (payload === undefined)
          remark(`connection ${String(connection)}: a command of more than 16 MB is not recorded`);
        else if (!hasGreeted) {
          hasGreeted = true;
          introduced(payload);
        } else if (sequence === 0 || payload.length >= FULL) asked(payload);
      }
    },
    fromServer(chunk) {
      for (const { payload } of server.read(chunk)) {
        if (payload !== undefined && hasGreeted) answered(payload);
        else if (payload === undefined) count++;
      }
    },
    answering: () => {
      const head = operations[0];
      if (head?.kind !== "query" || !hasGreeted) return undefined;
      resolve(head);
      const sql = head.pieces[0];
      if (sql === undefined || head.values.length > 1) return undefined;
      const isBinary = head.statement !== undefined;
      return {
        ...{ order: head.order, sql, rows: count, isInRows: phase.at === "rows" },
        ...(database !== undefined && { database }),
        columns: columns.map(({ type, unsigned }) => ({
          ...{ type, unsigned, isBinary, largest: LARGEST.get(type) },
        })),
      };
    },
    end: () => undefined,
  };
}

/** The largest whole numbers of one to four bytes. */
const LARGEST: ReadonlyMap<number, number> = new Map([
  [TYPES.tiny, 127],
  [TYPES.short, 32_767],
  [TYPES.int24, 8_388_607],
  [TYPES.long, 2_147_483_647],
]);

function executedOnce({
  types,
  values,
}: {
  readonly types: readonly ParameterType[];
  readonly values: readonly Parameter[];
}): Pick<BulkArguments, "types" | "rows"> {
  return { types, rows: [values] };
}

/** Change of one of several executions, where their sum tells it. */
function shareOf(affected: number | undefined, times: number): number | undefined {
  if (times === 1 || affected === undefined || affected === 0) return affected;
  return affected === times ? 1 : undefined;
}

function textOf(value: Parameter): Value {
  if (value === null) return null;
  if (typeof value !== "object") return String(value);
  const text = value.toString("utf8");
  return Buffer.byteLength(text) === value.length && !text.includes("\uFFFD")
    ? text
    : `\\x${value.toString("hex")}`;
}
