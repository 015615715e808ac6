// Many lines of one kind as a few: what stands in the way most often, how often, and where for example.

/** A line with the words by which it is like others. */
export interface ReasonLine {
  readonly reason: string;
  /** "src/a.ts:3:4", or who it is about; empty where it has no place. */
  readonly place: string;
  /** How many questions it stands for. */
  readonly count: number;
  /** Names of the transactions that it concerns. */
  readonly transactions: readonly string[];
}

export interface ReasonGroup {
  /** As the first line of the group says it. */
  readonly reason: string;
  readonly example: string;
  readonly count: number;
  readonly transactions: ReadonlySet<string>;
}

/**
 * Groups by reason: those first that concern the most transactions, then the largest, then in the order of the lines.
 * Linear but for the sorting.
 */
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

/** A reason without remarks in parentheses, and without the names, texts and numbers of one place: they are no plain words. */
function kindOf(reason: string): string {
  return reason
    .replace(/\([^()]*\)/gu, "")
    .split(" ")
    .filter((word) => /^[a-z]+[,;.:]?$/iu.test(word) && !/[a-z][A-Z]/u.test(word))
    .join(" ");
}
