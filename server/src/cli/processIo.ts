// The process as the command line's surroundings: streams, terminal, signals.
import type { CliIo } from "./io";

export interface ProcessIo extends CliIo {
  /** Ends the process when everything is written. */
  exit(code: number): void;
}

/** Where nothing is known of the reader, lines are kept to this. */
const LOG_COLUMNS = 120;
const NARROWEST_TERMINAL = 60;

/**
 * Connects to a process. An interrupt aborts the controller, so that what was found is still printed; a second one
 * ends at once. A reader that closes the pipe early ends the process quietly.
 */
export function processIo(process: NodeJS.Process, controller: AbortController): ProcessIo {
  const { stdout, stderr } = process;
  const terminal = stdout.isTTY;
  let interrupted = false;
  process.on("SIGINT", () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    controller.abort();
  });
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // The reader has what it wanted (`| head`); there is nobody left to tell.
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  const colours =
    terminal && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  return {
    cwd: process.cwd(),
    columns: terminal ? Math.max(NARROWEST_TERMINAL, stdout.columns) : LOG_COLUMNS,
    colours,
    out: (text) => {
      stdout.write(text);
    },
    error: (text) => {
      stderr.write(text);
    },
    ...(stderr.isTTY && {
      status: (text: string) => {
        stderr.write(`\r\u001b[K${text}`);
      },
    }),
    exit: (code) => {
      process.exitCode = code;
      // Pipes are written in the background: leave only when both have taken everything.
      stdout.write("", () => stderr.write("", () => process.exit(code)));
    },
  };
}
