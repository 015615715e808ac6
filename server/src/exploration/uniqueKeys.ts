// Primary and unique keys hold at every level but `any` (axiom `uniqueKeys` of the papers' levels): of two transactions that take the same
// unique value one sees the other, and then fails unless the value was free again.
import type { Client, Key } from "./client";
import type { StoreLevel } from "./exploration";
import { INITIAL } from "./history";
import type { History, Transaction, TransactionId } from "./history";
import { writesOf } from "./log";
import { isExternal } from "./reorderings";

/** A committed transaction takes a unique value by writing this key. */
interface Claim {
  readonly by: Transaction;
  readonly key: Key;
}

/**
 * True if no two transactions took the same unique value without one seeing the other. A transaction takes a value that its version of a
 * key holds and the version that it read there did not; it sees another by reading a version of that one's key derived from its write. For
 * complete histories this is the whole axiom: a transaction that takes a value has read all keys that may hold it.
 */
export function uniqueKeysHold(
  client: Client,
  { transactions }: History,
  level: StoreLevel,
): boolean {
  const { uniqueValues } = client;
  if (uniqueValues === undefined || level === "any") return true;
  const byId = new Map(transactions.map((each) => [each.id, each]));
  const sourceOf = (reader: Transaction, key: Key): TransactionId | undefined =>
    reader.events.filter(isExternal).find((event) => event.key === key)?.from;
  const valuesAt = (writer: TransactionId | undefined, key: Key): readonly string[] => {
    const transaction = writer === undefined ? undefined : byId.get(writer);
    return uniqueValues(
      key,
      transaction === undefined ? client.initial.get(key) : writesOf(transaction).get(key),
    );
  };
  /** True if the version chain of the other claim's key that the transaction read leads back to that claim. */
  const sees = (own: Claim, { by, key }: Claim): boolean => {
    const { events } = own.by;
    const taking = events.findIndex((event) => event.kind === "write" && event.key === own.key);
    let from = events
      .slice(0, taking)
      .filter(isExternal)
      .findLast((event) => event.key === key)?.from;
    while (from !== undefined && from !== INITIAL && from !== by.id) {
      const writer = byId.get(from);
      from = writer && sourceOf(writer, key);
    }
    return from === by.id;
  };
  const claims = new Map<string, Claim[]>();
  for (const by of transactions)
    for (const [key, value] of writesOf(by)) {
      const taken = uniqueValues(key, value);
      if (taken.length === 0) continue;
      const before = valuesAt(sourceOf(by, key), key);
      for (const each of taken) {
        if (before.includes(each)) continue;
        const others = claims.get(each) ?? [];
        const own = { by, key };
        const clashes = others.some((other) => {
          // Two transactions may give the same row the same values.
          if (other.key === key && each !== key) return false;
          return !sees(own, other) && !sees(other, own);
        });
        if (clashes) return false;
        claims.set(each, [...others, own]);
      }
    }
  return true;
}
