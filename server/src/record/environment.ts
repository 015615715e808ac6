// Where the application finds its server, and what it is told instead: the variables of its environment that name the
// server are rewritten so that they name the proxy.
import { ownEntry, setEntry } from "../protocol/dictionary";
import type { Upstream } from "./proxy/proxy";
import type { Protocol } from "./events";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A server with what is needed to read its catalogue. */
export interface RecordedServer extends Upstream {
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  /** The variable or option that names it, for the user. */
  readonly from: string;
  /** Nobody named it: nothing connects to it. */
  readonly isUnnamed?: boolean;
}

const PORTS: Readonly<Record<Protocol, number>> = { postgres: 5432, mysql: 3306 };

/** The server of a URL; a sentence for what is none. */
export function serverOf(written: string, from: string): RecordedServer | string {
  // Frameworks write the driver behind the product: postgresql+psycopg://, jdbc:mysql://, mysql2://.
  const match = /^(?:jdbc:)?(postgres(?:ql)?|mysql2?|mariadb|cockroachdb)(?:\+\w+)?:\/\//i.exec(
    written,
  );
  const scheme = match?.[1]?.toLowerCase() ?? "";
  if (match === null)
    return `${from} is no URL of a server, as postgres://user@localhost/app or mysql://user@localhost/app`;
  const protocol: Protocol = /^(?:mysql|maria)/.test(scheme) ? "mysql" : "postgres";
  // libpq takes an empty host for the local one.
  const rest = written.slice(match[0].length).replace(/^([^/?#]*@)?(?=[/?#]|$)/, "$1localhost");
  const url = parsedUrl(`http://${rest}`);
  if (url === undefined) return `${from} is no URL that can be read`;
  const host = decoded(url.hostname);
  const query = url.searchParams;
  const folder =
    query.get("host") ?? query.get("socket") ?? (host.startsWith("/") ? host : undefined);
  const port = url.port === "" ? PORTS[protocol] : Number(url.port);
  const mode = MODES.map((name) => query.get(name)).find((each) => each !== null);
  const database = decoded(url.pathname.slice(1));
  return {
    protocol,
    host: host === "" || host.startsWith("/") ? "127.0.0.1" : host,
    port,
    ...socketOf(protocol, folder, port),
    ...encryptionOf(mode ?? (query.get("ssl") === "true" ? "require" : undefined)),
    ...(url.username !== "" && { user: decoded(url.username) }),
    ...(url.password !== "" && { password: decoded(url.password) }),
    ...(database !== "" && { database }),
    from,
  };
}

const MODES = ["sslmode", "ssl-mode", "sslMode"];

/** Demand of a mode of libpq or of MySQL's clients. */
function encryptionOf(mode: string | undefined): Pick<Upstream, "encryption"> {
  if (/^verify[-_]ca$/i.test(mode ?? "")) return { encryption: "authority" };
  if (/^verify/i.test(mode ?? "")) return { encryption: "verify" };
  return /^require/i.test(mode ?? "") ? { encryption: "required" } : {};
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the text is what it is.
    return text;
  }
}

function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** PostgreSQL's sockets are named by their folder, MySQL's by themselves. */
function socketOf(
  protocol: Protocol,
  place: string | undefined,
  port: number,
): { readonly socket?: string } {
  if (place === undefined || !place.startsWith("/")) return {};
  const isWhole = protocol === "mysql" || place.includes("/.s.PGSQL.");
  return { socket: isWhole ? place : `${place}/.s.PGSQL.${String(port)}` };
}

/** Variables that hold a URL, in the order in which they are looked at. */
const URLS = [
  "DATABASE_URL",
  "POSTGRES_URL",
  "POSTGRESQL_URL",
  "PG_URL",
  "MYSQL_URL",
  "DB_URL",
  "DATABASE_URI",
  "SQLALCHEMY_DATABASE_URI",
  "SPRING_DATASOURCE_URL",
  "JDBC_DATABASE_URL",
];

interface Family {
  readonly protocol?: Protocol;
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Variables that name a server part by part. `DB_*` says nothing of the product but by its port. */
const FAMILIES: readonly Family[] = [
  {
    protocol: "postgres",
    host: "PGHOST",
    port: "PGPORT",
    user: "PGUSER",
    password: "PGPASSWORD",
    database: "PGDATABASE",
  },
  {
    protocol: "postgres",
    host: "POSTGRES_HOST",
    port: "POSTGRES_PORT",
    user: "POSTGRES_USER",
    password: "POSTGRES_PASSWORD",
    database: "POSTGRES_DB",
  },
  {
    protocol: "mysql",
    host: "MYSQL_HOST",
    port: "MYSQL_PORT",
    user: "MYSQL_USER",
    password: "MYSQL_PASSWORD",
    database: "MYSQL_DATABASE",
  },
  {
    host: "DB_HOST",
    port: "DB_PORT",
    user: "DB_USER",
    password: "DB_PASSWORD",
    database: "DB_NAME",
  },
];

/** The server that an environment names; undefined where it names none. */
export function serverOfEnvironment(
  env: Environment,
  names: readonly string[] = [],
): RecordedServer | undefined {
  for (const name of [...names, ...URLS]) {
    const value = ownEntry(env, name);
    if (value === undefined || value === "") continue;
    const server = serverOf(value, name);
    if (typeof server !== "string") return server;
  }
  for (const family of FAMILIES) {
    const { host, port } = family;
    const own = ownEntry(env, host);
    if (own === undefined && ownEntry(env, port) === undefined) continue;
    if (!/^\d{0,5}$/.test(ownEntry(env, port) ?? "")) continue;
    const protocol =
      family.protocol ??
      (ownEntry(env, port) === "3306" ||
      /mysql|maria/i.test(ownEntry(env, "DB_CONNECTION") ?? ownEntry(env, "DB_ENGINE") ?? "")
        ? "mysql"
        : "postgres");
    const number = Number(ownEntry(env, port) ?? PORTS[protocol]);
    const [user, password, database] = [
      ownEntry(env, family.user) ?? ownEntry(env, "DB_USERNAME"),
      ownEntry(env, family.password),
      ownEntry(env, family.database) ?? ownEntry(env, "DB_DATABASE"),
    ];
    return {
      protocol,
      host: own === undefined || own.startsWith("/") ? "127.0.0.1" : own,
      port: number,
      ...socketOf(protocol, own, number),
      ...(host === "PGHOST" && encryptionOf(ownEntry(env, "PGSSLMODE"))),
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password }),
      ...(database !== undefined && { database }),
      from: own === undefined ? port : host,
    };
  }
  return undefined;
}

export interface Rewritten {
  readonly env: Environment;
  /** Names of the variables that have another value now. */
  readonly changed: readonly string[];
}

const LOCAL = "127.0.0.1";

/**
 * The environment with the proxy in the server's place: URLs that name the server, and host and port of families that do.
 * libpq's own variables are set in any case, since most clients of PostgreSQL read them where nothing else is said.
 */
export function redirectConnections(
  env: Environment,
  server: RecordedServer,
  port: number,
  names: readonly string[] = [],
): Rewritten {
  const own: Record<string, string | undefined> = { ...env };
  const changed: string[] = [];
  const set = (name: string, value: string): void => {
    if (ownEntry(own, name) === value) return;
    setEntry(own, name, value);
    changed.push(name);
  };
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const asked = names.includes(name);
    const read = serverOf(value, name);
    if (typeof read !== "string" && (asked || isSame(read, server)))
      set(name, towards(value, port));
    else if (asked && /^\d+$/.test(value)) set(name, String(port));
    else if (asked) set(name, LOCAL);
  }
  for (const { host, port: number, protocol } of FAMILIES) {
    if (protocol !== undefined && protocol !== server.protocol) continue;
    const [place, at] = [ownEntry(env, host), ownEntry(env, number)];
    const isNamed = place !== undefined || at !== undefined;
    const isLibpq = host === "PGHOST" && server.protocol === "postgres";
    if (!(isNamed ? isPlace(place, at, server) : isLibpq)) continue;
    set(host, LOCAL);
    set(number, String(port));
    for (const [name, value] of isLibpq ? LIBPQ : [])
      if (ownEntry(env, name) !== undefined) set(name, value);
  }
  return { env: own, changed };
}

/** Variables of libpq that would lead past the proxy, or demand what it cannot give. */
const LIBPQ = [
  ["PGHOSTADDR", LOCAL],
  ["PGSSLMODE", "prefer"],
  ["PGCHANNELBINDING", "prefer"],
] as const;

/** True if host and port are the server's; the one that is not given is the usual one. */
function isPlace(
  host: string | undefined,
  port: string | undefined,
  server: RecordedServer,
): boolean {
  if (host !== undefined && !isHost(host, server)) return false;
  const isSocketFile = server.protocol === "mysql" && server.socket !== undefined;
  return isSocketFile || Number(port ?? PORTS[server.protocol]) === server.port;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

function isHost(host: string, server: RecordedServer): boolean {
  if (host.startsWith("/")) return server.socket?.startsWith(host) === true;
  return host === server.host || (LOOPBACK.has(host) && LOOPBACK.has(server.host));
}

function isSame(left: RecordedServer, right: RecordedServer): boolean {
  if (left.protocol !== right.protocol) return false;
  if (left.socket !== undefined || right.socket !== undefined) return left.socket === right.socket;
  return left.port === right.port && isHost(left.host, right);
}

/** A URL with another host and port; what of its query leads elsewhere or demands encryption goes. */
function towards(url: string, port: number): string {
  const [before = "", ...fragment] = url.split("#");
  const [whole = "", ...query] = before.split("?");
  const place = `${LOCAL}:${String(port)}`;
  const moved = whole.replace(/^([^/]+:\/\/(?:[^/]*@)?)[^/]*/, `$1${place}`);
  const kept = query
    .join("?")
    .split("&")
    .filter((each) => each !== "" && !leadsElsewhere(each))
    .join("&");
  return [kept === "" ? moved : `${moved}?${kept}`, ...fragment].join("#");
}

const PLACES = /^(?:host|hostaddr|port|(?:unix_?)?socket(?:path)?)$/i;
const ENCRYPTION = /^(?:ssl|use_?ssl|require_?ssl|tls|ssl-?mode|ssl_mode|channel_?binding)$/i;
const NO_DEMAND = /^(?:0|no|off|false|disabled?|allow|prefer(?:red)?)$/i;

function leadsElsewhere(parameter: string): boolean {
  const [name = "", value = ""] = parameter.split("=", 2);
  return PLACES.test(name) || (ENCRYPTION.test(name) && !NO_DEMAND.test(value));
}
