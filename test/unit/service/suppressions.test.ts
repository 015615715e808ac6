// Which transactions and statements comments are about, in real SQL.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import type { SqlParsers } from "../../../server/src/frontend/sql/parsers";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../server/src/protocol/source";
import { placeSuppressions } from "../../../server/src/service/findings/suppressions";

let parsers: SqlParsers;
before(async () => {
  parsers = { pg: await loadPgParser() };
});

const SCHEMA = "CREATE TABLE t (id int PRIMARY KEY, v int);\n";

/** The subject of each comment ("file", "transaction NAME", "statement TEXT"), and "!code" of each note on comments. */
function check(text: string, ...expected: readonly string[]): void {
  // Any text will do for an opaque file name.
  const file = "f.sql" as FileId;
  const program = readProgram([{ file, text: SCHEMA + text }], parsers);
  const { placed, notes } = placeSuppressions(program);
  const lines = (SCHEMA + text).split("\n");
  const found = placed.map(({ about, kinds }) => {
    const names = kinds.map(({ name }) => name).join(" ");
    switch (about.kind) {
      case "file":
        return `${names}: file`;
      case "transactions":
        return `${names}: transaction ${about.ids.join(" ")}`;
      case "statements":
        return `${names}: ${about.sources
          .map(
            ({ range: { start } }) =>
              lines[start.line]?.slice(start.character, start.character + 6) ?? "",
          )
          .join(" ")}`;
    }
  });
  assert.deepEqual([...found, ...notes.map(({ code }) => `!${code}`)], expected);
}

describe("a comment is about", () => {
  it("the transaction that begins below it", () => {
    check(
      "-- @isolens transaction a\n-- @isolens ignore phantom -- why\nBEGIN;\nSELECT v FROM t WHERE id = 1;\nCOMMIT;",
      "phantom: transaction a",
    );
    check(
      "-- @isolens ignore phantom -- why\n\n-- @isolens transaction a\nBEGIN;\nSELECT v FROM t WHERE id = 1;\nCOMMIT;",
      "phantom: transaction a",
    );
    check(
      "BEGIN; -- @isolens ignore phantom -- why\nSELECT v FROM t;\nCOMMIT;",
      "phantom: transaction f",
    );
  });

  it("the routine that is created below it", () => {
    const routine =
      "CREATE FUNCTION r() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  UPDATE t SET v = 1;\n  DELETE FROM t;\nEND $$;";
    check(`-- @isolens ignore phantom -- why\n${routine}`, "phantom: transaction r");
    check(
      routine.replace("  DELETE", "  -- @isolens ignore phantom -- why\n  DELETE"),
      "phantom: DELETE",
    );
    check(
      routine.replace("FROM t;", "FROM t; -- @isolens ignore phantom -- why"),
      "phantom: DELETE",
    );
  });

  it("the statement below it, around it or before it in its line", () => {
    const inside = (statements: string): string =>
      `BEGIN;\nSELECT v FROM t;\n${statements}\nCOMMIT;`;
    check(inside("-- @isolens ignore phantom -- why\nUPDATE t SET v = 1;"), "phantom: UPDATE");
    check(inside("UPDATE t SET v = 1; -- @isolens ignore phantom -- why"), "phantom: UPDATE");
    check(inside("UPDATE t\n-- @isolens ignore phantom -- why\nSET v = 1;"), "phantom: UPDATE");
    check(inside("/* @isolens ignore phantom -- why */ UPDATE t SET v = 1;"), "phantom: UPDATE");
    check(
      inside(
        "-- @isolens ignore phantom -- a\n-- @isolens ignore read-skew -- b\nUPDATE t SET v = 1;",
      ),
      "phantom: UPDATE",
      "read-skew: UPDATE",
    );
  });

  it("the file, wherever it stands in it", () => {
    check("BEGIN;\nDELETE FROM t;\nCOMMIT;\n-- @isolens ignore-file all -- generated", "all: file");
  });

  it("nothing where nothing stands below it, which is said", () => {
    check(
      "BEGIN;\nDELETE FROM t;\nCOMMIT;\n-- @isolens ignore phantom -- why",
      "!suppression-unattached",
    );
    check(
      "-- @isolens ignore phantom -- why\nCREATE TABLE u (id int);\nBEGIN;\nDELETE FROM t;\nCOMMIT;",
      "!suppression-unattached",
    );
  });
});

describe("what is wrong with comments", () => {
  const inside = (comments: string): string =>
    `BEGIN;\nSELECT v FROM t;\n${comments}\nDELETE FROM t;\nCOMMIT;`;

  it("is a kind that nobody knows, which suppresses nothing", () => {
    check(inside("-- @isolens ignore phantm -- why"), "!suppression-unknown");
    check(
      inside("-- @isolens ignore phantm, phantom -- why"),
      "phantom: DELETE",
      "!suppression-unknown",
    );
  });

  it("is the same kind twice for the same code", () => {
    const phantom = "-- @isolens ignore phantom -- why";
    const repeated = ["phantom: DELETE", "phantom: DELETE", "!suppression-repeated"];
    check(inside(`${phantom}\n${phantom}`), ...repeated);
    check(inside(`${phantom}\n${phantom} not`), ...repeated);
    check(
      inside(phantom.replace("phantom", "phantom, phantom")),
      "phantom phantom: DELETE",
      "!suppression-repeated",
    );
    check(
      inside(`-- @isolens ignore all -- why\n${phantom}`),
      "all: DELETE",
      "phantom: DELETE",
      "!suppression-repeated",
    );
    check(
      `-- @isolens ignore-file phantom -- why\n${inside(phantom)}`,
      "phantom: file",
      "phantom: DELETE",
      "!suppression-repeated",
    );
  });

  it("is neither another kind nor other code", () => {
    check(
      "BEGIN;\n-- @isolens ignore phantom -- a\nUPDATE t SET v = 1;\n-- @isolens ignore phantom -- a\nDELETE FROM t;\nCOMMIT;",
      "phantom: UPDATE",
      "phantom: DELETE",
    );
  });

  it("is nothing in texts and names", () => {
    check("BEGIN;\nUPDATE t SET v = 1 WHERE '-- @isolens ignore phantom -- why' <> '';\nCOMMIT;");
  });
});
