// `isolens serve`: a database that behaves as a level allows, until it is stopped.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { loadPgParser } from "../engine/pgParser";
import { listen, type Listening } from "../mock/listen";
import { createMockServer, type MockServer } from "../mock/databases";
import { lineAt } from "../mock/mockDatabase";
import type { RecordedHistory } from "../mock/store/recordHistory";
import type { SqlError } from "../sqlstore/sqlError";
import { fileErrorText, readTextFile } from "../workspace/textFile";
import type { CliIo } from "./io";
import { EXIT } from "./exit";
import type { ServeArguments } from "./serveArguments";

/** Runs until the signal; then writes the history and returns the exit code. */
export async function serveCommand(
  args: ServeArguments,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const schema = await schemaText(args, io);
  if (schema === undefined) return EXIT.usage;
  const earlier: RecordedHistory[] = [];
  const made = createMockServer({
    dialect: args.protocol,
    ...(args.protocol === "postgres" && { parser: await loadPgParser() }),
    level: args.level,
    seed: args.seed,
    strategy: args.strategy,
    schema,
    delay: args.delay,
    ...(args.lockTimeout !== undefined && { lockTimeout: args.lockTimeout }),
    ...(args.strongUntil && { strongUntil: args.strongUntil }),
    overwritesKeys: args.overwriteKeys,
    weakFor: args.weakFor,
    isForgetful: args.history === undefined,
    onReset: (history) => earlier.push(history),
  });
  if (!made.ok) {
    io.error(`isolens: ${placeText(args, schema, made.error)}: ${made.error.message}\n`);
    return EXIT.usage;
  }
  const { server } = made;
  const listening = await openPort(args, server, io);
  if (!listening) return EXIT.usage;
  io.out(`listening on 127.0.0.1:${String(listening.port)}\n`);
  await stopped(signal);
  await listening.close();
  return saveHistories(args, [...earlier, server.history()], io);
}

/** The schema's file with the line of the error, if known. */
function placeText({ schema }: ServeArguments, text: string, { position }: SqlError): string {
  const line = position === undefined ? "" : `:${String(lineAt(text, position))}`;
  return `${schema ?? "the schema"}${line}`;
}

async function schemaText({ schema }: ServeArguments, io: CliIo): Promise<string | undefined> {
  if (schema === undefined) return "";
  const read = await readTextFile(path.resolve(io.cwd, schema));
  if (read.ok) return read.text;
  io.error(`isolens: ${schema}: ${read.reason}\n`);
  return undefined;
}

async function openPort(
  { protocol, port }: ServeArguments,
  server: MockServer,
  io: CliIo,
): Promise<Listening | undefined> {
  try {
    return await listen({ protocol, port, open: server.open });
  } catch (error) {
    const what = `isolens: port ${String(port)} of 127.0.0.1 cannot be had: ${fileErrorText(error)}`;
    io.error(`${what}; leave --port out for a free one\n`);
    return undefined;
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener(
      "abort",
      () => {
        resolve();
      },
      { once: true },
    );
  });
}

/** Writes the last run to the named file, and each run before a reset to one with a number before the extension. */
async function saveHistories(
  { history }: ServeArguments,
  runs: readonly RecordedHistory[],
  io: CliIo,
): Promise<number> {
  if (history === undefined) return EXIT.clean;
  const { dir, name, ext } = path.parse(path.resolve(io.cwd, history));
  for (const [index, run] of runs.entries()) {
    const number = index < runs.length - 1 ? `-${String(index + 1)}` : "";
    const file = path.join(dir, `${name}${number}${ext}`);
    try {
      await writeFile(file, `${JSON.stringify(run)}\n`);
    } catch (error) {
      io.error(`isolens: ${file}: not written: ${fileErrorText(error)}\n`);
      return EXIT.usage;
    }
  }
  return EXIT.clean;
}
