import type { CancellationToken } from "vscode-languageserver/node";
import type { FixesAnswer } from "../../protocol/requests";
import type { Fixes } from "../fixes";
import { clientUri, type ServerState } from "../serverState";

/** The fixes of the anomaly or cause with the id; null if there is none, or if its text has changed. */
export async function handleFixes(
  state: ServerState,
  fixes: Fixes,
  id: string,
  token: CancellationToken,
): Promise<FixesAnswer | null> {
  for (const result of state.results.values()) {
    const { anomalies, causes = [] } = result.report;
    // The fixes of a cause are those of its worst anomaly.
    const meant = causes.find((cause) => cause.ids.includes(id))?.anomalies[0] ?? id;
    const anomaly = anomalies.find((each) => each.id === meant);
    if (!anomaly) continue;
    const report = await fixes.soon(result, anomaly, { token });
    if (!report) return null;
    const files = new Set(report.fixes.flatMap(({ edits }) => edits.map(({ file }) => file)));
    const uris = Object.fromEntries(
      [...files].map((file) => [file, clientUri(state, result.project, file)]),
    );
    return { ...report, uris };
  }
  return null;
}
