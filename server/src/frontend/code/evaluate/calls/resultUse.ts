// Calls for whose results nobody asks, and those that are awaited, told by where they stand.
import type { HirExpression } from "../../hir";

const UNUSED = new WeakSet<HirExpression>();
const WAITED_FOR = new WeakSet<HirExpression>();

/** Notes that an expression stands as a statement: nothing is done with what it gives. */
export function noteStatement(hir: HirExpression): void {
  switch (hir.kind) {
    case "await":
    case "typed":
      noteStatement(hir.operand);
      return;
    case "unary":
      if (hir.operator === "void") noteStatement(hir.operand);
      return;
    case "binary":
      if (LAZY.has(hir.operator)) noteStatement(hir.right);
      return;
    case "conditional":
      noteStatement(hir.then);
      noteStatement(hir.otherwise);
      return;
    case "call":
      UNUSED.add(hir);
      for (const { value } of isOfPromises(hir) ? hir.arguments : []) noteItems(value);
      return;
    default:
  }
}

const LAZY: ReadonlySet<string> = new Set(["&&", "||", "??"]);

/** Notes that an expression is awaited where it stands. */
export function noteWaitedFor(hir: HirExpression): void {
  WAITED_FOR.add(hir);
}

/** True if nothing is done with what a call gives. */
export function isUnused(hir: HirExpression): boolean {
  return UNUSED.has(hir);
}

export function isWaitedFor(hir: HirExpression): boolean {
  return WAITED_FOR.has(hir);
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

function noteItems(hir: HirExpression): void {
  const items = hir.kind === "array" ? hir.items : [{ value: hir, isSpread: false }];
  for (const { value, isSpread } of items) {
    if (isSpread === true) continue;
    noteStatement(value);
    noteWaitedFor(value);
  }
}
