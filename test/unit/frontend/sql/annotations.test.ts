import assert from "node:assert/strict";
import { test } from "node:test";
import {
  nearestName,
  readAnnotations,
} from "../../../../server/src/frontend/sql/annotations/annotations";
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import { splitStatements } from "../../../../server/src/frontend/sql/text/split";
import type { FileId } from "../../../../server/src/protocol/source";

/** Comments and then note codes, in short. */
function check(text: string, ...expected: readonly string[]): void {
  // Any text will do for an opaque file name.
  const lines = indexLines("f.sql" as FileId, text);
  const { comments, notes } = readAnnotations(lines, splitStatements(text).comments);
  const found = comments.map((comment) => {
    switch (comment.kind) {
      case "transaction":
      case "query":
      case "unit":
      case "level":
        return `${comment.kind} ${comment.name}`;
      case "distinct":
        return `distinct ${comment.pairs.map((pair) => pair.join("<>")).join(" ")}`;
      case "invariant":
      case "learnt":
        return `${comment.kind} ${comment.text}`;
      case "at":
        return `at ${comment.place}`;
      case "rows":
        return `rows ${String(comment.least)} ${String(comment.most)}`;
      case "over":
        return `over ${comment.reason}`;
    }
  });
  assert.deepEqual([...found, ...notes.map((note) => `!${note.code}`)], expected);
}

test("names of queries", () => {
  check("-- name: GetAuthor :one\nSELECT 1", "query GetAuthor");
  check("/* name: GetAuthor :many */ SELECT 1", "query GetAuthor");
  check("-- name: set-bio!\n-- name: get_bio^\n", "query set-bio", "query get_bio");
  check("-- name: the name of the user\n-- a name: x\n--name\n");
});

test("names", () => {
  check("-- @isolens transaction transfer", "transaction transfer");
  check("--@transaction transfer", "transaction transfer");
  check("-- @transaction: transfer money", "transaction transfer money");
  check("/* @isolens transaction t */", "transaction t");
  check(
    "/*\n * @isolens transaction t\n * @isolens level SI\n */",
    "transaction t",
    "level snapshot-isolation",
  );
  check("-- @isolens transaction", "!annotation-incomplete");
  check("-- mail me@transaction.com");
  check("-- see @isolensx");
});

test("what was recorded", () => {
  check("-- @isolens at app/orders.py:12", "at app/orders.py:12");
  check("-- @isolens learnt 12 runs", "learnt 12 runs");
  check("-- @isolens over learnt from 2 runs", "over learnt from 2 runs");
  check("-- @isolens rows 1", "rows 1 1");
  check("-- @isolens rows 0 to 12", "rows 0 12");
  check("-- @isolens rows many", "!annotation-incomplete");
  check("-- @isolens at", "!annotation-incomplete");
  check("-- @isolens over", "!annotation-incomplete");
});

test("levels", () => {
  check("-- @isolens level serializable", "level serializable");
  check("-- @isolens level pg:rr", "level postgres:repeatable-read");
  check("-- @isolens level Snapshot Isolation", "level snapshot-isolation");
  check("-- @isolens level: postgres:serializable", "level postgres:serializable");
  check("-- @isolens level strongest", "level strongest", "!unknown-level");
});

test("distinct parameters", () => {
  check("-- @isolens distinct a, b", "distinct a<>b");
  check("-- @isolens distinct a, b, c", "distinct a<>b a<>c b<>c");
  check("-- @isolens distinct: a <> b", "distinct a<>b");
  check("-- @isolens distinct transfer.src <> transfer.dst", "distinct src<>dst");
  check("-- @isolens distinct :a != :b and :c <> :d", "distinct a<>b c<>d");
  check("-- @isolens distinct a", "!annotation-incomplete");
});

test("what others read, and what is not known", () => {
  check("-- @isolens invariant a.x >= 0", "invariant a.x >= 0");
  check("-- @isolens ignore lost-update -- a counter");
  check("-- @isolens ignore-file lost-update -- a counter");
  check("-- @isolens transation t", "!annotation-unknown");
  check("SELECT '-- @isolens transaction t'");
});

test("the nearest name", () => {
  assert.equal(nearestName("transation", ["level", "transaction"]), "transaction");
  assert.equal(nearestName("lvl", ["level", "transaction"]), undefined);
  assert.equal(nearestName("levle", ["level", "transaction"]), "level");
});
