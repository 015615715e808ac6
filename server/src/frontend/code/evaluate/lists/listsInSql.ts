// `IN (...)` and `= ANY(...)` of SQL text whose list the code makes of rows: a question about these rows.
import type { Expression } from "../../../../program/expression";
import type { Value } from "../../values";
import { negate } from "../values/convert";
import type { State } from "../state";
import { isItem } from "./rowSearch";

/** Lists that stand in a statement as values that are not known, by the ids of these. */
export type OpenLists = ReadonlyMap<string, Value>;

/** True if a value is a list that rows may make. */
export function isMadeList({ kind }: Value): boolean {
  return kind === "derived" || kind === "list" || kind === "joined" || kind === "rows";
}

/** A statement or command in which membership in such lists is asked of the rows. Linear in its size. */
export function withLists<Data>(state: State, data: Data, lists: OpenLists): Data {
  if (lists.size === 0) return data;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const all = value.map(visit);
      return all.some((each, at) => each !== value[at]) ? all : (value as unknown);
    }
    if (typeof value !== "object" || value === null) return value;
    const asked = isExpression(value) ? membership(state, value, lists) : undefined;
    if (asked) return asked;
    let isChanged = false;
    const entries = Object.entries(value).map(([name, part]: [string, unknown]) => {
      const own = visit(part);
      isChanged ||= own !== part;
      return [name, own] as const;
    });
    return isChanged ? Object.fromEntries(entries) : value;
  };
  // The same data with other expressions in it.
  return visit(data) as Data;
}

function membership(
  state: State,
  expression: Expression,
  lists: OpenLists,
): Expression | undefined {
  if (expression.kind === "in") {
    const [only, ...others] = expression.values;
    if (others.length > 0) return undefined;
    return among(state, expression.operand, only, lists);
  }
  if (expression.kind !== "call") return undefined;
  const [operand, list] = expression.arguments;
  const isAny = expression.name === "=-any";
  if (operand === undefined || (!isAny && expression.name !== "<>-all")) return undefined;
  const asked = among(state, operand, list, lists);
  return isAny ? asked : asked && negate(asked);
}

function among(
  state: State,
  operand: Expression,
  list: Expression | undefined,
  lists: OpenLists,
): Expression | undefined {
  const value = list?.kind === "unknown" ? lists.get(list.id) : undefined;
  return value && isItem(state, operand, value);
}

function isExpression(value: object): value is Expression {
  return "kind" in value && (value.kind === "in" || value.kind === "call");
}
