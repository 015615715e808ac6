// Assertions of a code client: texts as in JSON, and functions over the end of a run.
import type { Key, Value } from "../../exploration/client";
import type { Range } from "../../protocol/source";
import { readExpression } from "../assertionExpression";
import { AssertionFault, type ResultValue } from "../assertionValues";
import { expressionAssertion, isQuery, rowsHold, type Assertion } from "../assertions";
import { errorText } from "./argumentValues";

/** One assertion or a list of them. */
export function assertionsOf(given: unknown): readonly unknown[] {
  if (given === undefined || given === null) return [];
  return Array.isArray(given) ? (given as unknown[]) : [given];
}

/** An assertion, or the error in it. */
export function assertionOf(
  given: unknown,
  range: Range,
  query: (sql: string, state: ReadonlyMap<Key, Value>) => ResultValue,
  sizes: readonly number[],
): Assertion | string {
  if (typeof given === "string") {
    if (isQuery(given))
      return {
        text: given,
        range,
        asksState: true,
        names: [],
        holds: ({ state }) => rowsHold(query(given, state)),
      };
    const read = readExpression(given);
    if (!read.ok) return `the assertion "${given}" is not understood: ${read.message}`;
    const missing = read.expression.transactions.find(
      ({ session, transaction }) => transaction >= (sizes[session] ?? 0),
    );
    if (missing !== undefined)
      return `there is no s${String(missing.session + 1)}[${String(missing.transaction)}] in "sessions"`;
    return expressionAssertion({ text: given, range }, read.expression, query);
  }
  if (typeof given !== "function") return "an assertion is a text or a function (end) => boolean";
  const holds = given as (end: object) => unknown;
  const text = given.name === "" || given.name === "assert" ? shortSource(given) : given.name;
  return {
    text,
    range,
    asksState: true,
    // The function's dependencies are unknown, so partial explorations must keep it in their serial orders.
    names: [],
    async holds({ outcome, state }) {
      const about = (name: unknown) => {
        const [, session, index] = /^s(\d+)\[(\d+)\]$/u.exec(String(name)) ?? [];
        return outcome(Number(session) - 1, Number(index));
      };
      let value: unknown;
      try {
        value = await holds({
          result: (name: unknown) => about(name)?.result ?? null,
          committed: (name: unknown) => about(name)?.status === "committed",
          aborted: (name: unknown) => about(name)?.status === "aborted",
          error: (name: unknown) => about(name)?.error ?? null,
          query: (sql: unknown) => query(String(sql), state),
          rows: (table: unknown) => query(`select * from ${String(table)}`, state),
        });
      } catch (error) {
        if (error instanceof AssertionFault) throw error;
        if (isFailedAssert(error)) return false;
        throw new AssertionFault(`it throws: ${errorText(error)}`);
      }
      if (value === false) return false;
      if (value === true || value === null || value === undefined) return true;
      throw new AssertionFault("it gives neither true nor false");
    },
  };
}

/** Errors of `node:assert` and the like mean false. */
function isFailedAssert(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_ASSERTION";
}

const LONGEST_NAME = 80;

/** The display text of an anonymous function: its own source. */
function shortSource(given: object): string {
  const [text = ""] = sourceTexts(given).map((each) => each.replace(/\s+/gu, " "));
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 3)}...` : text;
}

/** The source of a function, then the first line of its body: parameter types have been removed. */
export function sourceTexts(given: object): readonly string[] {
  const text = Function.prototype.toString.call(given);
  const [, body = text] = /=>\s*(?:\{\s*)?([^\n]+)/u.exec(text) ?? [];
  return [text, body];
}
