// Pairs of transactions that may conflict: they share a table that one of the two writes.
import type { TreeRace, TreeTransaction } from "../../../server/src/protocol/requests";

/** `open`: some question about the pair is not decided. */
export type ConflictState = "racing" | "open" | "settled";

export interface Conflict {
  /** Positions of the two among the transactions, the smaller first; twice the same for two runs of one transaction. */
  readonly between: readonly [number, number];
  readonly tables: readonly string[];
  readonly state: ConflictState;
  /** The anomalies in which both take part, the worst first. */
  readonly races: readonly TreeRace[];
}

/** The conflicts of a project, pairs that race first. Quadratic in its transactions. */
export function conflictsOf(transactions: readonly TreeTransaction[]): readonly Conflict[] {
  const conflicts = transactions.flatMap((one, at) =>
    transactions.slice(at).flatMap((other, beside): readonly Conflict[] => {
      const races = commonRaces(one, other);
      const tables = sharedTables(one, other);
      if (tables.length === 0 && races.length === 0) return [];
      const state = stateOf(one, other, races);
      return [{ between: [at, at + beside], tables, state, races }];
    }),
  );
  return conflicts.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

const ORDER: readonly ConflictState[] = ["racing", "open", "settled"];

function stateOf(
  one: TreeTransaction,
  other: TreeTransaction,
  races: readonly TreeRace[],
): ConflictState {
  if (races.some((each) => !each.unconfirmed)) return "racing";
  // All pairs of a decided transaction are decided.
  const isDecided = one.isDecided || other.isDecided;
  return isDecided && races.length === 0 ? "settled" : "open";
}

/** Anomalies of both; with itself, those in which it takes part twice. */
function commonRaces(one: TreeTransaction, other: TreeTransaction): readonly TreeRace[] {
  return one.races.filter(({ transactions }) =>
    one === other
      ? transactions.filter((name) => name === one.name).length > 1
      : transactions.includes(other.name),
  );
}

function sharedTables(one: TreeTransaction, other: TreeTransaction): readonly string[] {
  return one.tables.flatMap(({ name, writes }) =>
    other.tables.some((each) => each.name === name && (writes || each.writes)) ? [name] : [],
  );
}
