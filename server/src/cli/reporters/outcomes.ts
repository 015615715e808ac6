// Outcomes of runs in a few words: only their differences.
import { ownEntry } from "../../protocol/dictionary";
import type { Anomaly } from "../../protocol/report";
import {
  areClockTimes,
  isClockTime,
  shownText,
  type Outcome,
  type Row,
  type Value,
} from "../../protocol/witness";

/** The primary key of a table, to name its rows; undefined if unknown. */
export type KeyOf = (table: string) => readonly string[] | undefined;

export interface OutcomeTexts {
  readonly here: string;
  /** Orders with the same outcome, shown together. */
  readonly serial: readonly string[];
}

/** The outcome of the witness and those of every serial order. */
export function outcomeTexts(anomaly: Anomaly, keyOf: KeyOf): OutcomeTexts {
  const outcomes = [anomaly.witness.outcome, ...anomaly.serial.map((each) => each.outcome)];
  const cells = outcomes.map((outcome) => cellsOf(outcome, keyOf));
  const facts = tellingFacts(cells);
  const texts = outcomes.map((outcome, n) =>
    outcomeText(outcome, cells[n] ?? new Map<string, string>(), {
      facts,
      all: outcomes,
      // If the state alone distinguishes the runs, returned values would only distract.
      returns: facts.length === 0 || anomaly.severity !== "state",
    }),
  );
  const [here = "", ...serial] = texts;
  const groups = new Map<string, string[]>();
  anomaly.serial.forEach((each, n) => {
    const text = serial[n] ?? "";
    groups.set(text, [...(groups.get(text) ?? []), each.order.join(" then ")]);
  });
  const all = anomaly.serial.length > 2 ? "any order" : "either order";
  const named = (orders: readonly string[]): string =>
    groups.size === 1 && orders.length > 1 ? all : orders.join(" or ");
  return { here, serial: [...groups].map(([text, orders]) => `${named(orders)} ${text}`) };
}

const GONE = "no row";
const MOST_FACTS = 4;
const MOST_COLUMNS = 3;

/** A cell of a row in all outcomes, or a row that only some of them have. */
interface Fact {
  readonly kind: "cell" | "row";
  readonly name: string;
}

interface Compared {
  /** Facts that differ between outcomes. */
  readonly facts: readonly Fact[];
  readonly all: readonly Outcome[];
  readonly returns: boolean;
}

type Cells = ReadonlyMap<string, string>;

/** Distinguishing facts: first those that no serial outcome has; clock times only if there is nothing else. */
function tellingFacts(outcomes: readonly Cells[]): readonly Fact[] {
  const names = [...new Set(outcomes.flatMap((each) => [...each.keys()]))].filter(
    (name) => new Set(outcomes.map((each) => each.get(name) ?? GONE)).size > 1,
  );
  const facts = new Map<string, Fact & { readonly isOdd: boolean }>();
  const times: Fact[] = [];
  const [here, ...serial] = outcomes;
  for (const name of names) {
    const row = rowOf(name);
    if (!outcomes.every((each) => hasRow(each, row))) {
      facts.set(row, { kind: "row", name: row, isOdd: false });
    } else if (areClockTimes(outcomes.map((each) => each.get(name)))) {
      times.push({ kind: "cell", name });
    } else {
      const isOdd = serial.every((each) => each.get(name) !== here?.get(name));
      facts.set(name, { kind: "cell", name, isOdd });
    }
  }
  const told = [...facts.values()];
  if (told.length === 0) return times;
  return [...told.filter(({ isOdd }) => isOdd), ...told.filter(({ isOdd }) => !isOdd)];
}

function factText({ kind, name }: Fact, cells: Cells): string {
  if (kind === "cell") return `${name} = ${cells.get(name) ?? ""}`;
  if (!hasRow(cells, name)) return `no ${name}`;
  const columns = [...cells].flatMap(([cell, value]) =>
    rowOf(cell) === name && value !== "" && value !== "NULL" && !isClockTime(value)
      ? [`${cell.slice(name.length + 1)} ${value}`]
      : [],
  );
  return columns.length > 0 ? `${name} (${columns.slice(0, MOST_COLUMNS).join(", ")})` : name;
}

function outcomeText(outcome: Outcome, cells: Cells, { facts, all, returns }: Compared): string {
  const told = facts.map((fact) => factText(fact, cells));
  const left = told.slice(0, MOST_FACTS);
  if (told.length > MOST_FACTS) left.push(`${String(told.length - MOST_FACTS)} more`);
  const parts = left.length > 0 ? [`leaves ${listWords(left)}`] : [];
  for (const [instance, status] of Object.entries(outcome.status)) {
    if (status !== "committed") parts.push(`refuses ${instance}`);
  }
  for (const [instance, returned] of Object.entries(outcome.returned)) {
    if (!returns || ownEntry(outcome.status, instance) !== "committed") continue;
    const shown = returned.flatMap((text, n) => {
      const others = all.flatMap((each) => ownEntry(each.returned, instance)?.[n] ?? "");
      const isTelling = text !== "" && others.some((other) => other !== text);
      return isTelling ? [shownText(differingFields(text, others))] : [];
    });
    if (shown.length > 0)
      parts.push(`returns ${listWords(shown.slice(0, MOST_FACTS))} to ${instance}`);
  }
  return parts.length > 0 ? parts.join(", and ") : "ends the same";
}

/** Rows with more fields are reduced to those that differ. */
const MOST_FIELDS = 4;

/** The fields of a row ("id = 1, state = open, ...") that differ between runs that return such rows. */
function differingFields(text: string, others: readonly string[]): string {
  const fields = text.split(", ");
  if (fields.length <= MOST_FIELDS) return text;
  const rows = others
    .map((other) => other.split(", "))
    .filter(({ length }) => length === fields.length);
  const differing = fields.filter((field, n) => rows.some((row) => row[n] !== field));
  const told = (differing.length > 0 ? differing : fields).slice(0, MOST_FIELDS - 1);
  return `${told.join(", ")} (and ${String(fields.length - told.length)} more)`;
}

/** "account[1]" of "account[1].balance". */
function rowOf(cell: string): string {
  return cell.slice(0, cell.lastIndexOf("]") + 1);
}

/** True if any cell of the row exists. */
function hasRow(cells: Cells, row: string): boolean {
  return [...cells.keys()].some((each) => rowOf(each) === row);
}

/** Cells by name, "account[1].balance"; a row without further columns is a cell with the text "". */
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
  return shownText(key.map((column) => String(ownEntry(row, column) ?? null)).join(","));
}

/** A value as SQL writes it. */
export function valueText(value: Value): string {
  if (value === null) return "NULL";
  return typeof value === "string" ? `'${shownText(value).replaceAll("'", "''")}'` : String(value);
}

/** "a", "a and b", "a, b and c". */
export function listWords(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1] ?? ""}`;
}
