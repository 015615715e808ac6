// A report with the folder of its files, and the parts of a finding that machine-readable reports share.
import { KINDS } from "../../analysis/explain/kinds/kinds";
import { toldEnd, type Anomaly, type LevelReport } from "../../protocol/report";
import type { Range } from "../../protocol/source";

export interface PlacedReport {
  readonly report: LevelReport;
  /** The folder of the report's files, relative to the working directory, with `/`; empty for the directory itself. */
  readonly folder: string;
}

export interface FindingPlace {
  readonly file: string;
  readonly range: Range;
}

/** "folder/file.sql", with `..` resolved. */
export function pathOf({ folder }: Pick<PlacedReport, "folder">, file: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${file}`.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

/** The place of a finding: its statement, or else a step or transaction with a place. */
export function findingPlace(report: LevelReport, anomaly: Anomaly): FindingPlace | undefined {
  const places = [
    toldEnd(report, anomaly),
    ...anomaly.steps,
    ...report.transactions.filter(({ name }) => anomaly.transactions.includes(name)),
  ];
  return places.find((place) => place !== undefined && place.file !== "");
}

/** "Lost update" */
export function titleOf(kind: string): string {
  return KINDS.find(({ name }) => name === kind)?.title ?? kind;
}
