// Questions about the items of lists that are made of rows, asked of the rows: whether some item is as wanted, how many
// are, and the first that is. Lists whose functions do more than to calculate are not for this.
import type { Expression } from "../../../../program/expression";
import { literal, TRUE } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import type { Library } from "../../libraries/library";
import { scalar, UNDEFINED, type RowsValue, type RowValue, type Value } from "../../values";
import { calculatedCondition, calculatedValue } from "../calls/pureFunctions";
import { conditional, conditionOf, expressionOf, isTooLarge, presenceOf } from "../values/convert";
import { choose } from "../values/operators";
import { knowing } from "../values/presence";
import type { State } from "../state";
import { traverse } from "../../traverse";
import { callWithItem, fillingOf, NO_INDEX } from "./items";
import { itemsOf } from "./collections";
import { searchedInput } from "./inputSearch";
import { noteRead } from "./lastReads";

type Rows = RowsValue;
type Row = RowValue;

/** The rows behind a list: which of them count, and what is made of each. */
interface Source {
  readonly rows: Rows;
  readonly loop: string;
  readonly where: Expression;
  readonly make: (row: Value) => Value;
  /** The items come as the rows do. */
  readonly isOrdered: boolean;
}

/** True if a test holds for some item, as OR has it; undefined where that cannot be asked. */
export function someItem(
  state: State,
  list: Value,
  test: (item: Value) => Expression,
): Expression | undefined {
  return some(state, list, test);
}

/** True if an expression is one of the items, as IN has it; undefined where that cannot be asked. */
export function isItem(state: State, operand: Expression, list: Value): Expression | undefined {
  return someItem(state, list, (item) => compare("=", operand, expressionOf(state, item)));
}

function some(
  state: State,
  list: Value,
  test: (item: Value) => Expression,
): Expression | undefined {
  const items = itemsOf(list);
  if (items) return items.length === 0 ? literal(false) : connective("or", items.map(test));
  const parts = partsOf(list);
  if (parts) {
    const answers = traverse(parts, (part) => some(state, part, test));
    return answers && connective("or", answers);
  }
  if (list.kind === "choice") {
    const [then, otherwise] = [some(state, list.then, test), some(state, list.otherwise, test)];
    return then && otherwise && conditional(list.condition, then, otherwise);
  }
  if (list.kind === "undefined") return literal(false);
  if (list.kind === "derived" && list.how === "flat") {
    let isKnown = true;
    const answer = some(state, list.from, (inner) => {
      const own = some(state, inner, test);
      isKnown &&= own !== undefined;
      return own ?? TRUE;
    });
    return isKnown ? answer : undefined;
  }
  const source = sourceOf(state, list);
  if (!source) return undefined;
  const { rows, loop, where } = source;
  const holds = calculatedCondition(state, () => test(source.make(rowAt(rows, { loop }))));
  return (
    holds && {
      kind: "among",
      result: rows.result,
      loop,
      function: "any",
      where: connective("and", [where, holds]),
    }
  );
}

/** How many items a list has of which not all rows make one; undefined where that cannot be asked. */
export function countItems(state: State, list: Value): Expression | undefined {
  const source = sourceOf(state, list);
  if (!source) return undefined;
  const { rows, loop, where } = source;
  return { kind: "among", result: rows.result, loop, function: "count", where };
}

/** The first or last item for which a test holds, or nothing; undefined where that cannot be asked. */
export function searchedItem(
  state: State,
  list: Value,
  which: "first" | "last",
  test?: (item: Value) => Expression,
): Value | undefined {
  return searched(state, list, which, test);
}

function searched(
  state: State,
  list: Value,
  which: "first" | "last",
  test: ((item: Value) => Expression) | undefined,
): Value | undefined {
  if (list.kind === "choice") {
    const then = searched(state, list.then, which, test);
    const otherwise = searched(state, list.otherwise, which, test);
    return then && otherwise && choose(list.condition, then, otherwise);
  }
  if (list.kind === "undefined") return UNDEFINED;
  const items = itemsOf(list);
  if (items) {
    const inOrder = which === "first" ? items.toReversed() : items;
    return inOrder.reduce<Value>(
      (rest, item) => choose(test ? test(item) : TRUE, item, rest),
      UNDEFINED,
    );
  }
  if (list.kind === "input") return test && searchedInput(state, list, test);
  const source = sourceOf(state, list);
  if (source?.isOrdered !== true) return undefined;
  const { rows, loop, where, make } = source;
  const tested = test ? calculatedCondition(state, () => test(make(rowAt(rows, { loop })))) : TRUE;
  const holds = tested && connective("and", [where, tested]);
  if (!holds || isTooLarge(holds)) return undefined;
  const row = rowAt(rows, { loop, where: holds, which });
  const item = calculatedValue(state, () => {
    // Where it is not, nothing is made of it.
    knowing(state, presenceOf(row), true);
    return make(row);
  });
  if (!item) return undefined;
  return item === row ? row : choose(presenceOf(row), item, UNDEFINED);
}

/** The first of the rows for which a test holds. */
export function firstWhere(state: State, rows: Rows, test: (row: Row) => Expression): Value {
  const loop = state.ids.fresh("among");
  return rowAt(rows, { loop, where: test(rowAt(rows, { loop })), which: "first" });
}

/** The rows for which a test holds. */
export function rowsWhere(rows: Rows, test: (row: Row) => Expression): Value {
  return { kind: "derived", from: rows, how: "filter", by: { kind: "handle", library: TESTS, path: "test", data: test } }; // prettier-ignore
}

/** Tests rows. */
const TESTS: Library = {
  name: "code",
  modules: [],
  call: ({ data }, { arguments: [row] }) =>
    // Only `rowsWhere` makes such handles.
    row?.kind === "row" ? scalar((data as (row: Row) => Expression)(row), "bool") : undefined,
};

/** Lists one after the other. */
function partsOf(list: Value): readonly Value[] | undefined {
  if (list.kind === "joined") return list.parts;
  if (list.kind !== "list") return undefined;
  noteRead(list.grown);
  if (list.grown.value?.kind === "joined") return list.grown.value.parts;
  return undefined;
}

function rowAt({ result, columns, data, assigned }: Rows, at: Row["at"]): Row {
  const own = assigned && { assigned };
  return { kind: "row", result, columns, data, at, overlay: new Map(), ...own };
}

function sourceOf(state: State, list: Value): Source | undefined {
  switch (list.kind) {
    case "rows":
      return {
        rows: list,
        loop: state.ids.fresh("among"),
        where: TRUE,
        make: (row) => row,
        isOrdered: true,
      };
    case "list": {
      const filling = fillingOf(list);
      return filling && sourceOf(state, filling);
    }
    case "derived": {
      const from = list.how === "flat" ? undefined : sourceOf(state, list.from);
      if (!from) return undefined;
      if (list.how === "order") return { ...from, isOrdered: false };
      const { by } = list;
      if (by.kind === "function" && state.workspace.reach.mayReach(by.function)) return undefined;
      const made = (row: Value): Value => callWithItem(state, by, from.make(row), NO_INDEX, SITE);
      if (list.how === "map") return { ...from, make: made };
      const row = rowAt(from.rows, { loop: from.loop });
      const test = calculatedCondition(state, () => conditionOf(state, made(row)));
      return test && { ...from, where: connective("and", [from.where, test]) };
    }
    default:
      return undefined;
  }
}

const SITE = { span: { start: 0, end: 0 }, isNew: false, typeArguments: [], name: "item" };
