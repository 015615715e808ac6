// Conditions of handlers and SIGNAL as the AR's SQLSTATEs. Error numbers are from the MySQL reference manual, appendix B.
import { ERRORS, isCaught } from "../../../program/errors";
import type { Condition } from "./tree";

/** The SQLSTATE of SELECT INTO with several rows. */
export const SEVERAL_ROWS = "42000";

/** SQLSTATE 02000: SELECT INTO or FETCH found no row. */
export const NO_ROW = "02000";

/** The condition that a name was declared for; others are unchanged. */
export function resolveCondition(
  condition: Condition,
  declared: (name: string) => Condition | undefined,
): Condition {
  return condition.kind === "named" ? (declared(condition.name) ?? condition) : condition;
}

/** The specificity of a handler's condition for an error; undefined if it does not catch it. */
export function closeness(condition: Condition, code: string): number | undefined {
  switch (condition.kind) {
    case "notFound":
      return code.startsWith("02") ? 1 : undefined;
    case "warning":
      return code.startsWith("01") ? 1 : undefined;
    case "exception":
      return isException(code) ? 1 : undefined;
    case "state":
      return code === condition.code || isCaught(code, caughtBy(condition)) ? 2 : undefined;
    case "number":
      return isCaught(code, caughtBy(condition)) ? 3 : undefined;
    case "named":
      return undefined;
  }
}

/** True if an SQLSTATE is an error, neither a warning nor the end of rows. */
export function isException(code: string): boolean {
  return !code.startsWith("02") && !code.startsWith("01") && !code.startsWith("00");
}

/** The SQLSTATEs or classes that a condition catches; undefined for all of them. */
export function caughtBy(condition: Condition): readonly string[] | undefined {
  switch (condition.kind) {
    case "exception":
      return undefined;
    case "state":
      // The server has one SQLSTATE for all constraint violations.
      return [condition.code === "23000" ? "23" : condition.code];
    case "number":
      return [NUMBERS[condition.number] ?? `number ${condition.number}`];
    case "notFound":
    case "warning":
    case "named":
      return [];
  }
}

const NUMBERS: Readonly<Record<number, string | undefined>> = {
  1022: ERRORS.duplicate,
  1048: ERRORS.notNull,
  1062: ERRORS.duplicate,
  1169: ERRORS.duplicate,
  1172: SEVERAL_ROWS,
  1205: "HY000",
  1213: "40001",
  1216: ERRORS.missingParent,
  1217: ERRORS.missingParent,
  1329: NO_ROW,
  1364: ERRORS.notNull,
  1365: ERRORS.divisionByZero,
  1451: ERRORS.missingParent,
  1452: ERRORS.missingParent,
  1586: ERRORS.duplicate,
  1644: "45000",
  3819: ERRORS.check,
  4025: ERRORS.check,
};

/** The SQLSTATE that SIGNAL of a condition raises. */
export function signalState(condition: Condition | undefined): string {
  if (condition?.kind === "state") return condition.code;
  if (condition?.kind === "number") return NUMBERS[condition.number] ?? "HY000";
  return condition?.kind === "notFound" ? NO_ROW : "45000";
}
