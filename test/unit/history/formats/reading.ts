// Reads histories from text or bytes, whole and in pieces, and renders them in a line per transaction.
import assert from "node:assert/strict";
import { recogniseFormat, type FormatName } from "../../../../server/src/history/formats/format";
import { placeText, type Fault } from "../../../../server/src/history/formats/fault";
import { startReading } from "../../../../server/src/history/formats/readHistory";
import {
  FAILED_WRITE,
  READ,
  READ_LIST,
  keyText,
  listVersions,
  sessionLabel,
  transactionLabel,
  valueText,
  APPEND,
  type History,
} from "../../../../server/src/history/history";

export type Content = string | Uint8Array;

/** Reads a file in chunks of a size. */
export function read(
  content: Content,
  options: { readonly chunk?: number; readonly format?: FormatName } = {},
): History | Fault {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const format = options.format ?? recogniseFormat(bytes);
  assert.ok(format, "a known format");
  const reading = startReading(format, bytes.length);
  reading.file("file");
  const size = options.chunk ?? bytes.length + 1;
  // One buffer for all chunks, as a file is read: nothing may be kept of it.
  const buffer = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    buffer.set(part);
    const fault = reading.feed(buffer.subarray(0, part.length));
    buffer.fill(120);
    if (fault) return fault;
  }
  return reading.endFile() ?? reading.finish();
}

/** Each transaction as "session 1 T1: r x=1@2 w y=2@3 (aborted)"; a number after @ is the place. */
export function render(history: History): readonly string[] {
  const lines: string[] = [];
  for (let each = 0; each < history.transactions; each += 1) {
    const operations: string[] = [];
    for (let at = history.from[each] ?? 0; at < (history.to[each] ?? 0); at += 1)
      operations.push(operation(history, at));
    const status = ["", " (aborted)", " (unknown)"][history.status[each] ?? 0] ?? "";
    const session = sessionLabel(history, history.sessionOf[each] ?? 0);
    lines.push(
      `${session} ${transactionLabel(history, each)}: ${operations.join(" ")}${status}`.trimEnd(),
    );
  }
  return lines;
}

function operation(history: History, at: number): string {
  const kind = history.kind[at];
  const version = history.version[at] ?? 0;
  const letter =
    kind === READ || kind === READ_LIST
      ? "r"
      : kind === APPEND
        ? "a"
        : kind === FAILED_WRITE
          ? "f"
          : "w";
  const value =
    kind === READ_LIST
      ? `[${[...listVersions(history, version)].map((each) => valueText(history, each)).join(" ")}]`
      : valueText(history, version);
  const place = String(history.place[at] ?? 0);
  return `${letter} ${keyText(history, history.key[at] ?? 0)}=${value}@${place}`;
}

/** Reads whole and in pieces, and compares the transactions, or the fault as "line 3: message". */
export function check(content: Content, expected: readonly string[] | RegExp): void {
  for (const chunk of [undefined, 1, 7, 64]) {
    const result = read(content, chunk === undefined ? {} : { chunk });
    const faulty = "place" in result && "message" in result;
    if (expected instanceof RegExp) {
      assert.ok(faulty, `a fault was expected, in chunks of ${String(chunk)}`);
      assert.match(`${placeText(result.place)}: ${result.message}`, expected);
    } else {
      assert.ok(!faulty, faulty ? `${placeText(result.place)}: ${result.message}` : "");
      assert.deepEqual(render(result), expected, `in chunks of ${String(chunk)}`);
    }
  }
}
