// Exception handlers of PL/pgSQL: the errors that each catches, and the errors of RAISE.
import { ERRORS, isCaught } from "../../../../program/errors";
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { literal } from "../../expressions";
import { closeLevel, declareVariable, openLevel } from "../../routine/names";
import { collectCommands, emit, sourceAt } from "../../routine/state";
import type { Span } from "../../text/split";
import { sqlstateOf } from "./conditions";
import type { State } from "./state";
import type { Block, PlStatement } from "./tree";

type Handler = Block["handlers"][number];

/** The block's body (lowered by `lower`) with its handlers: the first one that catches the error runs. */
export function emitHandlers(
  state: State,
  block: Block,
  body: Command,
  span: Span,
  lower: (body: readonly PlStatement[]) => void,
): void {
  const source = sourceAt(state, span);
  openLevel(state.names, undefined);
  const error = declareVariable(state.names, "sqlstate", "text");
  const code: Expression = { kind: "variable", name: error };
  const all = block.handlers.flatMap((handler) => caughtBy(handler) ?? []);
  const catchesAll = block.handlers.some((handler) => caughtBy(handler) === undefined);
  const run = ([first, ...others]: readonly Handler[]): void => {
    if (first === undefined) return;
    const caught = caughtBy(first);
    if (caught === undefined || (others.length === 0 && !catchesAll)) {
      lower(first.body);
      return;
    }
    const then = collectCommands(state, () => {
      lower(first.body);
    });
    const otherwise = collectCommands(state, () => {
      run(others);
    });
    emit(state, { kind: "if", condition: isOneOf(code, caught), then, otherwise, source });
  };
  const handler = collectCommands(state, () => {
    run(block.handlers);
  });
  closeLevel(state.names);
  const catches = catchesAll ? {} : { catches: all };
  emit(state, { kind: "try", body, handler, ...catches, error, source });
}

/** The SQLSTATE of `RAISE ...`. */
export function raisedCode(text: string): string {
  const words = text.trim();
  const given =
    /\busing\b[\s\S]*?\berrcode\s*(?:=|:=)\s*'([^']*)'/i.exec(words)?.[1] ??
    /^sqlstate\s+'([^']*)'/i.exec(words)?.[1] ??
    /^([a-z_]\w*)\s*(?:using\b|$)/i.exec(words)?.[1];
  if (given === undefined) return ERRORS.raised;
  return sqlstateOf(given) ?? (/^[0-9A-Z]{5}$/.test(given) ? given : ERRORS.raised);
}

/** The SQLSTATEs and classes that a handler catches; undefined for OTHERS. */
function caughtBy(handler: Handler): readonly string[] | undefined {
  const names = handler.conditions.map((each) => each.trim());
  if (names.includes("others")) return undefined;
  return names.map((name) => {
    const quoted = /^sqlstate\s+'([0-9a-z]{5})'$/.exec(name)?.[1]?.toUpperCase();
    const code = quoted ?? sqlstateOf(name) ?? name;
    // A code with three trailing zeros is a whole class.
    return code.endsWith("000") && code.length === 5 ? code.slice(0, 2) : code;
  });
}

/** True if the error is one of these; a class contributes the followed ones. */
function isOneOf(code: Expression, caught: readonly string[]): Expression {
  const codes = caught.flatMap((each) =>
    each.length === 5 ? [each] : Object.values(ERRORS).filter((known) => isCaught(known, [each])),
  );
  return { kind: "in", operand: code, values: [...new Set(codes)].map(literal) };
}
