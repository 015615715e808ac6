// Custom methods of the connection with the types of protocol/requests.ts.
import {
  ErrorCodes,
  ResponseError,
  type CancellationToken,
  type Connection,
} from "vscode-languageserver/node";
import { reasonOf } from "../protocol/fault";
import type { Notifications, Requests } from "../protocol/requests";
import { visible, visibleAll } from "../protocol/controlCharacters";
import { shapeFault } from "./clientShapes";

/**
 * Registers the handler of a custom request. Parameters are untrusted: the handler validates them with fromLsp.ts. A failure is logged and
 * answered as an error, without affecting other requests.
 */
export function onCustomRequest<Method extends keyof Requests>(
  connection: Connection,
  method: Method,
  handler: (
    params: unknown,
    token: CancellationToken,
  ) => Requests[Method]["result"] | Promise<Requests[Method]["result"]>,
): void {
  connection.onRequest(
    method,
    async (params: unknown, token: CancellationToken): Promise<unknown> => {
      try {
        return visibleAll(await handler(params, token));
      } catch (error) {
        throw failed(connection, method, error);
      }
    },
  );
}

export function sendNotification<Method extends keyof Notifications>(
  connection: Connection,
  method: Method,
  params: Notifications[Method],
): void {
  connection.sendNotification(method, visibleAll(params)).catch(ignoreClosedConnection);
}

/** Ignores a message that could not be sent because the client is gone. */
export function ignoreClosedConnection(): void {
  // The end of the connection ends the process; see `onExit` of the protocol's library.
}

/**
 * Wraps a handler of a standard request: failures and malformed parameters are logged and answered as errors, without affecting other
 * requests.
 */
export function withFailureAnswer<Params, Result>(
  connection: Connection,
  method: string,
  handler: (params: Params, token: CancellationToken) => Result | Promise<Result>,
): (params: Params, token: CancellationToken) => Promise<Result> {
  return async (params, token) => {
    const wrong = shapeFault(method, params);
    if (wrong !== undefined) throw new ResponseError(ErrorCodes.InvalidParams, wrong);
    try {
      return await handler(params, token);
    } catch (error) {
      throw failed(connection, method, error);
    }
  };
}

/** Logs the failure of a request, and returns the error for the client. */
function failed(connection: Connection, method: string, error: unknown): ResponseError {
  const reason = visible(reasonOf(error));
  connection.console.error(`${method}: ${reason}`);
  return new ResponseError(ErrorCodes.InternalError, reason);
}
