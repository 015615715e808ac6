// `npm run bench:index`: generated workspaces of application code; how long it takes until their transactions are known,
// and known again after an edit of a long file, and how much memory that holds. Times of the processor are printed beside
// those of the clock, for machines that do other things as well.
//
//   npm run bench:index -- [--files 1000,5000]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../server/src/engine/treeSitter";
import { dictionary } from "../../server/src/protocol/dictionary";
import { createProjectReader } from "../../server/src/service/readProject";
import { loadProjects, type Project } from "../../server/src/workspace/projects";

const { values: options } = parseArgs({
  options: { files: { type: "string", default: "1000,5000" } },
});

/** Milliseconds that are aimed at. */
const COLD = dictionary<number>({ 1000: 2000, 5000: 6000 });
const EDIT = 50;

async function main(): Promise<void> {
  for (const count of options.files.split(",").map(Number)) {
    const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-index-"));
    try {
      generate(folder, count);
      await measure(folder, count);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function measure(folder: string, count: number): Promise<void> {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const cold = stopwatch();
  const [pg, code] = [await loadPgParser(), await loadCodeParsers()];
  const load = stopwatch();
  const { projects } = await loadProjects(["."], { cwd: folder });
  const [project] = projects;
  if (project === undefined) throw new Error("the workspace has no project");
  const loaded = load();
  const reader = createProjectReader({ pg }, code);
  const read = stopwatch();
  const program = reader.read(project);
  const text = `read ${read()}`;
  const all = cold();
  console.log(
    `${String(count)} files: ${String(project.files.length)} may use a database, ${String(program.transactions.length)} transactions`,
  );
  console.log(
    `  cold      ${all} (aim ${String(COLD[String(count)] ?? "-")} ms): load ${loaded}, ${text}`,
  );
  const edits = Array.from({ length: 12 }, (_, at) => {
    const edited = edit(project, at);
    const one = stopwatch();
    reader.read(edited);
    return one();
  });
  console.log(`  edit      ${edits.slice(2).join(", ")} (aim ${String(EDIT)} ms)`);
  const again = stopwatch();
  reader.read(project);
  console.log(`  unchanged ${again()}`);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const megabytes = (key: "heapUsed" | "external" | "rss"): string =>
    `${key} ${String(Math.round((after[key] - before[key]) / 1e6))} MB`;
  console.log(
    `  memory    ${megabytes("heapUsed")}, ${megabytes("external")}, ${megabytes("rss")}`,
  );
}

/** The long file with another constant in its middle. */
function edit(project: Project, round: number): Project {
  const files = project.files.map((each) =>
    each.file.endsWith("long.ts")
      ? {
          ...each,
          text: each.text.replace("/* here */", `/* here */ const x${String(round)} = 1;`),
        }
      : each,
  );
  return { ...project, files };
}

/** Milliseconds since the start: of the clock, and of the processor. */
function stopwatch(): () => string {
  const start = performance.now();
  const usage = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(usage);
    const clock = Math.round(performance.now() - start);
    return `${String(clock)} (${String(Math.round((user + system) / 1000))}) ms`;
  };
}

/** One file in seven is a service with transactions; the others are what applications are otherwise made of. */
function generate(folder: string, count: number): void {
  const write = (name: string, text: string): void => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const tables = Array.from(
    { length: 40 },
    (_, at) =>
      `CREATE TABLE t${String(at)} (id int PRIMARY KEY, owner int NOT NULL, amount int NOT NULL, state text);`,
  );
  write("db/schema.sql", tables.join("\n"));
  write("src/db.ts", DB);
  const functions = Array.from({ length: 65 }, (_, at) => service(at)).join("\n");
  write("src/long.ts", `${SERVICE_HEAD}/* here */\n${functions}`);
  for (let at = 0; at < count - 3; at += 1) {
    const place = `src/part${String(at % 50)}/file${String(at)}`;
    if (at % 7 === 0) {
      const own = Array.from({ length: 3 }, (_, n) => service(at * 3 + n)).join("\n");
      write(`${place}.ts`, SERVICE_HEAD.replace("./db", "../db") + own);
    } else write(`${place}.tsx`, component(at));
  }
}

const DB = `import { Pool, type PoolClient } from "pg";
export const pool = new Pool();
export async function amountOf(client: PoolClient, table: string, id: number): Promise<number> {
  const { rows } = await client.query("SELECT amount FROM t1 WHERE id = $1", [id]);
  if (rows.length === 0) throw new Error("not found");
  return rows[0].amount;
}
`;

const SERVICE_HEAD = `import { pool, amountOf } from "./db";\n\n`;

/** Some thirty lines: reads, a decision, writes. */
function service(seed: number): string {
  const [name, own, other] = [String(seed), String(seed % 40), String((seed * 7 + 3) % 40)];
  return `/** Takes an amount from one and gives it to another. */
export async function move${name}(from: number, to: number, amount: number): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const before = await amountOf(client, "t1", from);
    const { rows } = await client.query(
      \`SELECT id, amount, state FROM t${own} WHERE owner = $1 AND state = 'open' ORDER BY id\`,
      [from],
    );
    if (rows.length >= 10) {
      throw new Error("too many of them are open");
    }
    let left = amount;
    for (const row of rows) {
      const taken = Math.min(left, row.amount);
      await client.query("UPDATE t${own} SET amount = amount - $1 WHERE id = $2", [taken, row.id]);
      left -= taken;
    }
    await client.query("UPDATE t${other} SET amount = $1 WHERE id = $2", [before + amount, to]);
    await client.query("COMMIT");
    return left;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
`;
}

function component(seed: number): string {
  const name = `Part${String(seed)}`;
  const rows = Array.from(
    { length: 40 },
    (_, at) =>
      `      <Row key="${String(at)}" label={labels[${String(at)}] ?? "none"} value={props.values[${String(at)}]} onClick={() => select(${String(at)})} />`,
  );
  return `import { useMemo, useState } from "react";
import { Row } from "../part${String((seed * 3) % 50)}/row";

export interface ${name}Props {
  readonly values: readonly number[];
  readonly title: string;
}

export function ${name}(props: ${name}Props) {
  const [selected, select] = useState(0);
  const labels = useMemo(() => props.values.map((value) => value.toFixed(2)), [props.values]);
  return (
    <section aria-label={props.title} data-selected={selected}>
${rows.join("\n")}
    </section>
  );
}
`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
