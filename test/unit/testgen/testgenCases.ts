// Generated tests in a folder of their own, beside the SQL files that they load, and what comes out when they are run.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram, type SourceFile } from "../../../server/src/frontend/sql/readProgram";
import type { Anomaly } from "../../../server/src/protocol/report";
import { generateTest, type GeneratedTest } from "../../../server/src/testgen/generate";
import type { TestLanguage } from "../../../server/src/testgen/languages";
import type { ServerAddress } from "../../../server/src/replay/servers/liveServer";
import { productOf } from "../store/programs";
import { analyse } from "../truth/analyse";

const ROOT = path.join(__dirname, "..", "..", "..");
const parsers = loadPgParser().then((pg) => ({ pg }));

export interface FoundIn {
  readonly files: readonly SourceFile[];
  readonly level: string;
  readonly anomalies: readonly Anomaly[];
}

/** The confirmed anomalies of two transactions at the level. */
export async function findIn(files: readonly SourceFile[], level: string): Promise<FoundIn> {
  const { anomalies } = await analyse(files, level, 2);
  return { files, level, anomalies: anomalies.filter(({ status }) => status === "confirmed") };
}

/** The text of a test that stands in the folder of its files. */
export async function generated(
  { files, level }: Pick<FoundIn, "files" | "level">,
  anomaly: Anomaly,
  language: TestLanguage,
): Promise<GeneratedTest> {
  const program = readProgram(files, await parsers);
  const levelOf = () => productOf(level);
  const input = { anomaly, program, files, parsers: await parsers, levelOf, folder: "." };
  return generateTest(input, language);
}

export interface TestFolder {
  readonly path: string;
  write(name: string, text: string): void;
  remove(): void;
}

/** A folder in which packages of this repository are found. */
export function openTestFolder(files: readonly SourceFile[]): TestFolder {
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-testgen-"));
  symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  const write = (name: string, text: string): void => {
    writeFileSync(path.join(folder, name), text);
  };
  for (const { file, text } of files) write(file, text);
  return {
    path: folder,
    write,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The environment by which a client of PostgreSQL reaches the server. */
export function environmentOf({ socket, host, port, user, database }: ServerAddress) {
  return {
    PGHOST: socket ?? host ?? "",
    PGUSER: user,
    PGDATABASE: database,
    ...(port !== undefined && { PGPORT: String(port) }),
  };
}

/** Runs test files by Node; what was printed, and the names of the tests by how they ended. */
export async function runNode(
  folder: TestFolder,
  files: readonly string[],
  address: ServerAddress,
): Promise<{ readonly passed: number; readonly failed: number; readonly out: string }> {
  // Those who run inside of a test would report to its runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--test", "--test-reporter=tap", ...files],
    { cwd: folder.path, env: { ...env, ...environmentOf(address) } },
  );
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (out += text));
  await new Promise((resolve) => child.once("close", resolve));
  const count = (word: string): number =>
    Number(new RegExp(`^# ${word} (\\d+)$`, "m").exec(out)?.[1] ?? -1);
  return { passed: count("pass"), failed: count("fail"), out };
}

/** The output of pytest for the tests of a folder. */
export async function runPython(
  folder: TestFolder,
  python: string,
  address: ServerAddress,
): Promise<string> {
  const child = spawn(python, ["-m", "pytest", "-q", "-p", "no:cacheprovider"], {
    cwd: folder.path,
    env: { ...process.env, ...environmentOf(address) },
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (out += text));
  await new Promise((resolve) => child.once("close", resolve));
  return out;
}
