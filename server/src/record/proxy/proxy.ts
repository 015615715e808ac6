// The network side of a recording: a port of this machine that hands every byte on, both ways and at once, and shows it
// to a watch.
import net from "node:net";
import tls from "node:tls";
import type { Protocol, Remark } from "../events";
import { hideEncryption } from "./mysqlGreeting";
import type { Watch } from "./watch";

/**
 * The connection to the server is encrypted. `authority`: its certificate is of somebody who is trusted; `verify`: and it
 * is the host's.
 */
export type Encryption = "required" | "authority" | "verify";

/** Where the server is. */
export interface Upstream {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  /** A local socket, instead of host and port. */
  readonly socket?: string;
  readonly encryption?: Encryption;
}

export interface ProxyOptions {
  readonly upstream: Upstream;
  /** 0: a free one. */
  readonly port: number;
  readonly remark: Remark;
  /** The watch over a connection that begins now. */
  readonly watch: (connection: number) => Watch;
}

export interface RunningProxy {
  readonly port: number;
  /** How many connections there were. */
  connections(): number;
  close(): Promise<void>;
}

const LOCAL = "127.0.0.1";

/** Listens on 127.0.0.1. Rejects with the system's error when the port cannot be had. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  // A client that prefers TLS leaves and comes again without; one that requires it does not come again.
  let plain = 0;
  const awaited = new Map<NodeJS.Timeout, { readonly text: string; readonly before: number }>();
  const tell = (timer: NodeJS.Timeout): void => {
    const left = awaited.get(timer);
    awaited.delete(timer);
    clearTimeout(timer);
    if (left && plain === left.before) options.remark(left.text);
  };
  const watched: ProxyOptions = {
    ...options,
    remark: (text) => {
      if (text !== REQUIRES_TLS && text !== LEFT_AT_GREETING) {
        options.remark(text);
        return;
      }
      const timer = setTimeout(() => {
        tell(timer);
      }, COMES_AGAIN).unref();
      awaited.set(timer, { text, before: plain });
    },
  };
  const begun = (): void => {
    plain++;
  };
  const server = net.createServer({ pauseOnConnect: true }, (client) => {
    connections++;
    const watch = options.watch(connections);
    const keep = (socket: net.Socket): void => {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("close", () => sockets.delete(socket));
    };
    keep(client);
    if (options.upstream.protocol === "postgres")
      relayPostgres(client, watch, watched, keep, begun);
    else relayMysql(client, watch, watched, keep, begun);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, LOCAL, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the port has no number");
  return {
    port: address.port,
    connections: () => connections,
    async close() {
      const ends = [...sockets].map(
        (socket) =>
          new Promise<void>((resolve) =>
            socket.once("close", () => {
              resolve();
            }),
          ),
      );
      const end = new Promise<void>((resolve) =>
        server.close(() => {
          resolve();
        }),
      );
      for (const socket of sockets) socket.destroy();
      // The server's own end comes before those of its sockets, behind which the watches end.
      await Promise.all([end, ...ends]);
      // A command that ends at once leaves no time to come again.
      for (const timer of [...awaited.keys()]) tell(timer);
    },
  };
}

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const TLS_RECORD = 0x16;

/** Refuses encryption to the client, since what is encrypted cannot be read, then hands everything on. */
function relayPostgres(
  client: net.Socket,
  watch: Watch,
  options: ProxyOptions,
  keep: (socket: net.Socket) => void,
  begun: () => void,
): void {
  let waiting: Buffer = Buffer.alloc(0);
  let hasAsked = false;
  const leave = (): void => {
    if (hasAsked) options.remark(REQUIRES_TLS);
  };
  const refuse = (chunk: Buffer): void => {
    waiting = Buffer.concat([waiting, chunk]);
    if (waiting[0] === TLS_RECORD) {
      options.remark(REQUIRES_TLS);
      client.destroy();
      return;
    }
    while (waiting.length >= 8) {
      const code = waiting.readInt32BE(4);
      if (code !== SSL_REQUEST && code !== GSS_REQUEST) {
        client.off("data", refuse);
        client.off("close", leave);
        client.pause();
        begun();
        relay(client, watch, options, keep, waiting);
        return;
      }
      hasAsked ||= code === SSL_REQUEST;
      waiting = waiting.subarray(8);
      client.write("N");
    }
  };
  client.on("error", () => client.destroy());
  client.on("close", leave);
  client.on("data", refuse);
  client.resume();
}

/** Milliseconds in which a client that was refused TLS connects without. */
const COMES_AGAIN = 1000;

const REQUIRES_TLS =
  "a client left when it was told that the connection is not encrypted: let it connect without TLS while you record " +
  "(sslmode=prefer or disable, useSSL=false); the connection from here to the server is encrypted when its URL asks for it";

const LEFT_AT_GREETING =
  "a client left at the server's greeting: if it demands TLS, let it connect without while you record (useSSL=false, " +
  "ssl-mode=PREFERRED); one that looks whether the port is open does the same";

function relayMysql(
  client: net.Socket,
  watch: Watch,
  options: ProxyOptions,
  keep: (socket: net.Socket) => void,
  begun: () => void,
): void {
  let hasAnswered = false;
  client.once("data", () => {
    hasAnswered = true;
    begun();
  });
  client.pause();
  client.on("error", () => client.destroy());
  client.on("close", () => {
    if (!hasAnswered && client.bytesWritten > 0) options.remark(LEFT_AT_GREETING);
  });
  relay(client, watch, options, keep, Buffer.alloc(0));
}

/** Connects to the server and hands on what comes, each way as fast as the other side takes it. */
function relay(
  client: net.Socket,
  watch: Watch,
  options: ProxyOptions,
  keep: (socket: net.Socket) => void,
  first: Buffer,
): void {
  const { upstream, remark } = options;
  connect(
    upstream,
    keep,
    (server) => {
      // MySQL's server speaks first: its offer of TLS and compression is withdrawn, as PostgreSQL's is above.
      const greeting = upstream.protocol === "mysql" ? hideEncryption() : undefined;
      if (first.length > 0) {
        server.write(first);
        watch.fromClient(first);
      }
      const rest = (source: net.Socket): void => {
        const relief = watch.relief();
        if (relief === undefined) return;
        source.pause();
        void relief.then(() => source.resume());
      };
      client.on("data", (chunk: Buffer) => {
        if (!server.write(chunk)) client.pause();
        watch.fromClient(chunk);
        rest(client);
      });
      server.on("data", (chunk: Buffer) => {
        const open = greeting === undefined ? chunk : greeting(chunk);
        if (open.length === 0) return;
        const isFirst = watch.isTransparent;
        if (isFirst && !client.write(open)) server.pause();
        const out = watch.fromServer(open);
        rest(server);
        if (isFirst) return;
        if (out === undefined) client.destroy();
        else if (out.length > 0 && !client.write(out)) server.pause();
      });
      server.on("drain", () => client.resume());
      client.on("drain", () => server.resume());
      client.on("end", () => server.end());
      server.on("end", () => client.end());
      client.on("close", () => {
        watch.end();
        server.destroy();
      });
      server.on("close", () => client.destroy());
      client.resume();
      server.resume();
    },
    (reason) => {
      remark(`the server at ${placeOf(upstream)} does not take connections: ${reason}`);
      client.destroy();
    },
  );
}

export function placeOf({ host, port, socket }: Upstream): string {
  return socket ?? `${host}:${String(port)}`;
}

/** Nobody else listens between here and the server. */
function isLocal({ host, socket }: Upstream): boolean {
  return socket !== undefined || /^(?:localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);
}

/** Demands of TLS on a server's certificate. */
export function encryptedTo({
  host,
  encryption,
}: Pick<Upstream, "host" | "encryption">): tls.ConnectionOptions {
  return {
    // The name that the certificate is held against; an address is none to ask for.
    host,
    ...(net.isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: encryption === "authority" || encryption === "verify",
    ...(encryption === "authority" && { checkServerIdentity: () => undefined }),
  };
}

function connect(
  upstream: Upstream,
  keep: (socket: net.Socket) => void,
  ready: (server: net.Socket) => void,
  failed: (reason: string) => void,
): void {
  if (upstream.protocol === "mysql" && upstream.encryption !== undefined && !isLocal(upstream)) {
    failed("its URL asks for encryption, which recordings of MySQL have on this machine alone");
    return;
  }
  const plain =
    upstream.socket === undefined
      ? net.connect(upstream.port, upstream.host)
      : net.connect(upstream.socket);
  keep(plain);
  let isReady = false;
  plain.on("error", (error) => {
    if (!isReady) failed(error.message);
    plain.destroy();
  });
  plain.once("connect", () => {
    if (upstream.encryption === undefined || upstream.protocol === "mysql") {
      isReady = true;
      ready(plain);
      return;
    }
    const request = Buffer.alloc(8);
    request.writeInt32BE(8, 0);
    request.writeInt32BE(SSL_REQUEST, 4);
    plain.write(request);
    plain.once("data", (answer: Buffer) => {
      if (answer[0] !== 0x53) {
        failed("it does not encrypt connections, which its URL asks for");
        plain.destroy();
        return;
      }
      const secure = tls.connect({ socket: plain, ...encryptedTo(upstream) });
      keep(secure);
      secure.on("error", (error: Error) => {
        if (!isReady) failed(error.message);
        secure.destroy();
      });
      secure.once("secureConnect", () => {
        isReady = true;
        ready(secure);
      });
    });
  });
}
