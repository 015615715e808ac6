// Groups of similar lines: the most frequent reasons, with count and an example.

/** A line with the words that it is grouped by. */
export interface ReasonLine {
  readonly reason: string;
  /** "src/a.ts:3:4", or its subject; empty without a place. */
  readonly place: string;
  /** The number of questions that it represents. */
  readonly count: number;
  /** Names of the transactions that it concerns. */
  readonly transactions: readonly string[];
}

export interface ReasonGroup {
  /** The reason in the words of the group's first line. */
  readonly reason: string;
  readonly example: string;
  readonly count: number;
  readonly transactions: ReadonlySet<string>;
}

/** Groups by reason: sorted by number of concerned transactions, then by size, then in line order. Linear except for sorting. */
export function reasonGroups(lines: readonly ReasonLine[]): readonly ReasonGroup[] {
  const groups = new Map<string, ReasonGroup & { readonly transactions: Set<string> }>();
  for (const { reason, place, count, transactions } of lines) {
    const key = kindOf(reason);
    const known = groups.get(key) ?? { reason, example: place, count: 0, transactions: new Set() };
    for (const name of transactions) known.transactions.add(name);
    groups.set(key, { ...known, count: known.count + count });
  }
  return [...groups.values()].sort(
    (a, b) => b.transactions.size - a.transactions.size || b.count - a.count,
  );
}

/** A reason without remarks in parentheses, names, texts and numbers, which are specific to a place. */
function kindOf(reason: string): string {
  return reason
    .replace(/\([^()]*\)/gu, "")
    .split(" ")
    .filter((word) => /^[a-z]+[,;.:]?$/iu.test(word) && !/[a-z][A-Z]/u.test(word))
    .join(" ");
}
