// The bytes of both wire protocols: cut anywhere, in binary form, and where they are nonsense.
import assert from "node:assert/strict";
import net from "node:net";
import { describe, test } from "node:test";
import { listen, type Protocol } from "../../../server/src/mock/listen";
import { createPacketReader, packets } from "../../../server/src/mock/mysql/packets";
import { fromBinary, toBinary } from "../../../server/src/mock/postgres/binaryTypes";
import { createFrontendReader } from "../../../server/src/mock/postgres/frontendMessages";
import { typeId } from "../../../server/src/sqlstore/pg/typeIds";
import type { SqlType } from "../../../server/src/sqlstore/values/types";
import { scriptedSession } from "./scriptedSession";

describe("PostgreSQL's binary format", () => {
  // As PostgreSQL's own functions give it: SELECT encode(numeric_send(...), 'hex') and so on.
  const cases: readonly (readonly [SqlType, string, string])[] = [
    ["numeric", "12345.678", "000300010000000300010929" + "1a7c"],
    ["numeric", "-0.05", "0001ffff4000000201f4"],
    ["numeric", "0.00", "0000000000000002"],
    ["int8", "-2", "fffffffffffffffe"],
    ["bool", "t", "01"],
    ["date", "1999-12-31", "ffffffff"],
    ["timestamp", "2000-01-01 00:00:00.5", "000000000007a120"],
    ["timestamptz", "1999-12-31 23:59:59+00", "fffffffffff0bdc0"],
    ["time", "01:00:00", "00000000d693a400"],
    ["uuid", "00112233-4455-6677-8899-aabbccddeeff", "00112233445566778899aabbccddeeff"],
    ["bytea", "\\xdeadbeef", "deadbeef"],
    ["jsonb", "{}", "017b7d"],
  ];
  for (const [type, text, hex] of cases) {
    test(`of ${type} ${text}`, () => {
      const { id } = typeId(type);
      assert.equal(toBinary(text, id)?.toString("hex"), hex);
      assert.equal(fromBinary(Buffer.from(hex, "hex"), id), text);
    });
  }

  test("of arrays", () => {
    const { id } = typeId("int4[]");
    const bytes = toBinary("{1,NULL,3}", id);
    assert.ok(bytes);
    assert.equal(fromBinary(bytes, id), '{"1",NULL,"3"}');
  });

  test("is refused when bytes are missing", () => {
    assert.throws(() => fromBinary(Buffer.alloc(3), typeId("int8").id), /of the wrong size/);
  });
});

describe("a stream of messages", () => {
  test("of PostgreSQL may be cut anywhere", () => {
    const startup = Buffer.from("000000120003000075736572007500" + "000000", "hex").subarray(0, 18);
    startup.writeInt32BE(startup.length, 0);
    const query = Buffer.concat([
      Buffer.from("Q"),
      Buffer.from([0, 0, 0, 10]),
      Buffer.from("hello\0"),
    ]);
    const whole = Buffer.concat([startup, query]);
    for (let at = 1; at < whole.length; at++) {
      const reader = createFrontendReader(1000);
      const messages = [...reader.read(whole.subarray(0, at)), ...reader.read(whole.subarray(at))];
      assert.deepEqual(messages.at(-1), { kind: "query", sql: "hello" });
      assert.equal(messages.length, 2);
    }
  });

  test("of MySQL may be longer than a packet", () => {
    const payload = Buffer.alloc(0xffffff + 5, 7);
    const reader = createPacketReader(1 << 26);
    reader.introduced();
    const [packet, ...more] = reader.read(packets([payload], 0));
    assert.deepEqual(more, []);
    assert.ok(packet);
    assert.ok(packet.payload?.equals(payload));
    assert.equal(packet.sequence, 1);
  });
});

describe("a message that is too long", () => {
  test("of PostgreSQL is dropped, however it is cut, and what follows is read", () => {
    const startup = Buffer.from("000000090003000000", "hex");
    const long = Buffer.concat([Buffer.from("Q\0\0\0\x68"), Buffer.alloc(100, 7)]);
    const whole = Buffer.concat([startup, long, Buffer.from("S\0\0\0\x04")]);
    for (let at = 1; at < whole.length; at++) {
      const reader = createFrontendReader(50);
      const messages = [...reader.read(whole.subarray(0, at)), ...reader.read(whole.subarray(at))];
      assert.deepEqual(messages.slice(1), [
        { kind: "tooLong", type: "Q", size: 104 },
        { kind: "sync" },
      ]);
    }
  });

  test("of MySQL is dropped over several packets", () => {
    const reader = createPacketReader(1000);
    reader.introduced();
    const sent = Buffer.concat([
      packets([Buffer.alloc(0xffffff + 5, 7)], 0),
      packets([Buffer.from("next")], 0),
    ]);
    const found = [0, 700_000, 0xffffff + 3, 0xffffff + 9, sent.length].flatMap((at, index, all) =>
      index === 0 ? [] : reader.read(sent.subarray(all[index - 1], at)),
    );
    assert.deepEqual(found, [
      { sequence: 1, payload: undefined },
      { sequence: 0, payload: Buffer.from("next") },
    ]);
  });
});

const GARBAGE: readonly (readonly [string, Buffer])[] = [
  ["zeros", Buffer.alloc(64)],
  ["text", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")],
  ["a length beyond all measure", Buffer.from("7fffffff00030000", "hex")],
  ["ones", Buffer.alloc(64, 0xff)],
];

describe("nonsense", () => {
  for (const protocol of ["postgres", "mysql"] satisfies Protocol[]) {
    for (const [what, bytes] of GARBAGE) {
      test(`as ${what} ends a connection of ${protocol}, and no other`, async () => {
        const server = await listen({ protocol, port: 0, open: () => scriptedSession({}) });
        try {
          const socket = net.connect(server.port, "127.0.0.1");
          const ended = new Promise((resolve) => socket.once("close", resolve));
          socket.on("error", () => undefined);
          socket.resume();
          // The client goes on listening: it is the server that ends this.
          socket.write(bytes);
          await ended;
          const next = net.connect(server.port, "127.0.0.1");
          await new Promise((resolve) => next.once("connect", resolve));
          next.destroy();
        } finally {
          await server.close();
        }
      });
    }
  }
});
