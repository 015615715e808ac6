// One file of programs (test/data/statements), each function of it called with its arguments and others like them; a part
// of `main.ts`, which starts it below a recording. Rows are put back before each call, past the proxy.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ownEntry } from "../../../server/src/protocol/dictionary";

type Row = Readonly<Record<string, string | number | null>>;

/** The parts of the clients that are used. */
interface Pg {
  readonly Client: new (url: string | undefined) => Admin & {
    readonly connect: () => Promise<void>;
  };
}

interface Mysql {
  readonly createConnection: (options: object) => Promise<Admin>;
}

interface Admin {
  readonly query: (sql: string) => Promise<unknown>;
}

/** The program, the folder of the rows, and the server, past the proxy. */
const [file = "", data = "", url = ""] = process.argv.slice(2);
const isMysql = url.startsWith("mysql:");
/** Calls with each list of arguments. */
const CALLS = 8;
let seed = 7;

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

async function main(): Promise<void> {
  const admin = await administrator(createRequire(file));
  const rows = JSON.parse(readFileSync(path.join(data, "rows.json"), "utf8")) as Readonly<
    Record<string, readonly Row[]>
  >;
  const reset = resetScript(rows);
  await admin.query(reset);
  const program = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  const source = readFileSync(file, "utf8");
  const exported = { ...program, ...(program["default"] as object | undefined) };
  await called(ownEntry(exported, "connect"), []);
  for (const { name, values } of callsOf(source))
    for (let at = 0; at < CALLS; at++) {
      await admin.query(reset);
      await called(
        ownEntry(exported, name),
        at === 0 ? values : values.map((value) => varied(value, at % 4 === 3)),
      );
    }
}

async function administrator(load: NodeJS.Require): Promise<Admin> {
  if (isMysql) {
    const mysql = load("mysql2/promise") as Mysql;
    return mysql.createConnection({ uri: url, multipleStatements: true });
  }
  const { Client } = load("pg") as Pg;
  const client = new Client(url);
  await client.connect();
  return client;
}

async function called(callee: unknown, values: readonly unknown[]): Promise<void> {
  if (typeof callee !== "function") return;
  try {
    await (callee as (...args: unknown[]) => unknown)(...values);
  } catch {
    // Programs refuse, and tell so by an error: such runs are learnt from as well.
  }
}

/** `// run 1, "a"` before a function, as often as it is to be run. */
function callsOf(
  text: string,
): readonly { readonly name: string; readonly values: readonly unknown[] }[] {
  const found: { name: string; values: readonly unknown[] }[] = [];
  let waiting: (readonly unknown[])[] = [];
  for (const line of text.split("\n")) {
    const [, values] = /^\s*\/\/ run\b(.*)$/.exec(line) ?? [];
    if (values !== undefined) waiting.push(JSON.parse(`[${values}]`) as readonly unknown[]);
    const name = /^export (?:default )?(?:async )?function (\w+)|^export const (\w+)/.exec(line);
    if (name === null) continue;
    found.push(...waiting.map((each) => ({ name: name[1] ?? name[2] ?? "", values: each })));
    waiting = [];
  }
  return found;
}

/** Another value of the same kind: small numbers are keys, larger ones amounts, or keys of no row; names stay. */
function varied(value: unknown, isKey: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => varied(each, isKey));
  if (typeof value !== "number" || !Number.isInteger(value)) return value;
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  if (isKey || (value >= 1 && value <= 3)) return 1 + (seed % 3);
  return value <= 0 ? value : Math.ceil(value / 2) + (seed % value);
}

function resetScript(rows: Readonly<Record<string, readonly Row[]>>): string {
  const quoted = (name: string): string => (isMysql ? `\`${name}\`` : `"${name}"`);
  const tables = Object.keys(rows).map(quoted);
  const literal = (value: string | number | null): string =>
    typeof value === "string" ? `'${value}'` : String(value);
  const inserts = Object.entries(rows).flatMap(([table, own]) =>
    own.map(
      (row) =>
        `INSERT INTO ${quoted(table)} (${Object.keys(row).map(quoted).join(", ")}) VALUES (${Object.values(row).map(literal).join(", ")})`,
    ),
  );
  const numbers = Object.entries(rows).flatMap(([table, own]) =>
    own[0] !== undefined && "id" in own[0]
      ? [
          isMysql
            ? `ALTER TABLE ${quoted(table)} AUTO_INCREMENT = 1000`
            : `ALTER SEQUENCE ${table}_id_seq RESTART WITH 1000`,
        ]
      : [],
  );
  const emptied = isMysql
    ? ["SET FOREIGN_KEY_CHECKS = 0", ...tables.map((table) => `TRUNCATE ${table}`)]
    : [`TRUNCATE ${tables.join(", ")} RESTART IDENTITY CASCADE`];
  return [...emptied, ...inserts, ...numbers].join(";\n");
}
