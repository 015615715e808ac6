import path from "node:path";
import { breaksData, isTold, type Anomaly, type ReportTransaction, type SearchedPairs } from "../../protocol/report"; // prettier-ignore
import type {
  TransactionVerdict,
  TreeAnomaly,
  TreeFile,
  TreeTransaction,
} from "../../protocol/requests";
import { messageOf } from "../../service/findings/findings";
import { anomalyPlace, firstOfCauses, isEdited, isFaded, type ProjectResult } from "../results";
import { clientUri, levelName, type ServerState } from "../serverState";

/**
 * `isolens/tree`: the files of every result in its order, including unreadable ones. Files without transactions are left out: they only
 * provide tables. Linear in transactions and anomalies with their members.
 */
export function handleTree(state: ServerState): readonly TreeFile[] {
  const results = [...state.results.values()];
  return results.flatMap((result) => filesOf(state, result, results.length > 1));
}

function filesOf(
  state: ServerState,
  result: ProjectResult,
  hasOthers: boolean,
): readonly TreeFile[] {
  const { project, report, level } = result;
  const byTransaction = new Map<string, Anomaly[]>();
  for (const anomaly of report.anomalies) {
    for (const name of new Set(anomaly.transactions)) {
      const own = byTransaction.get(name);
      if (own) own.push(anomaly);
      else byTransaction.set(name, [anomaly]);
    }
  }
  const byFile = new Map<string, ReportTransaction[]>();
  for (const transaction of report.transactions) {
    const own = byFile.get(transaction.file);
    if (own) own.push(transaction);
    else byFile.set(transaction.file, [transaction]);
  }
  const nothing = { statements: 0, exact: 0, over: 0, approx: 0, opaque: 0 };
  // During the first check there are transactions already, but no counts yet.
  const known = new Set(result.files.map(({ file }) => file));
  const early = [...byFile.keys()].filter((file) => !known.has(file));
  const files = [
    ...result.files,
    ...early.map((file) => ({ file, ...nothing, skipped: undefined })),
  ];
  return files.flatMap(({ file, statements, exact, over, approx, opaque, skipped }) => {
    const transactions = (byFile.get(file) ?? []).map((transaction) =>
      transactionOf(state, result, transaction, byTransaction.get(transaction.name) ?? []),
    );
    if (transactions.length === 0 && skipped === undefined) return [];
    return [
      {
        uri: clientUri(state, project, file),
        name: file,
        project: hasOthers ? path.basename(project.folder) : "",
        level: levelName(level),
        ...{ statements, exact, over, approx, opaque },
        transactions,
        ...(skipped !== undefined && { skipped }),
      },
    ];
  });
}

function transactionOf(
  state: ServerState,
  result: ProjectResult,
  { name, file, range, tables = [], pairs }: ReportTransaction,
  own: readonly Anomaly[],
): TreeTransaction {
  const { report, project } = result;
  const shown = [
    ...firstOfCauses(own.filter((each) => isTold(each))),
    ...own.filter((each) => !isTold(each)),
  ];
  const anomalies = shown.flatMap((anomaly) => anomalyOf(state, result, anomaly));
  const told = own.filter((anomaly) => isTold(anomaly));
  const undecided = report.unknown
    .filter(({ transactions }) => transactions.length === 0 || transactions.includes(name))
    .map(({ reason }) => reason);
  const isStale = isEdited(result, { name }) || own.some((each) => isFaded(result, each));
  const verdict = ((): TransactionVerdict => {
    if (isStale) return "checking";
    if (told.some((each) => each.status === "confirmed" && breaksData(each))) return "anomaly";
    if (result.isFirst) return "checking";
    if (report.verdict === "cancelled") return "cancelled";
    if (undecided.length > 0) return "unknown";
    return own.some(({ status }) => status === "confirmed") ? "hidden" : "nothing";
  })();
  const first = anomalies.filter(({ suppressed, severity }) => !suppressed && severity !== "off");
  return {
    name,
    place: { uri: clientUri(state, project, file), range },
    verdict,
    tables,
    races: own.map(({ id, title, transactions, status }) => ({
      ...{ id, title, transactions },
      unconfirmed: status === "unconfirmed",
    })),
    isDecided: !isStale && pairs !== undefined && isWholeDecided(pairs),
    undecided,
    anomalies: [...first, ...anomalies.filter((each) => !first.includes(each))],
  };
}

function anomalyOf(
  state: ServerState,
  result: ProjectResult,
  anomaly: Anomaly,
): readonly TreeAnomaly[] {
  const place = anomalyPlace(result.report, anomaly);
  if (!place) return [];
  const { id, title, transactions, suppressed } = anomaly;
  return [
    {
      id,
      title,
      message: messageOf(anomaly, result.report.causes),
      transactions,
      severity: anomaly.reportedAs ?? "warning",
      place: { uri: clientUri(state, result.project, place.file), range: place.range },
      stale: isFaded(result, anomaly),
      ...(suppressed && { suppressed }),
      unconfirmed: anomaly.status === "unconfirmed",
    },
  ];
}

function isWholeDecided({ sharing, racing, settled, isOpaque }: SearchedPairs): boolean {
  return racing + settled === sharing && isOpaque !== true;
}
