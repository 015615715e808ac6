import type { Kind } from "./kind";

/** The code continues inside of a transaction that the server has aborted. */
export const swallowedError: Kind = {
  name: "swallowed-error",
  title: "Swallowed error",
  definition:
    "The server ends a transaction with an error, a handler within the transaction keeps it, and the code goes on as if nothing had happened: the work is undone, or half of it is, and nobody is told.",
  reference: "PostgreSQL, Appendix A (25P02); MySQL, InnoDB Error Handling",
};
