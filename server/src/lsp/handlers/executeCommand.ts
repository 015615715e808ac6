// Commands for editors without an Isolens client: those that lenses run, and those that can be requested by name.
import { MessageType, type ExecuteCommandParams } from "vscode-languageserver/node";
import { visible } from "../../protocol/controlCharacters";
import { describeKind } from "../anomalies";
import type { Checks } from "../checks";
import { toAnomalyIds } from "../fromLsp";
import { toldAnomalies } from "../results";
import type { ServerState } from "../serverState";
import { ignoreClosedConnection } from "../customMessages";
import { handleCheck } from "./check";

export const SERVER_COMMANDS = ["isolens.explain", "isolens.checkAt", "isolens.stop"] as const;

/**
 * `isolens.explain` with `{ ids }` shows the steps of anomalies as a message and answers with them; `isolens.checkAt` checks at the named
 * level from now on, or at the configured one without a name; `isolens.stop` stops running checks. Other commands answer null.
 */
export async function handleExecuteCommand(
  state: ServerState,
  checks: Checks,
  stop: () => number,
  { command, arguments: [first] = [] }: ExecuteCommandParams,
): Promise<unknown> {
  switch (command) {
    case "isolens.explain": {
      const text = explanation(state, toAnomalyIds(first));
      const params = { type: MessageType.Info, message: visible(text) };
      state.connection.sendNotification("window/showMessage", params).catch(ignoreClosedConnection);
      return text;
    }
    case "isolens.checkAt": {
      const level: unknown = first;
      return handleCheck(state, checks, typeof level === "string" ? { level } : {});
    }
    case "isolens.stop":
      return stop();
    default:
      return null;
  }
}

function explanation(state: ServerState, ids: readonly string[]): string {
  const anomalies = [...state.results.values()]
    .flatMap(({ report }) => toldAnomalies(report))
    .filter(({ id }) => ids.includes(id));
  if (anomalies.length === 0) return "This anomaly is not found any more.";
  return anomalies
    .map(({ kind, message, steps }) => {
      const lines = steps.map(({ instance, effect, because }, at) => {
        const why = because === "" ? "" : ` (${because})`;
        return `  ${String(at + 1)}. ${instance} ${effect}${why}`;
      });
      return [message, ...lines, `  ${describeKind(kind).definition}`].join("\n");
    })
    .join("\n\n");
}
