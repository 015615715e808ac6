// One connection of a PostgreSQL client: simple and extended queries, in the order in which they come.
import { typeId, typeOfId } from "../../sqlstore/pg/typeIds";
import type { SqlError } from "../../sqlstore/sqlError";
import { POSTGRES_VERSION } from "../../sqlstore/system/pgSettings";
import type {
  MockSession,
  Outcome,
  PreparedStatement,
  ResultColumn,
  StatementResult,
} from "../session";
import { reasonOf } from "../../protocol/fault";
import type { Connection, Wire } from "../connection";
import { createSilence } from "../silence";
import { SqlFailure } from "../../sqlstore/sqlError";
import type { SqlCopy } from "../../sqlstore/statementTree";
import { copiedPieces, copiedRows } from "./copy";
import * as backend from "./backendMessages";
import { fromBinary } from "./binaryTypes";
import {
  createFrontendReader,
  ProtocolViolation,
  type Format,
  type FrontendMessage,
  type Parameter,
} from "./frontendMessages";
import { dataRows, rowDescription } from "./resultRows";

interface Statement {
  readonly prepared: PreparedStatement | undefined;
  /** Object ids of the parameters' types, as the client gave them; else those that were found out. */
  readonly types: readonly number[];
  readonly text: string;
}

interface Portal {
  readonly statement: Statement;
  readonly values: readonly (string | null)[];
  readonly formats: readonly Format[];
  /** Its result, once it was run, and how many rows were sent. */
  result?: StatementResult;
  sent: number;
}

/** Rows that are on their way from the client. */
interface Copying {
  readonly copy: SqlCopy;
  readonly columns: readonly ResultColumn[];
  readonly pieces: Buffer[];
  /** Bytes that came; of more than are taken none is kept. */
  size: number;
  /** Continuation of a simple query; absent in the extended protocol. */
  readonly then: (() => Promise<void>) | undefined;
}

const PARAMETERS: readonly (readonly [string, string])[] = [
  ["server_version", POSTGRES_VERSION],
  ["server_encoding", "UTF8"],
  ["client_encoding", "UTF8"],
  ["DateStyle", "ISO, MDY"],
  ["IntervalStyle", "postgres"],
  ["TimeZone", "UTC"],
  ["integer_datetimes", "on"],
  ["standard_conforming_strings", "on"],
];

interface PostgresLimits {
  readonly longest: number;
  readonly number: number;
  /** Cancels what the connection of that number runs. */
  readonly cancel: (number: number) => void;
}

/** A text that is no SQL is shown where it stands. */
const SYNTAX_ERROR = "42601";
const NULL_VIOLATION = "23502";

/**
 * A connection whose session is opened when the client has introduced itself. Messages of more than `longest` bytes are
 * refused. `number` is the process number that the client is told.
 */
export function createPostgresConnection(
  openSession: (options: ReadonlyMap<string, string>) => MockSession,
  wire: Wire,
  { longest, number, cancel }: PostgresLimits,
): Connection {
  const reader = createFrontendReader(longest);
  const statements = new Map<string, Statement>();
  const portals = new Map<string, Portal>();
  let session: MockSession | undefined;
  let work = Promise.resolve();
  let skipping = false;
  let closed = false;
  let copying: Copying | undefined;
  /** Settings as the client was told them last. */
  const reported = new Map<string, string>();
  let turns = 0;
  const silence = createSilence(() => {
    const inTransaction = session?.status !== "idle";
    end(
      inTransaction ? "25P03" : "57P05",
      `terminating connection due to idle-${inTransaction ? "in-transaction" : "session"} timeout`,
    );
  });

  function close(): void {
    if (closed) return;
    closed = true;
    silence.ends();
    session?.close();
  }

  function refuse(error: unknown): void {
    const fields =
      error instanceof ProtocolViolation
        ? { code: "08P01", message: `protocol violation: ${error.message}` }
        : { code: "XX000", message: reasonOf(error) };
    end(fields.code, fields.message);
  }

  function end(code: string, message: string): void {
    wire.write(backend.errorResponse({ severity: "FATAL", code, message }));
    close();
    wire.end();
  }

  function ready(): void {
    const status = session?.status ?? "idle";
    wire.write(
      backend.readyForQuery(status === "idle" ? "I" : status === "transaction" ? "T" : "E"),
    );
  }

  function fail(error: SqlError): void {
    const { code, message, detail, table, constraint } = error;
    const position = error.code === SYNTAX_ERROR ? (error.position ?? 0) + 1 : undefined;
    const fields = { severity: "ERROR", code, message, detail, table, constraint } as const;
    const column = error.code === NULL_VIOLATION ? error.column : undefined;
    wire.write(backend.errorResponse({ ...fields, column, position }));
  }

  async function simpleQuery(on: MockSession, sql: string): Promise<void> {
    const all = on.split(sql);
    if (all.length === 0) wire.write(backend.emptyQueryResponse);
    if (all.length > 1) on.group?.();
    await simpleQueries(on, all);
  }

  /** Remaining statements of a query; they wait while one of them receives rows. */
  async function simpleQueries(on: MockSession, all: readonly string[]): Promise<void> {
    for (const [index, each] of all.entries()) {
      const outcome = await runOnce(on, each);
      if (!outcome.ok) {
        fail(outcome.error);
        break;
      }
      // Statements that share a transaction are committed before the last of them is answered.
      const isLast = index === all.length - 1 && outcome.value.copy?.isFrom !== true;
      const end = isLast ? await on.settle?.() : undefined;
      if (end?.ok === false) {
        fail(end.error);
        break;
      }
      const { columns, rows, tag, copy } = outcome.value;
      if (copy?.isFrom === true) {
        wantRows(copy, columns ?? [], () => simpleQueries(on, all.slice(index + 1)));
        return;
      }
      tell(outcome.value.notices);
      if (copy) writeCopy(copy, outcome.value);
      else if (columns) {
        wire.write(rowDescription(columns, []));
        writeRows(rows, columns, []);
      }
      wire.write(backend.commandComplete(tag));
      reportSettings(on, each);
    }
    await settle(on);
    ready();
  }

  /** Commits what statements without BEGIN have shared. */
  async function settle(on: MockSession): Promise<void> {
    const end = await on.settle?.();
    if (end?.ok === false) fail(end.error);
  }

  function tell(notices: StatementResult["notices"] = []): void {
    for (const { severity, code, message } of notices)
      wire.write(backend.noticeResponse(severity, code, message));
  }

  function wantRows(
    copy: SqlCopy,
    columns: readonly ResultColumn[],
    then: (() => Promise<void>) | undefined,
  ): void {
    copying = { copy, columns, pieces: [], size: 0, then };
    const isBinary = copy.options.format === "binary";
    wire.write(backend.copyResponse("in", isBinary, columns.length));
  }

  function writeCopy({ options }: SqlCopy, result: StatementResult): void {
    const isBinary = options.format === "binary";
    wire.write(backend.copyResponse("out", isBinary, result.columns?.length ?? 0));
    for (const piece of copiedPieces(result, options)) wire.write(backend.copyData(piece));
    wire.write(backend.copyDone);
  }

  /** Takes a message while rows are wanted. */
  async function copied(on: MockSession, state: Copying, message: FrontendMessage): Promise<void> {
    if (message.kind === "copy data" || message.kind === "tooLong") {
      state.size += message.kind === "copy data" ? message.bytes.length : message.size;
      if (state.size > longest) state.pieces.length = 0;
      else if (message.kind === "copy data") state.pieces.push(message.bytes);
      return;
    }
    if (message.kind !== "copy done" && message.kind !== "copy fail") return;
    copying = undefined;
    const outcome =
      message.kind === "copy fail"
        ? await copyFailed(on, `COPY from stdin failed: ${message.reason}`)
        : await stored(on, state);
    if (outcome.ok) wire.write(backend.commandComplete(outcome.value.tag));
    else fail(outcome.error);
    if (state.then === undefined) {
      skipping = !outcome.ok;
      return;
    }
    if (outcome.ok) await state.then();
    else ready();
  }

  /** Rows that the client gave up fail their statement, and its transaction with it. */
  async function copyFailed(on: MockSession, message: string): Promise<Outcome<StatementResult>> {
    if (on.status === "transaction") await runOnce(on, "SELECT 1/0");
    return { ok: false, error: sqlError("57014", message) };
  }

  async function stored(
    on: MockSession,
    { copy, columns, pieces, size }: Copying,
  ): Promise<Outcome<StatementResult>> {
    if (size > longest) {
      await copyFailed(on, "");
      return { ok: false, error: tooLong(size, longest) };
    }
    try {
      const rows = copiedRows(Buffer.concat(pieces), copy.options, columns);
      return (await on.copyIn?.(copy, rows)) ?? { ok: false, error: sqlError("0A000", "COPY") };
    } catch (error) {
      if (error instanceof SqlFailure) return copyFailed(on, error.error.message);
      throw error;
    }
  }

  /** Settings that drivers watch are told when they change. */
  function reportSettings(on: MockSession, sql: string): void {
    if (!/^\s*(?:set|reset|discard|select|begin|rollback|commit)\b/i.test(sql)) return;
    for (const [name, usual] of PARAMETERS) {
      const value = on.setting?.(name.toLowerCase()) ?? usual;
      if ((reported.get(name) ?? usual) === value) continue;
      reported.set(name, value);
      wire.write(backend.parameterStatus(name, value));
    }
  }

  function writeRows(
    rows: StatementResult["rows"],
    columns: readonly ResultColumn[],
    formats: readonly Format[],
  ): void {
    if (rows.length > 0) wire.write(dataRows(rows, columns, formats));
  }

  async function parse(
    on: MockSession,
    { name, sql, types }: FrontendMessage & { readonly kind: "parse" },
  ): Promise<SqlError | undefined> {
    const [text, ...more] = on.split(sql);
    if (more.length > 0) {
      return sqlError("42601", "cannot insert multiple commands into a prepared statement");
    }
    if (name !== "" && statements.has(name)) {
      return sqlError("42P05", `prepared statement "${name}" already exists`);
    }
    if (text === undefined) statements.set(name, { prepared: undefined, types, text: "" });
    else {
      const outcome = await on.prepare(text, types.map(typeOfId));
      if (!outcome.ok) return outcome.error;
      const found = outcome.value.parameters.map((type) => typeId(type).id);
      const given = found.map((id, index) => types[index] || id);
      statements.set(name, { prepared: outcome.value, types: given, text });
    }
    wire.write(backend.parseComplete);
    return undefined;
  }

  function bind(message: FrontendMessage & { readonly kind: "bind" }): SqlError | undefined {
    const statement = statements.get(message.statement);
    if (!statement) {
      return sqlError("26000", `prepared statement "${message.statement}" does not exist`);
    }
    const expected = statement.types.length;
    if (message.parameters.length !== expected) {
      const counts = `${String(message.parameters.length)} parameters, but prepared statement "${message.statement}" requires ${String(expected)}`;
      return sqlError("08P01", `bind message supplies ${counts}`);
    }
    const values: (string | null)[] = [];
    for (const [index, parameter] of message.parameters.entries()) {
      const value = argument(parameter, statement.types[index] ?? 0);
      if (value === undefined) {
        const which = `of parameter ${String(index + 1)}, type ${String(statement.types[index])}`;
        return sqlError("0A000", `the binary format ${which}, is not supported: send it as text`);
      }
      values.push(value);
    }
    portals.set(message.portal, { statement, values, formats: message.formats, sent: 0 });
    wire.write(backend.bindComplete);
    return undefined;
  }

  function describeTarget({
    target,
    name,
  }: FrontendMessage & { readonly kind: "describe" }): SqlError | undefined {
    const portal = target === "portal" ? portals.get(name) : undefined;
    const statement = target === "portal" ? portal?.statement : statements.get(name);
    // A cursor of DECLARE is a portal as well.
    const cursor = target === "portal" ? session?.cursorColumns?.(name) : undefined;
    if (cursor) {
      wire.write(rowDescription(cursor, []));
      return undefined;
    }
    if (!statement) return missing(target, name);
    if (target === "statement") wire.write(backend.parameterDescription(statement.types));
    const columns = statement.prepared?.columns;
    wire.write(columns ? rowDescription(columns, portal?.formats ?? []) : backend.noData);
    return undefined;
  }

  async function execute({
    portal: name,
    limit,
  }: FrontendMessage & { readonly kind: "execute" }): Promise<SqlError | undefined> {
    const portal = portals.get(name);
    if (!portal) return missing("portal", name);
    const { prepared } = portal.statement;
    if (!prepared) {
      wire.write(backend.emptyQueryResponse);
      return undefined;
    }
    if (!portal.result) {
      // Up to the next Sync all is one transaction, unless it says BEGIN.
      session?.group?.();
      const outcome = await prepared.run(portal.values);
      if (!outcome.ok) return outcome.error;
      portal.result = outcome.value;
    }
    const { columns, rows, tag, copy, notices } = portal.result;
    if (portal.sent === 0) tell(notices);
    if (copy?.isFrom === true) {
      wantRows(copy, columns ?? [], undefined);
      return undefined;
    }
    if (copy) {
      writeCopy(copy, portal.result);
      wire.write(backend.commandComplete(tag));
      return undefined;
    }
    const end = limit > 0 ? Math.min(portal.sent + limit, rows.length) : rows.length;
    if (columns) writeRows(rows.slice(portal.sent, end), columns, portal.formats);
    portal.sent = end;
    wire.write(end < rows.length ? backend.portalSuspended : backend.commandComplete(tag));
    if (end === rows.length && session) reportSettings(session, portal.statement.text);
    return undefined;
  }

  /** Answers one message of a client that has introduced itself; the error, if there is one. */
  async function extended(
    on: MockSession,
    message: FrontendMessage,
  ): Promise<SqlError | undefined> {
    switch (message.kind) {
      case "parse":
        return parse(on, message);
      case "bind":
        return bind(message);
      case "describe":
        return describeTarget(message);
      case "execute":
        return execute(message);
      case "close":
        (message.target === "statement" ? statements : portals).delete(message.name);
        wire.write(backend.closeComplete);
        return undefined;
      case "tooLong":
        return tooLong(message.size, longest);
      default:
        return undefined;
    }
  }

  function introduce(message: FrontendMessage): void {
    if (message.kind === "encryption") wire.write(backend.encryptionRefused);
    else if (message.kind === "startup") {
      session = openSession(message.options);
      // A client that waits for nothing is told at once, others with their next answer.
      session.onNotification?.((channel, payload, sender) => {
        work = work.then(() => {
          if (!closed) wire.write(backend.notification(sender, channel, payload));
        });
      });
      session.onEnd?.(() => {
        work = work.then(() => {
          if (!closed) end("57P01", "terminating connection due to administrator command");
        });
      });
      wire.write(backend.authenticationOk);
      for (const [name, value] of PARAMETERS) wire.write(backend.parameterStatus(name, value));
      wire.write(backend.backendKeyData(number, number));
      ready();
    } else {
      // The client need not be who it says: only clients of this machine are listened to.
      if (message.kind === "cancel" && message.secret === message.process) cancel(message.process);
      close();
      wire.end();
    }
  }

  async function answer(message: FrontendMessage): Promise<void> {
    if (closed) return;
    if (!session) {
      introduce(message);
    } else if (copying && (message.kind.startsWith("copy") || message.kind === "tooLong")) {
      await copied(session, copying, message);
    } else if (copying && message.kind === "sync") {
      // Passed over while rows are wanted: another one follows behind the last row.
      return;
    } else if (message.kind === "terminate") {
      close();
      wire.end();
    } else if (message.kind === "sync") {
      skipping = false;
      await settle(session);
      // Portals live as long as their transaction: drivers read on from them later.
      if (session.status !== "transaction") portals.clear();
      ready();
    } else if (message.kind === "query" && !skipping) {
      await simpleQuery(session, message.sql);
    } else if (message.kind === "tooLong" && message.type === "Q") {
      fail(tooLong(message.size, longest));
      ready();
    } else if (!skipping) {
      const error = await extended(session, message);
      if (error) {
        fail(error);
        skipping = true;
      }
    }
  }

  async function answerAll(messages: readonly FrontendMessage[], turn: number): Promise<void> {
    for (const message of messages)
      try {
        await answer(message);
      } catch (error) {
        refuse(error);
      }
    if (!closed && turn === turns) silence.begins(session);
  }

  return {
    receive(chunk) {
      if (closed) return work;
      let messages: readonly FrontendMessage[];
      try {
        messages = reader.read(chunk);
      } catch (error) {
        refuse(error);
        return work;
      }
      silence.ends();
      const turn = ++turns;
      work = work.then(() => answerAll(messages, turn));
      return work;
    },
    cancel: () => session?.cancel?.(),
    get introduced() {
      return session !== undefined;
    },
    close() {
      session?.giveUp?.();
      void work.finally(close);
    },
  };
}

async function runOnce(session: MockSession, sql: string): Promise<Outcome<StatementResult>> {
  const prepared = await session.prepare(sql, []);
  return prepared.ok ? prepared.value.run([]) : prepared;
}

/** The text of an argument; undefined where its bytes are not understood. */
function argument({ bytes, format }: Parameter, type: number): string | null | undefined {
  if (bytes === null) return null;
  return format === "text" ? bytes.toString("utf8") : fromBinary(bytes, type);
}

function missing(target: "statement" | "portal", name: string): SqlError {
  return target === "statement"
    ? sqlError("26000", `prepared statement "${name}" does not exist`)
    : sqlError("34000", `portal "${name}" does not exist`);
}

function tooLong(size: number, longest: number): SqlError {
  return sqlError(
    "54000",
    `a message of ${String(size)} bytes; up to ${String(longest)} are taken`,
  );
}

function sqlError(code: string, message: string): SqlError {
  return { code, number: 1105, mysqlState: "HY000", message };
}
