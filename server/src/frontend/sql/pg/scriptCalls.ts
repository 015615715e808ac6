// Calls of the workspace's routines from a script: SELECT f(...), CALL p(...), DO $$ ... $$ inside a transaction.
import type { ValueType } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import type { Ids, Lowering, LoweringContext } from "../lowering";
import { withoutDeadAssignments } from "../routine/deadAssignments";
import { plainBody } from "../routine/body";
import { createNames, type Names } from "../routine/names";
import { withLosses } from "../routine/losses";
import type { State } from "./plpgsql/state";
import { createState, inlineCall, inlineDefinition } from "./plpgsql/routineBody";
import {
  readDefinition,
  type RoutineDefinition,
  type RoutineContext,
} from "./plpgsql/routineDefinition";
import { functionsOf } from "./valueFunctions";

/** The prefix of a routine's variables inside a script. */
const PREFIX = "call.";

export type Lower = (context: LoweringContext) => Lowering;

/** `lower` preceded by the commands of called routines. Never fails. */
export function createCallingLower(lower: Lower, shared: RoutineContext): Lower {
  // Variables of several calls in one transaction must be distinct; its `Ids` object identifies the transaction.
  const variables = new WeakMap<Ids, Pick<Names, "used" | "types" | "prefix">>();
  return (context) => {
    const known = variables.get(context.ids) ?? {
      used: new Set<string>(),
      types: new Map<string, ValueType>(),
      prefix: PREFIX,
    };
    variables.set(context.ids, known);
    const caller = callerOf(context, shared, createNames(known));
    const whole = { start: 0, end: caller.body.text.length };
    const block = blockIn(context, shared);
    const lowered: Lowering =
      block === undefined
        ? lower({
            ...context,
            call: (name, args, schema) => inlineCall(caller, { name, schema }, args, whole),
            ...functionsOf(shared.routine),
          })
        : { statements: [] };
    if (block !== undefined) inlineDefinition(caller, block, [], whole);
    if (caller.commands.length === 0) return lowered;
    const own =
      lowered.commands ??
      lowered.statements.map((statement): Command => ({ kind: "statement", statement }));
    const commands = [...withLosses(caller.commands, caller.taint), ...own];
    const isOfScript = (variable: string): boolean => !variable.startsWith(PREFIX);
    const all = withoutDeadAssignments({ kind: "sequence", commands }, isOfScript);
    return { ...lowered, commands: [all] };
  };
}

/** DO $$ ... $$ as a definition. */
function blockIn(context: LoweringContext, shared: RoutineContext): RoutineDefinition | undefined {
  const { piece } = context;
  if (!/^\s*do\b/i.test(piece.sql)) return undefined;
  const text = { lines: piece.lines, start: piece.start, end: piece.end };
  const result = readDefinition(text, shared.parser);
  return result.ok ? result.definition : undefined;
}

/** The script's statement as part of a routine. */
function callerOf(context: LoweringContext, shared: RoutineContext, names: Names): State {
  const { piece, ids, note } = context;
  const span = { start: piece.start, end: piece.end };
  const body = plainBody(piece.lines, span);
  const source = { file: piece.lines.file, range: EMPTY };
  const definition: RoutineDefinition = {
    name: "",
    schema: undefined,
    isProcedure: true,
    arguments: [],
    language: "script",
    body,
    isAtomic: false,
    returns: undefined,
    isTrigger: false,
    isStrict: false,
    readsOneSnapshot: false,
    lines: piece.lines,
    span,
    header: source,
    source,
  };
  return createState(definition, { ...shared, note }, ids, names, []);
}

const EMPTY = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
