// Lists that a loop fills with operations which wait to be awaited: `for (const id of ids) list.push(client.update(id))`.
// Such a list is what the items are mapped to; its operations run where it is awaited, or in the transaction that it is
// given to.
import type { HirExpression, HirStatement } from "../../hir";
import type { Library } from "../../libraries/library";
import type { Scope, Value } from "../../values";
import { UNDEFINED } from "../../values";
import { bind, innerScope } from "../bindings";
import { choiceOf } from "../values/operators";
import { isPending } from "../calls/awaits";
import { within } from "../fork";
import type { State } from "../state";
import { append, isQuietLoop } from "./iteration";
import { itemsOf } from "./collections";

type ForEach = Extract<HirStatement, { kind: "forEach" }>;

interface Made {
  readonly of: (item: Value) => Value;
}

/** Makes the operation of an item. */
const MAKER: Library = {
  name: "code",
  modules: [],
  // Only `fillsWithOperations` makes such handles.
  call: ({ data }, { arguments: [item] }) => (data as Made).of(item ?? UNDEFINED),
};

/** `...(test ? [client.update(x)] : [])`: the operations, each to be run where it is in the list; undefined of others. */
export function operationsIn(value: Value): readonly Value[] | undefined {
  const items = perhapsItems(value);
  return items?.some(isPending) === true ? items : undefined;
}

function perhapsItems(value: Value): readonly Value[] | undefined {
  if (value.kind !== "choice") return value.kind === "undefined" ? [] : itemsOf(value);
  const { condition } = value;
  const [then, otherwise] = [perhapsItems(value.then), perhapsItems(value.otherwise)];
  return (
    then &&
    otherwise && [
      ...then.map((item) => choiceOf(condition, item, UNDEFINED)),
      ...otherwise.map((item) => choiceOf(condition, UNDEFINED, item)),
    ]
  );
}

/**
 * Fills the list that a loop does nothing but push operations to; false where the loop is of another kind, and nothing
 * was done.
 */
export function fillsWithOperations(
  state: State,
  scope: Scope,
  loop: ForEach,
  over: Value,
): boolean {
  if (itemsOf(over)) return false;
  const shape = shapeOf(loop.body);
  if (!shape) return false;
  const list = state.evaluator.expression(state, scope, shape.list);
  if (list.kind !== "list") return false;
  const { frame } = state;
  const of = (item: Value): Value => {
    const inner = innerScope(scope);
    return within(state, { frame }, () => {
      bind(state, inner, loop.pattern, item, true);
      state.evaluator.block(state, inner, shape.before);
      return state.evaluator.expression(state, inner, shape.item);
    });
  };
  let areOperations = false;
  const isQuiet = isQuietLoop(state, over, loop.span, (item) => {
    areOperations = isPending(of(item));
  });
  if (!isQuiet || !areOperations) return false;
  const data: Made = { of };
  const by: Value = { kind: "handle", library: MAKER, path: "item", data };
  append(state, list, { kind: "derived", from: over, how: "map", by });
  return true;
}

interface Shape {
  readonly before: readonly HirStatement[];
  readonly list: HirExpression;
  readonly item: HirExpression;
}

/** `const ...; list.push(item)`, where the push may stand behind a condition. */
function shapeOf(body: readonly HirStatement[]): Shape | undefined {
  const last = body.at(-1);
  const before = body.slice(0, -1);
  if (!last || !before.every(isConstant)) return undefined;
  if (last.kind === "expression") {
    const push = pushOf(last.expression);
    return push && { before, ...push };
  }
  const [then] = last.kind === "if" ? last.then : [];
  if (last.kind !== "if" || last.then.length !== 1 || last.otherwise.length > 0) return undefined;
  const push = then?.kind === "expression" ? pushOf(then.expression) : undefined;
  if (!push) return undefined;
  const { condition, span } = last;
  const otherwise: HirExpression = { kind: "literal", value: undefined, span };
  const item: HirExpression = { kind: "conditional", condition, then: push.item, otherwise, span };
  return { before, list: push.list, item };
}

function pushOf(expression: HirExpression): Pick<Shape, "list" | "item"> | undefined {
  if (expression.kind !== "call" || expression.callee.kind !== "member") return undefined;
  const { object, property } = expression.callee;
  const [argument, ...others] = expression.arguments;
  const isPush = property === "push" && object.kind === "name";
  if (!isPush || !argument || argument.isSpread || others.length > 0) return undefined;
  return { list: object, item: argument.value };
}

function isConstant(statement: HirStatement): boolean {
  return statement.kind === "let" && !statement.isMutable;
}
