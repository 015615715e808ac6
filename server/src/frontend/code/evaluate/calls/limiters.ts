// Functions that let a few of those run at a time that they are given (p-limit): each runs, and its promise is given back.
import type { Value } from "../../values";
import { runPending } from "../errors/pendingPromises";
import { sourceOf, type CallSite, type State } from "../state";
import { isAtTop } from "./callbacks";
import { settle } from "./awaits";

const LIMITERS = /(?:^|\.)(?:limit|enqueue)$/u;

/** Result of `limit(f, ...args)`; undefined for other calls. */
export function throughLimiter(
  state: State,
  callee: Value,
  [work, ...args]: readonly Value[],
  site: CallSite,
): Value | undefined {
  if (work?.kind !== "function" || isAtTop(state)) return undefined;
  if (!LIMITERS.test(site.name) && !isMade(callee)) return undefined;
  const { isHeld, isLeaving, ...direct } = site;
  const run = (): Value => settle(state, state.evaluator.call(state, work, args, direct));
  return isHeld === true ? runPending(state, sourceOf(state, site.span), run, isLeaving) : run();
}

/** True if something is what `pLimit(5)` gives, under whatever name. */
function isMade(callee: Value): boolean {
  if (callee.kind !== "scalar" || callee.expression.kind !== "call") return false;
  return /^code:p-?limit$/iu.test(callee.expression.name);
}
