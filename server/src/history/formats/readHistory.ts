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

/** Reads the files of one history in sequence. A fault ends the reading without a history. */
export interface HistoryReading {
  /** The following bytes belong to this file. */
  file(name: string): void;
  feed(bytes: Uint8Array): Fault | undefined;
  /** The current file has ended. */
  endFile(): Fault | undefined;
  /** Once, after the last file. */
  finish(): History;
}

/** The minimal size of an operation in bytes, in the formats of large histories. */
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

/** Formats with byte positions; all others have lines. */
const BINARY: readonly FormatName[] = ["dbcop-bincode", "cobra"];

/** Formats in which 0 is the initial value of a key. */
const ZERO_IS_INITIAL: readonly FormatName[] = [
  "text",
  "dbcop-bincode",
  "dbcop-json",
  "dbcop-hist",
];

const MOST_EXPECTED = 1 << 26;

/** Starts reading a history; `bytes` is the total size of its files, if known. */
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
