// From bytes to a history: one reader per file, several files (Cobra's logs) in one history.
import { HistoryBuilder } from "../builder";
import type { History } from "../history";
import { awditReader } from "./awdit";
import { bincodeReader } from "./bincode";
import { cobraReader } from "./cobra";
import { dbcopHistReader } from "./dbcopHist";
import { elleReader } from "./elle";
import type { Fault } from "./fault";
import type { FormatName } from "./format";
import { dbcopJsonReader, jsonReader } from "./json";
import type { FormatReader } from "./reader";
import { textReader } from "./text";

/** Reads the files of one history, one after the other. After a fault there is no history. */
export interface HistoryReading {
  /** The following bytes are of this file. */
  file(name: string): void;
  feed(bytes: Uint8Array): Fault | undefined;
  /** The present file has ended. */
  endFile(): Fault | undefined;
  /** Once, after the last file. */
  finish(): History;
}

/** So many bytes an operation takes, at least, in the formats that hold large histories. */
const OPERATION_BYTES: Readonly<Record<FormatName, number>> = {
  text: 18,
  "dbcop-bincode": 18,
  "dbcop-json": 36,
  "dbcop-hist": 6,
  cobra: 24,
  awdit: 7,
  elle: 10,
  json: 14,
};

/** Formats whose places are bytes; all others have lines. */
const BINARY: readonly FormatName[] = ["dbcop-bincode", "cobra"];

/** Formats in which the value 0 is what a key holds at the start. */
const ZERO_IS_INITIAL: readonly FormatName[] = [
  "text",
  "dbcop-bincode",
  "dbcop-json",
  "dbcop-hist",
];

const MOST_EXPECTED = 1 << 26;

/** Starts to read a history; `bytes` is the size of all its files together, as far as it is known. */
export function startReading(format: FormatName, bytes: number): HistoryReading {
  const builder = new HistoryBuilder({
    expectedOperations: Math.min(MOST_EXPECTED, Math.ceil(bytes / OPERATION_BYTES[format])),
    zeroIsInitial: ZERO_IS_INITIAL.includes(format),
    placeUnit: BINARY.includes(format) ? "byte" : "line",
    unsigned: format === "dbcop-bincode",
  });
  let reader: FormatReader | undefined;
  return {
    file(name) {
      builder.file(name);
      reader = readerOf(format, builder, name);
    },
    feed: (chunk) => reader?.feed(chunk),
    endFile: () => reader?.end(),
    finish: () => builder.finish(),
  };
}

function readerOf(format: FormatName, builder: HistoryBuilder, file: string): FormatReader {
  switch (format) {
    case "text":
      return textReader(builder);
    case "dbcop-bincode":
      return bincodeReader(builder);
    case "dbcop-json":
      return dbcopJsonReader(builder);
    case "dbcop-hist":
      return dbcopHistReader(builder);
    case "cobra":
      return cobraReader(builder, builder.textSession(file));
    case "awdit":
      return awditReader(builder);
    case "elle":
      return elleReader(builder);
    case "json":
      return jsonReader(builder);
  }
}
