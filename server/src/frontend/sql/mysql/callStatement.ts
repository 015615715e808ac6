// CALL inside of a stored routine.
import type { Expression } from "../../../program/expression";
import type { CallArgument } from "../lowering";
import { tokensOf } from "../text/tokens";
import type { Span } from "../text/split";
import { mayFail } from "./handlers";
import { runOpaque, setUnknown, valueAt } from "./run";
import { userVariable, type Run, type State } from "./state";
import type { RoutineStatement } from "./tree";

/** CALL: inlines the routine; one outside of the workspace may do anything. */
export function lowerCall(
  state: State,
  statement: Extract<RoutineStatement, { readonly kind: "call" }>,
  run: Run,
): void {
  const { name, args, span } = statement;
  const values = args.map((arg): CallArgument => ({ value: argumentAt(state, arg, span) }));
  const called = state.call(name, values, span);
  if (called !== undefined) return;
  const reason = `the procedure ${name} is not in the workspace`;
  mayFail(state, span, () => runOpaque(state, "", reason, span), run);
  for (const arg of args) {
    const path = variableAt(state, arg);
    if (path !== undefined) setUnknown(state, [{ path: [path], part: false }], reason, span);
  }
}

function argumentAt(state: State, arg: Span, span: Span): Expression {
  const name = variableAt(state, arg);
  if (name?.startsWith("@") === true) return { kind: "variable", name: userVariable(state, name) };
  return valueAt(state, arg, span);
}

/** The variable that an argument is, if it is a plain variable. */
function variableAt(state: State, arg: Span): string | undefined {
  const { text } = state.body;
  const tokens = tokensOf(text, arg.start, arg.end);
  const isUser = tokens[0]?.word === "@" && tokens.length === 2;
  const isName = tokens.length === 1 && tokens[0]?.kind === "word";
  if (!isUser && !isName) return undefined;
  const name = text.slice(arg.start, arg.end).toLowerCase();
  if (isUser) return name;
  return state.names.levels.some((level) => level.names.has(name)) ? name : undefined;
}
