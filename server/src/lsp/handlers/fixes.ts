import type { FixesAnswer } from "../../protocol/requests";
import type { Fixes } from "../fixes";
import { clientUri, type ServerState } from "../serverState";

/** The fixes of the anomaly of that id; null when there is none, or its text has changed. */
export async function handleFixes(
  state: ServerState,
  fixes: Fixes,
  id: string,
): Promise<FixesAnswer | null> {
  for (const result of state.results.values()) {
    const anomaly = result.report.anomalies.find((each) => each.id === id);
    if (!anomaly) continue;
    const report = await fixes.soon(result, anomaly);
    if (!report) return null;
    const files = new Set(report.fixes.flatMap(({ edits }) => edits.map(({ file }) => file)));
    const uris = Object.fromEntries(
      [...files].map((file) => [file, clientUri(state, result.project, file)]),
    );
    return { ...report, uris };
  }
  return null;
}
