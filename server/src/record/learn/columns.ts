// The columns of a result as a script may name them: an item of the select list whose name is none, or that another one
// has as well, gets a name of its own.
import { piecesOf } from "../pieces";
import type { Protocol } from "../events";

export interface NamedColumns {
  readonly sql: string;
  /** Undefined where the text gives no way to name it. */
  readonly names: readonly (string | undefined)[];
}

const NAME = /^[a-z_]\w*$/i;

/** Linear in the length of the text. */
export function resultColumns(
  sql: string,
  columns: readonly string[],
  protocol: Protocol,
): NamedColumns {
  const isPlain = (name: string, at: number): boolean =>
    NAME.test(name) && columns.indexOf(name) === at;
  if (columns.every(isPlain)) return { sql, names: columns };
  const ends = itemEnds(sql, protocol);
  if (ends.length !== columns.length)
    return { sql, names: columns.map((name, at) => (isPlain(name, at) ? name : undefined)) };
  const names = columns.map((name, at) => {
    if (isPlain(name, at)) return name;
    const own = name
      .toLowerCase()
      .replace(/\W+/g, "_")
      .replace(/^_+|_+$/g, "");
    return `${own === "" ? "value" : own}_${String(at + 1)}`;
  });
  let named = sql;
  for (let at = ends.length - 1; at >= 0; at--) {
    const item = ends[at];
    if (item === undefined || isPlain(columns[at] ?? "", at)) continue;
    // A name that it has already is replaced.
    const text = named.slice(item.start, item.end).replace(/\s+as\s+\S+$/i, "");
    named = `${named.slice(0, item.start)}${text} AS ${names[at] ?? ""}${named.slice(item.end)}`;
  }
  return { sql: named, names };
}

/** The items between SELECT and FROM, or behind RETURNING. */
function itemEnds(
  sql: string,
  protocol: Protocol,
): readonly { readonly start: number; readonly end: number }[] {
  const items: { start: number; end: number }[] = [];
  let depth = 0;
  let start: number | undefined;
  let at = 0;
  let end = 0;
  for (const { kind, text } of piecesOf(sql, protocol)) {
    const here = sql.indexOf(text, at);
    at = here + text.length;
    const word = kind === "word" ? text.toLowerCase() : text;
    if (start === undefined) {
      if (word === "returning" || word === "select") start = at;
      continue;
    }
    if (word === "(") depth++;
    if (word === ")") depth--;
    if (word === "*" && end === 0) return [];
    const isLast = depth === 0 && (word === "from" || word === "for" || word === "limit");
    if (depth === 0 && (word === "," || isLast)) {
      items.push({ start: start + (/^\s*/.exec(sql.slice(start))?.[0].length ?? 0), end });
      if (isLast) return items;
      start = at;
    }
    if (text === "distinct" && items.length === 0) start = at;
    end = at;
  }
  if (start !== undefined)
    items.push({ start: start + (/^\s*/.exec(sql.slice(start))?.[0].length ?? 0), end });
  return items;
}
