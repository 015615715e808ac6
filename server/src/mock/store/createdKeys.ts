// Keys of rows and of entries of unique indexes are created by one transaction at a time, at every level but `any`.
import type { Key } from "../../exploration/client";
import { readsOf, type Transaction } from "./database";
import type { Failure } from "./policy";

export interface CreatedKeys {
  /** The reason why the transaction cannot commit: it creates what another one created, and has not seen it. */
  readonly validate: (transaction: Transaction) => Failure | undefined;
  /** Just after the commit. */
  readonly committed: (transaction: Transaction) => void;
}

/**
 * Of those that found a key absent in one version, one may create it: who has seen that one, or what came of it, has
 * read a later version. The check is at the commit, since both may be under way.
 */
export function createdKeys(isAbsent: (key: Key, writer: number) => boolean): CreatedKeys {
  /** Keys by the writer of the version that said they are absent. */
  const taken = new Map<number, Set<Key>>();
  function created(transaction: Transaction): { readonly key: Key; readonly from: number }[] {
    // The last look is the one before the write.
    const last = new Map([...readsOf(transaction)].map(({ key, from }) => [key, from]));
    return [...last].flatMap(([key, from]) =>
      transaction.writes.get(key) !== undefined && isAbsent(key, from) ? [{ key, from }] : [],
    );
  }
  return {
    validate(transaction) {
      for (const { key, from } of created(transaction))
        if (taken.get(from)?.has(key) === true)
          return {
            code: "23505",
            message: `duplicate key: ${key} was inserted by another transaction that this one did not see`,
          };
      return undefined;
    },
    committed(transaction) {
      for (const { key, from } of created(transaction))
        taken.set(from, (taken.get(from) ?? new Set()).add(key));
    },
  };
}
