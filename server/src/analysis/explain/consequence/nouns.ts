// Tables, rows, columns and values as people call them: "two bookings for room 63 on 2025-01-01".
import { ownEntry } from "../../../protocol/dictionary";
import { isTerm, shownText, type Row, type Value } from "../../../protocol/witness";

/** "team member" of `team_members`, `TeamMember` or `"team_members (PostgreSQL)"`. */
export function singular(table: string): string {
  const words = plainWords(table.replace(/ \([^()]*\)$/u, "").replace(/^.*\./u, ""));
  return words
    .replace(/ies$/u, "y")
    .replace(/(ss|sh|ch|x|zz)es$/u, "$1")
    .replace(/([^sui])s$/u, "$1");
}

/** "team members". */
export function plural(table: string): string {
  const one = singular(table);
  if (/[^aeiou]y$/u.test(one)) return one.replace(/y$/u, "ies");
  return /(?:s|sh|ch|x|z)$/u.test(one) ? `${one}es` : `${one}s`;
}

/** "due date" of `dueDate` or `due_date`. */
export function plainWords(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/[_\s]+/gu, " ")
    .trim()
    .toLowerCase();
}

/** "account 1", "enrolment (1, 2)", "the account" where it has no key. */
export function rowName(table: string, row: Row, key: readonly string[]): string {
  const values = key.map((column) => bareText(ownEntry(row, column) ?? null));
  if (values.length === 0) return `the ${singular(table)}`;
  return `${singular(table)} ${values.length === 1 ? (values[0] ?? "") : `(${values.join(", ")})`}`;
}

/** The limit for user texts: it is enough to see that they differ. */
const LONGEST = 32;

/** A value in a sentence: 63, 2025-01-01, 'shipped', "no value" for NULL. */
export function plainValue(value: Value): string {
  if (value === null) return "no value";
  if (typeof value !== "string") return String(value);
  const shown = bareText(value);
  return /^[-\d.:T Z+]+$/u.test(shown) || shown.startsWith("\u2026") ? shown : `'${shown}'`;
}

function bareText(value: Value): string {
  const shown = shownText(String(value));
  const day = shown.replace(/(^\d{4}-\d\d-\d\d)[T ]00:00:00(?:\.0+)?(?:Z|\+00(?::?00)?)?$/u, "$1");
  return day.length > LONGEST ? `${day.slice(0, LONGEST)}\u2026` : day;
}

/** "for room 63 and user 2 on 2025-01-01 with kind 'single'": the values that rows have in common. */
export function sharedText(row: Row, columns: readonly string[]): string {
  const parts = columns.map((column) => {
    const own = ownEntry(row, column) ?? null;
    if (isTerm(own)) return { word: "with", text: `the same ${plainWords(column)}` };
    const value = plainValue(own);
    const id = /^(.+?)[ _]?id$/iu.exec(plainWords(column))?.[1];
    if (id !== undefined) return { word: "for", text: `${id} ${value}` };
    if (/^\d{4}-\d\d-\d\d/u.test(value)) return { word: "on", text: value };
    const isNumbered =
      typeof ownEntry(row, column) === "number" && !/number|no$|nr$|seq/iu.test(column);
    return { word: isNumbered ? "for" : "with", text: `${plainWords(column)} ${value}` };
  });
  return ["for", "on", "with"]
    .flatMap((word) => {
      const own = parts.filter((part) => part.word === word).map(({ text }) => text);
      return own.length === 0 ? [] : [`${word} ${own.join(" and ")}`];
    })
    .join(" ");
}

const NUMBERS = ["no", "one", "two", "three", "four", "five"];

/** A number of rows without their table: "one", "12", "none". */
export function numberText(count: number): string {
  return count === 0 ? "none" : (NUMBERS[count] ?? String(count));
}

/** "two bookings", "one booking", "no booking", "12 bookings". */
export function countText(count: number, table: string): string {
  const word = NUMBERS[count] ?? String(count);
  return `${word} ${count < 2 ? singular(table) : plural(table)}`;
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
