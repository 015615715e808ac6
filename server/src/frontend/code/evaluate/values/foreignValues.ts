// Objects that something unknown made for the code: `new URL(address)`, `createHash("sha256")`. They are functions of what
// they were made of until their methods are given something, or their properties are written: then they are of that, too.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { scalar, type Foreign, type Value } from "../../values";
import { newCell, type State } from "../state";
import { semanticsOf } from "../../semantics";

/** A value as an object of its own, which the code may change. */
export function asForeign(state: State, value: Value): Value {
  if (value.kind !== "scalar" && value.kind !== "input") return value;
  if (!semanticsOf(state.frame.file).changesArguments) return value;
  const made = value.kind === "scalar" ? value.expression : undefined;
  const maker = made?.kind === "call" ? made.name.replace(/^code:/u, "") : "";
  const path = value.kind === "input" ? value.path : maker;
  return { ...value, foreign: { now: newCell(state, value), path } };
}

/** One of several values, as an object that is changed as such; as old as the youngest of them. */
export function foreignAs(parts: readonly Value[], one: Value): Value {
  const births = parts.flatMap((part) => foreignOf(part)?.now.birth ?? []);
  if (births.length === 0 || one.kind !== "scalar") return one;
  return { ...one, foreign: { now: { value: one, birth: Math.max(...births) }, path: "" } };
}

/** The present value, where it is of an object that was changed since it was made; undefined for all others. */
export function changedTo(value: Value): Value | undefined {
  if (value.kind !== "scalar" && value.kind !== "input") return undefined;
  const { foreign } = value;
  const now = foreign?.now.value;
  if (now === undefined || isUnchanged(value, now)) return undefined;
  if (value.kind === "scalar" || value.path === foreign?.path || now.kind !== "scalar") return now;
  return scalar(callOf("part", [now.expression, literal(value.path)]));
}

function isUnchanged(value: Value, now: Value): boolean {
  if (value.kind === "input") return now.kind === "input";
  return value.kind === "scalar" && now.kind === "scalar" && now.expression === value.expression;
}

/** The result of a function of the code for expressions. */
export function callOf(name: string, args: readonly Expression[], module?: string): Expression {
  const call = {
    kind: "call",
    name: `code:${name}`,
    arguments: args,
    deterministic: true,
  } as const;
  return module === undefined ? call : { ...call, module };
}

/** The module of the function that made a value. */
export function madeIn(value: Value): string | undefined {
  const made = value.kind === "scalar" ? value.expression : undefined;
  return made?.kind === "call" ? made.module : undefined;
}

/** The module that an unknown function comes from, or else the file that calls it. */
export function moduleOf(state: State, callee: Value): string {
  if (callee.kind === "external") return callee.module ?? state.frame.file;
  if (callee.kind === "function") return callee.scope.module.file;
  if (callee.kind !== "builtin") return state.frame.file;
  if (callee.name.startsWith("crypto.")) return "crypto";
  const self = callee.self && (changedTo(callee.self) ?? callee.self);
  return (self && madeIn(self)) ?? state.frame.file;
}

/** The object that a value is, or a part or method of. */
export function foreignOf(value: Value): Foreign | undefined {
  if (value.kind === "builtin") return value.self && foreignOf(value.self);
  return value.kind === "scalar" || value.kind === "input" ? value.foreign : undefined;
}
