// One instance of a transaction as a resumable machine: it runs control flow up to the next SQL statement and stops. Its state is immutable
// data except for the machine object, so a copy is shallow.
import { isCaught } from "../program/errors";
import type { Expression, ValueType } from "../program/expression";
import type { Program, Transaction } from "../program/program";
import type { Command, LoopRange, Statement } from "../program/statement";
import { ownEntry, setEntry } from "../protocol/dictionary";
import type { SourceRange } from "../protocol/source";
import type { WitnessInstance } from "../protocol/witness";
import { evaluate, isTrue } from "./evaluateExpression";
import { runQuery } from "./evaluateQuery";
import { endsTransaction, NotExecutable, withPlace, SqlFailure } from "./failure";
import type { Environment, Frame, ResultRows } from "./frame";
import type { FreshValues } from "./freshValues";
import { fromValue, type SqlValue } from "./value";

/** Round limits of a run: for loops that count or iterate over rows, and for potentially endless ones. */
const MAX_ROUNDS = { bounded: 1000, others: 100 };

/** Next step of an instance. */
export type Next =
  | { readonly kind: "statement"; readonly statement: Statement }
  /** With `goesOn` a transaction inside of a unit ends and the unit continues: see `continueUnit`. */
  | { readonly kind: "commit"; readonly goesOn?: true }
  | { readonly kind: "rollback"; readonly why: string; readonly goesOn?: true }
  /** Control flow failed, for example by a division by zero. */
  | { readonly kind: "failure"; readonly failure: SqlFailure };

/** Partial undo, provided by the driver, which knows the writes. */
export interface Undo {
  /** A position to return to. */
  readonly mark: () => number;
  readonly undoTo: (mark: number) => void;
}

/** One running instance. */
export interface Machine {
  readonly instance: string;
  readonly transaction: Transaction;
  readonly program: Program;
  readonly fresh: FreshValues;
  readonly parameters: Readonly<Record<string, SqlValue>>;
  variables: Readonly<Record<string, SqlValue>>;
  results: Readonly<Record<string, ResultRows>>;
  affected: Readonly<Record<string, number>>;
  loops: Readonly<Record<string, number>>;
  savepoints: Readonly<Record<string, number>>;
  /** The number of fresh values drawn per site. */
  drawn: Readonly<Record<string, number>>;
  /** The number of statements executed. */
  executed: number;
  /** The number of ended transactions; only a unit has several. */
  ended: number;
  /** The value of the final RETURN. */
  returned: SqlValue | undefined;
  rest: Continuation | undefined;
  next: Next | undefined;
}

/** Remaining work, innermost first. */
type Continuation =
  | { readonly kind: "run"; readonly command: Command; readonly rest: Continuation | undefined }
  | {
      readonly kind: "round";
      readonly id: string;
      readonly over: LoopRange;
      readonly body: Command;
      readonly source: SourceRange;
      readonly round: number;
      readonly counter?: number;
      readonly last?: number;
      readonly rest: Continuation | undefined;
    }
  /** The end of an `atomic` command, with its declared level. */
  | {
      readonly kind: "commit";
      readonly level: string | undefined;
      readonly rest: Continuation | undefined;
    }
  | {
      readonly kind: "handler";
      readonly of: Extract<Command, { kind: "try" }>;
      readonly mark: number;
      readonly rest: Continuation | undefined;
    };

/** A machine at the start of its transaction. Throws NotExecutable if the program has none of that name. */
export function startMachine(
  program: Program,
  instance: WitnessInstance,
  fresh: FreshValues,
): Machine {
  const transaction = program.transactions.find((each) => each.id === instance.transaction);
  if (transaction === undefined)
    throw new NotExecutable(`there is no transaction ${instance.transaction}`);
  return {
    instance: instance.instance,
    transaction,
    program,
    fresh,
    parameters: argumentsOf(transaction, instance),
    variables: {},
    results: {},
    affected: {},
    loops: {},
    savepoints: {},
    drawn: {},
    executed: 0,
    ended: 0,
    returned: undefined,
    rest: { kind: "run", command: transaction.body, rest: undefined },
    next: undefined,
  };
}

/** The instance's arguments as values of their parameters' types. */
export function argumentsOf(
  transaction: Transaction,
  instance: WitnessInstance,
): Readonly<Record<string, SqlValue>> {
  const values: Record<string, SqlValue> = {};
  for (const [name, value] of Object.entries(instance.arguments)) {
    const type = typeOfArgument(transaction, name);
    setEntry(values, name, fromValue(value, type));
  }
  return values;
}

function typeOfArgument({ parameters }: Transaction, name: string): ValueType {
  const element = /^(.*)\[\d+\]$/.exec(name)?.[1];
  const array = parameters.find((each) => each.elements !== undefined && each.name === element);
  return array?.elements ?? parameters.find((each) => each.name === name)?.type ?? "other";
}

/** Runs control flow, which costs no step, up to the next statement or the end. */
export function nextOf(machine: Machine, undo: Undo): Next {
  while (machine.next === undefined) {
    try {
      advance(machine, undo);
    } catch (failure) {
      if (!(failure instanceof SqlFailure)) throw failure;
      if (!enterHandler(machine, failure.code, undo)) machine.next = { kind: "failure", failure };
    }
  }
  return machine.next;
}

/** The variables visible to the current statement; `drawn` counts its fresh values. */
export function environmentOf(machine: Machine, drawn: Record<string, number>): Environment {
  return {
    instance: machine.instance,
    parameters: machine.parameters,
    variables: machine.variables,
    results: machine.results,
    affected: machine.affected,
    loops: machine.loops,
    answer: machine.fresh.answer,
    ofRows: machine.fresh.ofRows,
    fresh: (site, type) => {
      const count = (ownEntry(drawn, site) ?? 0) + 1;
      setEntry(drawn, site, count);
      return machine.fresh.value(machine.instance, site, count, type);
    },
  };
}

/** Result of an executed statement. */
export interface StatementResult {
  readonly into: string | undefined;
  readonly rows: ResultRows;
  readonly affected: number;
  readonly drawn: Readonly<Record<string, number>>;
}

/** Continues after the current statement. */
export function deliver(machine: Machine, statement: Statement, result: StatementResult): void {
  if (result.into !== undefined)
    machine.results = { ...machine.results, [result.into]: result.rows };
  machine.affected = { ...machine.affected, [statement.id]: result.affected };
  machine.drawn = result.drawn;
  machine.executed += 1;
  machine.next = undefined;
}

/** Continues in the innermost handler; false if there is none and the failure ends the transaction. */
export function handleFailure(machine: Machine, failure: SqlFailure, undo: Undo): boolean {
  if (endsTransaction(failure)) return false;
  machine.executed += 1;
  return enterHandler(machine, failure.code, undo);
}

/** As `handleFailure` for a unit's transaction that could not commit: handlers inside of it no longer apply. */
export function handleRefusedCommit(machine: Machine, failure: SqlFailure, undo: Undo): boolean {
  for (let at = machine.rest; at !== undefined; at = at.rest)
    if (at.kind === "commit") machine.rest = at.rest;
  return enterHandler(machine, failure.code, undo);
}

/** True if the current statement is a single-statement transaction: in a unit, outside of `atomic` commands. */
export function commitsAtOnce(machine: Machine): boolean {
  return isUnit(machine) && !isInTransaction(machine);
}

/** True if the instance is a sequence of transactions. */
export function isUnit({ transaction }: Machine): boolean {
  return transaction.boundary === "unit";
}

/** The level declared by the unit's current transaction; undefined without one. */
export function declaredLevel({ rest }: Pick<Machine, "rest">): string | undefined {
  for (let at = rest; at !== undefined; at = at.rest) if (at.kind === "commit") return at.level;
  return undefined;
}

/** True if a unit's transaction ends next and the unit continues. */
export function endsPart(next: Next): boolean {
  return (next.kind === "commit" || next.kind === "rollback") && next.goesOn === true;
}

/** The index of the unit's current transaction, from 0; undefined outside of units. */
export function partOf(machine: Machine): number | undefined {
  return isUnit(machine) ? machine.ended : undefined;
}

/** The transaction fields for a step's record. */
export function placeOf(machine: Machine): { readonly part?: number } {
  const part = partOf(machine);
  return part === undefined ? {} : { part };
}

/** Continues after the end of a unit's transaction, which its driver has committed or rolled back. */
export function continueUnit(machine: Machine): void {
  machine.ended += 1;
  machine.savepoints = {};
  if (machine.next !== undefined && endsPart(machine.next)) machine.next = undefined;
}

/** An independent copy of a machine. */
export function copyMachine(machine: Machine): Machine {
  return { ...machine };
}

function advance(machine: Machine, undo: Undo): void {
  const at = machine.rest;
  if (at === undefined) {
    machine.next = { kind: "commit" };
    return;
  }
  machine.rest = at.rest;
  if (at.kind === "run") {
    const { command } = at;
    const place = "source" in command ? command.source : undefined;
    return withPlace(place, () => {
      runCommand(machine, command, undo);
    });
  }
  if (at.kind === "commit") machine.next = { kind: "commit", goesOn: true };
  if (at.kind === "round")
    return withPlace(at.source, () => {
      startRound(machine, at);
    });
}

function runCommand(machine: Machine, command: Command, undo: Undo): void {
  switch (command.kind) {
    case "sequence":
      machine.rest = command.commands.reduceRight<Continuation | undefined>(
        (rest, each) => ({ kind: "run", command: each, rest }),
        machine.rest,
      );
      return;
    case "statement":
      machine.next = { kind: "statement", statement: command.statement };
      return;
    case "assign":
      machine.variables = {
        ...machine.variables,
        [command.variable]: guarded(machine, (frame) => evaluate(command.value, frame)),
      };
      return;
    case "if": {
      const holds = guarded(machine, (frame) => isTrue(command.condition, frame));
      const chosen = holds ? command.then : command.otherwise;
      if (chosen !== undefined) machine.rest = { kind: "run", command: chosen, rest: machine.rest };
      return;
    }
    case "loop":
      machine.rest = firstRound(machine, command);
      return;
    case "exit":
    case "continue":
      leaveLoop(machine, command.loop, command.kind);
      return;
    case "rollback":
      if (command.leaves === "atomic") leaveTransaction(machine, command.why);
      else if (command.code === undefined || !enterHandler(machine, command.code, undo))
        machine.next = { kind: "rollback", why: command.why };
      return;
    case "return":
      if (command.value !== undefined)
        machine.returned = guarded(machine, (frame) => evaluate(command.value ?? NULL, frame));
      machine.next = { kind: "commit" };
      return;
    case "try":
      machine.rest = {
        kind: "run",
        command: command.body,
        rest: { kind: "handler", of: command, mark: undo.mark(), rest: machine.rest },
      };
      return;
    case "atomic":
      machine.rest = {
        kind: "run",
        command: command.body,
        rest: { kind: "commit", level: command.level?.name, rest: machine.rest },
      };
      return;
    case "savepoint":
      machine.savepoints = { ...machine.savepoints, [command.name]: undo.mark() };
      return;
    case "release":
      return;
    case "rollbackTo": {
      const mark = ownEntry(machine.savepoints, command.name);
      if (mark === undefined)
        throw new NotExecutable(`ROLLBACK TO ${command.name}: there is no such savepoint`);
      undo.undoTo(mark);
      return;
    }
    default:
      return unreachable(command);
  }
}

const NULL: Expression = { kind: "literal", value: null, type: "other" };

/** Evaluates in control flow, which has no tables. */
function guarded<T>(machine: Machine, compute: (frame: Frame) => T): T {
  const drawn = { ...machine.drawn };
  const value = compute({
    environment: environmentOf(machine, drawn),
    schema: machine.program.schema,
    runQuery,
    scope: undefined,
    tables: undefined,
    acting: undefined,
    recorder: undefined,
    once: undefined,
  });
  machine.drawn = drawn;
  return value;
}

function firstRound(machine: Machine, loop: Extract<Command, { kind: "loop" }>): Continuation {
  const { id, over, body, source } = loop;
  const start = { kind: "round", id, over, body, source, round: 0 } as const;
  if (loop.over.kind !== "count") return { ...start, rest: machine.rest };
  const { from, to } = loop.over;
  const counter = guarded(machine, (frame) => evaluate(from, frame));
  const last = guarded(machine, (frame) => evaluate(to, frame));
  if (typeof counter !== "number" || typeof last !== "number")
    throw new NotExecutable("the bounds of a loop are not integers");
  return { ...start, counter, last, rest: machine.rest };
}

function startRound(machine: Machine, at: Extract<Continuation, { kind: "round" }>): void {
  const isBounded = at.over.kind === "count" || at.over.kind === "rows";
  const most = isBounded ? MAX_ROUNDS.bounded : MAX_ROUNDS.others;
  if (at.round >= most) throw new NotExecutable(`a loop of more than ${String(most)} rounds`);
  if (!entersRound(machine, at)) return;
  const { counter } = at;
  const following =
    counter === undefined || at.over.kind !== "count"
      ? { ...at, round: at.round + 1 }
      : { ...at, round: at.round + 1, counter: counter + at.over.step };
  machine.rest = { kind: "run", command: at.body, rest: following };
}

function entersRound(machine: Machine, at: Extract<Continuation, { kind: "round" }>): boolean {
  const { over } = at;
  switch (over.kind) {
    case "rows":
      machine.loops = { ...machine.loops, [at.id]: at.round };
      return at.round < (ownEntry(machine.results, over.result)?.length ?? 0);
    case "count": {
      const counter = at.counter ?? 0;
      const last = at.last ?? 0;
      if (over.step === 0 || (over.step > 0 ? counter > last : counter < last)) return false;
      machine.variables = { ...machine.variables, [over.variable]: counter };
      return true;
    }
    case "while":
      return guarded(machine, (frame) => isTrue(over.condition, frame));
    case "recursion":
      throw new NotExecutable(`${over.of}() calls itself, and is not followed as deep`);
    case "unknown":
      // Any number of rounds is possible; one round shows the most.
      return at.round < 1;
    default:
      return unreachable(over);
  }
}

function leaveLoop(machine: Machine, loop: string, how: "exit" | "continue"): void {
  let left: Extract<Continuation, { kind: "commit" }> | undefined;
  for (let at = machine.rest; at !== undefined; at = at.rest) {
    if (at.kind === "commit") left = at;
    if (at.kind !== "round" || at.id !== loop) continue;
    const target = how === "exit" ? at.rest : at;
    machine.rest = left ? { ...left, rest: target } : target;
    return;
  }
  throw new NotExecutable(`${how.toUpperCase()} of a loop that is not running`);
}

/** Continues in the innermost handler for the error. The failed statement's writes are in no log. */
function enterHandler(machine: Machine, code: string, undo: Undo): boolean {
  let undoesAll = false;
  for (let at = machine.rest; at !== undefined; at = at.rest) {
    if (at.kind === "commit") undoesAll = true;
    if (at.kind !== "handler" || !isCaught(code, at.of.catches)) continue;
    const { handler, undoes, error } = at.of;
    // Commits of a unit stay; the transaction that the error leaves is undone.
    const isOpen = !isUnit(machine) || isInTransaction({ rest: at.rest });
    if (isOpen && undoes !== "statement") undo.undoTo(at.mark);
    if (error !== undefined) machine.variables = { ...machine.variables, [error]: code };
    machine.rest = { kind: "run", command: handler, rest: at.rest };
    machine.next = undoesAll ? { kind: "rollback", why: code, goesOn: true } : undefined;
    return true;
  }
  return false;
}

/** Undoes the enclosing `atomic` command, if any, and continues after it. */
function leaveTransaction(machine: Machine, why: string): void {
  for (let at = machine.rest; at !== undefined; at = at.rest) {
    if (at.kind !== "commit") continue;
    machine.rest = at.rest;
    machine.next = { kind: "rollback", why, goesOn: true };
    return;
  }
}

function isInTransaction({ rest }: Pick<Machine, "rest">): boolean {
  for (let at = rest; at !== undefined; at = at.rest) if (at.kind === "commit") return true;
  return false;
}

function unreachable(value: never): never {
  throw new Error(`unknown command ${JSON.stringify(value)}`);
}
