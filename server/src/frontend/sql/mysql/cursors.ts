// Cursors of stored routines: OPEN runs the query, and a loop around FETCH iterates over its rows.
import type { Expression } from "../../../program/expression";
import { literal } from "../expressions";
import type { Rows } from "../routine/assign";
import {
  closeLevel,
  declare,
  find,
  freshVariable,
  openLevel,
  type CursorBinding,
} from "../routine/names";
import { assign, collectCommands, emit, lossAt, sourceAt, unknownAt } from "../routine/state";
import { withoutExits } from "../routine/withoutReturns";
import type { Span } from "../text/split";
import { NO_ROW } from "./conditions";
import { emitRowsLoop } from "./emitLoop";
import { lowerSteps, type Step } from "./fetchSteps";
import { flagsOf, isQuiet } from "./flags";
import { isHandled, mayFail, raiseHere } from "./handlers";
import { assignRowTo, runSql, setUnknown, valueAt } from "./run";
import type { BlockFrame, Run, State } from "./state";
import { someStatement, type RoutineStatement } from "./tree";

type Statement<Kind extends RoutineStatement["kind"]> = Extract<
  RoutineStatement,
  { readonly kind: Kind }
>;

export function findCursor(state: State, name: string): CursorBinding | undefined {
  const binding = find(state.names, [name])?.binding;
  return binding?.kind === "cursor" ? binding : undefined;
}

/** Runs the query of a declared cursor with its arguments. */
export function openCursorQuery(
  state: State,
  cursor: CursorBinding,
  args: readonly Span[],
  span: Span,
  run: Run,
): Rows | undefined {
  if (cursor.query === undefined) return undefined;
  const values = args.map((arg) => valueAt(state, arg, span));
  openLevel(state.names, undefined);
  cursor.parameters.forEach((name, at) => {
    declare(state.names, name, { kind: "value", value: values[at] ?? literal(null) });
  });
  const result = runSql(state, cursor.query, run, { shown: span, kept: true });
  closeLevel(state.names);
  return result;
}

/** OPEN: the query runs here, as far as its visible effects go. */
export function openCursor(state: State, statement: Statement<"open">, run: Run): void {
  const { span, args } = statement;
  const cursor = findCursor(state, statement.cursor);
  if (cursor === undefined) lossAt(state, `the cursor ${statement.cursor}`, span);
  else cursor.opened = openCursorQuery(state, cursor, args, span, run);
}

/** FETCH alone: the first row after OPEN outside of loops, otherwise some row or none. */
export function fetchRow(state: State, statement: Statement<"fetch">, run: Run): void {
  const { span, targets } = statement;
  const cursor = findCursor(state, statement.cursor);
  const result = cursor?.opened;
  const isInLoop = state.frames.some((frame) => frame.kind === "loop");
  const isKnown = cursor !== undefined && result !== undefined && !isInLoop;
  const condition: Expression = isKnown
    ? {
        kind: "comparison",
        operator: ">",
        left: { kind: "size", result: result.name },
        right: literal(0),
      }
    : unknownAt(state, "whether FETCH finds a row", span);
  const source = sourceAt(state, span);
  state.nested++;
  const then = collectCommands(state, () => {
    if (isKnown) assignRowTo(state, targets, result, "first", span);
    else setUnknown(state, targets, "the row that FETCH gives", span);
  });
  const otherwise = collectCommands(state, () => foundNothing(state, span, run));
  state.nested--;
  emit(state, { kind: "if", condition, then, otherwise, source });
  // Later fetches return later rows.
  if (cursor !== undefined) cursor.opened = undefined;
}

/** FETCH after the last row: the handler for NOT FOUND, or an error. */
function foundNothing(state: State, span: Span, run: Run): void {
  if (isHandled(state, NO_ROW)) {
    raiseHere(state, NO_ROW, span, run);
    return;
  }
  const source = sourceAt(state, span);
  const error = { kind: "rollback", why: "FETCH found no row", code: NO_ROW, source } as const;
  mayFail(state, span, () => emit(state, error), run);
}

/** A loop with one FETCH at a fixed place of each round, and the statements before and after it. */
interface FetchLoop {
  readonly label: string | undefined;
  readonly span: Span;
  readonly fetch: Statement<"fetch">;
  readonly before: readonly Step[];
  readonly after: readonly Step[];
  /** All statements of a round except FETCH. */
  readonly others: readonly RoutineStatement[];
}

/** LOOP, WHILE or REPEAT around one FETCH as a loop over the cursor's rows. */
export function fetchLoop(state: State, loop: Statement<"loop">, run: Run): boolean {
  const { body, over, label, span } = loop;
  const at = body.findIndex((each) => each.kind === "fetch");
  const fetch = body[at];
  if (fetch?.kind !== "fetch") return false;
  const others = body.filter((each) => each !== fetch);
  if (over.kind !== "forever" && over.kind !== "while" && over.kind !== "repeat") return false;
  const first: readonly Step[] =
    over.kind === "while" ? [{ kind: "check", condition: over.condition, leavesWhen: false }] : [];
  const last: readonly Step[] =
    over.kind === "repeat" ? [{ kind: "check", condition: over.until, leavesWhen: true }] : [];
  const before = [...first, ...body.slice(0, at)];
  const after = [...body.slice(at + 1), ...last];
  return overRows(state, { label, span, fetch, before, after, others }, run);
}

/**
 * FETCH; WHILE ... DO ...; FETCH; END WHILE: the first row is fetched before the loop. Returns the number of lowered statements, 0 for
 * another pattern.
 */
export function fetchAhead(
  state: State,
  statements: readonly RoutineStatement[],
  at: number,
  run: Run,
): number {
  const fetch = statements[at];
  const loop = statements[at + 1];
  if (fetch?.kind !== "fetch" || loop?.kind !== "loop") return 0;
  const { over, body, label, span } = loop;
  const again = body.at(-1);
  if (again?.kind !== "fetch" || !isSameFetch(fetch, again)) return 0;
  if (over.kind !== "while" && over.kind !== "forever") return 0;
  const others = body.slice(0, -1);
  const check: readonly Step[] =
    over.kind === "while" ? [{ kind: "check", condition: over.condition, leavesWhen: false }] : [];
  const done = overRows(
    state,
    {
      label,
      span: { start: fetch.span.start, end: span.end },
      fetch,
      before: [],
      after: [...check, ...others],
      others,
    },
    run,
  );
  return done ? 2 : 0;
}

function isSameFetch(one: Statement<"fetch">, other: Statement<"fetch">): boolean {
  const paths = (fetch: Statement<"fetch">): string =>
    fetch.targets.map(({ path }) => path.join(".")).join();
  return one.cursor === other.cursor && paths(one) === paths(other);
}

function overRows(state: State, loop: FetchLoop, run: Run): boolean {
  const { fetch, label, span, others } = loop;
  const cursor = findCursor(state, fetch.cursor);
  const rows = cursor?.opened;
  if (cursor === undefined || rows === undefined) return false;
  const again = someStatement(others, (each) => {
    return (each.kind === "fetch" || each.kind === "open") && each.cursor === fetch.cursor;
  });
  if (again) return false;
  const flags = flagsOf(state);
  const nothing = isQuiet(state, others, span, flags) ? flags.before : new Map<string, number>();
  const left = { variable: freshVariable(state.names, `${fetch.cursor} left`), used: false };
  state.names.types.set(left.variable, "bool");
  const id = emitRowsLoop(state, { label, span, left }, rows, (loopId) => {
    lowerSteps(state, loop.before, nothing, run);
    assignRowTo(state, fetch.targets, rows, { loop: loopId }, fetch.span);
    lowerSteps(state, loop.after, nothing, run);
  });
  cursor.opened = undefined;
  const last = collectCommands(state, () => lastRound(state, loop, flags.after, run));
  const source = sourceAt(state, span);
  if (!left.used) {
    emit(state, last);
    return true;
  }
  // A round that leaves the loop fetches no further row.
  const loopCommand = state.commands.pop();
  assign(state, left.variable, literal(false), span);
  if (loopCommand !== undefined) emit(state, loopCommand);
  const isLeft: Expression = { kind: "variable", name: left.variable };
  const condition: Expression = { kind: "not", operand: isLeft };
  emit(state, { kind: "if", condition, then: last, source });
  return id !== "";
}

/** The round in which FETCH finds no row. */
function lastRound(
  state: State,
  loop: FetchLoop,
  known: ReadonlyMap<string, number>,
  run: Run,
): void {
  const { fetch, label, span } = loop;
  const frame: BlockFrame = {
    kind: "block",
    id: state.ids.fresh("block"),
    label,
    handlers: [],
    catchesIgnored: false,
    conditions: new Map(),
    mode: "each",
    isOutermost: false,
    depth: state.callers.length,
    isLoop: true,
    left: false,
  };
  const outer = state.frames;
  state.frames = [...outer, frame];
  state.nested++;
  const body = collectCommands(state, () => {
    if (lowerSteps(state, loop.before, new Map(), run)) return;
    foundNothing(state, fetch.span, run);
    if (!isHandled(state, NO_ROW) || endsHere(state)) return;
    if (!lowerSteps(state, loop.after, known, run)) {
      lossAt(state, "rounds of the loop behind the last row of its cursor", span);
    }
  });
  state.nested--;
  state.frames = outer;
  const source = sourceAt(state, span);
  const done = `${frame.id} left`;
  emit(state, frame.left ? withoutExits(body, frame.id, { done, source }) : body);
}

/** True if the handler has just left its block. */
function endsHere(state: State): boolean {
  const last = state.commands.at(-1);
  return last?.kind === "exit" || last?.kind === "return" || last?.kind === "rollback";
}
