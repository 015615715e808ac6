// A recorded statement: its text with the literals taken out, its values with what may be secret made unreadable, and
// where in the application it comes from. This is all that a recording keeps.
import { createHmac, randomBytes } from "node:crypto";
import type { Protocol, StatementEvent, Value } from "./events";
import { literalValue, piecesOf } from "./pieces";
import { siteOf, type CallSite } from "./sites";

export type StatementKind =
  | "begin"
  | "commit"
  | "rollback"
  | "savepoint"
  | "release"
  | "rollbackTo"
  | "read"
  | "write"
  | "session"
  | "ddl";

/** How an argument was written: a parameter of a prepared statement, or a literal of the text. */
export type ArgumentForm = "parameter" | "number" | "text";

export interface RecordedStatement extends Omit<StatementEvent, "sql"> {
  /** The text with `$1`, `$2`, ... for all literals and parameters, in their order. */
  readonly text: string;
  readonly kind: StatementKind;
  readonly forms: readonly ArgumentForm[];
  readonly site?: CallSite;
  /** The number of the run of the tests with changed answers that it is of. */
  readonly rerun?: number;
  /** The fewest and the most rows that it had in the rounds of a loop, of which it is the one that is followed. */
  readonly inRounds?: RowRange;
  /** Its answer was changed. */
  readonly isPerturbed?: boolean;
}

/** Numbers of rows that were read or changed. */
export interface RowRange {
  readonly least: number;
  readonly most: number;
}

/** The words that stand for texts in a recording; the texts themselves never leave the process. */
export interface Glossary {
  /** The key of the words: without it, nobody can look whether a text of theirs is among those of a recording. */
  readonly key: string;
  /** Texts by their words. */
  readonly texts: Map<string, string>;
}

/** A glossary without a word yet; the key is that of the recording which goes on, else a fresh one. */
export function newGlossary(key = randomBytes(16).toString("hex")): Glossary {
  return { key, texts: new Map() };
}

/** Conceals the texts of an event. Equal texts become equal words, which the glossary explains. */
export function recordedStatement(
  event: StatementEvent,
  protocol: Protocol,
  glossary: Glossary,
): RecordedStatement {
  const { sql, arguments: given, ...rest } = event;
  const { text, values, forms, comments } = template(sql, protocol, given);
  const site = siteOf(comments);
  if (DDL.test(text))
    return {
      ...rest,
      text: isDefinition(text) ? withoutComments(sql, protocol) : text,
      kind: "ddl",
      arguments: [],
      forms: [],
      rows: [],
    };
  const hidden = (value: Value): Value => concealed(value, glossary);
  return {
    ...rest,
    text,
    kind: kindOf(text),
    arguments: values.map(hidden),
    forms,
    rows: event.rows.map((row) => row.map(hidden)),
    ...(site && { site }),
  };
}

/** The text of a statement as recordings have it, and where it comes from. */
export function textAndSite(
  sql: string,
  protocol: Protocol,
): { readonly text: string; readonly site: CallSite | undefined } {
  const { text, comments } = template(sql, protocol, []);
  return { text, site: siteOf(comments) };
}

const DDL = /^(?:create|alter|drop|truncate|comment|grant|revoke|rename)\b/i;

const DEFINITION =
  /^(?:(?:drop|truncate|rename)\b|(create|alter)(?: or replace| temp| temporary| global| local| unlogged| unique| fulltext| spatial| materialized| recursive| constraint| aggregate| definer ?= ?[^\s@]+(?: ?@ ?[^\s@]+)?| algorithm ?= ?\w+| sql security \w+)* (table|type|index|domain|sequence|view|function|procedure|trigger)\b)/i;

/**
 * True if a DDL text says what tables and routines are: its literals are defaults and lengths, and stay. Those of roles,
 * servers and rows that fill a new table may be secret.
 */
export function isDefinition(text: string): boolean {
  const [found, verb = "", kind = ""] = DEFINITION.exec(text) ?? [];
  if (found === undefined) return false;
  return !/^table$/i.test(kind) || !hasRowsOrLogin(text, /^create$/i.test(verb));
}

/** True if a table is filled by a query, or names the login of another server. */
function hasRowsOrLogin(text: string, isNew: boolean): boolean {
  let depth = 0;
  for (const [word] of text.matchAll(/"[^"]*"|`[^`]*`|'[^']*'|[()]|\w+/g)) {
    if (isNew && /^select$/i.test(word)) return true;
    if (word === "(") depth++;
    else if (word === ")") depth--;
    else if (depth > 0) continue;
    else if (/^(?:connection|password)$/i.test(word) || (isNew && /^as$/i.test(word))) return true;
  }
  return false;
}

function withoutComments(sql: string, protocol: Protocol): string {
  let text = "";
  let at = 0;
  for (const { kind, text: own } of piecesOf(sql, protocol)) {
    const here = sql.indexOf(own, at);
    text += sql.slice(at, here) + (kind === "comment" ? " " : own);
    at = here + own.length;
  }
  return text.replace(/;\s*$/, "").trim();
}

interface Template {
  readonly text: string;
  readonly values: readonly Value[];
  readonly forms: readonly ArgumentForm[];
  readonly comments: readonly string[];
}

/** A text without its literals: each value is a literal's, or the number of a parameter. */
interface Shape extends Omit<Template, "values"> {
  readonly values: readonly (Value | { readonly parameter: number })[];
}

function template(sql: string, protocol: Protocol, given: readonly Value[]): Template {
  const { body, comment } = withoutLastComment(sql);
  const { values, comments, ...shape } = shapes.of(`${protocol} ${body}`, () =>
    shapeOf(body, protocol),
  );
  return {
    ...shape,
    values: values.map((each) =>
      typeof each === "object" && each !== null ? (given[each.parameter] ?? null) : each,
    ),
    comments: comment === undefined ? comments : [...comments, comment],
  };
}

/** Hooks write a place and a number of the call behind a text that is always the same. */
function withoutLastComment(sql: string): { readonly body: string; readonly comment?: string } {
  const start = sql.endsWith("*/") ? sql.lastIndexOf("/*isolens:") : -1;
  return start < 0 ? { body: sql } : { body: sql.slice(0, start), comment: sql.slice(start) };
}

/** Applications send the same texts again and again. */
const shapes = recentResults<Shape>();

const MOST_SHAPES = 2000;
const LONGEST_SHAPE = 10_000;

/** Results by key, up to a number of them; long keys are not kept. */
function recentResults<T>(): { readonly of: (key: string, make: () => T) => T } {
  const known = new Map<string, T>();
  return {
    of(key, make) {
      const before = known.get(key);
      if (before !== undefined) return before;
      const made = make();
      if (known.size >= MOST_SHAPES) known.clear();
      if (key.length <= LONGEST_SHAPE) known.set(key, made);
      return made;
    },
  };
}

function shapeOf(sql: string, protocol: Protocol): Shape {
  const values: Shape["values"][number][] = [];
  const forms: ArgumentForm[] = [];
  const comments: string[] = [];
  const parts: string[] = [];
  // The end of the text so far is all that the patterns look at.
  let tail = "";
  let at = 0;
  let asked = 0;
  const add = (part: string): void => {
    parts.push(part);
    tail = (tail + part).slice(-TAIL);
  };
  const hole = (value: Shape["values"][number], form: ArgumentForm): string => {
    values.push(value);
    forms.push(form);
    return `$${String(values.length)}`;
  };
  for (const piece of piecesOf(sql, protocol)) {
    const here = sql.indexOf(piece.text, at);
    const space = here > at ? " " : "";
    at = here + piece.text.length;
    if (piece.kind === "comment") {
      comments.push(piece.text);
      if (!tail.endsWith(" ")) add(" ");
    } else if (piece.kind === "placeholder") {
      const number = piece.text === "?" ? asked++ : Number(piece.text.slice(1)) - 1;
      add(space + hole({ parameter: number }, "parameter"));
    } else if (piece.kind === "number" && SIGN.test(tail)) {
      parts.push((parts.pop() ?? "").slice(0, -1));
      tail = tail.slice(0, -1);
      add(hole(`-${piece.text}`, "number"));
    } else if (piece.kind === "number" || (piece.kind === "string" && !isTypeOf(tail))) {
      const form = piece.kind === "number" ? "number" : "text";
      add(space + hole(literalValue(piece, protocol), form));
    } else {
      add(space + piece.text);
    }
  }
  const plain = parts.join("").replace(/\s+/g, " ").trim().replace(/;$/, "").trim();
  return { text: plain, values, forms, comments };
}

/** Characters that the longest word before a literal has, with the signs around it. */
const TAIL = 24;

/** A minus that belongs to the number behind it: nothing stands before it that it could be subtracted from. */
const SIGN = /(?:[=(,<>+*/|]|\b(?:then|else|values|set|and|or|between|select|returning))\s*-$/i;

/** `INTERVAL '1 day'` is one literal whose parts belong together. */
function isTypeOf(before: string): boolean {
  return /\b(?:interval|date|time|timestamp|timestamptz)\s*$/i.test(before);
}

/** Longer numbers may be those of cards and accounts. */
const READABLE =
  /^(?:-?(?:\d{1,15}(?:\.\d{1,12})?|\.\d{1,12})(?:e[+-]?\d{1,3})?|t|f|true|false|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d(?::?\d\d)?)?)?|read[ -](?:un)?committed|repeatable[ -]read|serializable)$/i;

/** The digits of binary fractions say nothing of their own. */
const FRACTION = /^-?\d{0,12}\.\d{4,}$/;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$|^-?0[xb][\da-f]+$/i;

/** Numbers, Booleans, moments and levels stay; another value becomes a word that is the same for the same value. */
function concealed(value: Value, glossary: Glossary): Value {
  if (value === null || value === "" || READABLE.test(value)) return value;
  if (FRACTION.test(value)) return String(Number(Number(value).toPrecision(15)));
  const { key, texts } = glossary;
  const word = words.of(key + value, () => wordOf(value, key));
  if (value.length <= LONGEST_SHOWN && texts.size < MOST_WORDS) texts.set(word, value);
  return word;
}

const words = recentResults<string>();

function wordOf(value: string, key: string): string {
  const kind = NUMBER.test(value) ? CONCEALED_NUMBER : CONCEALED_PREFIX;
  return `${kind}${createHmac("sha256", key).update(value).digest("hex").slice(0, 16)}`;
}

/** Texts that are longer, or come after so many others, are not kept to be shown. */
const LONGEST_SHOWN = 1000;
const MOST_WORDS = 100_000;

/** How the word for a concealed text begins. */
export const CONCEALED_PREFIX = "text:";
/** That for a concealed number: it can stand in no SQL. */
export const CONCEALED_NUMBER = "number:";

/** The text with its words numbered as they come, which tells nothing and is the same for each recording of the same. */
export function numberedWords(): (text: string) => string {
  const numbers = new Map<string, string>();
  return (text) =>
    text.replace(WORD, (word, kind: string) => {
      const own = numbers.get(word) ?? `${kind}:${String(numbers.size + 1)}`;
      numbers.set(word, own);
      return own;
    });
}

const WORD = /\b(text|number):[\da-f]{16}\b/g;

const SESSION =
  /^(?:set|show|reset|discard|deallocate|listen|unlisten|notify|use|explain|analyze|vacuum|prepare|close|fetch|declare|kill|flush|describe|desc)\b|^select (?:(?:version|current_database|current_schema|database|pg_(?!(?:try_)?advisory_)[a-z_]+|set_config|current_setting|connection_id) ?\(|current_schema\b|@@)|\b(?:pg_catalog|information_schema|pg_class|pg_type|pg_attribute|pg_namespace)\b/i;

const KINDS: readonly (readonly [RegExp, StatementKind])[] = [
  [/^(?:begin|start transaction)\b/i, "begin"],
  [/^(?:commit|end)\b/i, "commit"],
  [/^rollback(?: work| transaction)? to\b/i, "rollbackTo"],
  [/^(?:rollback|abort)\b/i, "rollback"],
  [/^savepoint\b/i, "savepoint"],
  [/^release\b/i, "release"],
  [/^select (?:pg_catalog\.)?pg_(?:try_)?advisory_\w+ ?\(/i, "read"],
  [SESSION, "session"],
];

/** The kind of a statement by its text without literals. */
export function kindOf(text: string): StatementKind {
  const kind = KINDS.find(([pattern]) => pattern.test(text))?.[1];
  return kind ?? (isRead(text) ? "read" : "write");
}

/** Names, parentheses, and the verbs that say what a statement does. */
const VERBS =
  /"[^"]*"|`[^`]*`|[()]|\b(?:select|table|values|insert|update|delete|merge|replace)\b/gi;
const READS = /^(?:select|table|values)$/i;
const CHANGES_INSIDE = /[()] ?(?:insert into|update (?:only )?["`\w]|delete from|merge into)/i;

/** True if neither the statement nor a part of its WITH changes anything. */
function isRead(text: string): boolean {
  const body = text.replace(/^[( ]+/, "");
  if (READS.test(/^\w+/.exec(body)?.[0] ?? "")) return true;
  if (!/^with\b/i.test(body) || CHANGES_INSIDE.test(body)) return false;
  let depth = 0;
  for (const [word] of body.matchAll(VERBS)) {
    if (word === "(") depth++;
    else if (word === ")") depth--;
    else if (depth === 0 && /^\w/.test(word)) return READS.test(word);
  }
  return true;
}
