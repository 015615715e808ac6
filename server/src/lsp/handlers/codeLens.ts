import type { CodeLens } from "vscode-languageserver/node";
import { ownEntry } from "../../protocol/dictionary";
import { breaksData, type ReportTransaction } from "../../protocol/report";
import { anomaliesOf, firstOfCauses, isEdited, isFaded, type ProjectResult } from "../results";
import { findFile, projectKey, settingsOf, showCommand, type ServerState } from "../serverState";
import { toCodeLens } from "../toLsp";

/**
 * One lens above every transaction, with or without results, so that lines do not move when results arrive: "2 anomalies at PostgreSQL READ
 * COMMITTED - show".
 */
export function handleCodeLens(state: ServerState, uri: string): CodeLens[] {
  const found = findFile(state, uri);
  if (!settingsOf(state, found?.project).codeLens) return [];
  const result = found && state.results.get(projectKey(found.project));
  if (!found || !result) return [];
  return result.report.transactions
    .filter((each) => each.file === found.file)
    .map((each) => lensOf(state, result, each));
}

function lensOf(
  state: ServerState,
  result: ProjectResult,
  transaction: ReportTransaction,
): CodeLens {
  const anomalies = anomaliesOf(result, transaction);
  const isOld = isEdited(result, transaction) || anomalies.some((each) => isFaded(result, each));
  const since = isOld ? " (edited since)" : "";
  const label = levelLabel(result, transaction);
  if (anomalies.length > 0) {
    const causes = firstOfCauses(anomalies);
    const count = causes.length === 1 ? "1 anomaly" : `${String(causes.length)} anomalies`;
    const ids = causes.map((each) => each.id);
    const title = `${count} at ${label}${since}`;
    return toCodeLens(`${title} - show`, transaction.range, { command: showCommand(state), ids });
  }
  if (isOld)
    return toCodeLens("Isolens: edited since the last check", transaction.range, undefined);
  if (result.isFirst)
    return toCodeLens(`Isolens: checking at ${label}`, transaction.range, undefined);
  const title = hiddenText(result, transaction, label) ?? nothingText(result, transaction, label);
  return toCodeLens(title, transaction.range, undefined);
}

/** Everything found is suppressed or off, which differs from nothing found. */
function hiddenText(
  { report }: ProjectResult,
  { name }: ReportTransaction,
  label: string,
): string | undefined {
  const hidden = report.anomalies.filter(
    (each) => each.status === "confirmed" && breaksData(each) && each.transactions.includes(name),
  );
  if (hidden.length === 0) return undefined;
  const suppressed = hidden.filter(({ suppressed: by }) => by !== undefined).length;
  const parts = [
    ...(suppressed > 0 ? [`${String(suppressed)} suppressed`] : []),
    ...(hidden.length > suppressed ? [`${String(hidden.length - suppressed)} off`] : []),
  ];
  return `No other anomaly at ${label} than ${parts.join(" and ")}`;
}

/** The text if nothing was found: never more than was decided. */
function nothingText(
  { report }: ProjectResult,
  transaction: ReportTransaction,
  label: string,
): string {
  const undecided = report.unknown.some(
    (each) => each.transactions.length === 0 || each.transactions.includes(transaction.name),
  );
  if (report.verdict === "cancelled") return `Isolens: cancelled before it was decided at ${label}`;
  if (undecided || transaction.precision === "opaque")
    return `Isolens: not fully decided at ${label}`;
  const rests =
    "bound" in report.rests ? `, up to ${String(report.rests.bound)} at a time` : ", proved";
  return `No anomaly at ${label}${rests}`;
}

/** The transaction's own level, if it has one. */
function levelLabel(result: ProjectResult, transaction: ReportTransaction): string {
  const own = ownEntry(result.report.levels.perTransaction, transaction.name);
  if (own === undefined || own === result.level.name) return result.level.label;
  return `${own} (its own level)`;
}
