// Anomalies as small programs with the outcome that shows each, and the products' levels that allow it: measured for
// PostgreSQL and MariaDB, derived from documentation and the Hermitage project for the others.
import type { Run } from "../../../server/src/store/runRecord";
import { renderValue } from "../../../server/src/store/value";

/** A part of an outcome: the value that statement `n` of an instance returned, and a row's value at the end. */
export interface Seen {
  readonly read: (instance: string, statement: number) => string;
  readonly final: (id: number) => string;
}

export interface ProductAnomaly {
  readonly name: string;
  /** Statements of T1, T2, ... over t(id, v) with rows 1: 10 and 2: 20; a last "ROLLBACK" ends one. */
  readonly transactions: readonly (readonly string[])[];
  readonly shows: (seen: Seen) => boolean;
  readonly allowedAt: readonly string[];
}

/** The result of the run, by statement and by row. */
export function seenIn(run: Run): Seen {
  return {
    read: (instance, statement) => {
      const step = run.steps.find(
        (each) => each.instance === instance && each.statement === statement,
      );
      return (step?.rows ?? [])
        .map((row) => Object.values(row).map(renderValue).join(","))
        .join(" ");
    },
    final: (id) => {
      const row = run.final.get("t")?.find((each) => each.alive && each.key === String(id));
      return row === undefined ? "none" : renderValue(row.values["v"] ?? null);
    },
  };
}

const read = (id: number): string => `SELECT v FROM t WHERE id = ${String(id)};`;
const write = (id: number, v: string): string => `UPDATE t SET v = ${v} WHERE id = ${String(id)};`;
const count = "SELECT count(*) FROM t WHERE v >= 15;";

const RU = ["mariadb:read-uncommitted", "mysql:read-uncommitted", "sqlserver:read-uncommitted"];
const INNODB_RC = ["mariadb:read-committed", "mysql:read-committed"];
const INNODB_RR = ["mariadb:repeatable-read", "mysql:repeatable-read"];
const MSSQL_RC = ["sqlserver:read-committed", "sqlserver:read-committed-snapshot"];
const RESTART = ["oracle:read-committed", "cockroach:read-committed", "yugabyte:read-committed"];
const STATEMENT = [
  ...RU,
  ...INNODB_RC,
  ...MSSQL_RC,
  ...RESTART,
  "postgres:read-committed",
  "tidb:read-committed",
];
const SNAPSHOT = [
  "postgres:repeatable-read",
  "mariadb:repeatable-read(snapshot-isolation=on)",
  "sqlserver:snapshot",
  "oracle:serializable",
  "cockroach:repeatable-read",
  "yugabyte:repeatable-read",
  "tidb:optimistic",
  "mongodb:snapshot",
];
const MIXED = [...INNODB_RR, "tidb:repeatable-read"];

export const PRODUCT_ANOMALIES: readonly ProductAnomaly[] = [
  {
    name: "dirty write (G0)",
    transactions: [
      [write(1, "11"), write(2, "21")],
      [write(1, "12"), write(2, "22")],
    ],
    shows: ({ final }) => final(1).at(-1) !== final(2).at(-1),
    allowedAt: [],
  },
  {
    name: "aborted read (G1a)",
    transactions: [[write(1, "101"), "ROLLBACK"], [read(1)]],
    shows: ({ read: value }) => value("T2", 1) === "101",
    allowedAt: RU,
  },
  {
    name: "intermediate read (G1b)",
    transactions: [[write(1, "101"), write(1, "11")], [read(1)]],
    shows: ({ read: value }) => value("T2", 1) === "101",
    allowedAt: RU,
  },
  {
    name: "circular information flow (G1c)",
    transactions: [
      [write(1, "11"), read(2)],
      [write(2, "22"), read(1)],
    ],
    shows: ({ read: value }) => value("T1", 2) === "22" && value("T2", 2) === "11",
    allowedAt: RU,
  },
  {
    name: "observed transaction vanishes (OTV)",
    transactions: [
      [write(1, "11"), write(2, "19")],
      [write(1, "12"), write(2, "18")],
      [read(1), read(2)],
    ],
    shows: ({ final, read: value }) =>
      final(1) === "12" && value("T3", 1) === "12" && value("T3", 2) === "19",
    allowedAt: RU,
  },
  {
    name: "half of a transaction in one SELECT",
    transactions: [["SELECT sum(v) FROM t;"], [write(2, "18"), write(1, "12")]],
    shows: ({ read: value }) => value("T1", 1) !== "30",
    allowedAt: [...RU, "sqlserver:read-committed"],
  },
  {
    name: "non-repeatable read (P2)",
    transactions: [[read(1), read(1)], [write(1, "11")]],
    shows: ({ read: value }) => value("T1", 1) !== value("T1", 2),
    allowedAt: STATEMENT,
  },
  {
    name: "read skew (G-single)",
    transactions: [
      [read(1), read(2)],
      [write(1, "12"), write(2, "18")],
    ],
    shows: ({ read: value }) => value("T1", 1) === "10" && value("T1", 2) === "18",
    allowedAt: STATEMENT,
  },
  {
    name: "phantom (P3)",
    transactions: [[count, count], ["INSERT INTO t (id, v) VALUES (3, 30);"]],
    shows: ({ read: value }) => value("T1", 1) !== value("T1", 2),
    allowedAt: [...STATEMENT, "sqlserver:repeatable-read"],
  },
  {
    name: "predicate write that misses its row (PMPw)",
    transactions: [[write(2, "30"), write(1, "20")], ["DELETE FROM t WHERE v = 20;"]],
    shows: ({ final }) => final(1) === "20" && final(2) === "30",
    allowedAt: [
      ...RU,
      ...INNODB_RC,
      ...MSSQL_RC,
      "sqlserver:repeatable-read",
      "tidb:read-committed",
      "tidb:repeatable-read",
      "postgres:read-committed",
    ],
  },
  {
    name: "stale read, fresh write",
    transactions: [[read(2), "DELETE FROM t WHERE v = 20;", read(2)], [write(2, "18")]],
    shows: ({ final, read: value }) =>
      final(2) === "18" && value("T1", 1) === "20" && value("T1", 3) === "20",
    allowedAt: MIXED,
  },
  {
    name: "lost update (P4)",
    transactions: [
      [read(1), write(1, "11")],
      [read(1), write(1, "12")],
    ],
    shows: ({ read: value }) => value("T1", 1) === "10" && value("T2", 1) === "10",
    allowedAt: [...STATEMENT, ...MIXED],
  },
  {
    name: "two atomic increments",
    transactions: [[write(1, "v + 1")], [write(1, "v + 2")]],
    shows: ({ final }) => final(1) !== "13",
    allowedAt: [],
  },
  {
    name: "write skew (G2-item)",
    transactions: [
      [read(2), write(1, "11")],
      [read(1), write(2, "21")],
    ],
    shows: ({ read: value }) => value("T1", 1) === "20" && value("T2", 1) === "10",
    allowedAt: [...STATEMENT, ...MIXED, ...SNAPSHOT],
  },
  {
    name: "write skew by phantoms (G2)",
    transactions: [
      [count, "INSERT INTO t (id, v) VALUES (3, 30);"],
      [count, "INSERT INTO t (id, v) VALUES (4, 40);"],
    ],
    shows: ({ read: value }) => value("T1", 1) === "1" && value("T2", 1) === "1",
    allowedAt: [...STATEMENT, ...MIXED, ...SNAPSHOT, "sqlserver:repeatable-read"],
  },
  {
    name: "causality violation",
    transactions: [[write(1, "11")], [read(1), write(2, "21")], [read(2), read(1)]],
    shows: ({ read: value }) =>
      value("T2", 1) === "11" && value("T3", 1) === "21" && value("T3", 2) === "10",
    allowedAt: [],
  },
  {
    name: "long fork",
    transactions: [[write(1, "11")], [write(2, "21")], [read(1), read(2)], [read(2), read(1)]],
    shows: ({ read: value }) =>
      value("T3", 1) === "11" &&
      value("T3", 2) === "20" &&
      value("T4", 1) === "21" &&
      value("T4", 2) === "10",
    allowedAt: [],
  },
];
