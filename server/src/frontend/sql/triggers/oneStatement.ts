// A statement with its triggers where a handler goes on behind it: an error of any of its parts undoes all of them, as products do that
// undo the failed statement alone.
import { ERRORS, isCaught } from "../../../program/errors";
import type { Command, Statement } from "../../../program/statement";
import type { Expression } from "../../../program/expression";
import { literal } from "../expressions";
import type { Ids } from "../lowering";
import { walkCommand } from "../walk";

/** The command, whose errors undo it as a whole and go on from there. Linear in it. */
export function asOneStatement(whole: Command, { source }: Statement, ids: Ids): Command {
  const raised = new Set<string>();
  let writes = 0;
  walkCommand(whole, {
    statement: ({ kind }) => (writes += kind === "select" || kind === "lock" ? 0 : 1),
    command: (each) => {
      if (each.kind === "rollback" && each.code !== undefined) raised.add(each.code);
    },
  });
  if (writes === 0 || (writes === 1 && raised.size === 0)) return whole;
  const catches = [...new Set([...raised, ...INTEGRITY])];
  const error = ids.fresh("trigger.error");
  const again = (code: string): Command => ({ kind: "rollback", why: AGAIN, code, source });
  const handler = catches.reduceRight<Command>((otherwise, code): Command => {
    const left: Expression = { kind: "variable", name: error };
    const condition: Expression = {
      kind: "comparison",
      operator: "=",
      left,
      right: literal(code),
    };
    return { kind: "if", condition, then: again(code), otherwise, source };
  }, again(GENERAL));
  return { kind: "try", body: whole, handler, catches, error, source };
}

const AGAIN = "the statement failed with its triggers";
/** The code of an error that is not known; a refused lock undoes the whole transaction. */
const GENERAL = "HY000";
const INTEGRITY: readonly string[] = Object.values(ERRORS).filter((code) => isCaught(code, ["23"]));
