// The conversation of one PostgreSQL connection as statements: simple and extended protocol, named statements, portals,
// text and binary. Operations wait in the order in which they were sent; the server's answers complete them one by one.
import {
  createFrontendReader,
  formatOf,
  type Format,
  type FrontendMessage,
  type Parameter,
} from "../../mock/postgres/frontendMessages";
import { fromBinary } from "../../mock/postgres/binaryTypes";
import type {
  Decoder,
  EventSink,
  Remark,
  StatementEvent,
  TransactionStatus,
  Value,
} from "../events";
import { KEPT_ROWS } from "../events";
import { statementsOf } from "../pieces";
import { createServerReader, type ColumnField, type ServerMessage } from "./serverMessages";

export interface PostgresDecoderOptions {
  readonly connection: number;
  readonly emit: EventSink;
  /** The number of the next statement over all connections. */
  readonly nextOrder: () => number;
  readonly remark: Remark;
}

interface Prepared {
  readonly sql: string;
  types: readonly number[];
  columns?: readonly ColumnField[];
}

interface Portal {
  readonly statement: Prepared;
  readonly parameters: readonly Parameter[];
  readonly formats: readonly Format[];
  /** Its statement was prepared where no byte was seen. */
  readonly isForeign: boolean;
  /** Rows of it were told already: what follows is more of the same result. */
  isTold: boolean;
}

/** One that the client bound in no message that was read. */
const UNKNOWN: Portal = {
  statement: { sql: "", types: [] },
  parameters: [],
  formats: [],
  isForeign: false,
  isTold: true,
};

/** Requests without an answer yet. */
type Operation =
  | { readonly kind: "query"; readonly pieces: string[]; readonly order: number }
  | { readonly kind: "parse" | "bind"; readonly sql: string; readonly order: number }
  | { readonly kind: "describe"; readonly statement: Prepared | undefined }
  | { readonly kind: "execute"; readonly portal: Portal; readonly order: number }
  | { readonly kind: "close" | "sync" };

type Pending = Omit<StatementEvent, "status">;

/** Longer messages of a client (a large COPY, a blob) are passed on and not gathered. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;

export function createPostgresDecoder(options: PostgresDecoderOptions): Decoder {
  const { connection, emit, nextOrder, remark } = options;
  const client = createFrontendReader(LONGEST_MESSAGE);
  const server = createServerReader();
  const statements = new Map<string, Prepared>();
  const portals = new Map<string, Portal>();
  const operations: Operation[] = [];
  /** Complete, but for the status that comes with the end of the batch. */
  let told: Pending[] = [];
  let columns: readonly ColumnField[] = [];
  let rows: (readonly Value[])[] = [];
  let count = 0;
  let level: string | undefined;
  let database: string | undefined;
  /** The server's offer of SCRAM is not answered yet. */
  let isOffered = false;

  function asked(message: FrontendMessage): void {
    isOffered = false;
    switch (message.kind) {
      case "startup":
        level = levelOf(message.options);
        database = message.options.get("database") ?? message.options.get("user");
        return;
      case "query":
        operations.push({
          kind: "query",
          pieces: [...statementsOf(message.sql, "postgres")],
          order: nextOrder(),
        });
        return;
      case "parse":
        statements.set(message.name, { sql: message.sql, types: message.types });
        operations.push({ kind: "parse", sql: message.sql, order: nextOrder() });
        return;
      case "bind": {
        const known = statements.get(message.statement);
        const statement = known ?? { sql: "", types: [] };
        const { parameters, formats } = message;
        const isForeign = known === undefined && message.statement !== "";
        portals.set(message.portal, { statement, parameters, formats, isForeign, isTold: false });
        operations.push({ kind: "bind", sql: statement.sql, order: nextOrder() });
        return;
      }
      case "describe": {
        const statement =
          message.target === "statement"
            ? statements.get(message.name)
            : portals.get(message.name)?.statement;
        operations.push({ kind: "describe", statement });
        return;
      }
      case "execute": {
        // A cursor that DECLARE made is executed by its name as well: more of what that statement began.
        const portal = portals.get(message.portal) ?? UNKNOWN;
        operations.push({ kind: "execute", portal, order: nextOrder() });
        return;
      }
      case "close":
        if (message.target === "statement") statements.delete(message.name);
        else portals.delete(message.name);
        operations.push({ kind: "close" });
        return;
      case "tooLong":
        tooLong(message.type);
        return;
      case "sync":
        operations.push({ kind: "sync" });
        return;
      default:
        return;
    }
  }

  /** Messages that are too long to be kept are answered as all others are. */
  function tooLong(type: string): void {
    const order = nextOrder();
    if (type === "Q") operations.push({ kind: "query", pieces: [], order });
    else if (type === "P") operations.push({ kind: "parse", sql: "", order });
    else if (type === "B") operations.push({ kind: "bind", sql: "", order });
    else return;
    // Nobody knows which statement or portal has this name now.
    statements.delete("");
    portals.clear();
    remark(`connection ${String(connection)}: a statement of more than 16 MB is not recorded`);
  }

  function answered(message: ServerMessage): void {
    const head = operations[0];
    switch (message.kind) {
      case "authentication":
        isOffered = message.code === SASL;
        return;
      case "parsed":
      case "bound":
      case "closed":
        operations.shift();
        return;
      case "parameterTypes":
        if (head?.kind === "describe" && head.statement) head.statement.types = message.types;
        return;
      case "columns":
        if (head?.kind === "describe") {
          operations.shift();
          if (head.statement) head.statement.columns = message.columns;
        } else columns = message.columns;
        return;
      case "noData":
        operations.shift();
        return;
      case "row":
        count++;
        if (rows.length < KEPT_ROWS) rows.push(valuesOf(message.cells, head));
        return;
      case "complete":
      case "empty":
      case "suspended":
        finish(message);
        return;
      case "error":
        fail(message.code);
        return;
      case "ready": {
        const end = operations.findIndex(({ kind }) => kind === "query" || kind === "sync");
        operations.splice(0, end + 1);
        hand(STATUS.get(message.status) ?? "idle");
        // Portals end with their transaction.
        if (message.status === "I" && operations.length === 0) portals.clear();
        return;
      }
      case "parameterStatus":
        if (message.name === "default_transaction_isolation") level = message.value;
        return;
      default:
        message satisfies never;
    }
  }

  function valuesOf(cells: readonly (Buffer | null)[], head: Operation | undefined): Value[] {
    const described = columnsAt(head);
    const formats = head?.kind === "execute" ? head.portal.formats : [];
    return cells.map((cell, at) => {
      if (cell === null) return null;
      const isBinary =
        formats.length > 0 ? formatOf(formats, at) === "binary" : described[at]?.isBinary;
      return textOf(cell, isBinary === true, described[at]?.type ?? 0);
    });
  }

  function columnsAt(head: Operation | undefined): readonly ColumnField[] {
    return head?.kind === "execute" ? (head.portal.statement.columns ?? []) : columns;
  }

  function finish(
    message: Extract<ServerMessage, { kind: "complete" | "empty" | "suspended" }>,
  ): void {
    const head = operations[0];
    if (head?.kind === "query") {
      const sql = message.kind === "empty" ? "" : (head.pieces.shift() ?? "");
      if (sql !== "") tell(sql, head, [], message);
    } else if (head?.kind === "execute") {
      operations.shift();
      const { portal } = head;
      if (portal.statement.sql === "" && portal.isForeign) remark(FOREIGN);
      else if (!portal.isTold && message.kind !== "empty")
        tell(portal.statement.sql, head, argumentsOf(portal), message);
      portal.isTold = message.kind === "suspended" || portal === UNKNOWN;
    }
    forget();
  }

  function tell(
    sql: string,
    head: Extract<Operation, { kind: "query" | "execute" }>,
    values: readonly Value[],
    message: ServerMessage,
  ): void {
    const affected = message.kind === "complete" ? affectedOf(message.tag) : undefined;
    told.push({
      ...common(head.order, sql),
      arguments: values,
      columns: columnsAt(head).map(({ name }) => name),
      rows,
      count,
      ...(affected !== undefined && { affected }),
    });
  }

  function fail(code: string): void {
    const head = operations[0];
    if (head !== undefined && "order" in head) {
      const sql = sqlOf(head);
      const values = head.kind === "execute" ? argumentsOf(head.portal) : [];
      if (sql !== "")
        told.push({
          ...common(head.order, sql),
          arguments: values,
          columns: [],
          rows: [],
          count: 0,
          error: code,
        });
    }
    forget();
    // The server passes over what follows, up to the end of the batch.
    const end = operations.findIndex(({ kind }) => kind === "query" || kind === "sync");
    if (end > 0) operations.splice(0, end);
  }

  function common(
    order: number,
    sql: string,
  ): Pick<Pending, "connection" | "order" | "at" | "sql" | "level" | "database"> {
    return {
      ...{ connection, order, at: Date.now(), sql },
      ...(level !== undefined && { level }),
      ...(database !== undefined && { database }),
    };
  }

  function forget(): void {
    columns = [];
    rows = [];
    count = 0;
  }

  function hand(status: TransactionStatus): void {
    // The last status alone is known of several statements in one batch; what stood before was in its transaction.
    for (const [at, event] of told.entries()) {
      const isLast = at === told.length - 1;
      emit({ ...event, status: isLast || status === "failed" ? status : "open" });
    }
    told = [];
  }

  return {
    fromClient: (chunk) => {
      for (const message of client.read(chunk)) asked(message);
    },
    fromServer: (chunk) => {
      for (const message of server.read(chunk)) answered(message);
    },
    answering: () => {
      const head = operations[0];
      const isAnswered = head?.kind === "query" || head?.kind === "execute";
      if (!isAnswered || (head.kind === "execute" && head.portal.isTold)) return undefined;
      const formats = head.kind === "execute" ? head.portal.formats : [];
      return {
        order: head.order,
        sql: sqlOf(head),
        ...(database !== undefined && { database }),
        columns: columnsAt(head).map(({ type, isBinary }, at) => ({
          type,
          largest: LARGEST.get(type),
          isBinary: formats.length > 0 ? formatOf(formats, at) === "binary" : isBinary,
        })),
        rows: count,
        isInRows: true,
      };
    },
    end: () => {
      if (isOffered) remark(LEFT_AT_OFFER);
      hand("idle");
    },
  };
}

/** The server's offer of SASL, of which SCRAM is one ("AuthenticationSASL"). */
const SASL = 10;

const LEFT_AT_OFFER =
  "a client left when the server asked for its password: either it has none, or it demands that SCRAM is bound to TLS, which it does not have while you record (channel_binding=prefer)";

const FOREIGN =
  "statements that were prepared elsewhere, as a pooler does, were executed by their names alone and are not recorded: record between the application and the pooler";

/** The largest whole numbers of two and of four bytes. */
const LARGEST: ReadonlyMap<number, number> = new Map([
  [21, 32_767],
  [23, 2_147_483_647],
]);

const STATUS: ReadonlyMap<string, TransactionStatus> = new Map([
  ["I", "idle"],
  ["T", "open"],
  ["E", "failed"],
]);

function sqlOf(operation: Operation): string {
  switch (operation.kind) {
    case "query":
      return operation.pieces[0] ?? "";
    case "parse":
    case "bind":
      return operation.sql;
    case "execute":
      return operation.portal.statement.sql;
    default:
      return "";
  }
}

function argumentsOf({ statement, parameters }: Portal): readonly Value[] {
  return parameters.map(({ bytes, format }, at) =>
    bytes === null ? null : textOf(bytes, format === "binary", statement.types[at] ?? 0),
  );
}

function textOf(bytes: Buffer, isBinary: boolean, type: number): string {
  if (!isBinary) return bytes.toString("utf8");
  return (
    fromBinary(bytes, type) ?? (isLabel(bytes, type) ? bytes.toString("utf8") : guessed(bytes))
  );
}

/** True for a value of an enumeration: its label is the same in text and in binary. */
export function isLabel(bytes: Buffer, type: number): boolean {
  return type >= FIRST_OWN_TYPE && LABEL.test(bytes.toString("latin1"));
}

/** Types from here on are those that users define: enumerations for the most part, whose values are their labels. */
const FIRST_OWN_TYPE = 16_384;
const LABEL = /^[ -~\x80-\xff]+$/;

/** A binary value whose type is not known: whole numbers have two, four or eight bytes. */
function guessed(bytes: Buffer): string {
  if (bytes.length === 8) return bytes.readBigInt64BE(0).toString();
  if (bytes.length === 4) return String(bytes.readInt32BE(0));
  if (bytes.length === 2) return String(bytes.readInt16BE(0));
  return `\\x${bytes.toString("hex")}`;
}

/** "UPDATE 3", "INSERT 0 1". */
function affectedOf(tag: string): number | undefined {
  const count = /^(?:UPDATE|DELETE|MERGE|INSERT \d+) (\d+)$/.exec(tag)?.[1];
  return count === undefined ? undefined : Number(count);
}

/** Level in the client's first packet: `-c default_transaction_isolation=serializable`. */
function levelOf(options: ReadonlyMap<string, string>): string | undefined {
  const own = options.get("default_transaction_isolation");
  if (own !== undefined) return own;
  const said = /default_transaction_isolation=((?:\\ |[^\s])+)/.exec(options.get("options") ?? "");
  return said?.[1]?.replaceAll("\\ ", " ").replaceAll("'", "");
}
