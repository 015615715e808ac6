import type { InlayHint } from "vscode-languageserver/node";
import { partnersText } from "../../protocol/cause";
import type { Range } from "../../protocol/source";
import { compare } from "../editRange";
import { isShown } from "../../protocol/report";
import { isFaded } from "../results";
import { findFile, projectKey, settingsOf, type ServerState } from "../serverState";
import { toInlayHint } from "../toLsp";

/** Limit in characters: editors cut longer hints. */
const LONGEST = 40;

/** Hints after each stale read: the partners whose changes it may miss. */
export function handleInlayHint(state: ServerState, uri: string, within: Range): InlayHint[] {
  const found = findFile(state, uri);
  if (!found || !settingsOf(state, found.project).inlayHints) return [];
  const result = state.results.get(projectKey(found.project));
  const { causes = [], anomalies = [] } = result?.report ?? {};
  return causes.flatMap((cause) => {
    const { read } = cause;
    const told = anomalies.filter((each) => each.cause === cause.id && isShown(each));
    if (cause.isRefused || read?.file !== found.file || told.length === 0) return [];
    if (result && told.every((each) => isFaded(result, each))) return [];
    const { end } = read.range;
    if (compare(end, within.start) < 0 || compare(end, within.end) > 0) return [];
    const partners = hintPartners(partnersText(cause));
    const label = `may miss writes of ${partners}`;
    const short = `may miss writes of ${String(cause.partners.length)} transactions`;
    return [toInlayHint(end, label.length > LONGEST ? short : label, partners)];
  });
}

/** A transaction that races with itself misses another run's writes. */
function hintPartners(partners: string): string {
  return partners
    .replace(/\bitself$/u, "another run of it")
    .replace(/\beach other$/u, "the other one");
}
