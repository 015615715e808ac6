// Conversations byte by byte that no client of these tests has: several commands at once, files, bulks.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatementEvent } from "../../../server/src/record/events";
import { createMysqlDecoder } from "../../../server/src/record/proxy/mysqlDecoder";
import { createPostgresDecoder } from "../../../server/src/record/proxy/postgresDecoder";

/** A decoder's surroundings, and what it told. */
function listener(): {
  readonly events: StatementEvent[];
  readonly remarks: string[];
  readonly options: Parameters<typeof createMysqlDecoder>[0];
} {
  const events: StatementEvent[] = [];
  let order = 0;
  const emit = (event: StatementEvent): void => {
    events.push(event);
  };
  const nextOrder = (): number => order++;
  const remarks: string[] = [];
  const remark = (text: string): void => {
    remarks.push(text);
  };
  return { events, remarks, options: { connection: 1, emit, nextOrder, remark } };
}

const told = (events: readonly StatementEvent[]): readonly string[] =>
  events.map(
    ({ sql, arguments: values, affected, error }) =>
      `${sql} (${values.join()}) ${error ?? String(affected)}`,
  );

function packet(sequence: number, payload: Buffer | readonly number[]): Buffer {
  const head = Buffer.alloc(4);
  head.writeUIntLE(payload.length, 0, 3);
  head.writeUInt8(sequence, 3);
  return Buffer.concat([head, Buffer.from(payload)]);
}

const ok = (affected: number): Buffer => packet(1, [0, affected, 0, 2, 0, 0, 0]);
const asked = (code: number, rest: string | readonly number[]): Buffer =>
  packet(0, Buffer.concat([Buffer.of(code), Buffer.from(rest)]));

/** A MySQL conversation behind the introduction; MariaDB's client, without several statements in one text. */
function mysqlConversation(): ReturnType<typeof listener> & {
  readonly client: (...sent: readonly Buffer[]) => void;
  readonly server: (...sent: readonly Buffer[]) => void;
} {
  const own = listener();
  const decoder = createMysqlDecoder(own.options);
  const introduction = Buffer.alloc(32 + 2);
  introduction.writeUInt32LE(0x200 | 0x8000 | (1 << 24), 0);
  decoder.fromClient(packet(1, introduction));
  decoder.fromServer(ok(0));
  return {
    ...own,
    client: (...sent) => {
      decoder.fromClient(Buffer.concat(sent));
    },
    server: (...sent) => {
      decoder.fromServer(Buffer.concat(sent));
    },
  };
}

const INT = [3, 0];
const prepared = (id: number, count: number): readonly Buffer[] => [
  packet(1, [0, id, 0, 0, 0, 0, 0, count, 0, 0, 0, 0]),
  ...Array.from({ length: count }, () => packet(2, [0])),
];

test("MySQL: a statement that is prepared and executed in one go", () => {
  const { events, client, server } = mysqlConversation();
  const last = [255, 255, 255, 255];
  client(
    asked(0x16, "UPDATE t SET a = ?"),
    asked(0x17, [...last, 0, 1, 0, 0, 0, 0, 1, ...INT, 7, 0, 0, 0]),
  );
  server(...prepared(5, 1), ok(1));
  client(asked(0x16, "no sql"), asked(0x17, [...last, 0, 1, 0, 0, 0]));
  const refused = packet(1, [0xff, 0x28, 0x04]);
  server(refused, refused);
  assert.deepEqual(told(events), ["UPDATE t SET a = ? (7) 1", "no sql () 1064"]);
});

test("MySQL: each row of a bulk is an execution", () => {
  const { events, client, server } = mysqlConversation();
  client(asked(0x16, "INSERT INTO t VALUES (?)"));
  server(...prepared(5, 1));
  client(asked(0xfa, [5, 0, 0, 0, 128, 0, ...INT, 0, 7, 0, 0, 0, 1, 0, 8, 0, 0, 0]));
  server(ok(3));
  assert.deepEqual(told(events), [
    "INSERT INTO t VALUES (?) (7) 1",
    "INSERT INTO t VALUES (?) () 1",
    "INSERT INTO t VALUES (?) (8) 1",
  ]);
  assert.deepEqual(
    events.map(({ arguments: values }) => values[0]),
    ["7", null, "8"],
  );
  assert.ok(events.every(({ order }, at) => order > (events[at - 1]?.order ?? -1)));
});

test("MySQL: the database is the one that a session went to and was let into", () => {
  const { events, client, server } = mysqlConversation();
  const refused = packet(1, [0xff, 0x19, 0x04]);
  const ask = (code: number, text: string, answer: Buffer): void => {
    client(asked(code, text), asked(0x03, "DELETE FROM t"));
    server(answer, ok(1));
  };
  ask(0x02, "first", ok(0));
  ask(0x03, "/* why */ USE `the second`", ok(0));
  ask(0x02, "first", refused);
  ask(0x03, "use first", refused);
  ask(0x11, "root\0\0third\0", ok(0));
  ask(0x11, "root\0\0\0", ok(0));
  assert.deepEqual(
    events.filter(({ sql }) => sql === "DELETE FROM t").map(({ database }) => database),
    ["first", "the second", "the second", "the second", "third", undefined],
  );
});

test("MySQL: packets of a file are no commands, whatever their number", () => {
  const { events, client, server } = mysqlConversation();
  client(asked(0x03, "LOAD DATA LOCAL INFILE 'a' INTO TABLE t"));
  server(packet(1, [0xfb, 0x61]));
  for (let at = 2; at < 300; at++) client(packet(at % 256, Buffer.from("\x03SELECT 1")));
  client(packet(44, []));
  server(ok(9));
  client(asked(0x03, "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END"));
  server(ok(0));
  assert.deepEqual(told(events), [
    "LOAD DATA LOCAL INFILE 'a' INTO TABLE t () 9",
    "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END () 0",
  ]);
});

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), size, body]);
}

test("PostgreSQL: a portal that nobody bound is answered like the others", () => {
  const { events, options } = listener();
  const decoder = createPostgresDecoder(options);
  const start = Buffer.concat([Buffer.of(0, 3, 0, 0), text("user"), text("a"), Buffer.of(0)]);
  decoder.fromClient(message("", start));
  const none = Buffer.alloc(2);
  const one = Buffer.alloc(4);
  decoder.fromClient(
    Buffer.concat([
      message("E", text("cursor"), one),
      message("P", text(""), text("DELETE FROM t"), none),
      message("B", text("p"), text(""), none, none, none),
      message("E", text("p"), one),
      message("C", Buffer.from("P"), text("p")),
      message("E", text("p"), one),
      message("S"),
    ]),
  );
  decoder.fromServer(
    Buffer.concat([
      message("C", text("FETCH 1")),
      message("1"),
      message("2"),
      message("C", text("DELETE 2")),
      message("3"),
      message("E", Buffer.from("C34000\0\0")),
      message("Z", Buffer.from("I")),
    ]),
  );
  assert.deepEqual(told(events), ["DELETE FROM t () 2"]);
});

/** A message; the first one has no type. */
function sent(type: string, ...parts: readonly (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === "string") return Buffer.from(`${part}\0`);
      const number = Buffer.alloc(4);
      number.writeInt32BE(part);
      return number;
    }),
  );
  const head = Buffer.alloc(type.length + 4);
  head.write(type);
  head.writeInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
}

const READY = Buffer.concat([Buffer.from("Z"), Buffer.of(0, 0, 0, 5), Buffer.from("I")]);
const VERSION_3_0 = 3 << 16;

/** A PostgreSQL conversation behind its start. */
function postgresConversation(version = VERSION_3_0): ReturnType<typeof listener> & {
  readonly decoder: ReturnType<typeof createPostgresDecoder>;
} {
  const own = listener();
  const decoder = createPostgresDecoder(own.options);
  decoder.fromClient(sent("", version, "user", "ann", ""));
  return { ...own, decoder };
}

test("PostgreSQL: protocol 3.2 is recorded as 3.0 is", () => {
  const { events, remarks, decoder } = postgresConversation(VERSION_3_0 + 2);
  // The server speaks of what it does not know, and its keys are longer.
  decoder.fromServer(sent("v", VERSION_3_0 + 2, 1, "_pq_.more"));
  decoder.fromServer(Buffer.concat([sent("R", 0), sent("K", 1, 2, 3, 4), READY]));
  decoder.fromClient(sent("Q", "DELETE FROM t"));
  decoder.fromServer(Buffer.concat([sent("C", "DELETE 3"), READY]));
  assert.deepEqual([told(events), remarks], [["DELETE FROM t () 3"], []]);
});

test("PostgreSQL: a label of an enumeration is a text in binary form as well, a number is a number", () => {
  const { events, decoder } = postgresConversation();
  const short = (...numbers: readonly number[]): Buffer =>
    Buffer.from(numbers.flatMap((number) => [number >> 8, number & 255]));
  const bind = Buffer.concat([
    ...[Buffer.from("\0\0"), short(1, 1, 2)],
    ...[Buffer.of(0, 0, 0, 4), Buffer.from("open"), Buffer.of(0, 0, 0, 4, 0, 0, 1, 0), short(0)],
  ]);
  const types = Buffer.concat([short(2), Buffer.of(0, 0, 65, 0, 0, 0, 65, 0)]);
  decoder.fromClient(
    Buffer.concat([
      message("P", text(""), text("UPDATE t SET a = $1, b = $2"), types),
      message("B", bind),
      message("E", text(""), Buffer.alloc(4)),
      message("S"),
    ]),
  );
  decoder.fromServer(
    Buffer.concat([message("1"), message("2"), message("C", text("UPDATE 3")), READY]),
  );
  assert.deepEqual(told(events), ["UPDATE t SET a = $1, b = $2 (open,256) 3"]);
});

test("PostgreSQL: what was complete before a client died inside of a message is told", () => {
  const { events, decoder } = postgresConversation();
  decoder.fromClient(sent("Q", "DELETE FROM t"));
  decoder.fromServer(sent("C", "DELETE 3"));
  decoder.fromClient(sent("Q", "DELETE FROM t").subarray(0, 9));
  decoder.end();
  assert.deepEqual(told(events), ["DELETE FROM t () 3"]);
});

test("PostgreSQL: a client that leaves at the offer of SCRAM is told of, one that answers is not", () => {
  for (const answers of [false, true]) {
    const { remarks, decoder } = postgresConversation();
    decoder.fromServer(sent("R", 10, "SCRAM-SHA-256", ""));
    if (answers) decoder.fromClient(sent("p", "SCRAM-SHA-256"));
    decoder.end();
    assert.equal(remarks.length, answers ? 0 : 1);
    if (!answers) assert.match(remarks[0] ?? "", /channel_binding=prefer/);
  }
});

test("PostgreSQL: statements that a pooler prepared elsewhere are told as not recorded", () => {
  const { events, remarks, decoder } = postgresConversation();
  const nothing = Buffer.alloc(6);
  const bind = Buffer.concat([Buffer.from("\0pooled\0"), nothing]);
  const head = Buffer.concat([Buffer.from("B"), Buffer.of(0, 0, 0, 4 + bind.length)]);
  decoder.fromClient(Buffer.concat([head, bind, sent("E", "", 0), sent("S")]));
  decoder.fromServer(Buffer.concat([sent("2"), sent("C", "UPDATE 1"), READY]));
  decoder.fromClient(sent("Q", "DELETE FROM t"));
  decoder.fromServer(Buffer.concat([sent("C", "DELETE 3"), READY]));
  assert.deepEqual(told(events), ["DELETE FROM t () 3"]);
  assert.match(remarks.join(), /prepared elsewhere, as a pooler does/);
});
