// PL/pgSQL statements as commands of the AR.
import { ERRORS } from "../../../../program/errors";
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { literal } from "../../expressions";
import type { Span } from "../../text/split";
import { assignTarget, assignUnknown, copyRecord } from "../../routine/assign";
import { emitBranches } from "../../routine/branches";
import type { BranchText } from "../../routine/branchText";
import { closeLevel, find, openLevel, rowValue, wholeRecord } from "../../routine/names";
import { assign, collectCommands, emit, lossAt, sourceAt } from "../../routine/state";
import { skipsRow } from "../triggers/triggerReturn";
import { declareAll } from "./declare";
import { expressionAt, expressionsAt } from "./expression";
import { fetchRow, lowerLoop, openCursor } from "./loops";
import { ROW_COUNT, runDynamic, runSql } from "./sql";
import type { State } from "./state";
import { emitHandlers, raisedCode } from "./handlers";
import type { Block, PlStatement } from "./tree";

/** A block: its declarations, its body, and its handlers as a `try`. */
export function lowerBlock(state: State, block: Block, span: Span): void {
  openLevel(state.names, block.label);
  declareAll(state, block.declarations);
  if (block.handlers.length === 0) {
    lowerAll(state, block.body);
  } else {
    state.nested++;
    const body = collectCommands(state, () => lowerAll(state, block.body));
    emitHandlers(state, block, body, span, (handler) => {
      lowerAll(state, handler);
    });
    state.nested--;
  }
  closeLevel(state.names);
}

/** The statements in order. */
export function lowerAll(state: State, statements: readonly PlStatement[]): void {
  statements.forEach((statement, at) => {
    const next = statements[at + 1];
    const ends = statement.kind === "commit" || statement.kind === "rollback";
    // COMMIT; RETURN; ends the procedure anywhere.
    const isLast = next?.kind === "return" && next.value === undefined;
    if (ends && isLast) emit(state, endOf(state, statement.kind, statement.span));
    else lowerOne(state, statement);
  });
}

/** A list of statements as a command. */
export function lowerInner(state: State, statements: readonly PlStatement[]): Command {
  return inner(state, () => lowerAll(state, statements));
}

function inner(state: State, run: () => void): Command {
  state.nested++;
  const command = collectCommands(state, run);
  state.nested--;
  return command;
}

function lowerOne(state: State, statement: PlStatement): void {
  const { span } = statement;
  switch (statement.kind) {
    case "block":
      lowerBlock(state, statement.block, span);
      return;
    case "assign":
      lowerAssignment(state, statement);
      return;
    case "sql":
      runSql(state, span, { into: statement.into, ...without(statement.into?.span) });
      return;
    case "perform":
      runSql(state, statement.query, { before: "SELECT ", shown: span });
      return;
    case "if":
      lowerBranches(state, statement.branches, statement.otherwise, span);
      return;
    case "case":
      lowerCase(state, statement);
      return;
    case "loop":
      lowerLoop(state, statement, (body) => lowerAll(state, body));
      return;
    case "exit":
    case "continue":
      lowerJump(state, statement);
      return;
    case "return":
      lowerReturn(state, statement.value, span);
      return;
    case "returnNext":
      lowerReturnNext(state, statement.value, span);
      return;
    case "returnQuery":
      keepReturned(state, runSql(state, statement.query, { shown: span, returned: true }));
      return;
    case "returnExecute":
      keepReturned(
        state,
        runDynamic(state, statement.command, statement.using, span, { returned: true }),
      );
      return;
    case "raise":
      if (statement.level === "exception") {
        const why = `RAISE ${statement.text}`.trim();
        const code = raisedCode(statement.text);
        emit(state, { kind: "rollback", why, code, source: sourceAt(state, span) });
      }
      return;
    case "assert": {
      const condition = expressionAt(state, statement.condition, span);
      const source = sourceAt(state, span);
      // WHEN OTHERS does not catch it.
      const otherwise: Command = { kind: "rollback", why: "ASSERT", source };
      const then: Command = { kind: "sequence", commands: [] };
      emit(state, { kind: "if", condition, then, otherwise, source });
      return;
    }
    case "execute":
      runDynamic(state, statement.command, statement.using, span, {
        into: statement.into,
        keepsFound: true,
      });
      return;
    case "diagnostics":
      for (const { target, what } of statement.items) {
        if (what === "row_count") {
          assignTarget(state, target, { kind: "variable", name: ROW_COUNT }, span);
        } else {
          assignUnknown(state, [target], `what ${what.toUpperCase()} says`, span);
        }
      }
      return;
    case "open":
      openCursor(state, statement);
      return;
    case "fetch":
      fetchRow(state, statement);
      return;
    case "close":
    case "null":
      return;
    case "commit":
    case "rollback":
      lowerEnd(state, statement.kind, span);
      return;
    case "broken": {
      const source = sourceAt(state, span);
      const { message } = statement;
      state.shared.note({ severity: "error", code: "syntax", message: `Here ${message}.`, source });
      return;
    }
    default:
      statement satisfies never;
  }
}

function without(span: Span | undefined): { readonly without?: Span } {
  return span === undefined ? {} : { without: span };
}

function lowerAssignment(
  state: State,
  statement: Extract<PlStatement, { readonly kind: "assign" }>,
): void {
  const { target, value, span } = statement;
  const to = find(state.names, target.path);
  const source = recordNamed(state, value);
  if (to?.binding.kind === "record" && to.rest.length === 0 && source !== undefined) {
    copyRecord(state, to.binding, source, span);
    return;
  }
  assignTarget(state, target, expressionAt(state, value, span), span);
}

/** The record that a text names, if it is a plain name. */
function recordNamed(state: State, span: Span) {
  const text = state.body.text.slice(span.start, span.end).trim().toLowerCase();
  if (!/^[a-z_][\w$]*$/.test(text)) return undefined;
  const binding = find(state.names, [text])?.binding;
  return binding?.kind === "record" ? binding : undefined;
}

/** IF and ELSIF. */
function lowerBranches(
  state: State,
  branches: readonly BranchText<PlStatement>[],
  otherwise: readonly PlStatement[] | undefined,
  span: Span,
): void {
  emitBranches(state, span, {
    branches: branches.map(({ condition, body }) => ({
      at: condition,
      condition: () => expressionAt(state, condition),
      then: () => lowerInner(state, body),
    })),
    otherwise:
      otherwise === undefined ? undefined : () => emit(state, lowerInner(state, otherwise)),
    inner: (run) => inner(state, run),
  });
}

/** CASE: without a matching branch and ELSE it is an error. */
function lowerCase(state: State, statement: Extract<PlStatement, { readonly kind: "case" }>): void {
  const { subject, branches, otherwise, span } = statement;
  const value = subject === undefined ? undefined : expressionAt(state, subject);
  const source = sourceAt(state, span);
  emitBranches(state, span, {
    branches: branches.map(({ condition, body }) => ({
      at: span,
      condition: () => caseCondition(state, value, condition),
      then: () => lowerInner(state, body),
    })),
    otherwise: () => {
      const why = "no branch of CASE matches";
      if (otherwise !== undefined) emit(state, lowerInner(state, otherwise));
      else emit(state, { kind: "rollback", why, code: ERRORS.noBranch, source });
    },
    inner: (run) => inner(state, run),
  });
}

function caseCondition(state: State, subject: Expression | undefined, values: Span): Expression {
  if (subject === undefined) return expressionAt(state, values);
  const alternatives = expressionsAt(state, values);
  const [first] = alternatives;
  if (first !== undefined && alternatives.length === 1) {
    return { kind: "comparison", operator: "=", left: subject, right: first };
  }
  return { kind: "in", operand: subject, values: alternatives };
}

function lowerJump(
  state: State,
  statement: Extract<PlStatement, { readonly kind: "exit" | "continue" }>,
): void {
  const { kind, label, when, span } = statement;
  const loop =
    label === undefined ? state.loops.at(-1) : state.loops.findLast((each) => each.label === label);
  const source = sourceAt(state, span);
  if (loop === undefined) {
    lossAt(state, `${kind.toUpperCase()} of a block that is no loop`, span, "opaque");
    return;
  }
  const jump: Command = { kind, loop: loop.id, source };
  if (when === undefined) {
    emit(state, jump);
    return;
  }
  const condition = expressionAt(state, when, span);
  emit(state, { kind: "if", condition, then: jump, source });
}

function lowerReturn(state: State, value: Span | undefined, span: Span): void {
  const source = sourceAt(state, span);
  if (state.definition.isTrigger) {
    emit(state, { kind: "return", value: skipsRow(state, value), source });
    return;
  }
  const record = value === undefined ? undefined : recordNamed(state, value);
  const own =
    record !== undefined
      ? wholeRecord(record)
      : value === undefined
        ? undefined
        : expressionAt(state, value, span);
  const returned = own ?? returnedValue(state);
  emit(state, { kind: "return", ...(returned === undefined ? {} : { value: returned }), source });
}

/** The result of a plain RETURN: the collected rows, or the OUT arguments. */
export function returnedValue(state: State): Expression | undefined {
  if (state.returned.length > 0) return rowValue(state.returned);
  const outputs = state.definition.arguments.filter((each) => each.isOutput);
  const isSet = state.definition.returns?.setof === true;
  if (outputs.length === 0 || isSet) return undefined;
  const values = outputs.flatMap(({ name }): readonly Expression[] => {
    const binding = find(state.names, [name])?.binding;
    return binding?.kind === "variable" ? [{ kind: "variable", name: binding.variable }] : [];
  });
  return values.length === 0 ? undefined : rowValue(values);
}

/** RETURN NEXT: the last row represents the result. */
function lowerReturnNext(state: State, value: Span | undefined, span: Span): void {
  const record = value === undefined ? undefined : recordNamed(state, value);
  const given =
    record !== undefined
      ? wholeRecord(record)
      : value === undefined
        ? (outputRow(state) ?? literal(null))
        : expressionAt(state, value, span);
  const variable = "returned";
  const known: Expression = { kind: "variable", name: variable };
  state.names.used.add(variable);
  assign(state, variable, given, span);
  const isNew = !state.returned.some((each) => each.kind === "variable" && each.name === variable);
  if (isNew) state.returned.push(known);
  if (!isNew || state.loops.length > 0)
    lossAt(state, "the rows of RETURN NEXT before the last", span);
}

function outputRow(state: State): Expression | undefined {
  const outputs = state.definition.arguments.filter((each) => each.isOutput);
  const values = outputs.flatMap(({ name }): readonly Expression[] => {
    const binding = find(state.names, [name])?.binding;
    return binding?.kind === "variable" ? [{ kind: "variable", name: binding.variable }] : [];
  });
  return values.length === 0 ? undefined : rowValue(values);
}

function keepReturned(state: State, result: ReturnType<typeof runSql>): void {
  if (result === undefined || state.loops.length > 0) return;
  for (const field of result.columns) {
    state.returned.push({ kind: "field", result: result.name, field, at: "first" });
  }
}

function endOf(state: State, kind: "commit" | "rollback", span: Span): Command {
  const source = sourceAt(state, span);
  if (kind === "rollback") return { kind: "rollback", why: "ROLLBACK", source };
  const value = outputRow(state);
  return { kind: "return", ...(value && { value }), source };
}

/** COMMIT and ROLLBACK of a procedure: at its top level another transaction begins after them. */
function lowerEnd(state: State, kind: "commit" | "rollback", span: Span): void {
  emit(state, endOf(state, kind, span));
  if (outputRow(state) !== undefined)
    lossAt(
      state,
      "what the procedure gives back is computed behind the end of a transaction",
      span,
    );
  if (state.nested > 0 || state.callers.length > 0) {
    const what = kind.toUpperCase();
    lossAt(state, `${what} inside a branch or loop: what follows it is left out`, span, "approx");
    return;
  }
  state.finished.push(state.commands);
  state.commands = [];
}
