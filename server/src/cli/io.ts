// Streams of the command line. Tests give their own.

export interface CliIo {
  readonly cwd: string;
  /** Columns of the terminal, or of a log. */
  readonly columns: number;
  readonly colours: boolean;
  out(text: string): void;
  error(text: string): void;
  /** A line that the next one replaces; only on terminals. */
  readonly status?: (text: string) => void;
}

/** The colours that text uses; without colours the same text. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  alarm(text: string): string;
  good(text: string): string;
  place(text: string): string;
}

/** ANSI colours where the terminal shows them. */
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
