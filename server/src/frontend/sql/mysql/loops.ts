// Loops of stored routines.
import type { Expression } from "../../../program/expression";
import type { Command, LoopRange } from "../../../program/statement";
import { TRUE } from "../expressions";
import { closeLevel, declareRecord, declareVariable, openLevel } from "../routine/names";
import { collectCommands, emit, lossAt, sourceAt } from "../routine/state";
import type { Rows } from "../routine/assign";
import type { Span } from "../text/split";
import { findCursor, fetchLoop, openCursorQuery } from "./cursors";
import { emitLoop, emitRowsLoop } from "./emitLoop";
import { assignRowTo, conditionAt, runSql, setUnknown, valueAt } from "./run";
import type { Run, State } from "./state";
import type { RoutineStatement } from "./tree";

type Loop = Extract<RoutineStatement, { readonly kind: "loop" }>;
const FOREVER: LoopRange = { kind: "while", condition: TRUE };

/** Any loop; `run` lowers its body. */
export function lowerLoop(state: State, loop: Loop, run: Run): void {
  if (fetchLoop(state, loop, run)) return;
  const { over, header } = loop;
  openLevel(state.names, loop.label);
  switch (over.kind) {
    case "forever":
      emitLoop(state, loop, FOREVER, () => run(state, loop.body));
      break;
    case "while":
      whileLoop(state, loop, over.condition, run);
      break;
    case "repeat":
      emitLoop(state, loop, FOREVER, (id) => {
        run(state, loop.body);
        const condition = conditionAt(state, over.until);
        const source = sourceAt(state, over.until);
        emit(state, { kind: "if", condition, then: { kind: "exit", loop: id, source }, source });
      });
      break;
    case "count":
      countLoop(state, loop, over, run);
      break;
    case "query": {
      const rows = runSql(state, over.query, run, { shown: header, kept: true });
      rowsLoop(state, loop, over.record, rows, run);
      break;
    }
    case "cursor": {
      const cursor = findCursor(state, over.cursor);
      const rows =
        cursor === undefined ? undefined : openCursorQuery(state, cursor, over.args, header, run);
      if (cursor === undefined) lossAt(state, `the cursor ${over.cursor}`, header);
      rowsLoop(state, loop, over.record, rows, run);
      break;
    }
    default:
      over satisfies never;
  }
  closeLevel(state.names);
}

/** WHILE: a condition with a query is evaluated at the start of each round. */
function whileLoop(state: State, loop: Loop, span: Span, run: Run): void {
  let condition: Expression = TRUE;
  const before = collectCommands(state, () => {
    condition = conditionAt(state, span, loop.header);
  });
  if (before.kind === "sequence" && before.commands.length === 0) {
    emitLoop(state, loop, { kind: "while", condition }, () => run(state, loop.body));
    return;
  }
  emitLoop(state, loop, FOREVER, (id) => {
    const source = sourceAt(state, span);
    const nothing: Command = { kind: "sequence", commands: [] };
    const otherwise: Command = { kind: "exit", loop: id, source };
    emit(state, before);
    emit(state, { kind: "if", condition, then: nothing, otherwise, source });
    run(state, loop.body);
  });
}

function countLoop(
  state: State,
  loop: Loop,
  over: Extract<Loop["over"], { readonly kind: "count" }>,
  run: Run,
): void {
  const low = valueAt(state, over.from, loop.header);
  const high = valueAt(state, over.to, loop.header);
  const [from, to, step] = over.reverse ? [high, low, -1] : [low, high, 1];
  const variable = declareVariable(state.names, over.variable.toLowerCase(), "int");
  state.assigned.add(variable);
  emitLoop(state, loop, { kind: "count", variable, from, to, step }, () => run(state, loop.body));
}

function rowsLoop(
  state: State,
  loop: Loop,
  record: string,
  rows: Rows | undefined,
  run: Run,
): void {
  const target = { path: [record.toLowerCase()], part: false };
  declareRecord(state.names, record.toLowerCase(), undefined);
  if (rows === undefined) {
    emitLoop(state, loop, { kind: "unknown" }, () => {
      setUnknown(state, [target], "the rows of a query that is not followed", loop.header);
      run(state, loop.body);
    });
    return;
  }
  emitRowsLoop(state, loop, rows, (id) => {
    assignRowTo(state, [target], rows, { loop: id }, loop.header);
    run(state, loop.body);
  });
}
