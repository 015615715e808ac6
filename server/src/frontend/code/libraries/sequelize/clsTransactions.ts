// Managed transactions that queries join without naming them (continuation-local storage): where `Sequelize.useCLS(...)` is
// called, and by default in `@sequelize/core`.
import { constantScalar } from "../../values";
import type { DeclaringCall } from "../../workspace/declarationCalls";
import { callsOf, type Tools } from "../library";

const SETUP = callsOf("useCLS", "new Sequelize()");
const CORE = "@sequelize/core";

/** True if queries join the managed transaction around them. Linear in the calls that set clients up. */
export function joinsTransactions(tools: Tools): boolean {
  return tools
    .declared(SETUP)
    .some((each) => each.method === "useCLS" || joinsByDefault(each, tools));
}

function joinsByDefault({ file, arguments: given }: DeclaringCall, tools: Tools): boolean {
  const isCore = tools.module(file)?.imports.some(({ from }) => from === CORE) === true;
  const top = tools.top(file);
  const entries = given.flatMap((each) => (each.kind === "object" ? each.entries : []));
  const isOff = entries.some(
    (each) =>
      each.kind === "property" &&
      each.key === "disableClsTransactions" &&
      top !== undefined &&
      constantScalar(tools.evaluate(each.value, top)) === true,
  );
  return isCore && !isOff;
}
