// The .hist text of dbcop: transactions "[x:=1 y==2 z==?]", "!" after one that did not commit, "---" between sessions.
import type { HistoryBuilder } from "../builder";
import { ABORTED, READ, WRITE } from "../history";
import { excerpt, type Fault } from "./fault";
import { eachLine } from "./lines";
import { keyNumber, versionNumber, wholeNumber, type FormatReader } from "./reader";

const TOKEN = /\s+|\/\/.*|\[|\]!?|([A-Za-z_]\w*|\d+)(:=|==)(\?|\d+)|(.)/gu;

/** "?", like 0, reads the initial value. A transaction may span several lines. */
export function dbcopHistReader(builder: HistoryBuilder): FormatReader {
  const encoder = new TextEncoder();
  let session: number | undefined;
  let transaction: number | undefined;
  let openedAt = 1;

  function take(text: string, line: number): Fault | undefined {
    if (/^-+$/u.test(text) && transaction === undefined) {
      session = undefined;
      return undefined;
    }
    for (const match of text.matchAll(TOKEN)) {
      const fault = token(match, line);
      if (fault) return fault;
    }
    return undefined;
  }

  function token(match: RegExpExecArray, line: number): Fault | undefined {
    const [text, key, operator, value, other] = match;
    if (other !== undefined || (key !== undefined && transaction === undefined)) {
      const rest = excerpt(encoder.encode(match.input.slice(match.index)));
      const expected =
        transaction === undefined ? '"[", "---" or "//"' : '"x:=1", "x==1", "x==?" or "]"';
      return { place: { line }, message: `expected ${expected}, found ${rest}` };
    }
    if (key !== undefined && transaction !== undefined && value !== undefined) {
      const own = keyNumber(builder, /^\d/u.test(key) ? wholeNumber(key) : key);
      if (operator === ":=" && value === "?")
        return { place: { line }, message: `"${text}": only reads can have "?"` };
      const version = versionNumber(builder, own, value === "?" ? null : wholeNumber(value));
      builder.add(operator === ":=" ? WRITE : READ, transaction, own, version, line);
      return undefined;
    }
    if (text === "[") {
      if (transaction !== undefined)
        return { place: { line }, message: 'expected "]" before the next "["' };
      session ??= builder.newSession();
      transaction = builder.newTransaction(session);
      openedAt = line;
    }
    if (text.startsWith("]")) {
      if (transaction === undefined) return { place: { line }, message: 'a "]" without its "["' };
      if (text === "]!") builder.setStatus(transaction, ABORTED);
      transaction = undefined;
    }
    return undefined;
  }

  const lines = eachLine(take);
  return {
    feed: (bytes) => lines.feed(bytes),
    end() {
      const fault = lines.end();
      if (fault || transaction === undefined) return fault;
      return {
        place: { line: openedAt },
        message: 'the file ends inside this transaction: expected "]"',
      };
    },
  };
}
