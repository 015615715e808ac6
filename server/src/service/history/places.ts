// The place of an operation of a recorded history, as the report names it.
import type { History } from "../../history/history";
import type { HistoryPlace } from "../../protocol/history";
import type { HistoryInput } from "./files";

/** The file as messages name it, with the line or the byte. */
export function placeOf(
  history: History,
  operation: number,
  { name, files }: Pick<HistoryInput, "name" | "files">,
): HistoryPlace {
  const { labels } = history;
  const place = history.place[operation] ?? 0;
  const file =
    files.length === 1 ? name : `${name}/${labels.files[fileOf(history, operation)] ?? ""}`;
  return labels.placeUnit === "line" ? { file, line: place } : { file, byte: place };
}

/** Only the transactions of one session are ordered by `from`, so the owner is found by search. */
function fileOf(history: History, operation: number): number {
  const { fileOf: files } = history.labels;
  if (!files) return 0;
  for (let each = 0; each < history.transactions; each += 1) {
    if (operation >= (history.from[each] ?? 0) && operation < (history.to[each] ?? 0))
      return files[each] ?? 0;
  }
  return 0;
}
