// Anomalies as small programs with what must be seen and missed, and the levels of the papers that allow them: the table
// that the papers' axioms and measurements of real servers settled.
import type { PaperLevelName } from "../../../server/src/isolation/levels";

export interface AnomalyProgram {
  readonly name: string;
  /** Statements of T1, T2, ... over the table t(id, v) with rows 1 and 2. */
  readonly transactions: readonly (readonly string[])[];
  /** Per statement ("T1.2") the statements that it sees, and those (with "!") that it does not see. */
  readonly sees: Readonly<Record<string, readonly string[]>>;
  /** Pairs of statements of which the first is arbitrated before the second. */
  readonly before?: readonly (readonly [string, string])[];
  readonly allowedAt: readonly PaperLevelName[];
}

const read = (id: number): string => `SELECT v FROM t WHERE id = ${String(id)};`;
const write = (id: number, v: string): string => `UPDATE t SET v = ${v} WHERE id = ${String(id)};`;

const PRINTED_CLOTHO = [
  "clotho:read-committed",
  "clotho:repeatable-read",
  "clotho:causal",
] as const;
const BELOW_RA = ["eventual", "clotho:read-committed", "clotho:causal", "read-committed"] as const;
const BELOW_PSI = [
  "eventual",
  ...PRINTED_CLOTHO,
  "read-committed",
  "read-atomic",
  "causal",
  "prefix",
] as const;
const BELOW_SER = [
  ...BELOW_PSI,
  "anode:psi",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
] as const;

export const ANOMALIES: readonly AnomalyProgram[] = [
  {
    name: "dirty write (G0)",
    transactions: [
      [write(1, "1"), write(2, "1")],
      [write(1, "2"), write(2, "2")],
    ],
    sees: {},
    before: [
      ["T1.1", "T2.1"],
      ["T2.2", "T1.2"],
    ],
    allowedAt: ["eventual", ...PRINTED_CLOTHO],
  },
  {
    name: "intermediate read (G1b)",
    transactions: [[write(1, "1"), write(1, "2")], [read(1)]],
    sees: { "T2.1": ["T1.1", "!T1.2"] },
    allowedAt: ["eventual", "clotho:repeatable-read", "clotho:causal"],
  },
  {
    name: "circular information flow (G1c)",
    transactions: [
      [write(1, "1"), read(2)],
      [write(2, "1"), read(1)],
    ],
    sees: { "T1.2": ["T2.1"], "T2.2": ["T1.1"] },
    allowedAt: ["eventual", "clotho:causal"],
  },
  {
    name: "observed transaction vanishes (OTV)",
    transactions: [
      [write(1, "1"), write(2, "1")],
      [write(1, "2"), write(2, "2")],
      [read(1), read(2)],
    ],
    sees: { "T3.1": ["T2.1"], "T3.2": ["T1.2", "!T2.2"] },
    before: [
      ["T1.1", "T2.1"],
      ["T1.2", "T2.2"],
    ],
    allowedAt: ["eventual", ...PRINTED_CLOTHO],
  },
  {
    name: "half a transaction in one statement",
    transactions: [[write(1, "1"), write(2, "1")], ["SELECT id, v FROM t;"]],
    sees: { "T2.1": ["T1.1", "!T1.2"] },
    allowedAt: ["eventual", "clotho:repeatable-read", "clotho:causal"],
  },
  {
    name: "non-repeatable read (P2)",
    transactions: [[read(1), read(1)], [write(1, "1")]],
    sees: { "T1.1": ["!T2.1"], "T1.2": ["T2.1"] },
    allowedAt: BELOW_RA,
  },
  {
    name: "read skew (G-single)",
    transactions: [
      [read(1), read(2)],
      [write(1, "1"), write(2, "1")],
    ],
    sees: { "T1.1": ["!T2.1"], "T1.2": ["T2.2"] },
    allowedAt: [...BELOW_RA, "clotho:repeatable-read"],
  },
  {
    name: "phantom (P3)",
    transactions: [
      ["SELECT count(*) AS n FROM t;", "SELECT count(*) AS n FROM t;"],
      ["INSERT INTO t (id, v) VALUES (3, 0);"],
    ],
    sees: { "T1.1": ["!T2.1"], "T1.2": ["T2.1"] },
    allowedAt: BELOW_RA,
  },
  {
    name: "a condition that half a transaction satisfies (PMP, write)",
    transactions: [
      [write(1, "v + 10"), write(2, "v - 10")],
      ["UPDATE t SET v = v + 100 WHERE v >= 20;"],
    ],
    sees: { "T2.1": ["T1.1", "!T1.2"] },
    allowedAt: ["eventual", "clotho:repeatable-read", "clotho:causal"],
  },
  {
    name: "a stale read after a fresh write",
    transactions: [[write(1, "v + 10"), read(2)], ["UPDATE t SET v = 1 WHERE v < 50;"]],
    sees: { "T1.1": ["T2.1"], "T1.2": ["!T2.1"] },
    allowedAt: ["eventual", "clotho:read-committed"],
  },
  {
    name: "lost update (P4)",
    transactions: [
      [read(1), write(1, "1")],
      [read(1), write(1, "2")],
    ],
    sees: { "T1.1": ["!T2.2"], "T2.1": ["!T1.2"] },
    allowedAt: BELOW_PSI,
  },
  {
    name: "an increment in one statement that is lost",
    transactions: [[write(1, "v + 1")], [write(1, "v + 2")]],
    sees: { "T1.1": ["!T2.1"], "T2.1": ["!T1.1"] },
    allowedAt: BELOW_PSI,
  },
  {
    name: "write skew (G2-item)",
    transactions: [
      [read(1), read(2), write(1, "1")],
      [read(1), read(2), write(2, "1")],
    ],
    sees: { "T1.2": ["!T2.3"], "T2.1": ["!T1.3"] },
    allowedAt: BELOW_SER,
  },
  {
    name: "write skew on a count (G2)",
    transactions: [
      ["SELECT count(*) AS n FROM t;", "INSERT INTO t (id, v) VALUES (3, 0);"],
      ["SELECT count(*) AS n FROM t;", "INSERT INTO t (id, v) VALUES (4, 0);"],
    ],
    sees: { "T1.1": ["!T2.2"], "T2.1": ["!T1.2"] },
    allowedAt: BELOW_SER,
  },
  {
    name: "read-only anomaly",
    transactions: [[read(1), read(2)], [write(2, "1")], [read(2), write(1, "1")]],
    sees: { "T1.1": ["!T3.2"], "T1.2": ["T2.1"], "T3.1": ["!T2.1"] },
    allowedAt: BELOW_SER,
  },
  {
    name: "causality violation",
    transactions: [[write(1, "1")], [read(1), write(2, "1")], [read(2), read(1)]],
    sees: { "T2.1": ["T1.1"], "T3.1": ["T2.2"], "T3.2": ["!T1.1"] },
    allowedAt: [
      "eventual",
      "clotho:read-committed",
      "clotho:repeatable-read",
      "read-committed",
      "read-atomic",
      "anode:psi",
    ],
  },
  {
    name: "long fork",
    transactions: [[write(1, "1")], [write(2, "1")], [read(1), read(2)], [read(2), read(1)]],
    sees: {
      "T3.1": ["T1.1"],
      "T3.2": ["!T2.1"],
      "T4.1": ["T2.1"],
      "T4.2": ["!T1.1"],
    },
    allowedAt: [
      "eventual",
      ...PRINTED_CLOTHO,
      "read-committed",
      "read-atomic",
      "causal",
      "anode:psi",
      "parallel-snapshot-isolation",
    ],
  },
];
