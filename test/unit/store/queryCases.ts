// SELECTs over fixed rows with what PostgreSQL returns for them: read by the store's tests and asked of PostgreSQL itself.

/** Rows of `t (id, v, name)` and `u (id, t, w)`. */
export const QUERY_ROWS = {
  t: [
    { id: 1, v: 10, name: "ann" },
    { id: 2, v: 20, name: "Bob" },
    { id: 3, v: null, name: null },
  ],
  u: [
    { id: 1, t: 1, w: 5 },
    { id: 2, t: 1, w: 7 },
    { id: 3, t: 9, w: 1 },
  ],
};

export type QueryCase = readonly [sql: string, rows: string];

/** Functions that give several rows, LATERAL. */
export const SETS: readonly QueryCase[] = [
  ["SELECT n FROM generate_series(2, 4) AS n", "2; 3; 4"],
  ["SELECT n FROM generate_series(9, 1, -4) AS n", "9; 5; 1"],
  ["SELECT generate_series(1, 0) AS n", ""],
  ["SELECT generate_series(1, 3) AS a, generate_series(7, 8) AS b", "1, 7; 2, 8; 3, null"],
  ["SELECT id, generate_series(1, id) AS n FROM t WHERE id < 3", "1, 1; 2, 1; 2, 2"],
  ["SELECT u.id, n FROM u, generate_series(1, u.id) AS n WHERE u.w > 2", "1, 1; 2, 1; 2, 2"],
  [
    "SELECT t.id, g.n FROM t LEFT JOIN generate_series(2, t.id) AS g(n) ON true ORDER BY 1, 2",
    "1, null; 2, 2; 3, 2; 3, 3",
  ],
  ["SELECT x, n FROM unnest(ARRAY[5, 6, 6]) WITH ORDINALITY AS e(x, n)", "5, 1; 6, 2; 6, 3"],
  ["SELECT a, b FROM unnest(ARRAY[1, 2], ARRAY[3]) AS e(a, b)", "1, 3; 2, null"],
  [
    "SELECT a, b FROM ROWS FROM (unnest('{4,5,6}'::int[]), generate_series(1, 2)) AS e(a, b)",
    "4, 1; 5, 2; 6, null",
  ],
  ["SELECT count(*) AS n FROM unnest(ARRAY[1, 2]) AS x WHERE x > 1", "1"],
  ["SELECT id FROM t WHERE id IN (SELECT unnest(ARRAY[1, 3])) ORDER BY id", "1; 3"],
  ["SELECT id FROM t WHERE id = (SELECT max(x) FROM unnest(ARRAY[1, 2]) AS x)", "2"],
  ["SELECT DISTINCT unnest(ARRAY[2, 2]) AS x", "2"],
  ["SELECT unnest(ARRAY[1, 2, 3]) AS x ORDER BY x DESC LIMIT 2", "3; 2"],
  [
    "SELECT t.id, l.w FROM t, LATERAL (SELECT w FROM u WHERE u.t = t.id ORDER BY w DESC LIMIT 1) l",
    "1, 7",
  ],
  [
    "SELECT t.id, l.n FROM t LEFT JOIN LATERAL (SELECT sum(w) AS n FROM u WHERE u.t = t.id) l ON true ORDER BY 1",
    "1, 12; 2, null; 3, null",
  ],
  ["SELECT count(*) AS n FROM t CROSS JOIN LATERAL (SELECT w FROM u WHERE u.t = t.id) l", "2"],
];

/** Comparisons with the rows of a subquery. */
export const QUANTIFIED: readonly QueryCase[] = [
  ["SELECT id FROM t WHERE v > ANY (SELECT w * 3 FROM u) ORDER BY id", "1; 2"],
  ["SELECT id FROM t WHERE v > ALL (SELECT w * 2 FROM u) ORDER BY id", "2"],
  ["SELECT id FROM t WHERE v >= ALL (SELECT v FROM t) ORDER BY id", ""],
  [
    "SELECT 1 > ALL (SELECT v FROM t WHERE id > 7) AS a, 1 < ANY (SELECT v FROM t WHERE id > 7) AS b",
    "true, false",
  ],
  [
    "SELECT 30 > ALL (SELECT v FROM t) AS a, 15 > ALL (SELECT v FROM t) AS b, 15 > ANY (SELECT v FROM t) AS c",
    "null, false, true",
  ],
  ["SELECT id FROM t WHERE name LIKE ANY (SELECT x || '%' FROM (VALUES ('a'), ('Z')) s(x))", "1"],
  ["SELECT id FROM t WHERE (id, 12) IN (SELECT t, sum(w) FROM u GROUP BY t)", "1"],
  ["SELECT id FROM u WHERE (t, w) IN (SELECT t, max(w) FROM u GROUP BY t) ORDER BY id", "2; 3"],
  [
    "SELECT (1, NULL) IN (SELECT t, max(w) FROM u GROUP BY t) AS a, (8, NULL) IN (SELECT t, max(w) FROM u GROUP BY t) AS b",
    "null, false",
  ],
  ["SELECT id FROM u WHERE (t, w) NOT IN (SELECT id, v FROM t) ORDER BY id", "1; 2; 3"],
  ["SELECT id FROM u WHERE (t, w) NOT IN (SELECT t.id - 2, v FROM t) ORDER BY id", "3"],
  ["SELECT id FROM t WHERE NOT (id > 9 OR (id, v) IN (SELECT t, w FROM u)) ORDER BY id", "1; 2; 3"],
  ["SELECT id FROM t WHERE (3, v) NOT IN (SELECT t + 2, w FROM u) ORDER BY id", "1; 2"],
  [
    "SELECT id, (t, w) IN (SELECT id - 2, v FROM t) AS a FROM u ORDER BY id",
    "1, null; 2, null; 3, false",
  ],
  ["SELECT id FROM t WHERE (id, v) IN (SELECT id, v FROM t) ORDER BY id", "1; 2"],
];

/** DISTINCT ON and window functions. */
export const RANKED: readonly QueryCase[] = [
  ["SELECT DISTINCT ON (t) t, w FROM u ORDER BY t, w DESC", "1, 7; 9, 1"],
  ["SELECT DISTINCT ON (u.t) u.t, id FROM u ORDER BY 1 DESC, id LIMIT 1", "9, 3"],
  ["SELECT DISTINCT ON (v IS NULL) v IS NULL AS n, id FROM t ORDER BY 1, id", "false, 1; true, 3"],
  [
    "SELECT id FROM t WHERE id IN (SELECT DISTINCT ON (t) id FROM u ORDER BY t, w DESC) ORDER BY 1",
    "2; 3",
  ],
  [
    "SELECT id FROM t WHERE EXISTS (SELECT DISTINCT ON (w) 1 FROM u WHERE u.t = t.id ORDER BY w)",
    "1",
  ],
  [
    "SELECT w FROM (SELECT DISTINCT ON (t) t, w FROM u ORDER BY t, w DESC) l WHERE w < 6 ORDER BY w",
    "1",
  ],
  [
    "SELECT DISTINCT ON (t) t, count(*) AS n FROM u GROUP BY t, w > 6 ORDER BY t, w > 6",
    "1, 1; 9, 1",
  ],
  ["SELECT id, row_number() OVER (ORDER BY v) AS n FROM t ORDER BY id", "1, 1; 2, 2; 3, 3"],
  ["SELECT id, row_number() OVER (ORDER BY v DESC) AS n FROM t ORDER BY id", "1, 3; 2, 2; 3, 1"],
  [
    "SELECT id, row_number() OVER (ORDER BY v DESC NULLS LAST) AS n FROM t ORDER BY id",
    "1, 2; 2, 1; 3, 3",
  ],
  [
    "SELECT id, row_number() OVER (PARTITION BY t ORDER BY w DESC) AS n FROM u ORDER BY id",
    "1, 2; 2, 1; 3, 1",
  ],
  [
    "SELECT id, row_number() OVER (ORDER BY (v > 15) DESC, id) AS n FROM t WHERE v > 0 ORDER BY id",
    "1, 2; 2, 1",
  ],
  [
    "SELECT id, rank() OVER (ORDER BY t) AS r, dense_rank() OVER (ORDER BY t DESC) AS d FROM u ORDER BY id",
    "1, 1, 2; 2, 1, 2; 3, 3, 1",
  ],
  ["SELECT id, dense_rank() OVER (ORDER BY v DESC) AS d FROM t ORDER BY id", "1, 3; 2, 2; 3, 1"],
  [
    "SELECT id, sum(w) OVER (PARTITION BY t) AS s, count(*) OVER () AS n FROM u ORDER BY id",
    "1, 12, 3; 2, 12, 3; 3, 1, 3",
  ],
  [
    "SELECT id, sum(w) OVER (ORDER BY t) AS p, sum(w) OVER (ORDER BY t, id ROWS UNBOUNDED PRECEDING) AS r FROM u ORDER BY id",
    "1, 12, 5; 2, 12, 12; 3, 13, 13",
  ],
  [
    "SELECT id, max(w) OVER (s ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS m FROM u WINDOW s AS (PARTITION BY t ORDER BY id) ORDER BY id",
    "1, 7; 2, 7; 3, 1",
  ],
  [
    "SELECT id, lag(w) OVER w AS a, lead(w) OVER w AS b, lead(w, 2) OVER w AS c FROM u WINDOW w AS (ORDER BY id) ORDER BY id",
    "1, null, 7, 1; 2, 5, 1, null; 3, 7, null, null",
  ],
  [
    "SELECT id, first_value(w) OVER (PARTITION BY t ORDER BY w DESC) AS f FROM u ORDER BY id",
    "1, 7; 2, 7; 3, 1",
  ],
  [
    "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY t ORDER BY w DESC) AS n FROM u) r WHERE n > 1",
    "1",
  ],
  [
    "SELECT t.id, count(*) OVER (PARTITION BY t.id) AS n FROM t JOIN u ON u.t = t.id ORDER BY u.id",
    "1, 2; 1, 2",
  ],
  [
    "SELECT id, count(*) FILTER (WHERE w > 5) OVER (PARTITION BY t) AS n FROM u ORDER BY id",
    "1, 1; 2, 1; 3, 0",
  ],
  ["SELECT t.id FROM t ORDER BY row_number() OVER (ORDER BY id DESC)", "3; 2; 1"],
];

/** Aggregates that are calculated from others, and arrays of a query's rows. */
export const GATHERED: readonly QueryCase[] = [
  [
    "SELECT bool_and(v > 5) AS a, bool_or(v > 15) AS o, every(v > 15) AS e FROM t",
    "true, true, false",
  ],
  ["SELECT bool_and(v > 5) AS a, bool_or(v > 5) AS o FROM t WHERE v IS NULL", "null, null"],
  ["SELECT bool_or(v > 15) FILTER (WHERE id = 1) AS o FROM t", "false"],
  [
    "SELECT json_agg(id) IS NULL AS j, array_agg(id) IS NULL AS a FROM t WHERE id > 7",
    "true, true",
  ],
  [
    "SELECT array_agg(v) IS NULL AS a, string_agg(name, ',') IS NULL AS s FROM t WHERE v IS NULL",
    "false, true",
  ],
  ["SELECT ARRAY(SELECT id FROM t WHERE id > 7) IS NULL AS a", "false"],
];

/** Rows as text, in the order in which they came. */
export function rowsText(rows: readonly Readonly<Record<string, unknown>>[]): string {
  return rows.map((row) => Object.values(row).map(String).join(", ")).join("; ");
}
