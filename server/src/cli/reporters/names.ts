// Names of transactions in a finding, without the disambiguating file where possible.
import { plainName } from "../../service/findings/fingerprint";
import { listWords } from "./outcomes";

/** The shortest unambiguous names: with their files only if two different ones would be the same. */
export function plainNames(transactions: readonly string[]): ReadonlyMap<string, string> {
  const distinct = [...new Set(transactions)];
  return new Map(
    distinct.map((name) => {
      const plain = plainName(name);
      const isShared = distinct.some((other) => other !== name && plainName(other) === plain);
      return [name, isShared ? name : plain];
    }),
  );
}

/** "deposit with itself", "deposit and transfer". */
export function namesText(transactions: readonly string[]): string {
  const names = plainNames(transactions);
  const [only = "", ...others] = [...names.values()];
  if (others.length > 0) return listWords(transactions.map((name) => names.get(name) ?? name));
  return transactions.length > 1 ? `${only} with itself` : only;
}
