// Conditions of MySQL's routines: which handler an error goes to, and the errors that SIGNAL and RESIGNAL raise.
import type {
  Condition,
  HandlerDeclaration,
  RoutineStatement,
} from "../../frontend/sql/mysql/tree";
import { tokensOf } from "../../frontend/sql/text/tokens";
import { failure, SqlFailure, type SqlError } from "../sqlError";
import type { Frame, Steps } from "./frame";
import { optionsOf } from "./raise";

type Named = (name: string) => Condition | undefined;

/** Numbers of the errors that end a statement which was cancelled or took too long, and the routine with it. */
const ENDS: ReadonlySet<number> = new Set([1317, 1969, 3024]);

/** The handler of a block that describes an error most closely: its number, its SQLSTATE, its class. */
export function closestHandler(
  handlers: readonly HandlerDeclaration[],
  error: SqlError,
  named: Named,
): HandlerDeclaration | undefined {
  if (ENDS.has(error.number)) return undefined;
  let best: HandlerDeclaration | undefined;
  let most = 0;
  for (const handler of handlers) {
    const close = Math.max(...handler.conditions.map((each) => closeness(each, error, named)), 0);
    if (close > most) [best, most] = [handler, close];
  }
  return best;
}

function closeness(condition: Condition, error: SqlError, named: Named): number {
  const { mysqlState: state, number } = error;
  switch (condition.kind) {
    case "number":
      return condition.number === number ? 3 : 0;
    case "state":
      return condition.code === state ? 2 : 0;
    case "warning":
      return state.startsWith("01") ? 1 : 0;
    case "notFound":
      return state.startsWith("02") ? 1 : 0;
    case "exception":
      return /^0[012]/u.test(state) ? 0 : 1;
    case "named": {
      const meant = named(condition.name);
      return meant === undefined || meant.kind === "named" ? 0 : closeness(meant, error, named);
    }
    default:
      return condition satisfies never;
  }
}

/** Numbers of errors that name none, by the class of their SQLSTATE. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ["01", 1642],
  ["02", 1643],
]);
const UNHANDLED = 1644;

/** The error that SIGNAL raises; RESIGNAL the one at hand with what it changes. */
export function* signal(
  frame: Frame,
  { kind, condition, text }: Extract<RoutineStatement, { readonly kind: "signal" | "resignal" }>,
  named: Named,
): Steps<SqlFailure> {
  const tokens = tokensOf(text, 0, text.length);
  const set = tokens.findIndex(({ word }) => word === "set");
  const fields = yield* optionsOf(frame, text, set < 0 ? [] : tokens.slice(set + 1));
  const before = kind === "resignal" ? frame.error : undefined;
  if (kind === "resignal" && before === undefined)
    throw failure("noHandler", "RESIGNAL when handler not active");
  const meant = condition?.kind === "named" ? named(condition.name) : condition;
  const state = meant?.kind === "state" ? meant.code : (before?.mysqlState ?? "45000");
  const usual = NUMBERS.get(state.slice(0, 2)) ?? UNHANDLED;
  const isNew = before === undefined || meant !== undefined;
  const number = fields.get("mysql_errno");
  return new SqlFailure({
    code: state,
    mysqlState: state,
    number: number === undefined ? (isNew ? usual : before.number) : Number(number),
    message:
      fields.get("message_text") ?? before?.message ?? "Unhandled user-defined exception condition",
  });
}
