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

/** Tables of applications whose schema is no SQL, with first rows. */
export const TABLES: ReadonlyMap<string, string> = new Map([
  [
    "prisma",
    `
CREATE TYPE "Role" AS ENUM ('OWNER', 'MEMBER');
CREATE TABLE "Workspace" (id int PRIMARY KEY, name text NOT NULL, seats int NOT NULL);
CREATE TABLE members (id serial PRIMARY KEY, workspace_id int NOT NULL REFERENCES "Workspace" (id),
  email text NOT NULL, role "Role" NOT NULL);
CREATE TABLE "Customer" (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE "Invoice" (id serial PRIMARY KEY, "customerId" int NOT NULL REFERENCES "Customer" (id), number int NOT NULL);
CREATE TABLE "Receipt" (id serial PRIMARY KEY, "customerId" int NOT NULL, number int NOT NULL, UNIQUE ("customerId", number));
CREATE TABLE "Item" (id int PRIMARY KEY, stock int NOT NULL, version int NOT NULL DEFAULT 0);
INSERT INTO "Workspace" SELECT i, 'w' || i, 6 * i FROM generate_series(1, 5) i;
INSERT INTO members (workspace_id, email, role)
  SELECT 1 + i % 5, 'm' || i, CASE WHEN i % 3 = 0 THEN 'MEMBER'::"Role" ELSE 'OWNER' END FROM generate_series(1, 25) i;
INSERT INTO "Customer" SELECT i, 'c' || i FROM generate_series(1, 5) i;
INSERT INTO "Item" SELECT i, 10 * i, i FROM generate_series(1, 5) i;`,
  ],
]);
