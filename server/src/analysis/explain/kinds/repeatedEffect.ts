import type { Kind } from "./kind";

/** The code runs an aborted transaction again, and with it what no rollback undoes. */
export const repeatedEffect: Kind = {
  name: "repeated-effect",
  title: "Repeated effect",
  definition:
    "The server ends a transaction with an error, and code runs it again with a call in it whose effect no rollback takes back: a mail, a message or a request to another service is sent twice.",
  reference:
    "PostgreSQL, Serialization Failure Handling; Richardson, Microservices Patterns 2018 (transactional outbox)",
};
