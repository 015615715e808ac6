// Functions that throw unless something holds: assertions, and what seems to refuse what it is given by its name.
import type { Expression } from "../../../../program/expression";
import { isCondition } from "../../../sql/expressions";
import { UNDEFINED, type Value } from "../../values";
import { emitThrow } from "../errors/exceptionFlow";
import { sourceOf, type CallSite, type State } from "../state";
import { isInput } from "../../roots/provenance";
import { conditionOf, negate, readsOf, unknownExpression } from "../values/convert";
import { requireHolds } from "../values/member";
import { binary } from "../values/operators";
import { aliases, type Builtin, type BuiltinCall } from "./builtin";

/** Those that compare in ways that are not followed. */
const OTHERS = ["assert", "assert.strict"]
  .flatMap((from) =>
    "deepEqual deepStrictEqual notDeepEqual notDeepStrictEqual partialDeepStrictEqual match doesNotMatch ifError"
      .split(" ")
      .map((name) => `${from}.${name}`),
  )
  .join(" ");

/** Node's `assert`. */
export const ASSERTIONS: Readonly<Record<string, Builtin>> = {
  ...aliases("assert assert.ok assert.strict assert.strict.ok", (call) =>
    asserted(call, truthOf(call)),
  ),
  ...aliases("assert.equal", (call) => asserted(call, compared(call, "=="))),
  ...aliases("assert.strictEqual assert.strict.equal assert.strict.strictEqual", (call) =>
    asserted(call, compared(call, "===")),
  ),
  ...aliases("assert.notEqual", (call) => asserted(call, negate(compared(call, "==")))),
  ...aliases("assert.notStrictEqual assert.strict.notEqual assert.strict.notStrictEqual", (call) =>
    asserted(call, negate(compared(call, "==="))),
  ),
  ...aliases(OTHERS, ({ state, args, site }) => {
    mayRefuseReads(state, args, { ...site, name: "assert", isUnused: true });
    return UNDEFINED;
  }),
  ...aliases("assert.fail assert.strict.fail", ({ state, site }) => {
    emitThrow(state, undefined, { why: FAILED, source: sourceOf(state, site.span) });
    return UNDEFINED;
  }),
};

const FAILED = "an assertion fails";

function truthOf({ state, args: [value = UNDEFINED] }: BuiltinCall): Expression {
  return conditionOf(state, value);
}

function compared({ state, args }: BuiltinCall, operator: "==" | "==="): Expression {
  const [left = UNDEFINED, right = UNDEFINED] = args;
  return conditionOf(state, binary(state, operator, left, right));
}

function asserted({ state, site }: BuiltinCall, holds: Expression): Value {
  requireHolds(state, holds, FAILED, sourceOf(state, site.span));
  return UNDEFINED;
}

/** The export of a module of assertions under a name: the name of a builtin; undefined for other modules. */
export function assertionExport(from: string, name: string): string | undefined {
  const isWhole = name === "default" || name === "*";
  if (/^(?:node:)?assert(?:\/strict)?$/u.test(from)) {
    const whole = name === "strict" || from.endsWith("/strict") ? "assert.strict" : "assert";
    if (isWhole || name === "strict" || name === "ok") return whole;
    return /^[a-z]/u.test(name) ? `${whole}.${name}` : undefined;
  }
  const isInvariant = /(?:^|[/-])invariant$|^http-assert$/u.test(from);
  return isInvariant && (isWhole || name === "invariant") ? "assert" : undefined;
}

/** Names of functions that throw where they do not like what they are given. */
const REFUSES =
  /(?:^|\.)_?(?:assert|invariant|validate|ensure|enforce|verify|check|must|require|parseAsync)(?:[A-Z_]\w*)?$/u;
/** Names of methods of schemas that give what they are given, or throw. */
const GIVES = /\.(?:parse|cast)$/u;

/**
 * Ends the function where an unknown one may refuse what was read from the database and is given to it, as it seems by its
 * name. Gives whether it is such a call.
 */
export function mayRefuseReads(state: State, args: readonly Value[], site: CallSite): boolean {
  const { name } = site;
  const [first] = args;
  // Whoever awaits a promise may handle its error.
  const isHere = site.isAwaited === true || site.isUnused === true;
  if (!isHere && !GIVES.test(name)) return false;
  const source = sourceOf(state, site.span);
  const isAssertion = /(?:^|\.)(?:assert|invariant)$/u.test(name);
  if (isAssertion && first?.kind === "scalar" && isCondition(first.expression)) {
    requireHolds(state, conditionOf(state, first), FAILED, source);
    return true;
  }
  const isWhole = (value: Value): boolean => value.kind !== "scalar" && value.kind !== "text";
  const checked = REFUSES.test(name) ? args : GIVES.test(name) ? args.filter(isWhole) : [];
  const reads = checked.flatMap((arg) => (arg.kind === "function" ? [] : readsOf(arg)));
  if (reads.every(isInput)) return false;
  const why = `whether ${name}() refuses what it is given is not known`;
  const holds = unknownExpression(state, why, reads, "bool");
  requireHolds(state, holds, `${name}() refuses it`, source);
  return true;
}
