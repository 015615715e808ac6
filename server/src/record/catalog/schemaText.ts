// The tables of a recording as one file: from the server's catalogue where the database is still there, else from the DDL
// that went over the wire.
import { reasonOf } from "../../protocol/fault";
import { encryptedTo } from "../proxy/proxy";
import { connectTo } from "../../replay/servers/address";
import type { RecordedServer } from "../environment";
import type { Protocol } from "../events";
import type { RecordedStatement } from "../statements";
import { readMysqlCatalogue } from "./mysql";
import { readPostgresCatalogue, type Catalogue } from "./postgres";
import { wireSchema } from "./wire";

export interface RecordedSchema {
  readonly text: string;
  /** The level of transactions that ask for none, as SQL says it. */
  readonly level?: string;
  /** Sentences for the user. */
  readonly remarks: readonly string[];
}

/** Asks the server for the database that most statements were sent to; what it does not tell comes from the recording. */
export async function recordedSchema(
  server: RecordedServer,
  statements: readonly RecordedStatement[],
): Promise<RecordedSchema> {
  const database = mostUsed(statements) ?? server.database;
  const told = await catalogueOf(server, database);
  const known = typeof told === "string" ? undefined : told;
  const remarks =
    typeof told === "string"
      ? [
          `the tables of ${database ?? "the database"} are taken from the statements that made them: ${told}`,
        ]
      : [];
  const wire = wireSchema(statements);
  const missing = missingFrom(known?.statements ?? [], wire);
  const isCovered =
    known !== undefined && !missing.some((text) => mentions(statements, tableOf(text)));
  const all = [...(known?.statements ?? []), ...(isCovered ? [] : missing)];
  return {
    text: schemaText(all, server.protocol),
    ...(known?.level !== undefined && { level: known.level }),
    remarks,
  };
}

/** Definitions that the server does not tell any more: a test run often drops its tables at its end. */
export function missingFrom(
  statements: readonly string[],
  wire: readonly string[],
): readonly string[] {
  const subjects = new Set(statements.map(subjectOf));
  return wire.filter((text) => !subjects.has(subjectOf(text)));
}

async function catalogueOf(
  server: RecordedServer,
  database: string | undefined,
): Promise<Catalogue | string> {
  const { protocol, host, port, socket, user, password, encryption } = server;
  if (server.isUnnamed === true) return "no server is named (--server URL)";
  const product = protocol === "postgres" ? "postgres" : "mariadb";
  const usual = protocol === "postgres" ? "postgres" : "root";
  const place =
    socket === undefined
      ? { host, port, ...(encryption && { encryption: encryptedTo({ host, encryption }) }) }
      : {
          socket: protocol === "postgres" ? socket.replace(/\/\.s\.PGSQL\.\d+$/, "") : socket,
          port,
        };
  try {
    const live = await connectTo(product, {
      ...place,
      user: user ?? usual,
      ...(password !== undefined && { password }),
      database: database ?? usual,
    });
    try {
      const session = await live.open();
      const read = await (protocol === "postgres"
        ? readPostgresCatalogue(session)
        : readMysqlCatalogue(session));
      await session.close();
      return read;
    } finally {
      await live.close();
    }
  } catch (error) {
    return reasonOf(error);
  }
}

function mostUsed(statements: readonly RecordedStatement[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { database, kind } of statements)
    if (database !== undefined && (kind === "read" || kind === "write"))
      counts.set(database, (counts.get(database) ?? 0) + 1);
  return [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))[0]?.[0];
}

/** Object that a statement makes or changes: `table account`, `type mood`. */
function subjectOf(sql: string): string {
  const table = tableOf(sql);
  if (table !== undefined) return `table ${plainName(table)}`;
  const [, kind = "", name = ""] = OTHER_SUBJECT.exec(sql) ?? [];
  return `${kind.toLowerCase()} ${plainName(name)}`;
}

const OTHER_SUBJECT =
  /^(?:create|alter)\b.*?\b(type|domain|view|function|procedure|trigger)\s+(?:if\s+not\s+exists\s+)?([^\s(]+)/is;

/** The table that a statement makes or changes, as it is written. */
function tableOf(sql: string): string | undefined {
  return (
    /^(?:create|alter)\s+(?:temp(?:orary)?\s+|unlogged\s+)?table\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?([^\s(]+)/i.exec(
      sql,
    )?.[1] ?? /^create\s+(?:unique\s+)?index\b.*?\bon\s+([^\s(]+)/is.exec(sql)?.[1]
  );
}

function plainName(name: string): string {
  return name.replace(/["`]/g, "").replace(/^.*\./, "").toLowerCase();
}

function mentions(statements: readonly RecordedStatement[], table: string | undefined): boolean {
  const name = plainName(table ?? "");
  if (name === "") return false;
  const word = new RegExp(`\\b${name.replace(/\W/g, "\\$&")}\\b`, "i");
  return statements.some(
    ({ kind, text }) => (kind === "read" || kind === "write") && word.test(text),
  );
}

function schemaText(statements: readonly string[], protocol: Protocol): string {
  const written = statements.map((text) =>
    protocol === "mysql" &&
    /^create\s+(?:definer\b.*?)?(?:procedure|function|trigger)\b/is.test(text)
      ? `DELIMITER $$\n${text} $$\nDELIMITER ;`
      : `${text.replace(/;\s*$/, "")};`,
  );
  return `-- Tables as "isolens record" found them.\n${written.join("\n\n")}\n`;
}
