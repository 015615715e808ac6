// `Isolens: Show Anomaly` and `Isolens: Show Dependency Graph`: opens the panel on one anomaly, asked for when several are near;
// `Isolens: Show Map of Transactions` opens it on all of them.
import { Disposable, commands, window } from "vscode";
import type { QuickPickItem } from "vscode";
import type { AnomalySummary, PanelTab } from "../../../server/src/protocol/requests";
import type { Panel } from "./panel";
import type { ServerClient } from "./serverClient";

interface AnomalyItem extends QuickPickItem {
  readonly id: string;
}

export function registerShowAnomaly(server: ServerClient, panel: Panel): Disposable {
  const show = (tab: PanelTab) => async (argument?: unknown) => {
    const ids = idsOf(argument);
    const title = tab === "cycle" ? "Show dependency graph" : "Show anomaly";
    const id = await chooseAnomaly(server, { title, ids });
    if (id !== undefined) await panel.open(id, tab);
    // Without findings there may be a proof to show.
    else if (ids === undefined && (await isProofKnown(server))) await panel.open("", tab);
  };
  return Disposable.from(
    commands.registerCommand("isolens.showAnomaly", show("schedule")),
    commands.registerCommand("isolens.showGraph", show("cycle")),
    commands.registerCommand("isolens.showMap", () => panel.openMap()),
  );
}

/** True if nothing was found, and a proof was requested. */
async function isProofKnown(server: ServerClient): Promise<boolean> {
  const summaries = await server.request("isolens/summaries", {});
  return summaries.every((each) => each.anomalies === 0) && summaries.some(({ proof }) => proof);
}

/** The ids from a lens or hover; undefined from the palette. */
export function idsOf(argument: unknown): readonly string[] | undefined {
  if (typeof argument !== "object" || argument === null || !("ids" in argument)) return undefined;
  const { ids } = argument;
  if (!Array.isArray(ids)) return undefined;
  return ids.filter((id): id is string => typeof id === "string");
}

export interface AnomalyChoice {
  /** The title of the choice between several anomalies: the command's own. */
  readonly title: string;
  /** The ids from a lens, a hover or the panel. */
  readonly ids: readonly string[] | undefined;
}

/**
 * The chosen anomaly: the one at the cursor, or of the transaction around it. If there are several, or none at the cursor, the user
 * chooses, nearest first. Undefined if there is none, which is reported.
 */
export async function chooseAnomaly(
  server: ServerClient,
  { title, ids }: AnomalyChoice,
): Promise<string | undefined> {
  const editor = window.activeTextEditor;
  const all = await server.request("isolens/anomalies", {
    ...(editor && { uri: editor.document.uri.toString(), position: editor.selection.active }),
  });
  // An explicit id is shown even if another anomaly represents it.
  const [named] = ids ?? [];
  if (ids?.length === 1 && all.some(({ id }) => id === named)) return named;
  const shown = all.filter(({ shown: isShown }) => isShown);
  const listed = ids ? shown.filter((each) => ids.includes(each.id)) : shown;
  const [nearest] = listed;
  if (!nearest) {
    const text = all.length > 0 ? "this anomaly is not found any more" : "no anomaly is known here";
    window.setStatusBarMessage(`Isolens: ${text}`, 5000);
    return undefined;
  }
  const here = listed.filter(({ near }) => near === nearest.near);
  if (here.length === 1 && (nearest.near !== "elsewhere" || listed.length === 1)) return nearest.id;
  const offered = nearest.near === "elsewhere" ? listed : here;
  const picked = await window.showQuickPick(offered.map(itemOf), {
    title,
    placeHolder: "Which anomaly?",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.id;
}

function itemOf(summary: AnomalySummary): AnomalyItem {
  const notes = [
    summary.transactions.join(", "),
    ...(summary.status === "unconfirmed" ? ["not confirmed"] : []),
    ...(summary.stale ? ["edited since"] : []),
  ];
  return {
    label: summary.title,
    description: notes.join(" \u00b7 "),
    // The label contains the kind already.
    detail: summary.message.replace(/^[A-Z][A-Za-z -]{2,40}: /u, ""),
    id: summary.id,
  };
}
