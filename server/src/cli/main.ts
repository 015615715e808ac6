// The command line: parses arguments, runs a command, returns the exit code. Defects that end a command are caught here.
import { faultText } from "../protocol/fault";
import { allocateCommand } from "./allocateCommand";
import { COMMANDS, helpText, readArguments } from "./arguments";
import { checkCommand } from "./checkCommand";
import { exploreCommand } from "./exploreCommand";
import { fixCommand } from "./fixCommand";
import { historyCommand } from "./historyCommand";
import type { CliIo } from "./io";
import { EXIT } from "./exit";
import type { CheckSurroundings } from "./run";
import { serveMcp } from "./mcp";
import type { RecordArguments } from "./recordArguments";
import type { RecordResult } from "./recordCommand";
import type { ReplayArguments } from "./replayArguments";
import type { ServeArguments } from "./serveArguments";
import { showCommand } from "./showCommand";
import type { TestgenArguments } from "./testgenArguments";
import { VERSION } from "./version";
import type { CheckArguments } from "./commonArguments";

export interface CliOptions extends CheckSurroundings {
  /** Starts the language server on standard input and output; it outlives the command. */
  readonly startLanguageServer: () => Promise<void>;
  /** Loads the commands that need a database: a separate bundle. */
  readonly loadDatabaseCommands: () => Promise<DatabaseCommands>;
}

/** Commands that need the mock database or a real one. */
export interface DatabaseCommands {
  readonly replayCommand: (
    args: ReplayArguments,
    io: CliIo,
    surroundings: CheckSurroundings,
  ) => Promise<number>;
  readonly testgenCommand: (
    args: TestgenArguments,
    io: CliIo,
    surroundings: CheckSurroundings,
  ) => Promise<number>;
  readonly recordCommand: (
    args: RecordArguments,
    io: CliIo,
    signal: AbortSignal,
  ) => Promise<RecordResult>;
  readonly serveCommand: (args: ServeArguments, io: CliIo, signal: AbortSignal) => Promise<number>;
}

/** The text of an internal error: its code, and the throwing place if requested. */
export function defectText(error: unknown): string {
  const host = `${VERSION}, Node ${process.version}, ${process.platform}`;
  const trace =
    (process.env["ISOLENS_TRACE"] ?? "") !== "" && error instanceof Error
      ? `\n${error.stack ?? error.message}`
      : "; ISOLENS_TRACE=1 prints where it was thrown";
  return `isolens: ${faultText(error)} (${host})${trace}\n`;
}

/** Runs one command line (without `node cli.js`). Resolves with the exit code, or with "running" for the server. */
export async function runCli(
  argv: readonly string[],
  io: CliIo,
  options: CliOptions,
): Promise<number | "running"> {
  const read = readArguments(argv);
  if (!read.ok) {
    io.error(`isolens: ${read.message}\nTry "isolens --help".\n`);
    return EXIT.usage;
  }
  const args = read.arguments;
  try {
    switch (args.command) {
      case "help":
        if (args.topic !== undefined && !COMMANDS.some((each) => each === args.topic)) {
          io.error(
            `isolens: there is no command "${args.topic}"; there are ${COMMANDS.join(", ")}\n`,
          );
          return EXIT.usage;
        }
        io.out(helpText());
        return EXIT.clean;
      case "version":
        io.out(`${VERSION}\n`);
        return EXIT.clean;
      case "lsp":
        await options.startLanguageServer();
        return "running";
      case "mcp":
        await serveMcp({ input: process.stdin, write: io.out }, async (argv) => {
          let [out, error] = ["", ""];
          const own: CliIo = {
            ...{ cwd: io.cwd, columns: 120, colours: false },
            out: (text) => void (out += text),
            error: (text) => void (error += text),
          };
          const code = await runCli(argv, own, options);
          return { code: code === "running" ? EXIT.usage : code, out, error };
        });
        return EXIT.clean;
      case "check":
        return await checkCommand(args, io, options);
      case "history":
        return await historyCommand(args, io, options.signal);
      case "explore":
        return await exploreCommand(args, io, options.signal);
      case "replay":
        return await (await options.loadDatabaseCommands()).replayCommand(args, io, options);
      case "testgen":
        return await (await options.loadDatabaseCommands()).testgenCommand(args, io, options);
      case "serve":
        return await (await options.loadDatabaseCommands()).serveCommand(args, io, options.signal);
      case "allocate":
        return await allocateCommand(args, io, options);
      case "fix":
        return await fixCommand(args, io, options);
      case "record": {
        const { recordCommand } = await options.loadDatabaseCommands();
        const recorded = await recordCommand(args, io, options.signal);
        return "code" in recorded
          ? recorded.code
          : await checkCommand(checkOf(recorded.folder), io, {
              ...options,
              // The interrupt that ended the recording is no wish to leave out its findings.
              ...(options.signal.aborted && { signal: new AbortController().signal }),
            });
      }
      case "show":
        return await showCommand(args, io, options);
    }
  } catch (error) {
    io.error(defectText(error));
    return EXIT.internal;
  }
}

/** Arguments of the check after a recording: as "isolens check FOLDER". */
function checkOf(folder: string): CheckArguments {
  const read = readArguments(["check", folder]);
  if (!read.ok || read.arguments.command !== "check") throw new Error("check takes a folder");
  return read.arguments;
}
