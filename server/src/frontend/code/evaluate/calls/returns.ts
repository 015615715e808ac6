// Merge of the returns of a function.
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import { scalar, UNDEFINED, type Value } from "../../values";
import { ofDeclaredType } from "../transactions/clientTypes";
import { expressionOf } from "../values/convert";
import { escape } from "../values/escape";
import { isScalar } from "../merge";
import { noteJump } from "../jumps";
import { choose } from "../values/operators";
import { endRounds } from "../rounds";
import { foreignAs } from "../values/foreignValues";
import { isCall } from "../values/outside";
import { emit, sourceOf, type CallSite, type Frame, type State } from "../state";
import { canChoose } from "../values/texts";
import { meetType } from "../values/typeMeet";

/** Result of a function that has several returns. */
export function mergeReturns(frame: Frame, left: boolean): Value {
  const { returns } = frame;
  const [only] = returns;
  if (only === undefined) return UNDEFINED;
  if (returns.length === 1 && left) return only;
  const values = left ? returns : [...returns, UNDEFINED];
  if (returns.every(isScalar) && left && !canChoose(returns)) {
    const types = new Set(
      returns.map((value) => (value.kind === "scalar" ? value.type : undefined)),
    );
    const [type] = types;
    const expression = { kind: "variable", name: frame.value } as const;
    const isTyped = types.size === 1 && type !== undefined;
    const whole = isTyped ? undefined : wholeOf(frame);
    const one: Value = {
      ...scalar(expression, isTyped ? type : undefined),
      ...(whole && { whole }),
    };
    return foreignAs(returns, one);
  }
  return chosen(frame, values);
}

/** The result of a function, with what its return type says of it. */
export function ofReturnType(
  state: State,
  value: Value,
  { function: { returns }, scope }: Extract<Value, { kind: "function" }>,
): Value {
  if (returns === undefined) return value;
  const mayBeClient = state.workspace.leads.mayHold(scope.module.file, returns);
  const of = mayBeClient ? ofDeclaredType : meetType;
  return of(state, value, returns, scope);
}

/** The value of the return that was come to. */
function chosen({ which: name }: Frame, values: readonly Value[]): Value {
  const which = { kind: "variable", name } as const;
  return values.reduceRight((otherwise, value, at) =>
    choose(compare("=", which, literal(at + 1)), value, otherwise),
  );
}

/** A value with properties where some returns are nothing, and the others come from outside as they are. */
function wholeOf(frame: Frame): Value | undefined {
  const values = frame.returns.map((value) => (isNothing(value) ? UNDEFINED : value));
  const there = values.filter(({ kind }) => kind !== "undefined");
  return there.length > 0 && there.every(isFromOutside) ? chosen(frame, values) : undefined;
}

function isFromOutside(value: Value): boolean {
  if (value.kind !== "scalar") return value.kind === "input";
  const { expression } = value;
  return expression.kind === "call" && expression.name.startsWith("code:");
}

function isNothing(value: Value): boolean {
  if (value.kind !== "scalar") return value.kind === "undefined";
  return value.expression.kind === "literal" && value.expression.value === null;
}

/** Notes a `return` of the frame at hand: its number, and its value where it is a scalar. */
export function addReturn(state: State, value: Value, span: CallSite["span"]): void {
  const { frame } = state;
  const source = sourceOf(state, span);
  endRounds(state, (loop) => loop.frame === frame, source);
  frame.returning?.(source);
  frame.returns.push(value);
  if (frame.isRoot) {
    escape(state, value);
    // The result of an unknown function says nothing of the transaction.
    const isForeign = value.kind === "input" && isCall(value.path);
    const shown = isScalar(value) && !isForeign ? expressionOf(state, value) : undefined;
    emit(state, { kind: "return", ...(shown && { value: shown }), source });
    return;
  }
  const number = literal(frame.returns.length);
  emit(state, { kind: "assign", variable: frame.which, value: number, source });
  if (isScalar(value)) {
    const expression = expressionOf(state, value);
    emit(state, { kind: "assign", variable: frame.value, value: expression, source });
  }
  if (frame.target) noteJump(state, frame.target, frame.returns.length, source, [value]);
  emit(state, { kind: "return", source });
}
