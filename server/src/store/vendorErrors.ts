// The store's errors in the wording of the product.
import type { Product } from "../isolation/levels";
import { ownEntry } from "../protocol/dictionary";
import type { SqlFailure } from "./failure";

/** The error under its documented name, with a sentence. */
export function failureText(product: Product, failure: SqlFailure): string {
  const known = ownEntry(VENDOR[product], failure.code);
  return known ?? `${failure.code} ${failure.message}`;
}

const INNODB: Readonly<Record<string, string | undefined>> = {
  "40P01": "1213 (40001) deadlock found when trying to get lock",
  "40001": "1020 (HY000) record has changed since last read",
  "23505": "1062 (23000) duplicate entry for a key",
  "23503": "1452 (23000) a foreign key constraint fails",
  "23502": "1048 (23000) a column cannot be null",
};

const VENDOR: Readonly<Partial<Record<Product, Readonly<Record<string, string | undefined>>>>> = {
  mysql: INNODB,
  mariadb: INNODB,
  sqlserver: {
    "40P01": "1205 (40001) chosen as deadlock victim",
    "40001": "3960 (HY000) snapshot isolation: update conflict",
  },
  oracle: {
    "40P01": "ORA-00060 deadlock detected while waiting for resource",
    "40001": "ORA-08177 can't serialize access for this transaction",
  },
  sqlite: { "40001": "SQLITE_BUSY_SNAPSHOT another connection has written since the first read" },
  mongodb: { "40001": "WriteConflict (112)" },
};
