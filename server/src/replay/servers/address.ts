// Server addresses as users write them.
import type { LiveServer, ServerAddress } from "./liveServer";
import { connectMariadb } from "./mariadb";
import { connectPostgres } from "./postgres";

/** The address in a URL, with each product's default user and database. */
export function addressOf(url: URL, product: LiveServer["product"]): ServerAddress {
  const database = decodeURIComponent(url.pathname.slice(1));
  const usual = USUAL[product];
  const host = decodeURIComponent(url.hostname);
  return {
    // A local socket is written as in libpq: postgres://user@%2Frun%2Fpostgresql/database.
    ...(host.startsWith("/") ? { socket: host } : { host: host === "" ? "127.0.0.1" : host }),
    ...(url.port !== "" && { port: Number(url.port) }),
    user: decodeURIComponent(url.username) || usual.user,
    ...(url.password !== "" && { password: decodeURIComponent(url.password) }),
    database: database === "" ? usual.database : database,
  };
}

/** Connects; rejects with the client's reason. */
export function connectTo(
  product: LiveServer["product"],
  address: ServerAddress,
): Promise<LiveServer> {
  return product === "postgres" ? connectPostgres(address) : connectMariadb(address);
}

const USUAL = {
  postgres: { user: "postgres", database: "postgres" },
  mariadb: { user: "root", database: "mysql" },
} as const;
