// Logs are for people: nothing that transactions do hangs on them. Those that run no statement are not followed.
import type { Value } from "../../values";
import type { Dependencies } from "../../queries/dependencies";
import { originOf } from "../../queries/origins";
import { speculate } from "../fork";
import type { CallSite, State } from "../state";
import { inputOf } from "../transactions/instances";
import { settle } from "./awaits";

type FunctionValue = Extract<Value, { kind: "function" }>;

const LOGS =
  /(?:^|\.)[_#]?(?:log|logger|console)\.(?:trace|debug|verbose|silly|info|log|notice|warn|warning|error)$/iu;

/** True for a call of a function of the workspace that logs and runs no statement, whatever it is given. Each function once. */
export function isQuietLog(state: State, callee: FunctionValue, site: CallSite): boolean {
  const { workspace } = state;
  if (!LOGS.test(site.name)) return false;
  if (!workspace.reach.mayReach(callee.function)) return true;
  const hir = originOf(callee.function);
  const known = workspace.logs.get(hir) ?? followed(state, callee, site);
  for (const { on } of known.uses) workspace.trace.use(on);
  return known.isQuiet;
}

/** The same by following it with arguments of which nothing is known. */
function followed(
  { workspace }: State,
  callee: FunctionValue,
  site: CallSite,
): { readonly isQuiet: boolean; readonly uses: Dependencies } {
  const hir = originOf(callee.function);
  const uses: Dependencies = new Set();
  // A log that logs is quiet if the rest of it is.
  workspace.logs.set(hir, { isQuiet: true, uses });
  const state = workspace.fresh(callee.scope.module.file);
  const isQuiet = workspace.trace.during(uses, () =>
    speculate(state, () => {
      const inputs = callee.function.parameters.map((each) => inputOf(state, each));
      const direct = { span: site.span, isNew: false, typeArguments: [], name: "" };
      settle(state, state.evaluator.call(state, callee, inputs, direct));
      return state.emitted === 0 && state.budget >= 0;
    }),
  );
  const known = { isQuiet, uses };
  workspace.logs.set(hir, known);
  return known;
}
