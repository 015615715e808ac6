// Calls in an open transaction whose promise nobody awaits: what they run behind their first wait may come after its end.
import type { SourceRange } from "../../../../protocol/source";
import { walkCommand } from "../../../sql/walk";
import type { HirExpression, HirFunction } from "../../hir";
import { isFunction, visitInto } from "../../nodes";
import { semanticsOf } from "../../semantics";
import { lose, type State } from "../state";

const REASON =
  "nobody awaits what this call runs, so that the transaction may end before all of it is sent";

/** Runs what nobody awaits, and says what that makes of an open transaction. `body`: the function that runs, where it is known. */
export function runFloating<T>(
  state: State,
  source: SourceRange,
  run: () => T,
  body?: HirFunction,
): T {
  const open = state.open.at(-1);
  const { commands } = state;
  const start = commands.length;
  const value = run();
  if (open === undefined || !state.open.includes(open)) return value;
  // A driver sends what is called first in the order of the calls.
  const inOrder = body !== undefined && waitsIn(body) > 1 ? 0 : 1;
  if (statementsFrom(state.commands === commands ? commands.slice(start) : []) > inOrder)
    lose(state, REASON, source, "opaque");
  return value;
}

/** True if an expression that stands as a statement gives a promise, as its form tells: `.then(...)`, `list.forEach(async ...)`. */
export function isFloatingPromise(state: State, hir: HirExpression): boolean {
  if (hir.kind === "unary" && hir.operator === "void") return isFloatingPromise(state, hir.operand);
  if (hir.kind !== "call" || !semanticsOf(state.frame.file).hasPromises) return false;
  const { callee } = hir;
  const isChain = callee.kind === "member" && /^(?:then|catch|finally)$/u.test(callee.property);
  return (
    isChain ||
    hir.arguments.some(({ value }) => value.kind === "function" && value.function.isAsync === true)
  );
}

function waitsIn({ body }: HirFunction): number {
  let count = 0;
  visitInto(body, (node) => {
    if ("kind" in node && node.kind === "await") count += 1;
    return !isFunction(node);
  });
  return count;
}

function statementsFrom(commands: State["commands"]): number {
  let count = 0;
  walkCommand(
    { kind: "sequence", commands },
    {
      statement: () => {
        count += 1;
      },
    },
  );
  return count;
}
