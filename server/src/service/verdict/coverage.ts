// The share of each file that was understood, and the results for its transactions.
import type { Program, Transaction } from "../../program/program";
import type { FileCoverage, LevelReport } from "../../protocol/report";
import type { SkippedFile } from "../../workspace/projects";
import { statementPrecision, statementsOf } from "../statements";
import { openParts } from "../findings/suppressions";

/** Coverage of a file by reading; `coverageOfFiles` adds the findings. */
export type FileReading = Omit<FileCoverage, "anomaly" | "undecided" | "nothingFound">;

/** The files of a program in its order, then unread files with the reason. Linear in the program. */
export function fileReadings(
  program: Program,
  skipped: readonly SkippedFile[],
): readonly FileReading[] {
  const byFile = new Map<string, Transaction[]>();
  for (const transaction of program.transactions) {
    const { file } = transaction.source;
    const own = byFile.get(file);
    if (own) own.push(transaction);
    else byFile.set(file, [transaction]);
  }
  const unreached = new Map<string, number>();
  for (const { source, calls = 0 } of program.notes) {
    unreached.set(source.file, (unreached.get(source.file) ?? 0) + calls);
  }
  const files = program.files.map((file): FileReading => {
    const transactions = byFile.get(file) ?? [];
    const counts = { statements: 0, exact: 0, over: 0, approx: 0, opaque: 0 };
    for (const statement of transactions.flatMap(({ body }) => statementsOf(body))) {
      counts[statementPrecision(statement)] += 1;
      counts.statements += 1;
    }
    const missed = unreached.get(file) ?? 0;
    return { file, transactions: transactions.length, ...counts, unreached: missed };
  });
  const nothing = {
    transactions: 0,
    statements: 0,
    exact: 0,
    over: 0,
    approx: 0,
    opaque: 0,
    unreached: 0,
  };
  return [...files, ...skipped.map(({ file, reason }) => ({ file, ...nothing, skipped: reason }))];
}

/**
 * Counts each file's transactions by result: in an anomaly, undecided, or neither. An undecided part without a place leaves all
 * transactions open.
 */
export function coverageOfFiles(
  readings: readonly FileReading[],
  report: LevelReport,
): readonly FileCoverage[] {
  const found = new Set(
    report.anomalies
      .filter(({ status }) => status === "confirmed")
      .flatMap(({ transactions }) => transactions),
  );
  const open = openParts(report);
  const isOpen = (name: string): boolean =>
    open.all || open.transactions.has(name) || report.verdict === "cancelled";
  return readings.map((reading) => {
    const own = report.transactions.filter(({ file }) => file === reading.file);
    const anomaly = own.filter(({ name }) => found.has(name)).length;
    const undecided = own.filter(({ name }) => !found.has(name) && isOpen(name)).length;
    return { ...reading, anomaly, undecided, nothingFound: own.length - anomaly - undecided };
  });
}
