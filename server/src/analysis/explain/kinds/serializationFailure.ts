import type { Kind } from "./kind";

/** The server aborts a transaction because a row changed since its snapshot, and the code does not retry. */
export const serializationFailure: Kind = {
  name: "serialization-failure",
  title: "Serialization failure that nothing handles",
  definition:
    "A transaction meets a row that another one has changed since its snapshot, the server ends it with an error, and nothing in the code around it catches that or tries again.",
  reference: "First updater wins, in Fekete et al., TODS 2005",
};
