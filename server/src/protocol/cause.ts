// A cause: the one mistake behind several anomalies. Fixes, comments, baselines, fingerprints and ids hang on it.
import type { CycleEnd } from "./report";

/**
 * A read that goes stale before what rests on it is done, in one transaction; or, where nothing was read, the write that
 * takes no notice of others. Anomalies are what comes of it, with one partner or the other.
 */
export interface Cause {
  /** Eight hexadecimal digits, the same at every level: a hash of its transaction and the text of its read. */
  readonly id: string;
  /** The ids of all that it is known by: of each of its transactions. Its own is the first. */
  readonly ids: readonly string[];
  /** As the id, without the file that tells two transactions of the same name apart. */
  readonly fingerprint: string;
  /** Transactions with the read; several where they share the code of the read and of its use. */
  readonly transactions: readonly string[];
  /** The statement that goes stale, where all faces show it; absent where nothing could be executed. */
  readonly read?: CycleEnd;
  /** The statements of its transactions that meet the others' changes: what rests on the read, in the order of the anomalies. */
  readonly uses: readonly CycleEnd[];
  /**
   * The transactions that make it go stale, in the order of the anomalies that are told (of all where none is); one of its
   * own where it races with itself.
   */
  readonly partners: readonly string[];
  /** No data breaks: a statement that waits until the server ends somebody. */
  readonly isRefused?: true;
  /** Tables of its anomalies. */
  readonly tables: readonly string[];
  /** The ids of its anomalies, the worst first: all minimal cycles through the read that are told by it. */
  readonly anomalies: readonly string[];
}

/** "deposit, transfer and itself": whom a cause races with. Itself comes last. */
export function partnersText({ transactions, partners }: Cause): string {
  const others = partners.filter((name) => !transactions.includes(name));
  const own = partners.filter((name) => transactions.includes(name));
  const itself = own.length === 0 ? [] : transactions.length === 1 ? ["itself"] : ["each other"];
  const all = [...others, ...itself];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
}

/** A sentence on whom a cause of several anomalies races with, behind a blank; empty for one alone. */
export function racesText(cause: Cause): string {
  if (cause.anomalies.length < 2) return "";
  // The same place with one transaction or the other.
  return cause.isRefused === true
    ? ` It happens with ${partnersText(cause)}.`
    : ` It races with ${partnersText(cause)}.`;
}

/** The cause of an id or of the beginning of one; undefined where none or several are meant. */
export function causeOf(causes: readonly Cause[], start: string): Cause | undefined {
  const exact = causes.find(({ ids }) => ids.includes(start));
  const begun = causes.filter(({ ids }) => ids.some((id) => id.startsWith(start)));
  return exact ?? (begun.length === 1 ? begun[0] : undefined);
}
