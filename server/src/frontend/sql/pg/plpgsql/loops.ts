// Loops and cursors of PL/pgSQL.
import type { Expression } from "../../../../program/expression";
import type { Command, LoopRange } from "../../../../program/statement";
import { literal, TRUE } from "../../expressions";
import type { Span } from "../../text/split";
import { assignRow, assignTarget, assignUnknown } from "../../routine/assign";
import {
  closeLevel,
  declare,
  declareRecord,
  declareVariable,
  find,
  openLevel,
  type CursorBinding,
} from "../../routine/names";
import { assign, collectCommands, emit, lossAt, sourceAt, unknownAt } from "../../routine/state";
import type { Target, Rows } from "../../routine/assign";
import { expressionAt } from "./expression";
import { runDynamic, runSql, assignFound } from "./sql";
import type { State } from "./state";
import type { PlStatement } from "./tree";

type Loop = Extract<PlStatement, { readonly kind: "loop" }>;
type RunBody = (body: readonly PlStatement[]) => void;

/** Any loop; `run` lowers its body. */
export function lowerLoop(state: State, loop: Loop, run: RunBody): void {
  openLevel(state.names, loop.label);
  const { over } = loop;
  switch (over.kind) {
    case "forever":
      if (!fetchLoop(state, loop, run)) repeat(state, loop, whileTrue, run);
      break;
    case "while":
      whileLoop(state, loop, over.condition, run);
      break;
    case "count":
      countLoop(state, loop, over, run);
      break;
    case "query":
      rowsLoop(state, loop, over.targets, runSql(state, over.query, { shown: loop.header }), run);
      break;
    case "cursor":
      cursorLoop(state, loop, over, run);
      break;
    case "dynamic": {
      const result = runDynamic(state, over.command, over.using, loop.header);
      rowsLoop(state, loop, over.targets, result, run);
      break;
    }
    case "array": {
      const array = expressionAt(state, over.array, loop.header);
      if (array.kind === "array" && over.targets.length === 1) {
        elementsLoop(state, loop, array, over.targets, run);
        break;
      }
      repeat(state, loop, { kind: "unknown" }, () => {
        assignUnknown(state, over.targets, "the elements of an array", loop.header, [array]);
        run(loop.body);
      });
      if (state.asksFound) {
        assign(
          state,
          "found",
          unknownAt(state, "whether an array is empty", loop.header),
          loop.header,
        );
      }
      break;
    }
    default:
      over satisfies never;
  }
  closeLevel(state.names);
}

const whileTrue: LoopRange = { kind: "while", condition: TRUE };

/** The loop command around the body. */
function repeat(state: State, loop: Loop, over: LoopRange, run: RunBody): void {
  const id = state.ids.fresh("loop");
  loopAs(state, loop, id, over, run);
}

function loopAs(state: State, loop: Loop, id: string, over: LoopRange, run: RunBody): void {
  state.loops.push({ id, label: loop.label });
  state.nested++;
  const body = collectCommands(state, () => run(loop.body));
  state.nested--;
  state.loops.pop();
  emit(state, { kind: "loop", id, over, body, source: sourceAt(state, loop.span) });
}

/** WHILE: a condition with a query is evaluated at the start of each round. */
function whileLoop(state: State, loop: Loop, span: Span, run: RunBody): void {
  let condition: Expression = TRUE;
  const before = collectCommands(state, () => {
    condition = expressionAt(state, span, loop.header);
  });
  if (before.kind === "sequence" && before.commands.length === 0) {
    repeat(state, loop, { kind: "while", condition }, run);
    return;
  }
  const id = state.ids.fresh("loop");
  loopAs(state, loop, id, whileTrue, (body) => {
    const source = sourceAt(state, span);
    const nothing: Command = { kind: "sequence", commands: [] };
    const otherwise: Command = { kind: "exit", loop: id, source };
    emit(state, before);
    emit(state, { kind: "if", condition, then: nothing, otherwise, source });
    run(body);
  });
}

function countLoop(
  state: State,
  loop: Loop,
  over: Extract<Loop["over"], { readonly kind: "count" }>,
  run: RunBody,
): void {
  const from = expressionAt(state, over.from, loop.header);
  const to = expressionAt(state, over.to, loop.header);
  const by = over.step === undefined ? literal(1) : expressionAt(state, over.step, loop.header);
  const variable = declareVariable(state.names, over.variable, "int");
  if (by.kind !== "literal" || typeof by.value !== "number") {
    repeat(state, loop, { kind: "unknown" }, (body) => {
      const counter = unknownAt(state, "the steps of this loop", loop.header, [from, to, by]);
      assign(state, variable, counter, loop.header);
      run(body);
    });
    return;
  }
  const step = over.reverse ? -by.value : by.value;
  repeat(state, loop, { kind: "count", variable, from, to, step }, run);
  if (state.asksFound) {
    const [low, high] = over.reverse ? [to, from] : [from, to];
    const found: Expression = { kind: "comparison", operator: "<=", left: low, right: high };
    assign(state, "found", found, loop.header);
  }
}

/** FOREACH over an array argument: a counter over its indexes. */
function elementsLoop(
  state: State,
  loop: Loop,
  array: Expression,
  targets: readonly Target[],
  run: RunBody,
): void {
  const variable = declareVariable(state.names, "#index", "int");
  const to: Expression = {
    kind: "call",
    name: "cardinality",
    arguments: [array],
    deterministic: true,
  };
  repeat(state, loop, { kind: "count", variable, from: literal(1), to, step: 1 }, (body) => {
    const index: Expression = { kind: "variable", name: variable };
    const element: Expression = { kind: "element", array, index };
    for (const target of targets) assignTarget(state, target, element, loop.header);
    run(body);
  });
  if (state.asksFound) {
    const found: Expression = { kind: "comparison", operator: "<=", left: literal(1), right: to };
    assign(state, "found", found, loop.header);
  }
}

/** FOR over a query's rows: the targets are assigned at the start of each round. */
function rowsLoop(
  state: State,
  loop: Loop,
  targets: readonly Target[],
  result: Rows | undefined,
  run: RunBody,
  cursor?: CursorBinding,
): void {
  const { header } = loop;
  // Only cursors are declared implicitly; a missing declaration is added to continue.
  const [only] = targets;
  if (only !== undefined && find(state.names, only.path) === undefined) {
    declareRecord(state.names, only.path[0] ?? "", undefined);
  }
  if (result === undefined) {
    repeat(state, loop, { kind: "unknown" }, (body) => {
      assignUnknown(state, targets, "the rows of a query that is not followed", header);
      run(body);
    });
    return;
  }
  const id = state.ids.fresh("loop");
  if (cursor !== undefined) {
    cursor.opened = result;
    cursor.loop = id;
  }
  loopAs(state, loop, id, { kind: "rows", result: result.name }, (body) => {
    assignRow(state, targets, result, { loop: id }, header);
    run(body);
  });
  if (cursor !== undefined) cursor.loop = undefined;
  assignFound(state, { kind: "size", result: result.name }, header);
}

function cursorLoop(
  state: State,
  loop: Loop,
  over: Extract<Loop["over"], { readonly kind: "cursor" }>,
  run: RunBody,
): void {
  const cursor = cursorNamed(state, over.cursor);
  if (cursor?.query === undefined) {
    lossAt(state, `the cursor ${over.cursor}`, loop.header);
    rowsLoop(state, loop, over.targets, undefined, run);
    return;
  }
  const result = openDeclared(state, cursor, over.args, loop.header);
  // The record of such a loop is local to it.
  const [target] = over.targets;
  if (target !== undefined) declareRecord(state.names, target.path[0] ?? "", undefined);
  rowsLoop(state, loop, over.targets, result, run, cursor);
}

function cursorNamed(state: State, name: string): CursorBinding | undefined {
  const binding = find(state.names, [name])?.binding;
  return binding?.kind === "cursor" ? binding : undefined;
}

/** Runs the query of a declared cursor with its arguments. */
function openDeclared(
  state: State,
  cursor: CursorBinding,
  args: readonly Span[],
  span: Span,
): Rows | undefined {
  if (cursor.query === undefined) return undefined;
  const values = args.map((arg) => {
    const text = state.body.text.slice(arg.start, arg.end);
    const named = /^\s*([A-Za-z_]\w*)\s*(:=|=>)\s*/.exec(text);
    const start = arg.start + (named?.[0].length ?? 0);
    return { name: named?.[1]?.toLowerCase(), value: expressionAt(state, { ...arg, start }, span) };
  });
  openLevel(state.names, undefined);
  cursor.parameters.forEach((name, at) => {
    const value = values.find((each) => each.name === name) ?? values[at];
    declare(state.names, name, { kind: "value", value: value?.value ?? literal(null) });
  });
  const result = runSql(state, cursor.query, { shown: span });
  closeLevel(state.names);
  return result;
}

/** OPEN: the query runs here, as far as its visible effects go. */
export function openCursor(
  state: State,
  statement: Extract<PlStatement, { readonly kind: "open" }>,
): void {
  const { span, query, command, args } = statement;
  const cursor = cursorNamed(state, statement.cursor);
  if (command !== undefined) {
    runDynamic(state, command, [], span);
    if (cursor !== undefined) cursor.opened = undefined;
    return;
  }
  const result =
    query === undefined
      ? cursor === undefined
        ? undefined
        : openDeclared(state, cursor, args, span)
      : runSql(state, query, { shown: span });
  if (cursor !== undefined) cursor.opened = result;
  else lossAt(state, `the cursor ${statement.cursor}`, span);
}

/** FETCH alone: the first row after OPEN outside of loops, otherwise some row. */
export function fetchRow(
  state: State,
  statement: Extract<PlStatement, { readonly kind: "fetch" }>,
): void {
  const { span, targets, plain } = statement;
  const cursor = cursorNamed(state, statement.cursor);
  const result = cursor?.opened;
  if (cursor === undefined || result === undefined || !plain || state.loops.length > 0) {
    const reason = "the row that FETCH gives";
    assignUnknown(state, targets, reason, span);
    if (state.asksFound) assign(state, "found", unknownAt(state, reason, span), span);
    return;
  }
  assignRow(state, targets, result, "first", span);
  assignFound(state, { kind: "size", result: result.name }, span);
  // Later fetches return later rows.
  cursor.opened = undefined;
}

/** LOOP FETCH c INTO r; EXIT WHEN NOT FOUND; ... END LOOP iterates over the cursor's rows. */
function fetchLoop(state: State, loop: Loop, run: RunBody): boolean {
  const [first, second, ...rest] = loop.body;
  if (first?.kind !== "fetch" || !first.plain || second?.kind !== "exit") return false;
  const { when } = second;
  const condition = when === undefined ? "" : state.body.text.slice(when.start, when.end);
  if (!/^\s*not\s+found\s*$/i.test(condition) || second.label !== undefined) return false;
  if (rest.some((each) => each.kind === "fetch")) return false;
  const cursor = cursorNamed(state, first.cursor);
  const opened = cursor?.opened;
  if (cursor === undefined || opened === undefined) return false;
  rowsLoop(state, { ...loop, header: first.span, body: rest }, first.targets, opened, run, cursor);
  if (state.asksFound) assign(state, "found", literal(false), loop.span);
  return true;
}
