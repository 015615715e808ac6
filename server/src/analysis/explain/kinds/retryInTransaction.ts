import type { Kind } from "./kind";

/** The code retries inside of a transaction that the server has aborted. */
export const retryInTransaction: Kind = {
  name: "retry-in-transaction",
  title: "Retry within the transaction",
  definition:
    "The server ends a transaction with an error, and a loop within the transaction runs the statement again: the transaction is over, and only a new one, from BEGIN on, can succeed.",
  reference: "PostgreSQL, Serialization Failure Handling; MySQL, Deadlocks in InnoDB",
};
