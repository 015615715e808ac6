// The columns of a result as a script may name them: an item of the select list whose name is none, or that another one
// has as well, gets a name of its own.
import { piecesOf } from "../pieces";
import type { Protocol } from "../events";

export interface NamedColumns {
  readonly sql: string;
  /** Undefined where the text gives no way to name it. */
  readonly names: readonly (string | undefined)[];
  /** The table's column behind each, where the text names one: its own name may be another (`t.version AS t_version`). */
  readonly sources: readonly (string | undefined)[];
}

const NAME = /^[a-z_]\w*$/i;
const SOURCE = /^(?:(?:\w+|"[^"]*"|`[^`]*`)\.)*(?:(\w+)|"([^"]*)"|`([^`]*)`)$/;
const OWN_NAME = /\s+as\s+(?:"[^"]*"|`[^`]*`|\S+)$/i;

/** Linear in the length of the text. */
export function resultColumns(
  sql: string,
  columns: readonly string[],
  protocol: Protocol,
): NamedColumns {
  const isPlain = (name: string, at: number): boolean =>
    NAME.test(name) && columns.indexOf(name) === at;
  const ends = itemEnds(sql, protocol);
  if (ends.length !== columns.length) {
    const names = columns.map((name, at) => (isPlain(name, at) ? name : undefined));
    return { sql, names, sources: names };
  }
  const sources = ends.map(({ start, end }, at) => {
    const text = withoutName(sql.slice(start, end), columns[at] ?? "");
    return (
      SOURCE.exec(text)
        ?.slice(1)
        .find((each) => each !== undefined) ?? columns[at]
    );
  });
  if (columns.every(isPlain)) return { sql, names: columns, sources };
  const names = columns.map((name, at) => {
    if (isPlain(name, at)) return name;
    const own = name
      .toLowerCase()
      .replace(/\W+/g, "_")
      .replace(/^_+|_+$/g, "");
    return `${/^[a-z_]/.test(own) ? own : `value${own}`}_${String(at + 1)}`;
  });
  let named = sql;
  for (let at = ends.length - 1; at >= 0; at--) {
    const item = ends[at];
    if (item === undefined || isPlain(columns[at] ?? "", at)) continue;
    // A name that it has already is replaced.
    const text = withoutName(named.slice(item.start, item.end), columns[at] ?? "");
    named = `${named.slice(0, item.start)}${text} AS ${names[at] ?? ""}${named.slice(item.end)}`;
  }
  return { sql: named, names, sources };
}

/** The item without the name that its column has in the result, with AS or without. */
function withoutName(item: string, column: string): string {
  const bare = item.replace(OWN_NAME, "");
  if (bare !== item) return bare;
  const [written = "", quoted, plain] = /\s+(?:["`]([^"`]*)["`]|([a-z_]\w*))$/i.exec(item) ?? [];
  const isName = quoted === column || plain?.toLowerCase() === column.toLowerCase();
  return written !== "" && isName ? item.slice(0, -written.length) : item;
}

/** The items between SELECT and FROM, or behind RETURNING; none where a star stands for some. */
function itemEnds(sql: string, protocol: Protocol): readonly Item[] {
  const words = wordsOf(sql, protocol);
  const isAt = (word: string): number =>
    words.findIndex(({ text, depth }) => text === word && depth === 0);
  // A part of WITH, or the rows that are inserted, are not the result's.
  const first = isAt("returning") < 0 ? isAt("select") : isAt("returning");
  const items: Item[] = [];
  let start: number | undefined;
  let end = 0;
  for (const { text, depth, from, to } of first < 0 ? [] : words.slice(first + 1)) {
    const isLast = depth < 0 || (depth === 0 && LIST_ENDS.has(text));
    if (isLast) break;
    if (start !== undefined && depth === 0 && text === ",") {
      items.push({ start, end });
      start = undefined;
      continue;
    }
    if (text === "*" && (start === undefined || sql[end - 1] === ".")) return [];
    start ??= from;
    // DISTINCT is of no item.
    if (text === "distinct" && items.length === 0) start = undefined;
    end = to;
  }
  return start === undefined ? items : [...items, { start, end }];
}

interface Item {
  readonly start: number;
  readonly end: number;
}

const LIST_ENDS: ReadonlySet<string> = new Set(
  "from into where group having union intersect except order limit offset fetch for window".split(
    " ",
  ),
);

interface Word {
  readonly text: string;
  /** How many parentheses stand around it, beside those around the whole statement. */
  readonly depth: number;
  readonly from: number;
  readonly to: number;
}

function wordsOf(sql: string, protocol: Protocol): readonly Word[] {
  const words: Word[] = [];
  let depth = -(/^[(\s]*/.exec(sql)?.[0].replace(/\s/g, "").length ?? 0);
  let at = 0;
  for (const { kind, text } of piecesOf(sql, protocol)) {
    const from = sql.indexOf(text, at);
    at = from + text.length;
    if (text === ")") depth--;
    words.push({ text: kind === "word" ? text.toLowerCase() : text, depth, from, to: at });
    if (text === "(") depth++;
  }
  return words;
}
