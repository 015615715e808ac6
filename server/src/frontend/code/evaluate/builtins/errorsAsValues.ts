// Functions of libraries that make a value of what a promise fails with: await-to-js (`const [error, value] = await
// to(promise)`) and neverthrow's results.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { AN_ERROR, constant, scalar, UNDEFINED, unknown, type Value } from "../../values";
import { isPending, settle } from "../calls/awaits";
import { catchAll } from "../errors/tryCatch";
import { listOf, recordOf } from "../lists/collections";
import { negate } from "../values/convert";
import { sourceOf, type CallSite, type State } from "../state";
import type { Builtin, BuiltinCall } from "./builtin";

const OF_NEVERTHROW =
  /^(?:Result|ResultAsync|ok|err|okAsync|errAsync|fromPromise|fromSafePromise|fromThrowable|fromAsyncThrowable)$/u;

/** Result of a module under a name; undefined for other modules. */
export function errorsAsValues(from: string, name: string): Value | undefined {
  if (from === "await-to-js" && (name === "to" || name === "default")) {
    return { kind: "builtin", name: "await-to-js" };
  }
  if (from !== "neverthrow" || !OF_NEVERTHROW.test(name)) return undefined;
  return { kind: "builtin", name: `neverthrow.${name}` };
}

interface Outcome {
  readonly failed: Expression;
  readonly value: Value;
  readonly error: Value;
}

/** Runs something, whose error is a value. */
function attempt({ state, site }: BuiltinCall, run: () => Value): Outcome {
  let value: Value = UNDEFINED;
  const failed = catchAll(state, sourceOf(state, site.span), () => {
    value = settle(state, run());
  });
  return { failed, value, error: AN_ERROR };
}

function either(
  state: State,
  failed: Expression,
  parts: readonly [() => Value, () => Value],
  site: CallSite,
): Value {
  return state.evaluator.branches(state, failed, parts[0], parts[1], site.span);
}

const METHODS =
  "isOk isErr map mapErr andThen asyncAndThen asyncMap orElse match unwrapOr andTee orTee";

/** A result; nothing is said of methods that are not known. */
function resultOf(state: State, { failed, value, error }: Outcome): Value {
  const plain = recordOf(state, { failed: scalar(failed, "bool"), value, error });
  const methods = METHODS.split(" ").map((name): [string, Value] => [
    name,
    { kind: "builtin", name: `neverthrow.result.${name}`, self: plain },
  ]);
  const whole = recordOf(state, { value, error, ...Object.fromEntries(methods) });
  return whole.kind === "object" ? { ...whole, rest: unknown("a result of neverthrow") } : whole;
}

function outcomeOf(self: Value): Outcome {
  const field = (name: string): Value =>
    (self.kind === "object" ? self.fields.get(name)?.value : undefined) ?? UNDEFINED;
  const failed = field("failed");
  return {
    failed: failed.kind === "scalar" ? failed.expression : literal(true),
    value: field("value"),
    error: field("error"),
  };
}

/** A method of a result, with what calls the functions that it is given. */
function method(
  run: (
    outcome: Outcome,
    call: (at: number, value: Value) => () => Value,
    given: BuiltinCall,
  ) => Value,
): Builtin {
  return (given) => {
    const { state, self, args, site } = given;
    const call = (at: number, value: Value) => (): Value => {
      const callee = args[at];
      return callee ? settle(state, state.evaluator.call(state, callee, [value], site)) : value;
    };
    return run(outcomeOf(self), call, given);
  };
}

const nothing = (): Value => UNDEFINED;

const mapped = method(({ failed, value, error }, call, { state, site }) =>
  resultOf(state, { failed, error, value: either(state, failed, [nothing, call(0, value)], site) }),
);

const chained = method(({ failed, value, error }, call, { state, site }) => {
  const left = (): Value => resultOf(state, { failed: literal(true), value: UNDEFINED, error });
  return either(state, failed, [left, call(0, value)], site);
});

const ok: Builtin = ({ state, args: [value = UNDEFINED] }) =>
  resultOf(state, { failed: literal(false), value, error: UNDEFINED });
const err: Builtin = ({ state, args: [error = UNDEFINED] }) =>
  resultOf(state, { failed: literal(true), value: UNDEFINED, error });

/** The failure, with what the function makes of the error. */
function told(given: BuiltinCall, by: Value | undefined, run: () => Value): Value {
  const { state, site } = given;
  const outcome = attempt(given, run);
  const say = (): Value =>
    by ? settle(state, state.evaluator.call(state, by, [AN_ERROR], site)) : AN_ERROR;
  const error = either(state, outcome.failed, [say, nothing], site);
  return resultOf(state, { ...outcome, error });
}

const fromPromise: Builtin = (given) =>
  told(given, given.args[1], () => given.args[0] ?? UNDEFINED);
const fromSafePromise: Builtin = ({ state, args: [promise = UNDEFINED] }) =>
  resultOf(state, { failed: literal(false), value: settle(state, promise), error: UNDEFINED });
const fromThrowable: Builtin = ({ state, args }) => {
  const self = listOf(state, args);
  return { kind: "builtin", name: "neverthrow.thrown", self };
};

/** Their meaning, by the names that `errorsAsValues` gives. */
export const ERRORS_AS_VALUES: Readonly<Record<string, Builtin>> = {
  "await-to-js": (given) => {
    const { state, args, site } = given;
    const [promise = UNDEFINED] = args;
    if (!isPending(promise)) return listOf(state, [constant(null), promise]);
    const { failed, value, error } = attempt(given, () => promise);
    return listOf(state, [
      either(state, failed, [() => error, () => constant(null)], site),
      either(state, failed, [nothing, () => value], site),
    ]);
  },
  "neverthrow.ok": ok,
  "neverthrow.okAsync": ok,
  "neverthrow.err": err,
  "neverthrow.errAsync": err,
  "neverthrow.fromPromise": fromPromise,
  "neverthrow.ResultAsync.fromPromise": fromPromise,
  "neverthrow.fromSafePromise": fromSafePromise,
  "neverthrow.ResultAsync.fromSafePromise": fromSafePromise,
  "neverthrow.fromThrowable": fromThrowable,
  "neverthrow.fromAsyncThrowable": fromThrowable,
  "neverthrow.Result.fromThrowable": fromThrowable,
  "neverthrow.ResultAsync.fromThrowable": fromThrowable,
  "neverthrow.thrown": (given) => {
    const { state, self, args, site } = given;
    const [callee, by] = self.kind === "list" ? self.items.map(({ value }) => value) : [];
    return told(given, by, () => state.evaluator.call(state, callee ?? UNDEFINED, args, site));
  },
  "neverthrow.result.isOk": method(({ failed }) => scalar(negate(failed), "bool")),
  "neverthrow.result.isErr": method(({ failed }) => scalar(failed, "bool")),
  "neverthrow.result.map": mapped,
  "neverthrow.result.asyncMap": mapped,
  "neverthrow.result.mapErr": method(({ failed, value, error }, call, { state, site }) =>
    resultOf(state, {
      failed,
      value,
      error: either(state, failed, [call(0, error), nothing], site),
    }),
  ),
  "neverthrow.result.andTee": method((outcome, call, { state, site }) => {
    either(state, outcome.failed, [nothing, call(0, outcome.value)], site);
    return resultOf(state, outcome);
  }),
  "neverthrow.result.orTee": method((outcome, call, { state, site }) => {
    either(state, outcome.failed, [call(0, outcome.error), nothing], site);
    return resultOf(state, outcome);
  }),
  "neverthrow.result.andThen": chained,
  "neverthrow.result.asyncAndThen": chained,
  "neverthrow.result.orElse": method(({ failed, value, error }, call, { state, site }) => {
    const right = (): Value => resultOf(state, { failed: literal(false), value, error: UNDEFINED });
    return either(state, failed, [call(0, error), right], site);
  }),
  "neverthrow.result.match": method(({ failed, value, error }, call, { state, site }) =>
    either(state, failed, [call(1, error), call(0, value)], site),
  ),
  "neverthrow.result.unwrapOr": method(({ failed, value }, _, { state, args, site }) =>
    either(state, failed, [() => args[0] ?? UNDEFINED, () => value], site),
  ),
};
