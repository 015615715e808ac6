// `npm run clients`: real clients on `isolens serve` and, with the same program, on a real PostgreSQL or MariaDB. Each
// program prints a line for each step; a step is as expected when both lines are the same, so that nothing here says what
// a server answers.
//
// A step that differs has its reason beside it (`reasons.ts`), or counts as a failure.
//
//   npm run clients -- [--only REGEX] [--folder DIR] [--install] [--recorded] [--verbose]
//
// With `--recorded` they run on the real server below `isolens record` instead, which must not be noticed.
//
// Packages are looked for in DIR (`~/.cache/isolens-clients`), where `--install` puts them by the ordinary installers;
// clients whose packages or tools are not there are listed by name.
import { spawnSync } from "node:child_process";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { CLIENTS, type Client, type Product } from "./clients";
import { commandFor, install, type Command } from "./languages";
import { reasonFor } from "./reasons";
import { startMock, startReal, startRecording, type RunningServer } from "./servers";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    folder: { type: "string", default: path.join(os.homedir(), ".cache", "isolens-clients") },
    install: { type: "boolean", default: false },
    recorded: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const LONGEST = 240_000;

main().then(
  (differences) => process.exit(differences > 0 ? 1 : 0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);

interface Row {
  readonly client: Client;
  readonly product: Product;
  readonly same: number;
  readonly steps: number;
  readonly different: readonly string[];
}

/** Steps that differ for no reason that is known. */
function unexplained({ client, product, different }: Row): readonly string[] {
  return different.filter((step) => reasonFor(client.name, product, step) === undefined);
}

/** How many steps differ without a reason. */
async function main(): Promise<number> {
  const pattern = new RegExp(options.only, "iu");
  const wanted = CLIENTS.filter(({ name, program }) => pattern.test(name) || pattern.test(program));
  if (options.install) install(wanted, options.folder);
  const rows: Row[] = [];
  const absent = new Map<string, string>();
  for (const product of ["postgres", "mysql"] as const) {
    const runs = wanted.filter(({ products }) => products.includes(product));
    if (runs.length === 0) continue;
    const real = await startReal(product);
    if (real === undefined) {
      for (const { name } of runs) absent.set(`${name} (${product})`, `no server to compare with`);
      continue;
    }
    try {
      for (const client of runs) {
        const command = commandFor(client, options.folder);
        if (!command.ok) absent.set(client.name, command.reason);
        else rows.push(printed(await compared(client, product, command.value, real)));
      }
    } finally {
      await real.stop();
    }
  }
  const same = rows.reduce((sum, row) => sum + row.same, 0);
  const steps = rows.reduce((sum, row) => sum + row.steps, 0);
  const whole = rows.filter((row) => row.same === row.steps).length;
  const unknown = rows.reduce((sum, row) => sum + unexplained(row).length, 0);
  console.log(
    `${String(whole)} of ${String(rows.length)} rows as on the real server, ${String(same)} of ${String(steps)} steps, ${String(unknown)} differ without a reason`,
  );
  for (const [name, reason] of absent) console.log(`not run: ${name}: ${reason}`);
  return unknown;
}

async function compared(
  client: Client,
  product: Product,
  command: Command,
  real: RunningServer,
): Promise<Row> {
  const mock = await (options.recorded ? startRecording(product, real.port) : startMock(product));
  await real.reset?.();
  try {
    const expected = linesOf(client, product, command, real.port);
    if (options.recorded) await real.reset?.();
    const found = linesOf(client, product, command, mock.port);
    // A program that does nothing on the real server shows nothing.
    const different = [...expected].filter(
      ([step, line]) => expected.size === 1 || found.get(step) !== line,
    );
    if (options.verbose)
      for (const [step, line] of different)
        console.log(`  ${step}\n    real  ${line}\n    other ${found.get(step) ?? "(nothing)"}`);
    return {
      client,
      product,
      same: expected.size - different.length,
      steps: expected.size,
      different: different.map(([step]) => step),
    };
  } finally {
    await mock.stop();
  }
}

/** The output of a run, by the names of its steps, and how it ended. */
function linesOf(
  { further }: Client,
  product: Product,
  { program, args, cwd, env }: Command,
  port: number,
): ReadonlyMap<string, string> {
  const run = spawnSync(program, [...args, product, String(port), ...(further?.(product) ?? [])], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env, ...(options.verbose && { ISOLENS_CLIENTS_VERBOSE: "1" }) },
    timeout: LONGEST,
    maxBuffer: 2 ** 26,
  });
  const lines = new Map<string, string>();
  for (const line of run.stdout.split("\n")) {
    const at = line.indexOf("\t");
    if (at > 0) lines.set(line.slice(0, at), line.slice(at + 1));
  }
  lines.set("end", run.signal ?? String(run.status));
  if (options.verbose && (lines.size === 1 || run.status !== 0 || process.env["SHOW_STDERR"]))
    console.log(run.stderr.split("\n").slice(-40).join("\n"));
  return lines;
}

function printed(row: Row): Row {
  const { client, product, same, steps, different } = row;
  const state = same === steps ? "same" : unexplained(row).length === 0 ? "reasons" : "differs";
  console.log(
    `${state.padEnd(8)} ${client.name.padEnd(32)} ${product.padEnd(9)} ${String(same)}/${String(steps)}`,
  );
  for (const step of different)
    console.log(
      `         ${step}: ${reasonFor(client.name, product, step) ?? "no reason is known"}`,
    );
  return row;
}
