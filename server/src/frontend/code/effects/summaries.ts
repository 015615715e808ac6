// Summaries of nodes that ask for each other's, as functions that call each other: the least fixpoint, found on demand over
// the strongly connected components of what is asked (Tarjan). A component is gone over until no summary in it rises.

export interface Analysis<Node, Summary> {
  readonly keyOf: (node: Node) => string;
  /** The summary of a node before anything is known of it. */
  readonly bottom: Summary;
  /** The summary that holds of everything: of a component that still rises after `mostRounds`. */
  readonly top: Summary;
  readonly mostRounds: number;
  /** The summary of a node by those of others; monotone in these. */
  readonly transfer: (node: Node) => Summary;
  readonly isSame: (left: Summary, right: Summary) => boolean;
}

/** A node that is gone over, or that waits for the first node of its component. */
interface Entry {
  readonly index: number;
  /** The least index that it leads back to. */
  low: number;
  /** Its summary was asked for before it was found. */
  isAsked: boolean;
}

/** Answers for one node after the other; `transfer` asks the same function. Each component once. */
export function createSummaries<Node, Summary>({
  keyOf,
  bottom,
  top,
  mostRounds,
  transfer,
  isSame,
}: Analysis<Node, Summary>): (node: Node) => Summary {
  const known = new Map<string, Summary>();
  const rising = new Map<string, Summary>();
  /** In the order in which they were come to. */
  const open = new Map<string, Entry>();
  let asker: Entry | undefined;
  let rises = 0;

  /** Takes away a node and those that were come to behind it and are not known: its component. */
  function close({ index }: Entry): readonly string[] {
    const members = [...open].slice(index).map(([key]) => key);
    for (const key of members) open.delete(key);
    return members;
  }

  function found(node: Node, key: string): Summary {
    const own: Entry = { index: open.size, low: open.size, isAsked: false };
    const outer = asker;
    for (let round = 1; ; round += 1) {
      const start = rises;
      own.low = own.index;
      open.set(key, own);
      asker = own;
      const summary = transfer(node);
      asker = outer;
      if (!isSame(rising.get(key) ?? bottom, summary)) rises += 1;
      rising.set(key, summary);
      if (own.low < own.index) {
        if (outer) outer.low = Math.min(outer.low, own.low);
        return summary;
      }
      const isStable = !own.isAsked || rises === start;
      const members = close(own);
      if (!isStable && round < mostRounds) continue;
      for (const each of members) {
        known.set(each, isStable ? (rising.get(each) ?? bottom) : top);
        rising.delete(each);
      }
      return isStable ? summary : top;
    }
  }

  return (node) => {
    const key = keyOf(node);
    const own = known.get(key);
    if (own !== undefined) return own;
    const entry = open.get(key);
    if (entry) {
      entry.isAsked = true;
      if (asker) asker.low = Math.min(asker.low, entry.low);
      return rising.get(key) ?? bottom;
    }
    const isFirst = asker === undefined;
    try {
      return found(node, key);
    } finally {
      if (isFirst) {
        // An error ends only the question that it came of.
        asker = undefined;
        open.clear();
        rising.clear();
      }
    }
  };
}
