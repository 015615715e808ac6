// Stored routines of MySQL and MariaDB as transactions: one from START TRANSACTION to COMMIT; the whole of a routine that leaves
// transactions to its caller; and one per statement outside of these.
import type { Parameter, Transaction } from "../../../program/program";
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { createIds } from "../lowering";
import { LEFT_OPEN } from "../routine/losses";
import { createNames, declare, declareVariable } from "../routine/names";
import { lossAt, sourceAt } from "../routine/state";
import { transactionsOf, touchesTables, type RoutinePart } from "../routine/transactions";
import { walkCommand } from "../walk";
import { createState, START, assignedIn } from "./calls";
import { finishPart } from "./control";
import { carriedResults, flattenSequences, valuesBefore } from "./carry";
import { typeOfText, type RoutineDefinition } from "./definition";
import { lowerAll } from "./lower";
import { parseBody } from "./parser";
import { outputsOf, returnOf } from "./returns";
import { assignVariable, type FinishedPart, type RoutineContext, type State } from "./state";

/** The transactions of a routine; none if it touches no table. Never fails. */
export function lowerRoutine(
  definition: RoutineDefinition,
  shared: RoutineContext,
): readonly Transaction[] {
  const { name, header, source } = definition;
  const state = createState(definition, shared, createIds(name), createNames(), lowerBody);
  const parameters = declareArguments(state);
  noteProblems(state);
  lowerBody(state);
  if (state.part.kind === "explicit" && !endsSomewhere(state.commands)) {
    const message = "This transaction has no COMMIT.";
    const at = sourceAt(state, state.part.start);
    shared.note({ severity: "warning", code: "no-commit", message, source: at });
    lossAt(state, LEFT_OPEN, state.part.start, "approx");
  }
  finishPart(state);
  return transactionsOf(state, {
    name,
    header,
    source,
    parameters,
    parts: partsOf(state),
    table: shared.table,
  });
}

/** True if some path through the commands ends the transaction. */
function endsSomewhere(commands: readonly Command[]): boolean {
  let ends = false;
  walkCommand(
    { kind: "sequence", commands },
    { command: ({ kind }) => (ends ||= kind === "return" || kind === "rollback") },
  );
  return ends;
}

/** The body, appended to `state.commands`, with the OUT arguments as its value. */
export function lowerBody(state: State): void {
  lowerAll(state, state.tree);
  const last = state.commands.at(-1);
  if (last?.kind === "return" || outputsOf(state).length === 0) return;
  const end = state.body.text.length;
  state.commands.push(returnOf(state, { start: end, end }));
}

function noteProblems(state: State): void {
  const { problems } = parseBody(state.body.text);
  for (const { message, span } of problems) {
    const source = sourceAt(state, span);
    state.shared.note({ severity: "error", code: "syntax", message: `Here ${message}.`, source });
  }
  if (problems.length === 0) return;
  const whole = { start: 0, end: state.body.text.length };
  lossAt(state, "a part of this routine that cannot be read", whole, "opaque");
}

/** The transaction's parameters, bound to their names in the body. */
function declareArguments(state: State): readonly Parameter[] {
  const { definition, names, shared } = state;
  const assigned = assignedIn(state);
  const parameters: Parameter[] = [];
  for (const { name, type: text, isInput, isOutput } of definition.arguments) {
    const type = typeOfText(text, shared.table);
    if (!isInput) {
      state.declaredAt.set(declareVariable(names, name, type), 0);
      continue;
    }
    state.parameters.set(name, type);
    parameters.push({ name, type, origin: "argument", nullable: true });
    const value: Expression = { kind: "parameter", name };
    if (!assigned.has(name) && !isOutput) declare(names, name, { kind: "value", value });
    else assignVariable(state, declareVariable(names, name, type), value, START);
  }
  return parameters;
}

/** The finished parts; those outside of transactions are split into statements. */
function partsOf(state: State): readonly RoutinePart[] {
  const cut = tornTogether(state).flatMap(cutOutside);
  const given: Command[] = [...state.user.values()].map((variable) => ({
    kind: "assign",
    variable,
    value: { kind: "parameter", name: variable },
    source: state.definition.header,
  }));
  return cut.map((each, at): RoutinePart => {
    const { part, before } = each;
    const isLooped = before === undefined;
    const local = isLooped ? { commands: [], parameters: [] } : valuesBefore(state, before);
    const whole = [...given, ...local.commands, ...each.commands];
    const { commands, parameters } = carriedResults(whole, state.names.types);
    const others = cut.flatMap((other, place) => (place === at ? [] : other.commands));
    return {
      commands,
      outside: isLooped ? others : [],
      boundary: BOUNDARIES[part.kind],
      parameters: [...userParameters(state), ...local.parameters, ...parameters],
      ...(part.level === undefined ? {} : { level: part.level }),
    };
  });
}

const BOUNDARIES = {
  explicit: "explicit",
  routine: "routine",
  outside: "autocommit",
  unit: "unit",
} as const;

/** The finished parts, joined into a unit if the server commits one of them implicitly. */
function tornTogether(state: State): readonly FinishedPart[] {
  const groups: FinishedPart[][] = [];
  for (const each of state.finished) {
    const last = groups.at(-1);
    if (each.part.continues && last !== undefined) last.push(each);
    else groups.push([each]);
  }
  return groups.flatMap((group): readonly FinishedPart[] => {
    const [first, ...others] = group;
    const touching = group.filter(({ commands }) => touchesTables(commands));
    if (first === undefined || others.length === 0 || touching.length < 2) return group;
    if (group.some(({ part, before }) => part.depth > 0 || before === undefined)) {
      const reason = "a transaction that the server commits on the way";
      lossAt(state, reason, first.part.start, "approx");
      return group;
    }
    const commands = group.flatMap(({ part, commands }, at): readonly Command[] => {
      const isOpen = part.kind === "explicit" || (part.kind === "routine" && at === 0);
      const { level } = part;
      const source = sourceAt(state, part.start);
      const body: Command = { kind: "sequence", commands };
      return isOpen ? [{ kind: "atomic", body, source, ...(level && { level }) }] : commands;
    });
    return [{ ...first, part: { ...first.part, kind: "unit", level: undefined }, commands }];
  });
}

/** The session's variables before the routine are arguments of it, too. */
function userParameters(state: State): readonly Parameter[] {
  return [...state.user.values()].map((name) => {
    return { name, type: state.names.types.get(name) ?? "other", origin: "argument" };
  });
}

/** Statements outside of any transaction, each with the commands up to the next one. */
function cutOutside(finished: FinishedPart): readonly FinishedPart[] {
  const { part, commands, before } = finished;
  if (part.kind !== "outside") return [finished];
  const cut: Command[][] = [[]];
  let touched = false;
  for (const command of flattenSequences(commands)) {
    const touches = touchesTables([command]);
    if (touches && touched) cut.push([]);
    touched ||= touches;
    cut.at(-1)?.push(command);
  }
  return cut.map((own, at) => {
    const earlier = { commands: cut.slice(0, at).flat(), isCertain: true };
    return { part, commands: own, before: before === undefined ? undefined : [...before, earlier] };
  });
}
