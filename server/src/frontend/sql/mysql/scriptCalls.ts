// Calls of stored routines from a script: CALL p(1, @x), SELECT f(1), BEGIN NOT ATOMIC ... END inside a transaction.
import type { ValueType } from "../../../program/expression";
import type { Dialect } from "../../../program/dialect";
import type { Command } from "../../../program/statement";
import type { Ids, Lowering, LoweringContext } from "../lowering";
import { withoutDeadAssignments } from "../routine/deadAssignments";
import { createNames, type Names } from "../routine/names";
import { withLosses } from "../routine/losses";
import type { LowerSql } from "../script/state";
import { createState } from "./calls";
import type { RoutineDefinition } from "./definition";
import { lowerAll } from "./lower";
import type { RoutineContext, State } from "./state";

/** The prefix of a routine's variables inside a script. */
const PREFIX = "call.";

/** `lower` preceded by the commands of called routines. Never fails. */
export function createStoredCallingLower(
  lower: LowerSql,
  shared: RoutineContext,
  dialect: Dialect,
): LowerSql {
  // Variables of several calls in one transaction must be distinct; its `Ids` object identifies the transaction.
  const variables = new WeakMap<Ids, Pick<Names, "used" | "types" | "prefix">>();
  return (context) => {
    const known = variables.get(context.ids) ?? {
      used: new Set<string>(),
      types: new Map<string, ValueType>(),
      prefix: PREFIX,
    };
    variables.set(context.ids, known);
    const caller = callerOf(context, shared, createNames(known), dialect);
    const [statement] = caller.tree;
    const runsHere = statement?.kind === "call" || statement?.kind === "block";
    if (runsHere) lowerAll(caller, caller.tree);
    const whole = { start: 0, end: caller.body.text.length };
    const lowered: Lowering = runsHere
      ? { statements: [] }
      : lower({ ...context, call: (name, args) => caller.call(name, args, whole) });
    if (caller.commands.length === 0) return lowered;
    const own =
      lowered.commands ??
      lowered.statements.map((each): Command => ({ kind: "statement", statement: each }));
    const before = givenValues(caller, context);
    const commands = [...before, ...withLosses(caller.commands, caller.taint), ...own];
    const values = [...(lowered.values ?? []), ...keptValues(caller)];
    const kept = new Set(
      values.flatMap(({ value }) => (value.kind === "variable" ? value.name : [])),
    );
    const isKept = (variable: string): boolean =>
      !variable.startsWith(PREFIX) || kept.has(variable);
    const all = withoutDeadAssignments({ kind: "sequence", commands }, isKept);
    return { ...lowered, commands: [all], ...(values.length === 0 ? {} : { values }) };
  };
}

/** The script's statement as part of a routine. */
function callerOf(
  context: LoweringContext,
  around: RoutineContext,
  names: Names,
  dialect: Dialect,
): State {
  const { piece, ids, note } = context;
  const source = { file: piece.lines.file, range: EMPTY };
  const definition: RoutineDefinition = {
    name: "",
    isProcedure: true,
    arguments: [],
    returns: undefined,
    dialect,
    body: { lines: piece.lines, text: piece.sql, toFile: piece.toFile },
    lines: piece.lines,
    span: { start: piece.start, end: piece.end },
    header: source,
    source,
  };
  const lowerBody = (callee: State): void => lowerAll(callee, callee.tree);
  return createState(definition, { ...around, note }, ids, names, lowerBody, { outside: context });
}

const EMPTY = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The user's variables, from the script. */
function givenValues(caller: State, context: LoweringContext): readonly Command[] {
  const source = { file: context.piece.lines.file, range: EMPTY };
  return [...caller.user].flatMap(([name, variable]): readonly Command[] => {
    const value = context.variable([name]);
    return value === undefined ? [] : [{ kind: "assign", variable, value, source }];
  });
}

/** The user's variables after the routines. */
function keptValues(caller: State): NonNullable<Lowering["values"]> {
  return [...caller.user].map(([variable, name]) => {
    return { variable, value: { kind: "variable", name } };
  });
}
