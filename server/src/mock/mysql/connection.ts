// One connection of a client of MySQL or MariaDB: handshake, then commands, answered in the order in which they come.
import { randomBytes } from "node:crypto";
import { ofNode } from "../../query/nodes";
import { reasonOf } from "../../protocol/fault";
import type { Connection, Wire } from "../connection";
import type { SqlError } from "../../sqlstore/sqlError";
import { textOfBytes } from "../../frontend/sql/text/bytes";
import { loadedRows } from "../../sqlstore/mysql/loadStatement";
import type { LoadOptions, SqlCopy } from "../../sqlstore/statementTree";
import { createSilence } from "../silence";
import type {
  MockArgument,
  MockSession,
  PreparedStatement,
  ResultColumn,
  StatementResult,
} from "../session";
import { bulkRefusal, runBulk } from "./bulk";
import {
  bulkArguments,
  command,
  executionArguments,
  handshakeResponse,
  LAST_PREPARED,
  type Command,
} from "./commands";
import { MalformedPacket } from "./fields";
import { createPacketReader, packets, PacketTooLong, type Packet } from "./packets";
import type { Parameter, ParameterType } from "./parameters";
import * as replies from "./replies";
import { columnDefinition } from "./typeCodes";

/** A file that is on its way from the client. */
interface Loading {
  readonly copy: SqlCopy;
  readonly load: LoadOptions;
  readonly pieces: Buffer[];
  /** Bytes that came; of more than are taken none is kept. */
  size: number;
}

interface Statement {
  readonly text: string;
  readonly prepared: PreparedStatement;
  types: readonly ParameterType[];
  readonly long: Map<number, Buffer>;
}

const DISCONNECTED =
  "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.";
const TOO_BIG = "Got a packet bigger than 'max_allowed_packet' bytes";
const NATIVE = "mysql_native_password";

/**
 * A connection whose session is opened when the client has introduced itself, with the database that it names. Commands
 * of more than `longest` bytes are refused and end it. `number` is the connection's number, `version` what the server calls itself.
 */
export function createMysqlConnection(
  openSession: (database: string | undefined, from?: MockSession) => MockSession,
  wire: Wire,
  {
    longest,
    number,
    version,
  }: { readonly longest: number; readonly number: number; readonly version: string },
): Connection {
  const reader = createPacketReader(longest);
  const salt = withoutZeros(randomBytes(20));
  const statements = new Map<number, Statement>();
  let prepared = 0;
  let state: "introduction" | "authentication" | "commands" = "introduction";
  let database: string | undefined;
  let session: MockSession | undefined;
  let work = Promise.resolve();
  let closed = false;
  let loading: Loading | undefined;
  let turns = 0;
  const silence = createSilence(() => {
    // The client reads MySQL's answer when it sends its next command.
    wire.write(packets([replies.errorReply(4031, "HY000", DISCONNECTED)], 0));
    close();
    wire.end();
  });
  wire.write(packets([replies.handshake(version, number, salt)], 0));

  function close(): void {
    if (closed) return;
    closed = true;
    silence.ends();
    session?.close();
  }

  function reply(payloads: readonly Buffer[]): void {
    wire.write(packets(payloads, 1));
  }

  function status(more = false): replies.SessionStatus {
    return {
      inTransaction: session !== undefined && session.status !== "idle",
      autocommit: session?.autocommit ?? true,
      warnings: session?.warnings ?? 0,
      more,
    };
  }

  function okay(): void {
    reply([replies.ok(status(), { affected: 0, inserted: 0 })]);
  }

  function fail({ number: code, mysqlState, message }: SqlError): void {
    reply([replies.errorReply(code, mysqlState, message)]);
  }

  function resultPayloads(
    { columns, rows, affected, inserted, found, sets = [], outputs }: StatementResult,
    binary: boolean,
    more: boolean,
  ): readonly Buffer[] {
    const given = binary ? outputs : undefined;
    if (sets.length > 0 || given) {
      const end = replies.ok(status(more), { affected, inserted: inserted ?? 0 });
      const values =
        given?.columns &&
        replies.binaryResult(definitions(given.columns), given.rows, {
          ...status(true),
          isOutput: true,
        });
      return [...sets.flatMap((set) => resultPayloads(set, binary, true)), ...(values ?? []), end];
    }
    if (!columns) {
      const info =
        found &&
        `Rows matched: ${String(found.matched)}  Changed: ${String(found.changed)}  Warnings: 0`;
      const told = { affected, inserted: inserted ?? 0, ...(info && { info }) };
      return [replies.ok(status(more), told)];
    }
    const result = binary ? replies.binaryResult : replies.textResult;
    return result(definitions(columns), rows, status(more));
  }

  function opened(...from: Parameters<typeof openSession>): MockSession {
    const fresh = openSession(...from);
    fresh.onEnd?.(() => {
      void work.then(() => {
        if (session !== fresh) return;
        close();
        wire.end();
      });
    });
    return fresh;
  }

  /** The session in the database that USE has named last. */
  function follow(on: MockSession): MockSession {
    if (session === undefined || on.database === undefined || on.database === database)
      return session ?? on;
    database = on.database;
    session = opened(database, on);
    return session;
  }

  async function query(on: MockSession, sql: string): Promise<void> {
    const all = on.split(sql);
    if (all.length === 0) {
      fail({ code: "42000", number: 1065, mysqlState: "42000", message: "Query was empty" });
      return;
    }
    const payloads: Buffer[] = [];
    for (const [index, each] of all.entries()) {
      const statement = await follow(on).prepare(each, []);
      const outcome = statement.ok ? await statement.value.run([]) : statement;
      if (!outcome.ok) {
        const { number: code, mysqlState, message } = outcome.error;
        payloads.push(replies.errorReply(code, mysqlState, message));
        break;
      }
      const { copy } = outcome.value;
      if (copy?.load !== undefined) {
        loading = { copy, load: copy.load, pieces: [], size: 0 };
        payloads.push(replies.fileRequest(copy.load.file));
        break;
      }
      payloads.push(...resultPayloads(outcome.value, false, index < all.length - 1));
    }
    reply(payloads);
  }

  /** Takes a part of a file; an empty one ends it. */
  async function loaded(on: MockSession, state: Loading, packet: Packet): Promise<void> {
    const { payload, sequence } = packet;
    if (payload === undefined || payload.length > 0) {
      state.size += payload?.length ?? longest;
      if (state.size > longest) state.pieces.length = 0;
      else if (payload !== undefined) state.pieces.push(payload);
      return;
    }
    loading = undefined;
    if (state.size > longest) {
      end(1153, "08S01", TOO_BIG, sequence + 1);
      return;
    }
    const rows = loadedRows(textOfBytes(Buffer.concat(state.pieces)), state.load);
    const outcome = await on.copyIn?.(state.copy, rows);
    if (outcome?.ok !== true) {
      const { number: code, mysqlState, message } = outcome?.error ?? unknownStatement(0);
      wire.write(packets([replies.errorReply(code, mysqlState, message)], sequence + 1));
      return;
    }
    const { affected } = outcome.value;
    const info = `Records: ${String(rows.length)}  Deleted: 0  Skipped: ${String(rows.length - affected)}  Warnings: ${String(on.warnings ?? 0)}`;
    const told = replies.ok(status(), { affected, inserted: 0, info });
    wire.write(packets([told], sequence + 1));
  }

  async function prepare(on: MockSession, sql: string): Promise<void> {
    const [text, ...more] = on.split(sql);
    if (text === undefined || more.length > 0) {
      const message =
        "You have an error in your SQL syntax: one statement can be prepared at a time";
      fail({ code: "42000", number: 1064, mysqlState: "42000", message });
      return;
    }
    const outcome = await on.prepare(text, []);
    if (!outcome.ok) {
      fail(outcome.error);
      return;
    }
    prepared++;
    statements.set(prepared, { text, prepared: outcome.value, types: [], long: new Map() });
    const { parameters, columns = [] } = outcome.value;
    const described = definitions(columns);
    reply(replies.prepareReply(prepared, parameters.length, described, status()));
  }

  async function execute(id: number, body: Buffer): Promise<void> {
    const statement = statements.get(id === LAST_PREPARED ? prepared : id);
    if (!statement) {
      fail(unknownStatement(id));
      return;
    }
    const count = statement.prepared.parameters.length;
    const { types, values } = executionArguments(body, count, statement.types, statement.long);
    statement.types = types;
    statement.long.clear();
    const outcome = await statement.prepared.run(values.map(argument));
    if (outcome.ok) reply(resultPayloads(outcome.value, true, false));
    else fail(outcome.error);
  }

  async function executeRows(on: MockSession, id: number, body: Buffer): Promise<void> {
    const statement = statements.get(id === LAST_PREPARED ? prepared : id);
    if (!statement) {
      fail(unknownStatement(id));
      return;
    }
    const read = bulkArguments(body, statement.prepared.parameters.length, statement.types);
    const refusal = bulkRefusal(read);
    if (refusal) {
      fail(refusal);
      return;
    }
    statement.types = read.types;
    const rows = read.rows.map((row) => row.map(argument));
    const outcome = await runBulk(on, statement.text, rows);
    if (outcome.ok) reply(resultPayloads(outcome.value, true, false));
    else fail(outcome.error);
  }

  async function obey(on: MockSession, order: Command): Promise<void> {
    switch (order.kind) {
      case "quit":
        close();
        wire.end();
        return;
      case "query":
        return query(on, order.sql);
      case "prepare":
        return prepare(on, order.sql);
      case "execute":
        return execute(order.statement, order.body);
      case "bulk":
        return executeRows(on, order.statement, order.body);
      case "longData":
        appendLongData(statements.get(order.statement), order.parameter, order.data);
        return;
      case "closeStatement":
        statements.delete(order.statement);
        return;
      case "resetStatement":
        statements.get(order.statement)?.long.clear();
        okay();
        return;
      case "setOption":
        reply([replies.eof(status())]);
        return;
      case "statistics":
        reply([Buffer.from("Uptime: 1")]);
        return;
      case "changeUser":
      case "resetConnection":
        if (order.kind === "changeUser" && order.database !== "") database = order.database;
        on.close();
        statements.clear();
        session = opened(database);
        okay();
        return;
      case "use":
        return query(on, `USE \`${order.database.replaceAll("`", "``")}\``);
      case "ping":
        okay();
        return;
      case "unknown": {
        const message = `Unknown command ${String(order.code)}`;
        fail({ code: "08S01", number: 1047, mysqlState: "08S01", message });
      }
    }
  }

  /** Whatever the password is, it is right. */
  function introduce({ payload, sequence }: Packet): void {
    if (!payload) throw new MalformedPacket("an introduction of this length");
    if (state === "introduction") {
      const response = handshakeResponse(payload);
      database = response.database;
      if (response.plugin !== undefined && response.plugin !== NATIVE) {
        state = "authentication";
        wire.write(packets([replies.authenticationSwitch(salt)], sequence + 1));
        return;
      }
    }
    state = "commands";
    reader.introduced();
    session = opened(database);
    wire.write(packets([replies.ok(status(), { affected: 0, inserted: 0 })], sequence + 1));
  }

  function refuse(error: unknown): void {
    if (error instanceof MalformedPacket) end(1835, "HY000", error.message);
    else if (error instanceof PacketTooLong) end(1153, "08S01", error.message);
    else end(1815, "HY000", reasonOf(error));
  }

  function end(code: number, sqlState: string, message: string, sequence = 1): void {
    wire.write(packets([replies.errorReply(code, sqlState, message)], sequence));
    close();
    wire.end();
  }

  async function answer(packet: Packet): Promise<void> {
    if (closed) return;
    if (!session) introduce(packet);
    else if (loading) await loaded(session, loading, packet);
    else if (packet.payload) await obey(follow(session), command(packet.payload));
    else end(1153, "08S01", TOO_BIG, packet.sequence + 1);
  }

  async function answerAll(all: readonly Packet[], turn: number): Promise<void> {
    for (const packet of all)
      try {
        await answer(packet);
      } catch (error) {
        refuse(error);
      }
    if (!closed && turn === turns) silence.begins(session);
  }

  return {
    receive(chunk) {
      if (closed) return work;
      let complete: readonly Packet[];
      try {
        complete = reader.read(chunk);
      } catch (error) {
        refuse(error);
        return work;
      }
      silence.ends();
      const turn = ++turns;
      work = work.then(() => answerAll(complete, turn));
      return work;
    },
    get introduced() {
      return session !== undefined;
    },
    close() {
      session?.giveUp?.();
      void work.finally(close);
    },
  };
}

const definitions = ofNode((columns: readonly ResultColumn[]) => columns.map(columnDefinition));

function appendLongData(statement: Statement | undefined, parameter: number, data: Buffer): void {
  if (!statement) return;
  const before = statement.long.get(parameter) ?? Buffer.alloc(0);
  statement.long.set(parameter, Buffer.concat([before, data]));
}

function argument(value: Parameter): MockArgument {
  return Buffer.isBuffer(value) ? textOfBytes(value) : value;
}

function unknownStatement(id: number): SqlError {
  const message = `Unknown prepared statement handler (${String(id)}) given to EXECUTE`;
  return { code: "HY000", number: 1243, mysqlState: "HY000", message };
}

function withoutZeros(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte % 126) + 1));
}
