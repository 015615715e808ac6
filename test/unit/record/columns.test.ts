// The columns of results, as scripts name them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learnt, type Sent } from "./calls";

test("the columns of a result are those of the statement, not of a part of it", () => {
  const insertion: Sent = {
    sql: "INSERT INTO log (a) SELECT a, b FROM t RETURNING count(*), (SELECT 1)",
    columns: ["count", "?column?"],
    rows: [["1", "1"]],
  };
  const next: Sent = { sql: "UPDATE t SET n = 1", affected: 1 };
  const [text = ""] = learnt([[insertion, next]]);
  assert.match(text, /SELECT a, b FROM t RETURNING count\(\*\), \(SELECT 1\) AS column_2;/);
});

test("a column's name without AS is replaced by one that a script may have", () => {
  const last: Sent = {
    sql: 'SELECT MAX("number") "last", MAX("number") "0", count(*) n, price p FROM ticket',
    columns: ["last", "0", "n", "p"],
    rows: [["4", "4", "4", "1"]],
  };
  const [text = ""] = learnt([[last, { sql: "UPDATE t SET n = 1", affected: 1 }]]);
  assert.match(
    text,
    /SELECT MAX\("number"\) "last", MAX\("number"\) AS value0_2, count\(\*\) n, price p FROM ticket;/,
  );
});
