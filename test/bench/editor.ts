// `npm run bench:editor -- [--runs 5]`: what a person waits for in a real VS Code: the first squiggle of a small project and
// of a file of 10,000 lines after the workbench is ready, the panel of an anomaly, and keys in the long file; beside them what
// the editor takes alone: until the server first answers, and for a preview of Markdown. What the clock says is compared within
// one run alone.
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { inWorkbench, type Workbench } from "../e2e/workbench";
import { root } from "../support/browser";
import { median } from "./statistics";

const { values: options } = parseArgs({ options: { runs: { type: "string", default: "5" } } });
const runs = Number(options.runs);

/** The line of `SELECT balance INTO bal` in withdraw, from 1. */
const READ = 11;
const LONG = { folder: "test-results/long", file: "long.ts", lines: 10_000 };

async function main(): Promise<void> {
  const times = new Map<string, number[]>();
  const note = (name: string, time: number): void => {
    times.set(name, [...(times.get(name) ?? []), time]);
  };
  for (let run = 0; run < runs; run++) {
    const bank = { workspace: "test/apps/bank", file: "bank.sql" };
    await inWorkbench("bench-editor", bank, async (workbench) => {
      const started = performance.now();
      await workbench.statusItem("READ COMMITTED").first().waitFor();
      note("first answer of the language server", performance.now() - started);
      await workbench.squiggles("error").first().waitFor();
      note("first squiggle of the example project", performance.now() - started);
      note("preview of Markdown", await preview(workbench));
      note("panel, first time", await panel(workbench));
      note("preview of Markdown, again", await preview(workbench));
      note("panel, again", await panel(workbench));
    });
  }
  for (const [name, each] of times) print(name, each);
  writeLongFile();
  await inWorkbench("bench-long", { workspace: LONG.folder, file: LONG.file }, longFile);
  process.stdout.write(`load ${os.loadavg()[0]?.toFixed(1) ?? "?"}\n`);
}

/** Milliseconds from the choice of the command to the anomaly's sentence; closes the panel. */
async function panel(workbench: Workbench): Promise<number> {
  const { page } = workbench;
  await workbench.focusEditor("bank.sql");
  await workbench.goTo(READ, 5);
  await workbench.find("Isolens: Show Anomaly");
  const time = await took(async () => {
    await page.keyboard.press("Enter");
    await workbench.webview().locator("h1").waitFor();
  });
  await workbench.run("View: Close All Editors in Group");
  await workbench.open("bank.sql");
  return time;
}

/** Milliseconds until the editor's own preview of a text shows it. */
async function preview(workbench: Workbench): Promise<number> {
  const { page } = workbench;
  writeFileSync(path.join(workbench.folder, "notes.md"), "# Notes\n");
  await workbench.open("notes.md");
  await workbench.find("Markdown: Open Preview");
  const time = await took(async () => {
    await page.keyboard.press("Enter");
    await workbench.webview().locator("h1").waitFor();
  });
  await workbench.run("View: Close All Editors in Group");
  await workbench.open("bank.sql");
  return time;
}

async function longFile(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  print(`first squiggle of ${String(LONG.lines)} lines`, [
    await took(() => workbench.squiggles("error").first().waitFor()),
  ]);
  await workbench.focusEditor(LONG.file);
  await workbench.goTo(1, 1);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  const keys: number[] = [];
  const text = "// a comment that somebody types";
  for (let length = 1; length <= text.length; length++) {
    keys.push(
      await took(async () => {
        await page.keyboard.type(text.charAt(length - 1));
        const typed = text.slice(0, length).trimEnd().replaceAll(" ", "\u00a0");
        await page.locator(".view-line", { hasText: typed }).first().waitFor();
      }),
    );
    await page.waitForTimeout(180);
  }
  print("a key in the long file", keys);
}

/** A service of many parts: each takes from a stock of its own table, among functions that no database knows. */
function writeLongFile(): void {
  const folder = path.join(root, LONG.folder);
  mkdirSync(folder, { recursive: true });
  const parts: string[] = [];
  const tables: string[] = [];
  for (let lines = HEADER.split("\n").length, at = 0; lines < LONG.lines; at++) {
    const part = partOf(at);
    parts.push(part);
    tables.push(
      `CREATE TABLE stock${String(at)} (id integer PRIMARY KEY, count integer NOT NULL);`,
    );
    lines += part.split("\n").length;
  }
  writeFileSync(path.join(folder, LONG.file), [HEADER, ...parts].join("\n"));
  writeFileSync(path.join(folder, "schema.sql"), tables.join("\n"));
}

const HEADER = `import { Pool } from "pg";

const pool = new Pool();`;

function partOf(at: number): string {
  const plain = Array.from(
    { length: 8 },
    (_, index) => `
export function price${String(at)}_${String(index)}(amount: number, rate: number): number {
  const tax = amount * rate;
  return amount > ${String(index)} ? amount + tax : amount;
}`,
  );
  return `
export async function take${String(at)}(id: number, amount: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT count FROM stock${String(at)} WHERE id = $1", [id]);
    if (rows[0].count < amount) throw new Error("sold out");
    await client.query("UPDATE stock${String(at)} SET count = $2 WHERE id = $1", [
      id,
      rows[0].count - amount,
    ]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
${plain.join("\n")}`;
}

async function took(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

function print(name: string, times: readonly number[]): void {
  process.stdout.write(
    `${name}: median ${median(times).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms of ${String(times.length)}\n`,
  );
}

void main();
