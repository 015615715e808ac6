// What runs ended with, in a few words: only what tells them apart.
import type { Anomaly } from "../../protocol/report";
import type { Outcome, Row, Value } from "../../protocol/witness";

/** The primary key of a table, to name its rows; undefined when it is not known. */
export type KeyOf = (table: string) => readonly string[] | undefined;

export interface OutcomeTexts {
  readonly here: string;
  /** Orders with the same outcome are told together. */
  readonly serial: readonly string[];
}

/** The outcome of the witness beside those of every serial order. */
export function outcomeTexts(anomaly: Anomaly, keyOf: KeyOf): OutcomeTexts {
  const outcomes = [anomaly.witness.outcome, ...anomaly.serial.map((each) => each.outcome)];
  const cells = outcomes.map((outcome) => cellsOf(outcome, keyOf));
  const names = [...new Set(cells.flatMap((each) => [...each.keys()]))].filter(
    (name) => new Set(cells.map((each) => each.get(name) ?? GONE)).size > 1,
  );
  const texts = outcomes.map((outcome, n) =>
    outcomeText(outcome, cells[n] ?? new Map<string, string>(), {
      names,
      all: outcomes,
      // Where the state alone tells the runs apart, what was returned only distracts.
      returns: names.length === 0 || anomaly.severity !== "state",
    }),
  );
  const [here = "", ...serial] = texts;
  const groups = new Map<string, string[]>();
  anomaly.serial.forEach((each, n) => {
    const text = serial[n] ?? "";
    groups.set(text, [...(groups.get(text) ?? []), each.order.join(", ")]);
  });
  return { here, serial: [...groups].map(([text, orders]) => `${orders.join(" or ")} ${text}`) };
}

const GONE = "no row";
const MOST_CELLS = 4;

interface Compared {
  /** Cells that are not the same in all outcomes. */
  readonly names: readonly string[];
  readonly all: readonly Outcome[];
  readonly returns: boolean;
}

function outcomeText(
  outcome: Outcome,
  cells: ReadonlyMap<string, string>,
  { names, all, returns }: Compared,
): string {
  const told = names.map((name) => {
    const value = cells.get(name);
    if (value === undefined) return `no ${hasRow(cells, name) ? name : rowOf(name)}`;
    return value === "" ? name : `${name} = ${value}`;
  });
  const distinct = [...new Set(told)];
  const left = distinct.slice(0, MOST_CELLS);
  if (distinct.length > MOST_CELLS) left.push(`${String(distinct.length - MOST_CELLS)} more`);
  const parts = left.length > 0 ? [`leaves ${listWords(left)}`] : [];
  for (const [instance, status] of Object.entries(outcome.status)) {
    if (status !== "committed") parts.push(`refuses ${instance}`);
  }
  for (const [instance, returned] of Object.entries(outcome.returned)) {
    if (!returns || outcome.status[instance] !== "committed") continue;
    const differing = returned.filter((text, n) =>
      all.some((each) => each.returned[instance]?.[n] !== text),
    );
    const shown = differing.filter((text) => text !== "");
    if (shown.length > 0)
      parts.push(`returns ${listWords(shown.slice(0, MOST_CELLS))} to ${instance}`);
  }
  return parts.length > 0 ? listWords(parts) : "ends the same";
}

/** "account[1]" of "account[1].balance". */
function rowOf(cell: string): string {
  return cell.slice(0, cell.lastIndexOf("]") + 1);
}

/** Whether any cell of the same row is there. */
function hasRow(cells: ReadonlyMap<string, string>, cell: string): boolean {
  return [...cells.keys()].some((each) => rowOf(each) === rowOf(cell));
}

/** Cells by name, "account[1].balance"; a row without further columns is a cell of its own with the text "". */
function cellsOf(outcome: Outcome, keyOf: KeyOf): Map<string, string> {
  const cells = new Map<string, string>();
  for (const [table, rows] of Object.entries(outcome.final)) {
    const key = keyOf(table) ?? [];
    rows.forEach((row, n) => {
      const columns = Object.entries(row).filter(([column]) => !key.includes(column));
      const name =
        key.length > 0 ? `${table}[${keyText(row, key)}]` : `${table}[row ${String(n + 1)}]`;
      if (columns.length === 0) cells.set(name, "");
      for (const [column, value] of columns) cells.set(`${name}.${column}`, valueText(value));
    });
  }
  return cells;
}

function keyText(row: Row, key: readonly string[]): string {
  return key.map((column) => String(row[column] ?? null)).join(",");
}

/** A value as SQL writes it. */
export function valueText(value: Value): string {
  if (value === null) return "NULL";
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** "a", "a and b", "a, b and c". */
export function listWords(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1] ?? ""}`;
}
