// Triggers of MySQL, which are not read: a statement that fires one may do more, or something else, than it says.
import type { Statement } from "../../../program/statement";
import type { Replace } from "../dialectDetection/replaceStatements";

export interface UnreadTrigger {
  readonly name: string;
  readonly table: string;
  /** INSERT, UPDATE or DELETE. */
  readonly event: string;
}

/** Gives each statement that fires a trigger a loss that names it. Linear in the triggers per statement. */
export function unreadTriggers(triggers: readonly UnreadTrigger[]): Replace {
  return (statement) => {
    const fired = triggers.filter((each) => isFired(each, statement));
    if (fired.length === 0) return undefined;
    const { source } = statement;
    const losses = fired.map(({ name }) => ({
      effect: "approx" as const,
      reason: `the trigger ${name}, which is not analysed`,
      source,
    }));
    return [{ kind: "statement", statement: { ...statement, taint: [...statement.taint, ...losses] } }]; // prettier-ignore
  };
}

function isFired({ table, event }: UnreadTrigger, statement: Statement): boolean {
  switch (statement.kind) {
    case "insert": {
      const updates =
        statement.onConflict !== undefined && statement.onConflict.action !== "nothing";
      return (
        isSame(table, statement.table) && (event === "insert" || (updates && event === "update"))
      );
    }
    case "update":
      return isSame(table, statement.relation.table) && event === "update";
    case "delete":
      // TRUNCATE fires no trigger.
      return (
        isSame(table, statement.relation.table) &&
        event === "delete" &&
        statement.truncates === undefined
      );
    default:
      return false;
  }
}

/** Names of tables are compared without regard to case, as servers on Windows and macOS do. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
