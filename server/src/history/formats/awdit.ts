// AWDIT's test text: "r KEY VALUE" and "w KEY VALUE", a line of dashes after a transaction, of equals signs after a session.
import type { HistoryBuilder } from "../builder";
import { READ, WRITE } from "../history";
import { keyNumber, versionNumber, wholeNumber, type FormatReader } from "./reader";
import { excerpt, type Fault } from "./fault";
import { eachLine } from "./lines";

const OPERATION = /^([rw])\s+(-?\d+)\s+(-?\d+)$/u;

/** A transaction of the file writes the first value of each key. */
export function awditReader(builder: HistoryBuilder): FormatReader {
  let session: number | undefined;
  let transaction: number | undefined;

  function take(text: string, line: number): Fault | undefined {
    if (/^-{3,}$/u.test(text)) {
      transaction = undefined;
      return undefined;
    }
    if (/^={3,}$/u.test(text)) {
      transaction = undefined;
      session = undefined;
      return undefined;
    }
    const match = OPERATION.exec(text);
    if (!match) {
      const found = excerpt(new TextEncoder().encode(text));
      const expected = '"r KEY VALUE", "w KEY VALUE", "-----" or "====="';
      return { place: { line }, message: `expected ${expected}, found ${found}` };
    }
    const [, kind, key = "", value = ""] = match;
    session ??= builder.newSession();
    transaction ??= builder.newTransaction(session);
    const own = keyNumber(builder, wholeNumber(key));
    const version = versionNumber(builder, own, wholeNumber(value));
    builder.add(kind === "w" ? WRITE : READ, transaction, own, version, line);
    return undefined;
  }

  return eachLine(take);
}
