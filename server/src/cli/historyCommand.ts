// `isolens history`: judges recorded runs, or converts them.
import { closeSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { writeJsonLines, jsonText } from "../history/formats/writeJson";
import { writeText } from "../history/formats/writeText";
import type { History } from "../history/history";
import type { HistoryReport } from "../protocol/history";
import { checkHistoryFile } from "../service/history/checker";
import { findHistories, type HistoryInput } from "../service/history/files";
import { readHistory } from "../service/history/readHistory";
import { fileErrorText } from "../workspace/textFile";
import type {
  HistoryArguments,
  HistoryCheckArguments,
  HistoryConvertArguments,
} from "./historyArguments";
import { paintFor, type CliIo } from "./io";
import { historyDot } from "./reporters/historyDot";
import { historySvg } from "./reporters/historySvg";
import { historyLine, historyText } from "./reporters/historyText";
import { EXIT } from "./exit";
import { TOOL } from "./version";

/** The judging function; tests replace the thread. */
export type HistoryCheck = typeof checkHistoryFile;

/** Runs the command and returns the exit code. */
export async function historyCommand(
  args: HistoryArguments,
  io: CliIo,
  signal: AbortSignal,
  check: HistoryCheck = checkHistoryFile,
): Promise<number> {
  return args.action === "convert" ? convert(args, io) : judge(args, io, signal, check);
}

async function judge(
  args: HistoryCheckArguments,
  io: CliIo,
  signal: AbortSignal,
  check: HistoryCheck,
): Promise<number> {
  const found = await Promise.all(args.paths.map((each) => findHistories(each, io.cwd)));
  const problems = found.flatMap((each) => each.problems);
  const inputs = found.flatMap((each) => each.inputs);
  for (const problem of problems) io.error(`isolens: ${problem}\n`);
  if (problems.length > 0) return EXIT.usage;
  const single = inputs.length === 1;
  if (!single && (args.format === "dot" || args.format === "svg")) {
    io.error(
      `isolens: --format ${args.format} draws one history, and these are ${String(inputs.length)}: name one file\n`,
    );
    return EXIT.usage;
  }
  const reports: HistoryReport[] = [];
  let unreadable = false;
  for (const input of inputs) {
    const started = performance.now();
    const report = await judgeOne(input, args, io, signal, check);
    if (!report) {
      unreadable = true;
      continue;
    }
    reports.push(report);
    if (args.format === "text") {
      const style = { paint: paintFor(io), columns: io.columns };
      io.out(single ? historyText(report, style) : `${historyLine(report, style)}\n`);
      if (args.timings) io.out(`Time: ${String(Math.round(performance.now() - started))} ms.\n`);
    }
  }
  print(args, reports, single && args.paths.length === 1, io);
  return exitCode(reports, unreadable);
}

/** Undefined, after printing why, for a file that is not what its beginning promised. */
async function judgeOne(
  input: HistoryInput,
  args: HistoryCheckArguments,
  io: CliIo,
  signal: AbortSignal,
  check: HistoryCheck,
): Promise<HistoryReport | undefined> {
  const job = {
    input,
    levels: args.levels,
    strict: args.strict,
    tool: TOOL,
    ...(args.budget !== undefined && { budget: args.budget }),
  };
  const outcome = await check(job, signal, {
    progress: (stage, share) => {
      io.status?.(`${input.name}: ${stage}, ${String(Math.floor(100 * share))} %`);
    },
  });
  io.status?.("");
  if (outcome.ok) return outcome.report;
  io.error(`isolens: ${outcome.message}\n`);
  return undefined;
}

function print(
  args: HistoryCheckArguments,
  reports: readonly HistoryReport[],
  asObject: boolean,
  io: CliIo,
): void {
  const [report] = reports;
  switch (args.format) {
    case "text":
      break;
    case "json":
      if (!asObject) io.out(`${jsonText(reports, 2)}\n`);
      else if (report) io.out(`${jsonText(report, 2)}\n`);
      break;
    case "dot":
      if (report) io.out(historyDot(report));
      break;
    case "svg":
      if (report) io.out(historySvg(report));
  }
}

/** The exit code: a violation takes precedence over an unreadable file, and that over an undecided level. */
function exitCode(reports: readonly HistoryReport[], unreadable: boolean): number {
  const verdicts = reports.flatMap((report) => Object.values(report.verdicts));
  if (verdicts.includes("violated")) return EXIT.anomaly;
  if (unreadable) return EXIT.usage;
  return verdicts.includes("unknown") ? EXIT.unknown : EXIT.clean;
}

async function convert(args: HistoryConvertArguments, io: CliIo): Promise<number> {
  const { inputs, problems } = await findHistories(args.path, io.cwd);
  for (const problem of problems) io.error(`isolens: ${problem}\n`);
  if (problems.length > 0) return EXIT.usage;
  const [input, ...more] = inputs;
  if (!input || more.length > 0) {
    io.error(`isolens: ${args.path} holds ${String(inputs.length)} histories: name one file\n`);
    return EXIT.usage;
  }
  const read = readHistory(input, { progress: () => undefined, stopped: () => false });
  if (!read?.ok) {
    io.error(`isolens: ${read?.message ?? "stopped"}\n`);
    return EXIT.usage;
  }
  try {
    const output = args.output === undefined ? undefined : path.resolve(io.cwd, args.output);
    return write(read.history, args, io, output);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    io.error(`isolens: ${args.output ?? ""}: not written: ${fileErrorText(error)}\n`);
    return EXIT.usage;
  }
}

const BLOCK = 1 << 20;

function write(
  history: History,
  { to }: HistoryConvertArguments,
  io: CliIo,
  output: string | undefined,
): number {
  let handle: number | undefined;
  let block = "";
  const flush = (): void => {
    // A refused history leaves an existing file unchanged.
    if (output !== undefined) handle ??= openSync(output, "w");
    if (handle === undefined) io.out(block);
    else writeSync(handle, block);
    block = "";
  };
  const take = (text: string): void => {
    block += text;
    if (block.length > BLOCK) flush();
  };
  try {
    if (to === "json") writeJsonLines(history, take);
    else {
      const written = writeText(history, take);
      if (!written.ok) {
        io.error(`isolens: not converted: ${written.message}\n`);
        return EXIT.usage;
      }
      for (const note of written.notes) io.error(`isolens: ${note}\n`);
    }
    flush();
    return EXIT.clean;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
