// A cause: the one mistake behind several anomalies, to which fixes, comments, baselines, fingerprints and ids refer.
import type { CycleEnd } from "./dependency";

/**
 * A read of one transaction that goes stale before its use; or, if nothing was read, the write that ignores others. Anomalies are its
 * effects with various partners.
 */
export interface Cause {
  /** Eight hexadecimal digits, the same at every level: a hash of its transaction and the text of its read. */
  readonly id: string;
  /** All ids that refer to it, one per transaction. Its own is the first. */
  readonly ids: readonly string[];
  /** As the id, without the file that disambiguates equal transaction names. */
  readonly fingerprint: string;
  /** Transactions with the read; several if they share the code of the read and its use. */
  readonly transactions: readonly string[];
  /** The stale statement, at which the finding is shown; absent if nothing could be executed. */
  readonly read?: CycleEnd;
  /** The statements of its transactions that conflict with the others' changes: the uses of the read, in the order of the anomalies. */
  readonly uses: readonly CycleEnd[];
  /**
   * The transactions that make it stale, in the order of the reported anomalies (of all, if none is reported); one of its own if it races
   * with itself.
   */
  readonly partners: readonly string[];
  /** True if no data breaks: a statement waits until the server aborts a transaction. */
  readonly isRefused?: true;
  /** Tables of its anomalies. */
  readonly tables: readonly string[];
  /** The ids of its anomalies, worst first: all minimal cycles that the read represents. */
  readonly anomalies: readonly string[];
}

/** "deposit, transfer and itself": the partners of a cause. Itself comes last. */
export function partnersText({ transactions, partners }: Cause): string {
  const others = partners.filter((name) => !transactions.includes(name));
  const own = partners.filter((name) => transactions.includes(name));
  const itself = own.length === 0 ? [] : transactions.length === 1 ? ["itself"] : ["each other"];
  const all = [...others, ...itself];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
}

/** A sentence on the partners of a cause with several anomalies, after a blank; empty for a single one. */
export function racesText(cause: Cause): string {
  if (cause.anomalies.length < 2) return "";
  // The place is the same for all partners.
  return cause.isRefused === true
    ? ` It happens with ${partnersText(cause)}.`
    : ` It races with ${partnersText(cause)}.`;
}

/** The cause with an id or unique id prefix; undefined if none or several match. */
export function causeOf(causes: readonly Cause[], start: string): Cause | undefined {
  const exact = causes.find(({ ids }) => ids.includes(start));
  const begun = causes.filter(({ ids }) => ids.some((id) => id.startsWith(start)));
  return exact ?? (begun.length === 1 ? begun[0] : undefined);
}
