// Lists that a loop over rows fills with one item for each row: as many items as rows, and each is what the round made of
// its row, so that what is asked of such a list is asked of the rows.
import { heldBy, someWithin } from "../values/subvalues";
import type { Expression } from "../../../../program/expression";
import { mapParts, operandsOf } from "../../../../program/operands";
import type { Command } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import { walkCommand } from "../../../sql/walk";
import type { Library } from "../../libraries/library";
import {
  type Cell,
  type ListValue,
  type ResultReference,
  scalar,
  unknownItem,
  type Value,
} from "../../values";
import { readsOf } from "../values/convert";
import { requireHolds } from "../values/member";
import { emit, newCell, write, type OpenLoop, type State } from "../state";

type Row = Extract<Value, { kind: "row" }>;
type Derived = Extract<Value, { kind: "derived" }>;

interface Template {
  readonly loop: string;
  readonly item: Value;
}

/** Makes the item of another row. */
const REPLAY: Library = {
  name: "code",
  modules: [],
  call: ({ data }, { arguments: [row] }) =>
    // Only `filledBy` makes such handles.
    row?.kind === "row" ? replayed(data as Template, row) : undefined,
};

/** The loop whose rounds each add an item: the innermost one, over rows, in which nothing was skipped so far. */
function fillingLoop(state: State, list: ListValue): OpenLoop | undefined {
  const loop = state.loops.at(-1);
  const isEmpty = list.items.length === 0 && list.grown.value === undefined;
  const inside = state.branches.filter((start) => start >= list.grown.birth);
  const isPlain = loop?.rows !== undefined && loop.frame === state.frame && inside.length === 1;
  return isEmpty && isPlain && !state.commands.some(jumps) ? loop : undefined;
}

/** Lists of a loop that may be left between its rounds have fewer items than there are rows. */
export function endFilling(
  state: State,
  filled: readonly Cell[],
  commands: readonly Command[],
): void {
  if (!commands.some(jumps)) return;
  for (const cell of filled) if (cell.value) write(state, cell, lost(cell.value));
}

function jumps(command: Command): boolean {
  switch (command.kind) {
    case "exit":
    case "continue":
    case "return":
      return true;
    case "sequence":
      return command.commands.some(jumps);
    case "if":
      return jumps(command.then) || (command.otherwise !== undefined && jumps(command.otherwise));
    case "loop":
    case "atomic":
      return jumps(command.body);
    case "try":
      return jumps(command.body) || jumps(command.handler);
    default:
      return false;
  }
}

/** The rows that fill a list where each round of a loop over rows adds this item; undefined where it is not so. */
export function filledBy(state: State, list: ListValue, item: Value): Value | undefined {
  const loop = fillingLoop(state, list);
  if (!loop?.rows || !isSimple(item)) return undefined;
  if (isOfRound(item, madeIn(state, loop))) return undefined;
  const data: Template = { loop: loop.id, item: kept(state, item) };
  const { result, columns } = loop.rows;
  loop.filled?.push(list.grown);
  const from: Value = { kind: "rows", result, columns };
  const by: Value = { kind: "handle", library: REPLAY, path: "item", data };
  return { kind: "derived", from, how: "map", by, assigned: new Map() };
}

/** True if a value is what a loop fills a list with. */
export function isReplay(value: Value): boolean {
  return value.kind === "derived" && value.by.kind === "handle" && value.by.library === REPLAY;
}

/** Variables and results of a round: once it is over, nobody knows what they were. */
function madeIn({ commands }: State, { carried }: OpenLoop): ReadonlySet<string> {
  const made = new Set(carried.values());
  const command = (each: Command): void => {
    if (each.kind === "assign") made.add(each.variable);
    if (each.kind !== "statement") return;
    made.add(each.statement.id);
    if ("into" in each.statement) made.add(String(each.statement.into));
    if ("returning" in each.statement && each.statement.returning)
      made.add(each.statement.returning.into);
  };
  for (const each of commands) walkCommand(each, { command });
  return made;
}

function isOfRound(item: Value, made: ReadonlySet<string>): boolean {
  return someWithin(item, (each) => {
    if (each.kind === "object") return heldBy(each);
    if (each.kind === "row") return each.overlay.size > 0 || made.has(each.result);
    return readsOf(each).some((read) => reads(read, made));
  });
}

function reads(expression: Expression, made: ReadonlySet<string>): boolean {
  const own =
    expression.kind === "variable"
      ? expression.name
      : "result" in expression
        ? expression.result
        : "statement" in expression
          ? expression.statement
          : "";
  return made.has(own) || operandsOf(expression).some((each) => reads(each, made));
}

function isSimple(item: Value): boolean {
  // Writes to a row are not known of the next one.
  if (item.kind === "row") return item.overlay.size === 0;
  if (item.kind !== "object") return item.kind === "scalar";
  return item.rest === undefined || item.class !== undefined;
}

/** The item as it is now: later rounds write to its cells. */
function kept(state: State, item: Value): Value {
  if (item.kind !== "object") return item;
  const fields = [...item.fields].map(
    ([name, cell]) => [name, newCell(state, cell.value)] as const,
  );
  return { ...item, fields: new Map(fields) };
}

function replayed({ loop, item }: Template, row: Row): Value {
  switch (item.kind) {
    case "scalar":
      return { ...item, expression: ofRow(item.expression, loop, row) };
    case "row":
      return { ...item, at: row.at, overlay: new Map<string, Cell>() };
    case "object": {
      const fields = [...item.fields].map(([name, { value, birth }]) => {
        const again = value && replayed({ loop, item: value }, row);
        return [name, { value: again, birth }] as const;
      });
      return { ...item, fields: new Map(fields) };
    }
    case "text":
      return item.parts.every(({ kind }) => kind === "run") ? item : lost(item);
    case "input":
    case "undefined":
      return item;
    default:
      return lost(item);
  }
}

function lost(item: Value): Value {
  return unknownItem("an item of a list that a loop filled", readsOf(item));
}

function ofRow(expression: Expression, loop: string, { result, at }: Row): Expression {
  if (at === "first" || !("where" in at)) return atRow(expression, loop, at);
  const { which, where } = at;
  const value = atRow(expression, loop, { loop: at.loop });
  return { kind: "among", result, loop: at.loop, function: which, where, value };
}

type PlainAt = Extract<Expression, { kind: "field" }>["at"];

function atRow(expression: Expression, loop: string, at: PlainAt): Expression {
  if (expression.kind === "field") {
    return expression.at !== "first" && expression.at.loop === loop ? { ...expression, at } : expression; // prettier-ignore
  }
  return mapParts(expression, (part) => atRow(part, loop, at));
}

/**
 * The item at an index that is only known when the code runs: a loop over the rows keeps what it holds. An index beyond
 * the rows is an error.
 */
export function filledAt(
  state: State,
  list: Derived,
  index: Expression,
  source: SourceRange,
): Value {
  const { from, by } = list;
  if (from.kind !== "rows" || by.kind !== "handle") return lost(list);
  const template = by.data as Template; // only `filledBy` makes such handles
  const size: Expression = { kind: "size", result: from.result };
  if (index.kind === "literal" && index.value === 0) {
    requireHolds(state, compare(">", size, index), "an index is out of bounds", source);
    return replayed(template, { ...rowOf(from, ""), at: "first" });
  }
  const operands = [compare(">=", index, literal(0)), compare("<", index, size)];
  requireHolds(state, { kind: "and", operands }, "an index is out of bounds", source);
  const [id, at] = [state.ids.fresh("loop"), state.ids.fresh("at")];
  const row = rowOf(from, id);
  const assigned: Command[] = [];
  const made = variablesOf(state, replayed(template, row), assigned, source);
  const counted: Expression = { kind: "variable", name: at };
  const then: Command = { kind: "sequence", commands: assigned };
  for (const each of assigned) {
    if (each.kind === "assign") emit(state, { ...each, value: literal(null) });
  }
  emit(state, { kind: "assign", variable: at, value: literal(0), source });
  const commands: Command[] = [
    { kind: "if", condition: compare("=", counted, index), then, source },
    {
      kind: "assign",
      variable: at,
      value: { kind: "arithmetic", operator: "+", left: counted, right: literal(1) },
      source,
    },
  ];
  const over = { kind: "rows", result: from.result } as const;
  emit(state, { kind: "loop", id, over, body: { kind: "sequence", commands }, source });
  return made;
}

function rowOf({ result, columns, assigned }: ResultReference, loop: string): Row {
  const own = assigned && { assigned };
  return { kind: "row", result, columns, at: { loop }, overlay: new Map(), ...own };
}

/** The item with a variable for each value of its row. */
function variablesOf(state: State, item: Value, assigned: Command[], source: SourceRange): Value {
  switch (item.kind) {
    case "scalar": {
      if (item.expression.kind === "literal" || item.expression.kind === "parameter") return item;
      const variable = state.ids.fresh("v");
      assigned.push({ kind: "assign", variable, value: item.expression, source });
      return scalar({ kind: "variable", name: variable }, item.type);
    }
    case "object": {
      const fields = [...item.fields].map(([name, { value }]) => {
        const made = value && variablesOf(state, value, assigned, source);
        return [name, newCell(state, made)] as const;
      });
      return { ...item, fields: new Map(fields) };
    }
    case "input":
    case "text":
    case "undefined":
      return item;
    default:
      return lost(item);
  }
}
