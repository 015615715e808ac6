// The texts of the status item.
import type { ServerStatus } from "../../../server/src/protocol/requests";
import { plural } from "./words";

/** One line: the problem, the progress of a check, or its findings and their text. */
export function detailOf(status: ServerStatus): string {
  if (status.health === "degraded") return status.message;
  const { progress } = status;
  if (status.health === "busy") {
    if (!progress || progress.total === 0) return "checking";
    const { done, total, unit = "pairs" } = progress;
    const counts = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
    return `${unit === "files" ? "reading" : "checking"}, ${counts} ${unit}`;
  }
  const undecided = status.unknown > 0 ? `, ${String(status.unknown)} undecided` : "";
  const time =
    status.milliseconds === undefined ? "" : ` in ${(status.milliseconds / 1000).toFixed(1)} s`;
  const chosen = status.chosen ? ", level chosen by command" : "";
  const found = status.levelFrom === undefined ? "" : `, level from ${status.levelFrom}`;
  return `${plural(status.anomalies, "anomaly")}${undecided}${time}${chosen}${found}${openText(status)}`;
}

/** The text if an earlier reading stands, or if a part was left out. */
function openText({ open: [first, ...others] }: ServerStatus): string {
  if (first === undefined) return "";
  const more = others.length > 0 ? ` (and ${String(others.length)} more)` : "";
  return ` - ${first}${more}`;
}
