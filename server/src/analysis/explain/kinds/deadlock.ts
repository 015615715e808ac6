import type { Kind } from "./kind";

/** Transactions wait for each other in a cycle, and the server aborts one of them. */
export const deadlock: Kind = {
  name: "deadlock",
  title: "Deadlock",
  definition:
    "Transactions wait for each other's locks in a ring, so that none of them can go on: the server ends one of them with an error and undoes its work.",
  reference: "Coffman, Elphick and Shoshani, System deadlocks, Computing Surveys 1971",
};
