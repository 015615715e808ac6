// `isolens explore`: whether any execution of a client program that a level allows breaks one of its assertions.
import path from "node:path";
import type { ExploreProgress } from "../clients/exploreLevel";
import type { ExplorationReport } from "../protocol/exploration";
import { exploreProgram } from "../service/exploreProgram";
import { exitCode } from "./checkCommand";
import type { ExploreArguments } from "./exploreArguments";
import { paintFor, type CliIo } from "./io";
import { explorationText } from "./reporters/explorationText";
import { EXIT } from "./run";
import { TOOL } from "./version";

/** How a client program is explored; tests bring their own thread. */
export type ExploreProgram = typeof exploreProgram;

/** Runs the command and returns the exit code. */
export async function exploreCommand(
  args: ExploreArguments,
  io: CliIo,
  signal: AbortSignal,
  explore: ExploreProgram = exploreProgram,
): Promise<number> {
  const started = performance.now();
  const job = {
    file: path.resolve(io.cwd, args.path),
    name: args.path,
    levels: args.levels,
    driver: args.driver,
    budget: args.budget,
    tool: TOOL,
  };
  const began = performance.now();
  const {
    reports,
    problems,
    keys = {},
  } = await explore(job, signal, {
    progress: (level, progress) => {
      io.status?.(progressText(level, progress, (performance.now() - began) / 1000));
    },
  });
  io.status?.("");
  for (const { message, range } of problems) {
    const place =
      range === undefined
        ? args.path
        : `${args.path}:${String(range.start.line + 1)}:${String(range.start.character + 1)}`;
    io.error(`isolens: ${place}: ${message}\n`);
  }
  if (problems.some(({ severity }) => severity === "error")) return EXIT.usage;
  print(reports, keys, args, io);
  if (args.timings && args.format === "text")
    io.out(`Time: ${String(Math.round(performance.now() - started))} ms.\n`);
  return exitCode(reports.map(({ verdict }) => verdict));
}

function print(
  reports: readonly ExplorationReport[],
  keys: Readonly<Record<string, readonly string[]>>,
  { format, levels }: ExploreArguments,
  io: CliIo,
): void {
  if (format === "json") {
    const [only] = reports;
    // One level, one object, as it was asked for.
    const value = levels.length < 2 && only !== undefined ? only : reports;
    io.out(`${JSON.stringify(value, null, 2)}\n`);
    return;
  }
  const keyOf = (table: string): readonly string[] | undefined => keys[table];
  const style = { paint: paintFor(io), columns: io.columns, keyOf };
  io.out(`${reports.map((report) => explorationText(report, style)).join("\n\n")}\n`);
}

const STAGES: Readonly<Record<ExploreProgress["stage"], string>> = {
  serial: "serial orders",
  exploring: "exploring",
  smallest: "looking for the smallest execution",
};

function progressText(
  level: string,
  { stage, histories, broken }: ExploreProgress,
  seconds: number,
): string {
  const rate =
    seconds > 0 ? `, ${Math.round(histories / seconds).toLocaleString("en")} a second` : "";
  const found = broken > 0 ? `, ${String(broken)} broken` : "";
  const count = histories > 0 ? `, ${histories.toLocaleString("en")} histories${rate}` : "";
  return `${level}: ${STAGES[stage]}${count}${found}`;
}
