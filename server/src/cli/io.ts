// Streams of the command line; tests replace them.

export interface CliIo {
  readonly cwd: string;
  /** Columns of the terminal, or of a log. */
  readonly columns: number;
  readonly colours: boolean;
  out(text: string): void;
  error(text: string): void;
  /** Prints a line that the next one replaces; on terminals only. */
  readonly status?: (text: string) => void;
}

/** The text's colours, or no change without colours. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  alarm(text: string): string;
  good(text: string): string;
  place(text: string): string;
}

/** ANSI colours if the terminal supports them. */
export function paintFor(io: Pick<CliIo, "colours">): Paint {
  const code =
    (start: number, end: number) =>
    (text: string): string =>
      io.colours && text !== "" ? `\u001b[${String(start)}m${text}\u001b[${String(end)}m` : text;
  return {
    strong: code(1, 22),
    faint: code(2, 22),
    alarm: code(31, 39),
    good: code(32, 39),
    place: code(36, 39),
  };
}
