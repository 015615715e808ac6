// SQL statements over fixed rows, one after the other: what they return and what they leave.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runSerial } from "../../../server/src/store/run";
import { instances, programOf, table } from "./programs";
import { QUERY_ROWS } from "./queryCases";

const TABLES = [
  table("t", { id: "int", v: "int", name: "text" }),
  table("u", { id: "int", t: "int", w: "int" }),
  table("money", { id: "int", amount: "decimal" }),
  table("flags", { id: "int", up: "bool" }),
  { ...table("person", { id: "int", name: "text" }), uniqueKeys: [{ columns: ["name"] }] },
];

const ROWS = {
  ...QUERY_ROWS,
  money: [
    { id: 1, amount: 0.1 },
    { id: 2, amount: 0.2 },
  ],
  flags: [{ id: 1, up: true }],
  person: [{ id: 1, name: "ann" }],
};

/** Runs the statements and compares what they returned: rows `a, b; c, d` per statement that returns any. */
function check(sql: string, expected: readonly string[] | string): void {
  const program = programOf({ P: sql }, TABLES);
  const result = runSerial(program, { instances: instances("P"), initial: ROWS }, ["T1"]);
  assert.ok(result.ok, result.ok ? "" : `${sql}: ${result.reason}`);
  const { steps, outcome } = result.execution;
  if (typeof expected === "string") {
    assert.match(outcome.status["T1"] ?? "", new RegExp(expected), sql);
    return;
  }
  const returned = steps
    .filter((step) => step.source?.kind === "select" || step.result.length > 0)
    .map((step) => step.result.map((row) => Object.values(row).map(String).join(", ")).join("; "));
  assert.deepEqual(returned, expected, sql);
}

function cases(
  title: string,
  list: readonly (readonly [string, readonly string[] | string])[],
): void {
  describe(title, () => {
    for (const [sql, expected] of list)
      it(sql, () => {
        check(sql, expected);
      });
  });
}

cases("values and conditions", [
  ["SELECT 7 / 2 AS a, -7 / 2 AS b, 7 % 3 AS c, -7 % 3 AS d;", ["3, -3, 1, -1"]],
  [
    "SELECT id FROM flags WHERE up = 1; UPDATE flags SET up = 0; SELECT up FROM flags;",
    ["1", "false"],
  ],
  ["SELECT 7.5 / 2 AS a, 1.5 + 2 AS b, 2 * 1.25 AS c;", ["3.75, 3.5, 2.5"]],
  ["SELECT sum(amount) AS s FROM money;", ["0.3"]],
  ["SELECT amount * 3 AS a FROM money WHERE id = 1;", ["0.3"]],
  ["SELECT amount + 1 AS a FROM money WHERE amount = 0.2;", ["1.2"]],
  ["SELECT id FROM t WHERE v > 5 AND NOT (v = 10);", ["2"]],
  ["SELECT id FROM t WHERE v <> 10;", ["2"]],
  ["SELECT id FROM t WHERE v IS NULL;", ["3"]],
  ["SELECT id FROM t WHERE v IS NOT NULL OR id = 3;", ["1; 2; 3"]],
  ["SELECT id FROM t WHERE v IN (10, 20);", ["1; 2"]],
  ["SELECT id FROM t WHERE v NOT IN (10, NULL);", [""]],
  ["SELECT id FROM t WHERE v BETWEEN 10 AND 15;", ["1"]],
  ["SELECT id FROM t WHERE name LIKE 'a%';", ["1"]],
  ["SELECT id FROM t WHERE name LIKE '_o_';", ["2"]],
  ["SELECT id FROM t WHERE name ILIKE 'b%';", ["2"]],
  ["SELECT coalesce(v, 0) AS c FROM t WHERE id = 3;", ["0"]],
  ["SELECT CASE WHEN v > 15 THEN 'big' ELSE 'small' END AS c FROM t;", ["small; big; small"]],
  ["SELECT greatest(v, 15) AS g, least(v, 15) AS l FROM t;", ["15, 10; 20, 15; 15, 15"]],
  ["SELECT upper(name) AS n, length(name) AS l FROM t WHERE id < 3;", ["ANN, 3; BOB, 3"]],
  ["SELECT name || '!' AS n FROM t WHERE id <> 2;", ["ann!; null"]],
  ["SELECT abs(-3) AS a, mod(7, 4) AS m;", ["3, 3"]],
  ["SELECT 1 / (v - 10) AS x FROM t;", "22012"],
]);

cases("joins and subqueries", [
  ["SELECT t.id, u.w FROM t JOIN u ON u.t = t.id;", ["1, 5; 1, 7"]],
  ["SELECT t.id, u.w FROM t LEFT JOIN u ON u.t = t.id;", ["1, 5; 1, 7; 2, null; 3, null"]],
  ["SELECT t.id, u.w FROM t RIGHT JOIN u ON u.t = t.id;", ["1, 5; 1, 7; null, 1"]],
  ["SELECT t.id, u.w FROM t FULL JOIN u ON u.t = t.id;", ["1, 5; 1, 7; 2, null; 3, null; null, 1"]],
  ["SELECT t.id FROM t LEFT JOIN u ON u.t = t.id WHERE u.id IS NULL;", ["2; 3"]],
  ["SELECT t.id FROM t, u WHERE t.id = u.t AND u.w > 5;", ["1"]],
  ["SELECT a.id, b.id AS other FROM t a JOIN t b ON a.id < b.id;", ["1, 2; 1, 3; 2, 3"]],
  ["SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t = t.id);", ["1"]],
  ["SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.t = t.id);", ["2; 3"]],
  ["SELECT id FROM t WHERE id IN (SELECT t FROM u);", ["1"]],
  ["SELECT id, (SELECT sum(w) FROM u WHERE u.t = t.id) AS s FROM t;", ["1, 12; 2, null; 3, null"]],
  ["SELECT id FROM t WHERE v = (SELECT max(v) FROM t);", ["2"]],
  ["SELECT s.n FROM (SELECT count(*) AS n FROM u) s;", ["3"]],
  ["WITH big AS (SELECT id FROM u WHERE w > 4) SELECT count(*) AS n FROM big;", ["2"]],
]);

cases("groups, order and sets", [
  [
    "SELECT count(*) AS n, count(v) AS c, sum(v) AS s, min(v) AS a, max(v) AS b FROM t;",
    ["3, 2, 30, 10, 20"],
  ],
  ["SELECT avg(v) AS a FROM t;", ["15"]],
  ["SELECT sum(v) AS s, count(*) AS n FROM t WHERE id > 7;", ["null, 0"]],
  ["SELECT t, sum(w) AS s FROM u GROUP BY t ORDER BY t;", ["1, 12; 9, 1"]],
  ["SELECT t FROM u GROUP BY t HAVING count(*) > 1;", ["1"]],
  ["SELECT count(DISTINCT t) AS n FROM u;", ["2"]],
  ["SELECT DISTINCT t FROM u ORDER BY t DESC;", ["9; 1"]],
  ["SELECT id FROM t ORDER BY v DESC;", ["3; 2; 1"]],
  ["SELECT id FROM t ORDER BY v;", ["1; 2; 3"]],
  ["SELECT id FROM u ORDER BY w DESC LIMIT 1;", ["2"]],
  ["SELECT id FROM u ORDER BY id LIMIT 1 OFFSET 1;", ["2"]],
  ["SELECT id FROM t UNION SELECT t FROM u;", ["1; 2; 3; 9"]],
  ["SELECT id FROM t UNION ALL SELECT id FROM u WHERE id = 1;", ["1; 2; 3; 1"]],
  ["SELECT id FROM t EXCEPT SELECT t FROM u;", ["2; 3"]],
]);

cases("changes", [
  ["UPDATE t SET v = v + 1 WHERE id = 1; SELECT v FROM t WHERE id = 1;", ["11"]],
  ["UPDATE t SET v = 0; SELECT sum(v) AS s FROM t;", ["0"]],
  [
    "UPDATE t SET v = u.w FROM u WHERE u.t = t.id AND u.id = 2; SELECT v FROM t WHERE id = 1;",
    ["7"],
  ],
  ["UPDATE t SET id = 4 WHERE id = 3; SELECT id FROM t;", ["1; 2; 4"]],
  ["UPDATE t SET id = 2 WHERE id = 3;", "23505"],
  ["UPDATE t SET v = v * 2 WHERE id = 2 RETURNING v, id;", ["40, 2"]],
  ["DELETE FROM t WHERE v > 10; SELECT id FROM t;", ["1; 3"]],
  ["DELETE FROM t WHERE id = 1 RETURNING v;", ["10"]],
  [
    "INSERT INTO t (id, v) VALUES (4, 1), (5, 2); SELECT id, v, name FROM t WHERE id > 3;",
    ["4, 1, null; 5, 2, null"],
  ],
  ["INSERT INTO t (id, v) VALUES (1, 1);", "23505"],
  [
    "INSERT INTO t (id, v) VALUES (1, 1) ON CONFLICT DO NOTHING; SELECT v FROM t WHERE id = 1;",
    ["10"],
  ],
  [
    "INSERT INTO t (id, v) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v RETURNING v;",
    ["11"],
  ],
  // Where the key of ON CONFLICT is taken, the other keys are not looked at.
  [
    "INSERT INTO person (id, name) VALUES (1, 'ann') ON CONFLICT (name) DO NOTHING; SELECT id FROM person;",
    ["1"],
  ],
  [
    "INSERT INTO person (id, name) VALUES (1, 'ann') ON CONFLICT (name) DO UPDATE SET id = 7 RETURNING id;",
    ["7"],
  ],
  ["INSERT INTO person (id, name) VALUES (1, 'Bob') ON CONFLICT (name) DO NOTHING;", "23505"],
  [
    "INSERT INTO u (id, t, w) SELECT id + 10, id, v FROM t WHERE v IS NOT NULL; SELECT id, w FROM u WHERE id > 9;",
    ["11, 10; 12, 20"],
  ],
  ["INSERT INTO t (id, v) VALUES (6, 1) RETURNING id;", ["6"]],
  [
    "INSERT INTO money (id, amount) VALUES (3, 5); SELECT amount / 2 AS h FROM money WHERE id = 3;",
    ["2.5"],
  ],
]);
