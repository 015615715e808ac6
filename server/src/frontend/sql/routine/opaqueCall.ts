// A call that is not inlined: only the tables in the routine's body are known.
import type { Expression } from "../../../program/expression";
import { tablesByWords } from "../fallback";
import type { Span } from "../text/split";
import type { Body } from "./body";
import { emit, sourceAt, type RoutineState } from "./state";

/** Emits an opaque statement for the call and returns its unknown value. */
export function emitOpaqueCall(
  caller: RoutineState,
  body: Body,
  reason: string,
  at: Span,
  values: readonly Expression[],
): Expression {
  const { tables, writes } = tablesByWords(body.text, caller.shared.table, {
    lines: body.lines,
    start: body.toFile(0),
  });
  const source = sourceAt(caller, at);
  const text = caller.body.text.slice(at.start, at.end);
  emit(caller, {
    kind: "statement",
    statement: {
      kind: "opaque",
      id: caller.ids.statement(),
      source,
      text,
      taint: [{ effect: "opaque", reason, source }],
      tables: [...tables],
      writes,
    },
  });
  const id = caller.ids.fresh("u");
  return { kind: "unknown", id, type: "other", dependsOn: values, why: reason };
}
