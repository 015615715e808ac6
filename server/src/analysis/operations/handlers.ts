// Errors and what they undo: handlers of blocks, savepoints. An error that a handler is for does not end the
// transaction; its operation then does nothing, and what the block wrote is undone from the handler on.
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

/** Runs a block with its handler where `path` holds; returns where control goes on behind it. */
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
  // An error that leaves a transaction of a unit undoes all of that; what was committed before stays.
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

/** An error of the program's own; returns whether a handler is for it. */
export function raise(builder: Builder, code: string, path: Term): boolean {
  const guarded = handlerOf(builder, code);
  guarded?.errors.push({ when: path, avoided: not(path), code, part: openPart(builder) });
  return guarded !== undefined;
}

/**
 * Marks the operations of the statement at hand, in that transaction of a unit, that a handler is for; returns where no
 * such error happened.
 */
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

/** That transaction of a unit is undone where the condition holds. */
export function undoPart(builder: Builder, part: PartDraft, when: Term): void {
  part.undone.push(when);
  undo(builder, part.firstOperation, when);
}

/** A point to return to. */
export function setSavepoint(builder: Builder, name: string): void {
  builder.savepoints.set(name, builder.operations.length);
}

/** ROLLBACK TO on the path at hand: what was written since is undone. */
export function returnToSavepoint(builder: Builder, name: string): void {
  const first = builder.savepoints.get(name);
  if (first === undefined) leaveOut(builder, `there is no savepoint ${name}`);
  else undo(builder, first, builder.path);
}

/** The innermost block whose handler is for such an error. */
function handlerOf(builder: Builder, code: string): GuardedBlock | undefined {
  return builder.guarded.findLast(({ block }) => isCaught(code, block.catches));
}

/** Writes from that operation on are undone where the condition holds; the next statement does not see them. */
function undo(builder: Builder, first: number, when: Term): void {
  const from = builder.steps.length;
  builder.operations.forEach((draft, index) => {
    if (index >= first) builder.operations[index] = withUndone(draft, { when, from });
  });
}

/** A write that is undone there; a read has at the most a lock to give up. */
function withUndone(draft: Draft, undone: { readonly when: Term; readonly from: number }): Draft {
  if (draft.kind !== "read") return { ...draft, undone: [...(draft.undone ?? []), undone] };
  return draft.lock === "none" ? draft : { ...draft, unlocks: true };
}

/** Each statement that failed is undone as a whole. */
function undoStatements(builder: Builder, errors: readonly CaughtError[]): void {
  builder.operations.forEach((draft, index) => {
    const own = errors.filter(({ step }) => step === draft.step);
    if (own.length === 0) return;
    const undone = { when: orAll(own.map(({ when }) => when)), from: draft.step + 1 };
    builder.operations[index] = withUndone(draft, undone);
  });
}

/** The errors that an operation may meet, in the order in which the database looks for them. */
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
