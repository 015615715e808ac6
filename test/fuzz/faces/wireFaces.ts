// The protocols of `serve`: bytes of a client to a database that listens, which must go on serving others.
import net from "node:net";
import { openStore } from "../../../server/src/mock/openStore";
import type { Face, OpenFace } from "./face";

const SCHEMA =
  "CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 10), (2, 20);";

/** Milliseconds of silence after which the answer is taken to be whole. */
const SILENCE = 15;
/** Milliseconds that one who must be served waits. */
const PATIENCE = 2000;
/** Inputs between two looks at whether others are still served. */
const LOOK = 50;

const zero = "\u0000";
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
const startup = (): Buffer => {
  const body = Buffer.concat([
    int32(196608),
    Buffer.from(["user", "a", "database", "b", "", ""].join(zero)),
  ]);
  return Buffer.concat([int32(body.length + 4), body]);
};
const query = (sql: string): Buffer => message("Q", Buffer.from(sql + zero));
const extended = (sql: string, value: string): Buffer =>
  Buffer.concat([
    message("P", Buffer.from(`${zero}${sql}${zero}\u0000\u0000`)),
    message(
      "B",
      Buffer.concat([
        Buffer.from(`${zero}${zero}\u0000\u0000\u0000\u0001`),
        int32(value.length),
        Buffer.from(value),
        Buffer.from("\u0000\u0000"),
      ]),
    ),
    message("D", Buffer.from(`P${zero}`)),
    message("E", Buffer.concat([Buffer.from(zero), int32(0)])),
    message("S", Buffer.alloc(0)),
  ]);
const POSTGRES = [
  Buffer.concat([startup(), query("SELECT * FROM account"), message("X", Buffer.alloc(0))]),
  Buffer.concat([startup(), query("BEGIN; UPDATE account SET balance = 1 WHERE id = 1; COMMIT")]),
  Buffer.concat([startup(), extended("SELECT balance FROM account WHERE id = $1", "1")]),
  Buffer.concat([startup(), extended("UPDATE account SET balance = $1", "7"), query("ROLLBACK")]),
  Buffer.concat([int32(8), int32(80877103), startup()]),
];

const packet = (sequence: number, body: Buffer): Buffer => {
  const head = Buffer.from([body.length % 256, Math.floor(body.length / 256) % 256, 0, sequence]);
  return Buffer.concat([head, body]);
};
const login = (): Buffer =>
  packet(
    1,
    Buffer.concat([
      Buffer.from([0x0d, 0xa6, 0x0f, 0x00, 0, 0, 0, 1, 45]),
      Buffer.alloc(23),
      Buffer.from(`root${zero}\u0000b${zero}mysql_native_password${zero}`),
    ]),
  );
const command = (code: number, text: string): Buffer =>
  packet(0, Buffer.concat([Buffer.from([code]), Buffer.from(text)]));
const MYSQL = [
  Buffer.concat([login(), command(3, "SELECT * FROM account"), command(1, "")]),
  Buffer.concat([
    login(),
    command(3, "START TRANSACTION"),
    command(3, "UPDATE account SET balance = 3 WHERE id = 1"),
    command(3, "COMMIT"),
  ]),
  Buffer.concat([
    login(),
    command(22, "SELECT balance FROM account WHERE id = ?"),
    packet(0, Buffer.from([23, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 0, 1, 0, 0, 0])),
  ]),
  Buffer.concat([login(), command(2, "b"), command(14, ""), command(31, "")]),
];

async function openWire(protocol: "postgres" | "mysql", healthy: Buffer): Promise<OpenFace> {
  const store = await openStore({
    protocol,
    level: `${protocol}:read-committed`,
    schema: SCHEMA,
    lockTimeout: 1,
  });
  let count = 0;
  return {
    take: async (input) => {
      count += 1;
      const said = await exchange(store.port, input);
      if (count % LOOK === 0) {
        store.reset();
        const others = await exchange(store.port, healthy, PATIENCE);
        if (!others.toString("latin1").includes("balance"))
          throw new Error("others are no longer served");
      }
      const codes = [
        ...said.toString("latin1").matchAll(/C([0-9A-Z]{5})\u0000|#([0-9A-Z]{5})/g),
      ].map(([all]) => all);
      return {
        said: said.toString("latin1"),
        way: `${said.subarray(0, 1).toString("hex")} ${codes.slice(0, 2).join()}`,
      };
    },
    close: () => store.close(),
  };
}

/** The answers until none comes back any more. */
function exchange(port: number, input: Buffer, patience = SILENCE * 4): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(port, "127.0.0.1");
    const end = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    let silence = setTimeout(end, patience);
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      clearTimeout(silence);
      silence = setTimeout(end, Math.max(SILENCE, patience / 4));
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(silence);
      end();
    });
    socket.write(input);
  });
}

const wire = (protocol: "postgres" | "mysql", seeds: readonly Buffer[]): Face => ({
  seeds: () => seeds,
  isText: false,
  budget: 5000,
  open: () => openWire(protocol, seeds[0] ?? Buffer.alloc(0)),
});

export const WIRE_FACES: ReadonlyMap<string, Face> = new Map(
  Object.entries({
    "wire-postgres": wire("postgres", POSTGRES),
    "wire-mysql": wire("mysql", MYSQL),
  }),
);
