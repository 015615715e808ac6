// Calls for whose results nobody asks, and those that are awaited, told by where they stand.
import type { HirExpression } from "../../hir";
import { nameOf } from "../values/chains";
import type { CallSite, State } from "../state";

/** Notes that an expression stands as a statement: nothing is done with what it gives. */
export function noteStatement(state: State, hir: HirExpression): void {
  switch (hir.kind) {
    case "await":
    case "typed":
      noteStatement(state, hir.operand);
      return;
    case "unary":
      if (hir.operator === "void") noteStatement(state, hir.operand);
      return;
    case "binary":
      if (LAZY.has(hir.operator)) noteStatement(state, hir.right);
      return;
    case "conditional":
      noteStatement(state, hir.then);
      noteStatement(state, hir.otherwise);
      return;
    case "call":
      state.callUses.unused.add(hir);
      for (const { value } of isOfPromises(hir) ? hir.arguments : []) noteItems(state, value);
      return;
    default:
  }
}

const LAZY: ReadonlySet<string> = new Set(["&&", "||", "??"]);

/** Notes that an expression is awaited where it stands. */
export function noteWaitedFor(state: State, hir: HirExpression): void {
  state.callUses.awaited.add(hir);
}

/** Calls that let something end behind an answer. */
const LATER = /^(?:waitUntil|after)$/u;

/** True if a call waits for all that it is given. */
function isOfPromises({ callee }: Extract<HirExpression, { kind: "call" }>): boolean {
  if (callee.kind === "name") return LATER.test(callee.name);
  if (callee.kind !== "member") return false;
  const isOfPromise = callee.object.kind === "name" && callee.object.name === "Promise";
  return LATER.test(callee.property) || (isOfPromise && /^all(?:Settled)?$/u.test(callee.property));
}

function noteItems(state: State, hir: HirExpression): void {
  const items = hir.kind === "array" ? hir.items : [{ value: hir, isSpread: false }];
  for (const { value, isSpread } of items) {
    if (isSpread === true) continue;
    noteStatement(state, value);
    noteWaitedFor(state, value);
  }
}

/** A call where it stands, and how its result is used there. */
export function siteOf(
  { callUses }: State,
  hir: Extract<HirExpression, { kind: "call" | "new" }>,
  isNew: boolean,
): CallSite {
  const isHeld = callUses.pending.has(hir) && !callUses.deferred.has(hir);
  return {
    span: hir.span,
    isNew,
    typeArguments: hir.typeArguments ?? [],
    name: nameOf(hir.callee),
    ...(callUses.awaited.has(hir) && { isAwaited: true }),
    ...(callUses.returned.has(hir) && { isReturned: true }),
    ...(callUses.unused.has(hir) && { isUnused: true }),
    ...(isHeld && { isHeld, isLeaving: callUses.leaving.has(hir) }),
  };
}
