// Names of violations, by the form of the cycle (Adya 1999; Kingsbury and Alvaro, VLDB 2020) or of the read.
import type { Fact } from "./facts";
import type { HistoryLevel } from "./levels";
import type { ReadViolationKind } from "./readResolution";

export interface ViolationKind {
  /** In kebab-case. */
  readonly name: string;
  readonly title: string;
  /** The definition, as a sentence. */
  readonly meaning: string;
}

const kind = (name: string, title: string, meaning: string): ViolationKind => ({
  name,
  title,
  meaning,
});

export const READ_KINDS: Readonly<Record<ReadViolationKind, ViolationKind>> = {
  "thin-air-read": kind(
    "thin-air-read",
    "Thin-air read",
    "A transaction reads a value that nobody wrote.",
  ),
  "aborted-read": kind(
    "aborted-read",
    "Aborted read (G1a)",
    "A transaction reads a value whose writer was rolled back.",
  ),
  "intermediate-read": kind(
    "intermediate-read",
    "Intermediate read (G1b)",
    "A transaction reads a value that its writer itself replaced before it committed.",
  ),
  "future-read": kind(
    "future-read",
    "Future read",
    "A transaction reads a value that it writes itself only later.",
  ),
  "own-write-not-read": kind(
    "own-write-not-read",
    "Own write not read",
    "A transaction does not read what it wrote last itself.",
  ),
  "incompatible-lists": kind(
    "incompatible-lists",
    "Incompatible orders",
    "Two reads of a list that is only appended to are no prefixes of one list.",
  ),
  "duplicate-element": kind(
    "duplicate-element",
    "Duplicate element",
    "A list contains an element twice that was appended once.",
  ),
};

/** Names the cycle. `common` are keys that two transactions both wrote after reading the same version, for lost updates. */
export function kindOfCycle(
  cycle: readonly Fact[],
  level: HistoryLevel,
  readFrom: (transaction: number, key: number) => readonly number[],
): ViolationKind {
  const anti = cycle.filter((fact) => fact.type === "rw");
  const inTime = cycle.some((fact) => fact.type === "rt");
  const found = shapeOf(cycle, anti, level, readFrom);
  if (!inTime) return found;
  return kind(
    `${found.name}-realtime`,
    `${found.title}, in real time`,
    `${found.meaning} One of them had ended before the other began.`,
  );
}

function shapeOf(
  cycle: readonly Fact[],
  anti: readonly Fact[],
  level: HistoryLevel,
  readFrom: (transaction: number, key: number) => readonly number[],
): ViolationKind {
  if (anti.length === 0)
    return cycle.some((fact) => fact.type === "wr")
      ? kind(
          "circular-information-flow",
          "Circular information flow (G1c)",
          "Transactions depend on each other's writes in a circle.",
        )
      : kind(
          "dirty-write",
          "Dirty write (G0)",
          "The writes of transactions are interleaved: no order of the transactions gives the order of their versions.",
        );
  const [only] = anti;
  if (anti.length === 1 && only !== undefined) return single(cycle, only, level, readFrom);
  const apart = anti.every(
    (fact) => cycle[(cycle.indexOf(fact) + 1) % cycle.length]?.type !== "rw",
  );
  if (apart) {
    const types = cycle.map((fact) => fact.type).filter((type) => type !== "so");
    const longFork =
      anti.length === 2 &&
      types.length === 4 &&
      types.filter((type) => type === "wr").length === 2 &&
      anti[0]?.key !== anti[1]?.key;
    return longFork
      ? kind("long-fork", "Long fork", "Two readers see two independent writes in opposite orders.")
      : kind(
          "non-adjacent-anti-dependencies",
          "Cycle of non-adjacent anti-dependencies (G-nonadjacent)",
          "Transactions read from before each other, and no snapshot contains what they read.",
        );
  }
  if (anti.length === 2 && cycle.length === 2 && anti[0]?.key !== anti[1]?.key)
    return kind(
      "write-skew",
      "Write skew (G2-item)",
      "Two transactions each read what the other one overwrites.",
    );
  return kind(
    "anti-dependency-cycle",
    "Cycle of anti-dependencies (G2-item)",
    "Transactions read from before each other in a circle: they cannot be put in a row.",
  );
}

/** Exactly one anti-dependency: the reader missed a write that it should have seen. */
function single(
  cycle: readonly Fact[],
  anti: Fact,
  level: HistoryLevel,
  readFrom: (transaction: number, key: number) => readonly number[],
): ViolationKind {
  const start = cycle.indexOf(anti);
  const path = [...cycle.slice(start + 1), ...cycle.slice(0, start)];
  const types = path.map((fact) => fact.type);
  const overwritten = path.find((fact) => fact.type === "ww" && fact.key === anti.key);
  const reader = readFrom(anti.from, anti.key);
  if (
    overwritten !== undefined &&
    readFrom(anti.to, anti.key).some((each) => reader.includes(each))
  )
    return kind(
      "lost-update",
      "Lost update",
      "Two transactions read the same version and both write a new one: one of the updates is lost.",
    );
  if (level === "read-committed")
    return kind(
      "non-monotonic-read",
      "Non-monotonic read",
      "A transaction reads from another one and then something older than what that one wrote.",
    );
  if (types.length === 1 && types[0] === "wr") {
    if (path[0]?.key === anti.key)
      return kind(
        "non-repeatable-read",
        "Non-repeatable read",
        "A transaction reads two versions of one key.",
      );
    return kind(
      "fractured-read",
      "Fractured read",
      "A transaction sees one write of another transaction and misses another one.",
    );
  }
  if (types.every((type) => type === "so"))
    return kind(
      "read-your-writes",
      "Own session's write not read",
      "A transaction misses what its own session wrote before (read your writes).",
    );
  if (types[0] === "wr" && types.slice(1).every((type) => type === "so"))
    return kind(
      "monotonic-reads",
      "Reads go backwards",
      "A transaction misses a write of a transaction that its own session had seen before (monotonic reads).",
    );
  if (types.every((type) => type === "wr" || type === "so"))
    return kind(
      "causality-violation",
      "Causality violation",
      "A transaction misses a write that happened before it.",
    );
  return kind(
    "read-skew",
    "Read skew (G-single)",
    "A transaction reads something from before another transaction and something that depends on it.",
  );
}
