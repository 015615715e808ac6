// Errors and what they undo: handlers of blocks, savepoints. A caught error does not abort the transaction; its operation then does
// nothing, and the block's writes are undone from the handler on.
import { ERRORS, isCaught } from "../../program/errors";
import type { Expression } from "../../program/expression";
import { operandsOf } from "../../program/operands";
import type { Command } from "../../program/statement";
import type { Builder, CaughtError, Draft, GuardedBlock, PartDraft } from "./builder";
import { NO_ROWS, leaveOut, mayBeNull, merge, openPart, orAll } from "./builder";
import { flattenExpression } from "./expression";
import type { Term } from "./operation";
import { join } from "./paths";
import { tableOf } from "./tables";
import { FALSE, NULL, and, conditional, not } from "./terms";

type Try = Extract<Command, { kind: "try" }>;

/** Runs a block with its handler under `path`; returns the path after it. */
export function runTry(
  builder: Builder,
  block: Try,
  path: Term,
  run: (body: Command, path: Term) => Term,
): Term {
  const guarded: GuardedBlock = { block, errors: [] };
  const first = builder.operations.length;
  const around = openPart(builder);
  builder.guarded.push(guarded);
  const after = run(block.body, path);
  builder.guarded.pop();
  const { errors } = guarded;
  if (errors.length === 0) return after;
  const failed = orAll(errors.map(({ when }) => when));
  // An error that leaves a unit's transaction rolls all of it back; earlier commits stay.
  for (const { part, when } of errors) if (part && part !== around) undoPart(builder, part, when);
  if (block.undoes === "statement") undoStatements(builder, errors);
  else if (!builder.parts || around) undo(builder, first, failed);
  builder.path = failed;
  if (block.error !== undefined) {
    const code = errors.reduceRight<Term>(
      (rest, error) => conditional(error.when, textOf(builder, error.code), rest),
      NULL,
    );
    const older = builder.variables.get(block.error);
    builder.variables.set(block.error, merge(builder, code, older ?? NULL));
  }
  const handled = run(block.handler, failed);
  const avoided = and(path, ...errors.map((error) => error.avoided));
  return handled === failed && sameConditions(after, avoided) ? path : join(after, handled);
}

/** Raises an error of the program; true if a handler catches it. */
export function raise(builder: Builder, code: string, path: Term): boolean {
  const guarded = handlerOf(builder, code);
  guarded?.errors.push({ when: path, avoided: not(path), code, part: openPart(builder) });
  return guarded !== undefined;
}

/** Marks the caught errors of the current statement's operations, in this transaction of a unit; returns the path without such errors. */
export function withoutErrors(builder: Builder, path: Term, part = openPart(builder)): Term {
  if (builder.guarded.length === 0) return path;
  const step = builder.steps.length - 1;
  const avoided: Term[] = [];
  for (const draft of builder.operations.filter((each) => each.step === step)) {
    const caught = errorsOf(builder, draft).filter((code) => handlerOf(builder, code));
    if (caught.length === 0) continue;
    builder.operations[draft.index] = { ...draft, caught };
    for (const code of caught) {
      const when: Term = { kind: "failed", operation: draft.index, code };
      const error = { when, avoided: not(when), code, step, part };
      handlerOf(builder, code)?.errors.push(error);
      avoided.push(error.avoided);
    }
  }
  return and(path, ...avoided);
}

/** Rolls a unit's transaction back under a condition. */
export function undoPart(builder: Builder, part: PartDraft, when: Term): void {
  part.undone.push(when);
  undo(builder, part.firstOperation, when);
}

/** Sets a savepoint. */
export function setSavepoint(builder: Builder, name: string): void {
  builder.savepoints.set(name, builder.operations.length);
}

/** ROLLBACK TO under the current path: later writes are undone. */
export function returnToSavepoint(builder: Builder, name: string): void {
  const first = builder.savepoints.get(name);
  if (first === undefined) leaveOut(builder, `there is no savepoint ${name}`);
  else {
    undo(builder, first, builder.path);
    if (first > (builder.parts?.at(-1)?.firstOperation ?? 0)) return;
    builder.operations.forEach((draft, index) => {
      if (index >= first) builder.operations[index] = { ...draft, reopens: true };
    });
  }
}

/** The innermost block whose handler catches such an error. */
function handlerOf(builder: Builder, code: string): GuardedBlock | undefined {
  return builder.guarded.findLast(({ block }) => isCaught(code, block.catches));
}

/** Undoes writes from this operation on under a condition; the next statement does not see them. */
function undo(builder: Builder, first: number, when: Term): void {
  const from = builder.steps.length;
  builder.operations.forEach((draft, index) => {
    if (index >= first) builder.operations[index] = withUndone(draft, { when, from });
  });
}

/** An operation that is undone there; a read can only release its locks. */
function withUndone(draft: Draft, undone: { readonly when: Term; readonly from: number }): Draft {
  if (draft.kind !== "read") return { ...draft, undone: [...(draft.undone ?? []), undone] };
  return { ...draft, unlocks: true };
}

/** Undoes each failed statement as a whole. */
function undoStatements(builder: Builder, errors: readonly CaughtError[]): void {
  builder.operations.forEach((draft, index) => {
    const own = errors.filter(({ step }) => step === draft.step);
    if (own.length === 0) return;
    const undone = { when: orAll(own.map(({ when }) => when)), from: draft.step + 1 };
    builder.operations[index] = withUndone(draft, undone);
  });
}

/** The errors that an operation may raise, in the database's order of checks. */
function errorsOf(builder: Builder, draft: Draft): readonly string[] {
  if (draft.kind === "delete") return [];
  if (draft.kind === "read") return draft.mustFind || draft.mustMiss ? [ERRORS.missingParent] : [];
  const table = tableOf(builder.tables, draft.table);
  const written = [...Object.keys(draft.set), ...Object.keys(draft.update ?? {})];
  const terms = [...Object.entries(draft.set), ...Object.entries(draft.update ?? {})];
  const nulls = terms.some(([name, term]) => {
    const column = table.columns.find((each) => each.name === name);
    return column?.nullable === false && mayBeNull(builder, term);
  });
  const declared = builder.tables.declared.get(draft.table);
  const checks = (declared?.checks ?? []).some((check) => mentions(check, written));
  const duplicate = draft.kind === "insert" && draft.onDuplicate === "error";
  return [
    ...(nulls ? [ERRORS.notNull] : []),
    ...(checks ? [ERRORS.check] : []),
    ...(duplicate ? [ERRORS.duplicate] : []),
  ];
}

function mentions(condition: Expression, columns: readonly string[]): boolean {
  if (condition.kind === "column") return columns.includes(condition.column);
  return operandsOf(condition).some((each) => mentions(each, columns));
}

function textOf(builder: Builder, text: string): Term {
  return flattenExpression(builder, { kind: "literal", value: text, type: "text" }, NO_ROWS);
}

function sameConditions(left: Term, right: Term): boolean {
  const of = (term: Term): readonly Term[] => (term.kind === "and" ? term.operands : [term]);
  const [a, b] = [new Set(of(left)), new Set(of(right))];
  return left !== FALSE && a.size === b.size && [...a].every((each) => b.has(each));
}
