// Clients that hand results to a callback: `client.query(text, values, (error, result) => ...)`.
import { constant, UNDEFINED, type Value } from "../values";
import type { Call, Tools } from "./library";

function callbackOf({ arguments: args }: Call): Value | undefined {
  const last = args.at(-1);
  return last?.kind === "function" ? last : undefined;
}

/** The call without its callback. */
export function withoutCallback(call: Call): Call {
  return callbackOf(call) ? { ...call, arguments: call.arguments.slice(0, -1) } : call;
}

/**
 * Runs the callback of a call with no error and what was found, and gives what the call gives then; undefined where it
 * has none. Errors end the function here, as they do where promises are awaited.
 */
export function calledBack(call: Call, found: readonly Value[], tools: Tools): Value | undefined {
  const callback = callbackOf(call);
  if (!callback) return undefined;
  tools.settle(tools.call(callback, [constant(null), ...found], call.source));
  return UNDEFINED;
}
