// Comments and layout have no significance; everything that a server or a language reads has.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { significantText } from "../../../server/src/lsp/significantText";
import type { FileId } from "../../../server/src/protocol/source";

// File ids are any names.
const SQL = "a.sql" as FileId;
const CODE = "a.ts" as FileId;

const SAME: readonly (readonly [FileId, string, string])[] = [
  [SQL, "SELECT 1 -- one\nFROM t", "SELECT 1\n  FROM t"],
  [SQL, "SELECT /* all of */ 1", "SELECT 1"],
  [CODE, "f(1); // one", "f(1); // two"],
  [CODE, "const x = /a\\/[/*]b/.test(y); // one", "const x = /a\\/[/*]b/.test(y); /* two */"],
];

const OTHER: readonly (readonly [FileId, string, string])[] = [
  [SQL, "SELECT '-- one'", "SELECT '-- two'"],
  [SQL, "SELECT 1 /*! FOR UPDATE */", "SELECT 1 /*! FOR SHARE */"],
  [SQL, "SELECT /*+ SET_VAR(autocommit=0) */ 1", "SELECT /*+ SET_VAR(autocommit=1) */ 1"],
  [SQL, "SET x = 3--1", "SET x = 3--2"],
  [SQL, "-- @isolens ignore lost-update", "-- @isolens ignore write-skew"],
  [CODE, "f(`// ${a}`)", "f(`// ${b}`)"],
  [CODE, "x = /[/]/.test(y) ? a : b", "x = /[/]/.test(y) ? a : c"],
  [CODE, "x = /https?:\\/\\//.test(y) ? a : b", "x = /https?:\\/\\//.test(y) ? a : c"],
];

describe("the significant part of a text", () => {
  for (const [file, one, other] of SAME)
    it(`is the same of ${one} and ${other}`, () => {
      assert.equal(significantText(file, one).trim(), significantText(file, other).trim());
    });
  for (const [file, one, other] of OTHER)
    it(`differs between ${one} and ${other}`, () => {
      assert.notEqual(significantText(file, one), significantText(file, other));
    });
});
