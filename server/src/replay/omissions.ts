// Parts of a program that a replay does not send to the server: any of them may prevent the anomaly.
import { offsetsOf } from "../frontend/sql/text/lines";
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { ScriptItem } from "../frontend/sql/script/region";
import { walkCommand } from "../frontend/sql/walk";
import type { Transaction } from "../program/program";

/** Losses in application code around its statements, such as unknown calls. */
export function omissionsOfCode({ name, taint }: Transaction): readonly string[] {
  return taint.filter(({ effect }) => effect !== "over").map(({ reason }) => `${name}: ${reason}`);
}

/** Statements of a script without meaning for the search that are not sent; `sent` recognises the others. */
export function omissionsOfScript(
  { body, name }: Transaction,
  { lines }: ScannedFile,
  items: readonly ScriptItem[],
  sent: (item: ScriptItem) => boolean,
): readonly string[] {
  const own: { readonly start: number; readonly end: number }[] = [];
  walkCommand(body, { statement: ({ source }) => own.push(offsetsOf(lines, source.range)) });
  return items
    .filter((item) => item.kind === "statement" && item.what !== "assign" && !sent(item))
    .filter(({ start, end }) => !own.some((each) => start <= each.start && each.start < end))
    .map(
      ({ start, end }) => `${name}: ${firstLine((lines.written ?? lines.text).slice(start, end))}`,
    );
}

/** Definitions that drop something, which are not executed. */
export function omissionsOfDefinitions(definitions: readonly string[]): readonly string[] {
  return definitions.filter((sql) => /^\s*drop\b(?!.*\bif\s+exists\b)/i.test(sql)).map(firstLine);
}

function firstLine(sql: string): string {
  const [line = ""] = sql.trim().split("\n");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
