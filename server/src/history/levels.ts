// The levels that histories are judged at.

/** From the weakest to the strongest; each implies those before it. */
export const HISTORY_LEVELS = [
  "read-committed",
  "read-atomic",
  "causal",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
] as const;

export type HistoryLevel = (typeof HISTORY_LEVELS)[number];
