// Names of calls whose effects a rollback leaves: mails, messages, requests to other services.

/** A method that sends something. */
const SENDING =
  /(?:^|\.)(?:(?:send|mail|notify|publish|enqueue|charge|convertAndSend)(?!Status|Event)\w*)$/u;
/** A request that changes something at a service, by a client of HTTP. */
const REQUEST =
  /(?:^|\.)(?:axios|got|ky|superagent|\w*[hH]ttp\w*|rest(?:Template|Client))\.(?:post|put|patch|delete|exchange)\w*$/u;
/** An answer to the request at hand, or a message to another part of the same process. */
const INSIDE = /(?:^|\.)(?:res|response|reply|ctx|process|parentPort)\.\w+$/u;

/** True if a call has an effect outside of the database and the process. */
export function hasOutsideEffect(name: string): boolean {
  return (SENDING.test(name) || REQUEST.test(name)) && !INSIDE.test(name);
}
