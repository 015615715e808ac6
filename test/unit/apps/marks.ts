// Expectations that stand inline in the example programs, below the statement that a finding is about:
//   -- ^^^^^^ lost-update state: withdraw, withdraw (postgres:read-committed)
// All findings of a program at a level are marked, or none of its files names that level.
import type { SourceFile } from "../../../server/src/frontend/sql/readProgram";
import type { LevelReport } from "../../../server/src/protocol/report";

const MARK =
  /^\s*--\s*\^+\s+(?<finding>[a-z-]+ (?:state|value|unused): [^()]+?) \((?<levels>[^()]+)\)\s*$/;

/** "bank.sql:14 lost-update state: withdraw, withdraw" per marked level. Lines count from one. */
export function marksOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const marks = new Map<string, string[]>();
  for (const { file, text } of files) {
    let marked = 0;
    for (const [index, line] of text.split("\n").entries()) {
      const found = MARK.exec(line)?.groups;
      if (!found) marked = index + 1;
      for (const level of found?.levels?.split(", ") ?? []) {
        const known = marks.get(level) ?? [];
        marks.set(level, [...known, `${file}:${String(marked)} ${found?.finding ?? ""}`].sort());
      }
    }
  }
  return marks;
}

/** The findings of a report in the words of marks. */
export function findingsOf(report: LevelReport): readonly string[] {
  return report.anomalies
    .map((anomaly) => {
      const at = anomaly.cycle[0]?.from;
      const line = String((at?.range.end.line ?? -1) + 1);
      const names = anomaly.transactions.join(", ");
      return `${at?.file ?? "?"}:${line} ${anomaly.kind} ${anomaly.severity}: ${names}`;
    })
    .sort();
}
