import type { Kind } from "./kind";

/** The server refuses a row because another transaction took its key since this one looked, and the code handles no such error. */
export const duplicateKey: Kind = {
  name: "duplicate-key",
  title: "Duplicate key that nothing handles",
  definition:
    "A transaction looks for a row, the greatest number or a counter, and inserts; another one inserts the same key in between, the server refuses the row with an error, and nothing in the code around it catches that.",
  reference: "Bailis et al., Feral Concurrency Control, SIGMOD 2015",
};
