// `Isolens: Check at Isolation Level...`: every level with its guarantee and its known results.
import { CancellationTokenSource, Disposable, QuickPickItemKind, commands, window } from "vscode";
import type { QuickPickItem } from "vscode";
import { undecidedCount } from "../../../server/src/protocol/report";
import type { CheckSummary, LevelChoice, Requests } from "../../../server/src/protocol/requests";
import type { ServerClient } from "./serverClient";
import { plural } from "./words";

const MORE = "Of other databases, and as the literature defines them.";

interface LevelItem extends QuickPickItem {
  /** True for the item that shows the other levels. */
  readonly isMore?: boolean;
  /** Absent for a heading; null to return to the configured level. */
  readonly level?: string | null;
}

export function registerLevelPicker(server: ServerClient): Disposable {
  const check = async (params: Requests["isolens/check"]["params"]): Promise<void> => {
    try {
      const summaries = await server.request("isolens/check", params);
      window.setStatusBarMessage(`Isolens: ${summaryText(summaries)}`, SHOWN);
    } catch (error) {
      server.log.error(`check: ${String(error)}`);
      window.setStatusBarMessage("Isolens: the check failed, see the output", SHOWN);
    }
  };
  return Disposable.from(
    commands.registerCommand("isolens.check", async (level?: unknown) => {
      const uri = window.activeTextEditor?.document.uri.toString();
      const chosen = typeof level === "string" ? level : await pickLevel(server, uri);
      if (chosen === undefined) return;
      await check({
        ...(chosen !== null && { level: chosen }),
        ...(uri !== undefined && { uri }),
      });
    }),
    commands.registerCommand("isolens.prove", () => check({ prove: true })),
  );
}

const SHOWN = 8000;

async function pickLevel(
  server: ServerClient,
  uri: string | undefined,
): Promise<string | null | undefined> {
  const pick = window.createQuickPick<LevelItem>();
  pick.title = "Check at isolation level";
  pick.placeholder = "What may transactions that run at the same time see of each other?";
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  const closed = new Promise<string | null | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item?.isMore === true) {
        isMore = true;
        pick.items = itemsOf(choices, isMore);
        return;
      }
      resolve(item?.level);
      pick.hide();
    });
    pick.onDidHide(() => {
      closing.cancel();
      resolve(undefined);
    });
  });
  const document = uri === undefined ? {} : { uri };
  const closing = new CancellationTokenSource();
  let isMore = false;
  let choices: readonly LevelChoice[] = [];
  const fill = async (): Promise<void> => {
    const active = pick.activeItems[0]?.level;
    choices = await server.request("isolens/levels", document);
    pick.items = itemsOf(choices, isMore);
    const same = pick.items.find((item) => item.level !== undefined && item.level === active);
    const current = same ?? pick.items.find((item) => item.description?.includes(IN_FORCE));
    if (current) pick.activeItems = [current];
  };
  const live = server.onFindings(() => {
    fill().catch((error: unknown) => {
      server.log.warn(`the counts of the levels were not read again: ${String(error)}`);
    });
  });
  /** Counts the anomalies at each of the product's own levels, one level after the other, and then who needs which. */
  const tryAll = async (): Promise<void> => {
    for (const { name } of choices.filter(({ own, known }) => own && !known)) {
      if (closing.token.isCancellationRequested) return;
      await server.request("isolens/tryLevel", { ...document, level: name }, closing.token);
      await fill();
    }
    if (closing.token.isCancellationRequested) return;
    await server.request("isolens/allocation", document, closing.token);
    await fill();
  };
  pick.show();
  try {
    await fill();
    tryAll()
      .catch((error: unknown) => {
        if (!closing.token.isCancellationRequested)
          server.log.warn(`a level was not tried: ${String(error)}`);
      })
      .finally(() => {
        if (!closing.token.isCancellationRequested) pick.busy = false;
      });
    return await closed;
  } finally {
    live.dispose();
    closing.dispose();
    pick.dispose();
  }
}

const IN_FORCE = "in force";

/** The levels of the project's own database; all levels if requested, or if the one in force is another. */
function itemsOf(choices: readonly LevelChoice[], isMore: boolean): readonly LevelItem[] {
  const heading = (label: string): LevelItem => ({ label, kind: QuickPickItemKind.Separator });
  const of = (fits: (choice: LevelChoice) => boolean): readonly LevelItem[] =>
    choices.filter(fits).map(itemOf);
  const isFirst = ({ own, inForce, configured: isSet }: LevelChoice): boolean =>
    own || inForce || isSet;
  const configured = choices.find((each) => each.configured);
  const back: readonly LevelItem[] =
    configured && !configured.inForce
      ? [
          {
            label: "$(discard) As configured",
            description: configured.label,
            detail: "Return to the level of isolens.json or the settings.",
            level: null,
          },
        ]
      : [];
  return [
    ...back,
    ...of(isFirst),
    ...(isMore
      ? [
          heading("other databases"),
          ...of((each) => !isFirst(each) && each.family === "product"),
          heading("levels of the literature"),
          ...of((each) => !isFirst(each) && each.family === "paper"),
        ]
      : [{ label: "$(ellipsis) More levels", detail: MORE, isMore: true }]),
  ];
}

function itemOf(choice: LevelChoice): LevelItem {
  const marks = [
    choice.name,
    ...(choice.inForce ? [IN_FORCE] : []),
    ...(choice.configured && !choice.inForce ? ["configured"] : []),
    ...(choice.proved
      ? [provedText(choice.proved)]
      : choice.known
        ? [knownText(choice.known)]
        : []),
    ...(choice.needed ? [neededText(choice.needed)] : []),
  ];
  return {
    label: choice.label,
    description: marks.join(" \u00b7 "),
    detail: choice.summary,
    level: choice.name,
  };
}

/** "3 anomalies go, proved safe". */
function provedText({ removes }: NonNullable<LevelChoice["proved"]>): string {
  if (removes === 0) return "proved safe";
  return `${plural(removes, "anomaly")} ${removes === 1 ? "goes" : "go"}, proved safe`;
}

/** "3 of 12 transactions need it": so that the others may run at a weaker level. */
function neededText({ by, of, isWeakest, isDecided }: NonNullable<LevelChoice["needed"]>): string {
  const all = plural(of, "transaction");
  if (isWeakest) return `enough for ${isDecided ? "" : "at least "}${String(by)} of ${all}`;
  return `${isDecided || by === 0 ? "" : "at most "}${by === 0 ? "none" : String(by)} of ${all} ${by === 1 ? "needs" : "need"} it`;
}

function knownText(known: NonNullable<LevelChoice["known"]>): string {
  if (known.verdict === "cancelled") return "cancelled";
  const undecided = known.unknown > 0 ? `, ${String(known.unknown)} undecided` : "";
  const { anomalies, of } = known;
  // "0 of 6 anomalies": those of the shown ones that would remain.
  if (of !== undefined && of >= anomalies && of > 0)
    return `${String(anomalies)} of ${plural(of, "anomaly")}${undecided}`;
  return anomalies === 0 && undecided === ""
    ? "nothing found"
    : `${plural(anomalies, "anomaly")}${undecided}`;
}

/** "2 anomalies at PostgreSQL READ COMMITTED": never "safe" without its basis. */
function summaryText(summaries: readonly CheckSummary[]): string {
  const [first] = summaries;
  if (!first) return "there was nothing to check";
  if (summaries.some((each) => each.verdict === "cancelled"))
    return `cancelled at ${first.level.label}`;
  const anomalies = summaries.reduce((sum, each) => sum + each.anomalies, 0);
  const unknown = summaries.reduce((sum, each) => sum + undecidedCount(each.unknown), 0);
  const undecided = unknown > 0 ? `, ${String(unknown)} undecided` : "";
  if (anomalies > 0) return `${plural(anomalies, "anomaly")} at ${first.level.label}${undecided}`;
  const rests = "bound" in first.rests ? `up to ${String(first.rests.bound)} at a time` : "proved";
  // A suppressed or disabled finding still counts as found.
  const isHidden = summaries.some(({ verdict }) => verdict === "anomaly");
  const found = isHidden ? "nothing to tell" : "nothing found";
  return `${found} at ${first.level.label}, ${rests}${undecided}`;
}
