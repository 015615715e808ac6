// The command lines that `check` prints, as a shell takes them apart.
import assert from "node:assert/strict";

/** The words of the line `steps: isolens show ...` of a report. */
export function printedShow(report: string): readonly string[] {
  const line = /steps: isolens (show .*)$/mu.exec(report)?.[1];
  assert.ok(line !== undefined, report);
  return wordsOf(line);
}

/** The printed command for another anomaly of the same report, and another command with options of its own. */
export function askedFor(
  show: readonly string[],
  command: readonly string[],
  anomaly: string,
): readonly string[] {
  const [, ...rest] = show;
  const at = rest.indexOf("--anomaly") + 1;
  const [name = "", ...options] = command;
  return [name, ...rest.with(at, anomaly), ...options, "--no-cache"];
}

/** As POSIX shells split words; variables and the like are none of ours. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"'\\]|"[^"]*"|'[^']*'|\\.)+/gu) ?? [];
  return words.map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'|\\(.)/gu, (_all, double, single, escaped) =>
      String(double ?? single ?? escaped),
    ),
  );
}
