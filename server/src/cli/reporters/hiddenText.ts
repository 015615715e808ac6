// The line on findings that a report hides: how many, why, and how to see them.
import { isTold, type LevelReport, type Shown } from "../../protocol/report";

/** One line, or nothing if all findings are shown. */
export function hiddenText({ anomalies }: LevelReport, shown: Shown = {}): string {
  const hidden = anomalies.filter((each) => each.status === "confirmed" && !isTold(each, shown));
  const suppressed = hidden.filter((each) => each.suppressed && !shown.suppressed);
  const comments = suppressed.filter((each) => each.suppressed?.by === "comment").length;
  const accepted = suppressed.length - comments;
  const off = hidden.filter((each) => !suppressed.includes(each));
  const unused = off.filter(({ severity }) => severity === "unused").length;
  const repeated = off.filter(({ harm }) => harm === "repetition").length;
  const kinds = off.length - unused - repeated;
  const parts = [
    ...(comments > 0 ? [`${String(comments)} suppressed by comments`] : []),
    ...(accepted > 0 ? [`${String(accepted)} in the baseline`] : []),
    ...(suppressed.length > 0 ? ["(--show-suppressed)"] : []),
  ];
  const rest = [
    ...(unused > 0 ? [`${String(unused)} where only what was read on the way differs`] : []),
    ...(repeated > 0
      ? [`${String(repeated)} where a second run deletes or writes what the first one did`]
      : []),
    ...(kinds > 0 ? [`${String(kinds)} of kinds that are off`] : []),
    ...(off.length > 0 ? ["(--all)"] : []),
  ];
  const groups = [parts, rest].filter((each) => each.length > 0).map(joined);
  return groups.length === 0 ? "" : `Not told: ${groups.join(", ")}.`;
}

/** "a, b (hint)": the last is a remark on the others. */
function joined(parts: readonly string[]): string {
  return `${parts.slice(0, -1).join(", ")} ${parts.at(-1) ?? ""}`;
}
