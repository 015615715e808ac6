// Texts without the blanks at their ends.
import { scalar, textOf, constantText, type TextPart, type Value } from "../../values";
import { startsAsSql } from "../../libraries/rawSql";
import { expressionOf } from "../values/convert";
import type { BuiltinCall } from "./builtin";

/** `text.trim()`: of what has a value at an end, a function of the whole. SQL means the same with its blanks. */
export function trim({ state, self }: BuiltinCall): Value {
  if (self.kind !== "text" || startsAsSql(self)) return self;
  const whole = constantText(self);
  if (whole !== undefined) return whole === whole.trim() ? self : textOf(whole.trim());
  const from = self.parts.findIndex((part) => !isBlank(part));
  const to = self.parts.findLastIndex((part) => !isBlank(part)) + 1;
  const parts = self.parts.slice(from, to);
  if (parts.at(0)?.kind === "run" && parts.at(-1)?.kind === "run") {
    const last = parts.length - 1;
    const inFront = parts.map((part, i) => (i === 0 ? trimmedPart(part, "trimStart") : part));
    const around = inFront.map((part, i) => (i === last ? trimmedPart(part, "trimEnd") : part));
    return { kind: "text", parts: around };
  }
  const operand = expressionOf(state, self);
  return scalar({ kind: "call", name: "trim", arguments: [operand], deterministic: true }, "text");
}

function isBlank(part: TextPart): boolean {
  return part.kind === "run" && part.run.text.trim() === "";
}

function trimmedPart(part: TextPart, side: "trimStart" | "trimEnd"): TextPart {
  if (part.kind !== "run") return part;
  const { run } = part;
  const text = run.text[side]();
  const cut = side === "trimStart" ? run.text.length - text.length : 0;
  return { ...part, run: { ...run, text, start: run.start < 0 ? run.start : run.start + cut } };
}
