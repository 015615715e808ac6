/** First rows of the applications of test/apps. */
export const ROWS: ReadonlyMap<string, string> = new Map([
  [
    "smallbank-ts",
    `
INSERT INTO savings SELECT i, 100 * i FROM generate_series(1, 5) i;
INSERT INTO checking SELECT i, 70 * i FROM generate_series(1, 5) i;`,
  ],
  [
    "tpcc-ts",
    `
INSERT INTO warehouse SELECT w, 'w' || w, 3 * w, 1000 * w FROM generate_series(1, 2) w;
INSERT INTO district SELECT w, d, 'd' || d, w + d, 100 * d + w, 10 * d + w
  FROM generate_series(1, 2) w, generate_series(1, 3) d;
INSERT INTO customer SELECT w, d, c, 'last' || c, 'GC', 2 + c, 1000 * c + 10 * d + w, 50 * c + d, 7 * c + w, 4 * c + d
  FROM generate_series(1, 2) w, generate_series(1, 3) d, generate_series(1, 5) c;
INSERT INTO item SELECT i, 'item' || i, 11 * i FROM generate_series(1, 20) i;
INSERT INTO stock SELECT w, i, 20 + 3 * i + w, 5 * i, 2 * i FROM generate_series(1, 2) w, generate_series(1, 20) i;`,
  ],
]);
