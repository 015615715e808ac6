// The connection's custom methods with the types of protocol/requests.ts.
import type { CancellationToken, Connection } from "vscode-languageserver/node";
import type { Notifications, Requests } from "../protocol/requests";

/**
 * Registers the handler of a custom request. Parameters come as they were sent: the handler checks them with
 * fromLsp.ts. A failure is logged and answered as an error; other requests go on.
 */
export function onTyped<Method extends keyof Requests>(
  connection: Connection,
  method: Method,
  handler: (
    params: unknown,
    token: CancellationToken,
  ) => Requests[Method]["result"] | Promise<Requests[Method]["result"]>,
): void {
  connection.onRequest(method, async (params: unknown, token: CancellationToken) => {
    try {
      return await handler(params, token);
    } catch (error) {
      connection.console.error(`${method}: ${errorText(error)}`);
      throw error;
    }
  });
}

export function sendTyped<Method extends keyof Notifications>(
  connection: Connection,
  method: Method,
  params: Notifications[Method],
): void {
  connection.sendNotification(method, params).catch(connectionEnded);
}

/** A message that could not be sent: the client has gone, and there is nobody left to tell. */
export function connectionEnded(): void {
  // The end of the connection ends the process; see `onExit` of the protocol's library.
}

/** An error with its stack for the log. */
export function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
