// Which statements of a recording are one run of which entry point.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOf } from "../../../server/src/record/runs";
import { newGlossary, recordedStatement } from "../../../server/src/record/statements";

/** Entries and numbers of statements of runs; a statement is `SELECT 1 in call 3 of pay at 7`. */
function told(...sent: readonly string[]): readonly string[] {
  const glossary = newGlossary();
  let isOpen = false;
  const statements = sent.map((text, order) => {
    const [, sql = text, call = "", entry = "", line = ""] =
      /^(.*) in call (\d+) of (\w+) at (\d+)$/.exec(text) ?? [];
    isOpen = sql === "BEGIN" || (isOpen && sql !== "COMMIT");
    const place = `Work.java:${line}:${entry}`;
    const event = { connection: 1, order, at: 0, arguments: [], columns: [], rows: [], count: 0 };
    return recordedStatement(
      {
        ...event,
        sql: entry === "" ? sql : `${sql}/*isolens:${place};${place};${call}*/`,
        status: isOpen ? "open" : "idle",
      },
      "postgres",
      glossary,
    );
  });
  return runsOf(statements).runs.map(
    (run) => `${run.entry ?? "-"} ${String(run.statements.length)}`,
  );
}

/** A transaction that a driver begins, whose statements a hook took for those of two calls. */
const mixed = (call: number, line: number): readonly string[] => [
  "BEGIN",
  `SELECT 1 in call ${String(call)} of loop at ${String(line)}`,
  `SELECT 2 in call ${String(call + 1)} of loop at ${String(line)}`,
  "COMMIT",
];

test("transactions of a worker's loop stand by themselves, also where calls could not be told", () => {
  assert.deepEqual(told(...mixed(1, 9), ...mixed(2, 9), ...mixed(3, 9)), ["- 4", "- 4", "- 4"]);
});

test("a transaction around several calls of a function that goes forward is taken apart", () => {
  assert.deepEqual(
    told(...mixed(1, 7), ...mixed(3, 8), ...mixed(5, 9)),
    Array.from({ length: 6 }, () => "loop 1"),
  );
});

/** Runs of statements that stand in texts, as `A; B` with a comment at its end: entry, and what is sent. */
function ofTexts(...texts: readonly string[]): readonly string[] {
  const glossary = newGlossary();
  const statements = texts.flatMap((text, order) => {
    const parts = text.split("; ");
    return parts.map((sql, at) =>
      recordedStatement(
        {
          ...{ connection: 1, order, at: 0, arguments: [], columns: [], rows: [], count: 0, sql },
          status: at < parts.length - 1 ? "open" : "idle",
        },
        "postgres",
        glossary,
      ),
    );
  });
  return runsOf(statements).runs.map(
    ({ entry, statements: own }) => `${entry ?? "-"}: ${own.map(({ text }) => text).join(", ")}`,
  );
}

const site = "/*isolens:shop.py:7:pay;shop.py:5:pay;1*/";

test("statements of one text are of the call that its comment names, and commit together", () => {
  assert.deepEqual(ofTexts(`UPDATE a SET n = n; UPDATE b SET n = n${site}`), [
    "pay: BEGIN, UPDATE a SET n = n, UPDATE b SET n = n, COMMIT",
  ]);
});

test("a pool that resets a session belongs to no call, and keeps no transaction open", () => {
  const reset = `SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL${site}`;
  assert.deepEqual(ofTexts(`UPDATE a SET n = n${site}`, reset, `UPDATE b SET n = n${site}`), [
    "pay: UPDATE a SET n = n, UPDATE b SET n = n",
  ]);
});

test("a text that ends with a setting of the session ends its transaction", () => {
  assert.deepEqual(ofTexts("UPDATE a SET n = n; SET search_path = x", "UPDATE b SET n = n"), [
    "-: BEGIN, UPDATE a SET n = n, COMMIT",
    "-: UPDATE b SET n = n",
  ]);
});
