// The process as the command line's environment: streams, terminal, signals.
import { visible } from "../protocol/controlCharacters";
import { EXIT } from "./exit";
import type { CliIo } from "./io";

export interface ProcessIo extends CliIo {
  /** Ends the process when everything is written. */
  exit(code: number): void;
}

/** Colours that `paintFor` writes. */
const OWN_COLOURS = /(\u001b\[(?:1|2|22|31|32|36|39)m)/;

/** The line width without a known terminal. */
const LOG_COLUMNS = 120;
const NARROWEST_TERMINAL = 60;

/** Signals of a terminal, of its end, and of what runs this process (a container, a job of CI), with the shell's codes for them. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type Interrupt = keyof typeof EXIT_CODES;

/**
 * Connects to a process. Each of these interrupts aborts the controller, so that findings so far are still printed; a second one exits at once. A
 * closed output pipe ends the process silently, but not with the exit code for clean.
 */
export function processIo(
  process: NodeJS.Process,
  controller: AbortController,
  interrupts: readonly Interrupt[] = ["SIGINT"],
): ProcessIo {
  const { stdout, stderr } = process;
  const terminal = stdout.isTTY;
  let interrupted = false;
  let code: number = EXIT.clean;
  for (const signal of interrupts)
    process.on(signal, () => {
      if (interrupted) process.exit(EXIT_CODES[signal]);
      interrupted = true;
      controller.abort();
    });
  // The reader is gone (`| head`), and unprinted output must not count as clean.
  const leaveEarly = (): never => process.exit(code === EXIT.clean ? EXIT.unknown : code);
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") leaveEarly();
      throw error;
    });
  }
  const colours =
    terminal && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
  // Colours are ours; all other control characters come from names and values.
  const shown = (text: string): string =>
    colours
      ? text
          .split(OWN_COLOURS)
          .map((part, at) => (at % 2 === 1 ? part : visible(part)))
          .join("")
      : visible(text);
  return {
    cwd: process.cwd(),
    columns: terminal ? Math.max(NARROWEST_TERMINAL, stdout.columns) : LOG_COLUMNS,
    colours,
    out: (text) => {
      stdout.write(shown(text));
    },
    error: (text) => {
      stderr.write(shown(text));
    },
    ...(stderr.isTTY && {
      status: (text: string) => {
        stderr.write(`\r\u001b[K${shown(text)}`);
      },
    }),
    exit: (own) => {
      code = own;
      process.exitCode = code;
      // Pipes are written asynchronously: exit only when both are flushed.
      const written = (next: () => void) => (error?: Error | null) => {
        if (error) leaveEarly();
        else next();
      };
      const leave = written(() => process.exit(code));
      stdout.write(
        "",
        written(() => stderr.write("", leave)),
      );
    },
  };
}
