// The network side of the mock database: a port of this machine only, and connections in either protocol.
import net from "node:net";
import type { Connection, Wire } from "./connection";
import { createMysqlConnection } from "./mysql/connection";
import { createPostgresConnection } from "./postgres/connection";
import type { ClientNames, MockSession } from "./session";

/** Product whose clients connect; those of MySQL and MariaDB speak one protocol. */
export type Protocol = "mysql" | "mariadb" | "postgres";

export interface ListenOptions {
  readonly protocol: Protocol;
  /** 0: a free one. */
  readonly port: number;
  /** Opens the session of a connection, for the client that introduced itself so. */
  readonly open: (client?: ClientNames, from?: MockSession) => MockSession;
  /** Milliseconds in which a client must say who it is, before it is turned away; ten seconds if absent. */
  readonly introduction?: number;
}

export interface Listening {
  readonly port: number;
  /** Ends all connections and gives the port back. */
  close(): Promise<void>;
}

/** The longest message of a client: what PostgreSQL and MySQL take by default is of this order. */
export const LONGEST_MESSAGE = 16 * 1024 * 1024;
/** Bytes that may wait for their turn, or for a client that does not read its answers, before no more are taken. */
const MOST_WAITING = 1024 * 1024;
/** Milliseconds in which a client must say who it is. */
const INTRODUCTION = 10_000;
/** Drivers tell MariaDB by its name, which an old prefix keeps replicas from taking for MySQL 5. */
const VERSIONS = { mysql: "8.0.36-isolens", mariadb: "5.5.5-10.11.0-MariaDB-isolens" } as const;
const LOCAL = "127.0.0.1";
/** Bytes of answers that are copied together before they are sent. */
const LONGEST_PIECE = 64 * 1024;

/** Listens on 127.0.0.1. Rejects when the port cannot be had. */
export async function listen({
  protocol,
  port,
  open,
  introduction = INTRODUCTION,
}: ListenOptions): Promise<Listening> {
  const sockets = new Set<net.Socket>();
  const connections = new Map<number, Connection>();
  let count = 0;
  const server = net.createServer((socket) => {
    count++;
    sockets.add(socket);
    socket.setNoDelay(true);
    const number = count;
    const connection = connect(protocol, open, wireOf(socket), {
      number,
      cancel: (other) => connections.get(other)?.cancel?.(),
    });
    connections.set(number, connection);
    const turnedAway = setTimeout(() => {
      if (!connection.introduced) socket.destroy();
    }, introduction);
    let waiting = 0;
    const goOn = (): void => {
      if (waiting <= MOST_WAITING && socket.writableLength <= MOST_WAITING) socket.resume();
    };
    socket.on("data", (chunk) => {
      waiting += chunk.length;
      // A client that sends faster than it is answered, or does not read, waits.
      if (waiting > MOST_WAITING || socket.writableLength > MOST_WAITING) socket.pause();
      void connection.receive(chunk).finally(() => {
        waiting -= chunk.length;
        goOn();
      });
    });
    socket.on("drain", goOn);
    socket.on("close", () => {
      clearTimeout(turnedAway);
      sockets.delete(socket);
      connections.delete(number);
      connection.close();
    });
    // Behind an error the connection ends, which is all that there is to do about it.
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOCAL, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the port has no number");
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function connect(
  protocol: Protocol,
  open: ListenOptions["open"],
  wire: Wire,
  { number, cancel }: { readonly number: number; readonly cancel: (other: number) => void },
): Connection {
  const limits = { longest: LONGEST_MESSAGE, number };
  return protocol === "postgres"
    ? createPostgresConnection(
        (options) => {
          const user = options.get("user");
          return open({
            user,
            database: options.get("database") ?? user,
            applicationName: options.get("application_name"),
          });
        },
        wire,
        { ...limits, cancel },
      )
    : createMysqlConnection((database, from) => open({ database }, from), wire, {
        ...limits,
        version: VERSIONS[protocol],
      });
}

/** Answers that come together go out together: short ones as one piece. */
function wireOf(socket: net.Socket): Wire {
  let gathered: Buffer[] = [];
  let size = 0;
  function send(): void {
    if (gathered.length > 0 && !socket.destroyed) socket.write(Buffer.concat(gathered, size));
    gathered = [];
    size = 0;
  }
  return {
    write: (bytes) => {
      if (gathered.length === 0) process.nextTick(send);
      gathered.push(bytes);
      size += bytes.length;
      if (size > LONGEST_PIECE) send();
    },
    end: () => {
      send();
      socket.end();
    },
  };
}
