// A face of the product as its fuzzer sees it: what it is given, how long it may take, and what came out.

export interface Face {
  /** Inputs to begin with. */
  readonly seeds: () => readonly Buffer[];
  readonly isText: boolean;
  /** Milliseconds that an input may take. */
  readonly budget: number;
  /** Loads what the face needs. */
  readonly open: () => Promise<OpenFace>;
}

export interface OpenFace {
  /**
   * Gives what was said about the input, which is looked at for the texts of exceptions, and a word for how it was taken:
   * inputs that are taken in new ways are kept. Rejects where the face fails.
   */
  take(input: Buffer): Promise<Taken>;
  close(): Promise<void>;
}

export interface Taken {
  readonly said: string;
  readonly way: string;
}

/** Words that only a fault of ours says. */
const EXCEPTION_TEXT = new RegExp(
  [
    /Cannot (?:read|set) propert[^"\n]{0,60}/,
    /Cannot (?:convert|destructure|access|mix)\b[^"\n]{0,60}/,
    /\b(?:is|are) not (?:a function|iterable|a constructor|defined)\b[^"\n]{0,40}/,
    /\b(?:Type|Range|Reference|Runtime|Syntax|Internal)Error\b[^"\n]{0,80}/,
    /Maximum call stack|out of bounds|\[object \w+\]|Invalid (?:array|string) length|internal error[^"\n]{0,80}/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** The text of an exception in what was said, unless it stands in the input as well. */
export function exceptionText(said: string, input: Buffer): string | undefined {
  const found = EXCEPTION_TEXT.exec(said)?.[0];
  return found === undefined || input.toString("utf8").includes(found) ? undefined : found;
}
