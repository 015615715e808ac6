// The expressions of PL/pgSQL: each list is a SELECT of its own.
import { failure } from "../sqlError";
import type { Frame, RoutineResult, Steps } from "./frame";

/** The row that an expression list gives. */
export function* evaluateList(frame: Frame, text: string): Steps<RoutineResult> {
  const [statement] = frame.host.parse(`SELECT ${text}`);
  if (statement === undefined) throw failure("syntax", `no expression: ${text}`);
  return yield* frame.host.run(statement, frame.locals, []);
}
