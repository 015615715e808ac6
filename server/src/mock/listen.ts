// The network side of the mock database: a port of this machine only, and connections in either protocol.
import net from "node:net";
import type { Connection, Wire } from "./connection";
import { createMysqlConnection } from "./mysql/connection";
import { createPostgresConnection } from "./postgres/connection";
import type { ClientNames, MockSession } from "./session";

export type Protocol = "mysql" | "postgres";

export interface ListenOptions {
  readonly protocol: Protocol;
  /** 0: a free one. */
  readonly port: number;
  /** Opens the session of a connection, for the client that introduced itself so. */
  readonly open: (client?: ClientNames) => MockSession;
}

export interface Listening {
  readonly port: number;
  /** Ends all connections and gives the port back. */
  close(): Promise<void>;
}

/** The longest message of a client: what PostgreSQL and MySQL take by default is of this order. */
export const LONGEST_MESSAGE = 64 * 1024 * 1024;
const MYSQL_VERSION = "8.0.36-isolens";
const LOCAL = "127.0.0.1";

/** Listens on 127.0.0.1. Rejects when the port cannot be had. */
export async function listen({ protocol, port, open }: ListenOptions): Promise<Listening> {
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
    socket.on("data", (chunk) => {
      // A client that sends faster than it is answered waits.
      socket.pause();
      void connection.receive(chunk).finally(() => socket.resume());
    });
    socket.on("close", () => {
      sockets.delete(socket);
      connections.delete(number);
      connection.close();
    });
    // What follows an error is the end of the connection, which is all that there is to do about it.
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
          return open({ user, database: options.get("database") ?? user });
        },
        wire,
        { ...limits, cancel },
      )
    : createMysqlConnection((database) => open({ database }), wire, {
        ...limits,
        version: MYSQL_VERSION,
      });
}

function wireOf(socket: net.Socket): Wire {
  return {
    write: (bytes) => {
      if (!socket.destroyed) socket.write(bytes);
    },
    end: () => socket.end(),
  };
}
