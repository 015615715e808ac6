// Effect: what runs once it is told to (`Effect.runPromise(Effect.tryPromise(...).pipe(...))`), and how it ended as a value.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { AN_ERROR, scalar, UNDEFINED, unknown, type Value } from "../../values";
import { isAtTop } from "../calls/callbacks";
import { settle } from "../calls/awaits";
import { runPending } from "../errors/pendingPromises";
import { catchAll, mayRepeatParts, RETRIED_IN_PART } from "../errors/tryCatch";
import { listOf, recordOf } from "../lists/collections";
import { within } from "../fork";
import { lose, sourceOf, type State } from "../state";
import { negate } from "../values/convert";
import type { Builtin, BuiltinCall } from "./builtin";

/** Result of the module under a name; undefined for other modules. */
export function effectModule(from: string, name: string): Value | undefined {
  if (from !== "effect" && !from.startsWith("effect/")) return undefined;
  return /^(?:Effect|Exit|Cause)$/u.test(name) ? { kind: "builtin", name } : undefined;
}

/** The name of the field that holds the function which runs it. */
const RUN = "#run";

/** The functions that a builtin runs with these. */
function effectOf(state: State, name: string, given: readonly Value[]): Value {
  return madeOf(state, { kind: "builtin", name: `effect.${name}`, self: listOf(state, given) });
}

function madeOf(state: State, run: Value): Value {
  const plain = recordOf(state, { [RUN]: run });
  const whole = recordOf(state, { [RUN]: run, pipe: { kind: "builtin", name: "effect.pipe", self: plain } }); // prettier-ignore
  return whole.kind === "object" ? { ...whole, rest: unknown("an effect") } : whole;
}

function runnerOf(value: Value | undefined): Value | undefined {
  return value?.kind === "object" ? value.fields.get(RUN)?.value : undefined;
}

/** Runs an effect; what it fails with is thrown. */
function run({ state, site }: BuiltinCall, effect: Value | undefined): Value {
  const runner = runnerOf(effect);
  if (!runner) {
    lose(state, "an effect that is not known is run", sourceOf(state, site.span), "opaque");
    return unknown("what an effect gives");
  }
  return settle(state, state.evaluator.call(state, runner, [], { ...site, isNew: false }));
}

/** The functions of a record, or the function itself: `tryPromise({ try: f, catch: g })`. */
function functionIn(value: Value | undefined): Value | undefined {
  return value?.kind === "object" ? value.fields.get("try")?.value : value;
}

const made: Builtin = ({ state, args }) => madeOf(state, functionIn(args[0]) ?? UNDEFINED);

/** A function that may be given the effect first, or makes what `pipe` calls with it. */
function step(name: string): Builtin {
  return ({ state, args }) => {
    if (runnerOf(args[0])) return effectOf(state, name, args);
    return { kind: "builtin", name: "effect.step", self: listOf(state, [{ kind: "builtin", name }, ...args]) }; // prettier-ignore
  };
}

function givenTo({ self }: BuiltinCall): readonly Value[] {
  return self.kind === "list" ? self.items.map(({ value }) => value ?? UNDEFINED) : [];
}

/** The effect of a function's result; a value is that. */
function next(call: BuiltinCall, by: Value | undefined, value: Value): Value {
  const { state, site } = call;
  if (by?.kind !== "function" && by?.kind !== "builtin") return by ?? UNDEFINED;
  return settle(state, state.evaluator.call(state, by, [value], { ...site, isNew: false }));
}

/** The same where an effect may be given, which runs then. */
function nextEffect(call: BuiltinCall, by: Value | undefined, value: Value): Value {
  const given = next(call, by, value);
  return runnerOf(given) ? run(call, given) : given;
}

const STEPS: Readonly<Record<string, Builtin>> = {
  map: (call) => {
    const [effect, by] = givenTo(call);
    return next(call, by, run(call, effect));
  },
  flatMap: (call) => {
    const [effect, by] = givenTo(call);
    return nextEffect(call, by, run(call, effect));
  },
  andThen: (call) => {
    const [effect, by] = givenTo(call);
    return nextEffect(call, by, run(call, effect));
  },
  tap: (call) => {
    const [effect, by] = givenTo(call);
    const value = run(call, effect);
    nextEffect(call, by, value);
    return value;
  },
  asVoid: (call) => {
    run(call, givenTo(call)[0]);
    return UNDEFINED;
  },
  // The attempt that did not fail is all there is, where one that failed has done nothing.
  retry: (call) => {
    const { state, site } = call;
    const [effect] = givenTo(call);
    const isPartial = runnerOf(effect) && mayRepeatParts(state, () => run(call, effect));
    if (isPartial === true) {
      lose(state, RETRIED_IN_PART, sourceOf(state, site.span), "opaque");
    }
    return within(state, { catching: state.catching + 1 }, () => run(call, effect));
  },
};

interface Exit {
  readonly failed: Expression;
  readonly value: Value;
}

function exitOf(state: State, { failed, value }: Exit): Value {
  const exit = recordOf(state, { failed: scalar(failed, "bool"), value, cause: AN_ERROR });
  return exit.kind === "object" ? { ...exit, rest: unknown("how an effect ended") } : exit;
}

function failedIn(exit: Value | undefined): Expression | undefined {
  const failed = exit?.kind === "object" ? exit.fields.get("failed")?.value : undefined;
  return failed?.kind === "scalar" ? failed.expression : undefined;
}

function isFailure(by: (failed: Expression) => Expression): Builtin {
  return ({ args }) => {
    const failed = failedIn(args[0]);
    return failed ? scalar(by(failed), "bool") : unknown("how an effect ended");
  };
}

/** The functions of the module by their names. */
export const EFFECT: Readonly<Record<string, Builtin>> = {
  "Effect.tryPromise": made,
  "Effect.promise": made,
  "Effect.try": made,
  "Effect.sync": made,
  "Effect.succeed": ({ state, args }) => effectOf(state, "succeed", args),
  "effect.succeed": (call) => givenTo(call)[0] ?? UNDEFINED,
  "effect.pipe": (call) => {
    const { state, self, args, site } = call;
    return args.reduce(
      (effect, each) => state.evaluator.call(state, each, [effect], { ...site, isNew: false }),
      madeOf(state, runnerOf(self) ?? UNDEFINED),
    );
  },
  "effect.step": (call) => {
    const { state, args } = call;
    const [of, ...given] = givenTo(call);
    const name = of?.kind === "builtin" ? of.name : "";
    return effectOf(state, name, [args[0] ?? UNDEFINED, ...given]);
  },
  ...Object.fromEntries(
    Object.entries(STEPS).flatMap(([name, of]) => [
      [`Effect.${name}`, step(name)],
      [`effect.${name}`, of],
    ]),
  ),
  "Effect.runPromise": (call) => {
    const { state, args, site } = call;
    const { isHeld, isLeaving, ...direct } = site;
    const start = (): Value => run({ ...call, site: direct }, args[0]);
    return isHeld === true && !isAtTop(state)
      ? runPending(state, sourceOf(state, site.span), start, isLeaving)
      : { kind: "deferred", run: start };
  },
  "Effect.runSync": (call) => run(call, call.args[0]),
  "Effect.runPromiseExit": (call) => {
    const { state, args, site } = call;
    const { isHeld, isLeaving: _left, ...direct } = site;
    const start = (): Value => {
      let value: Value = UNDEFINED;
      const failed = catchAll(state, sourceOf(state, site.span), () => {
        value = run({ ...call, site: direct }, args[0]);
      });
      return exitOf(state, { failed, value });
    };
    if (isHeld !== true || isAtTop(state)) return { kind: "deferred", run: start };
    const ended = start();
    return { kind: "deferred", run: () => ended };
  },
  "Exit.isFailure": isFailure((failed) => failed),
  "Exit.isSuccess": isFailure(negate),
  "Cause.squash": () => AN_ERROR,
  "Exit.succeed": ({ state, args }) =>
    exitOf(state, { failed: literal(false), value: args[0] ?? UNDEFINED }),
};
