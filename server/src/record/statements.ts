// A recorded statement: its text with the literals taken out, its values with what may be secret made unreadable, and
// where in the application it comes from. This is all that a recording keeps.
import { createHmac } from "node:crypto";
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
}

/** The words that stand for texts in a recording, with the texts themselves; it never leaves the process. */
export type Glossary = Map<string, string>;

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
      text: withoutComments(sql, protocol),
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

/** DDL stays as it is: its literals are defaults and lengths. */
const DDL = /^(?:create|alter|drop|truncate|comment|grant|revoke|rename)\b/i;

function withoutComments(sql: string, protocol: Protocol): string {
  let text = sql;
  for (const { kind, text: own } of piecesOf(sql, protocol))
    if (kind === "comment") text = text.replace(own, " ");
  return text.replace(/;\s*$/, "").trim();
}

interface Template {
  readonly text: string;
  readonly values: readonly Value[];
  readonly forms: readonly ArgumentForm[];
  readonly comments: readonly string[];
}

function template(sql: string, protocol: Protocol, given: readonly Value[]): Template {
  const values: Value[] = [];
  const forms: ArgumentForm[] = [];
  const comments: string[] = [];
  let text = "";
  let at = 0;
  let asked = 0;
  const hole = (value: Value, form: ArgumentForm): string => {
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
      text += " ";
    } else if (piece.kind === "placeholder") {
      const number = piece.text === "?" ? asked++ : Number(piece.text.slice(1)) - 1;
      text += space + hole(given[number] ?? null, "parameter");
    } else if (piece.kind === "number" && SIGN.test(text)) {
      text = text.slice(0, -1) + hole(`-${piece.text}`, "number");
    } else if (piece.kind === "number" || (piece.kind === "string" && !isTypeOf(text))) {
      text +=
        space + hole(literalValue(piece, protocol), piece.kind === "number" ? "number" : "text");
    } else {
      text += space + piece.text;
    }
  }
  const plain = text.replace(/\s+/g, " ").trim().replace(/;$/, "").trim();
  return { text: plain, values, forms, comments };
}

/** A minus that belongs to the number behind it: nothing stands before it that it could be subtracted from. */
const SIGN = /(?:[=(,<>+*/|]|\b(?:then|else|values|set|and|or|between|select|returning))\s*-$/i;

/** `INTERVAL '1 day'` is one literal whose parts belong together. */
function isTypeOf(before: string): boolean {
  return /\b(?:interval|date|time|timestamp|timestamptz)\s*$/i.test(before);
}

/** Longer numbers may be those of cards and accounts. */
const READABLE =
  /^(?:-?\d{1,15}(?:\.\d{1,12})?|t|f|true|false|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d(?::?\d\d)?)?)?)$/;

/** Numbers, Booleans and moments stay; another text becomes a word that is the same for the same text. */
function concealed(value: Value, glossary: Glossary): Value {
  if (value === null || value === "" || READABLE.test(value)) return value;
  const word = `${CONCEALED}${createHmac("sha256", "isolens").update(value).digest("hex").slice(0, 16)}`;
  glossary.set(word, value);
  return word;
}

/** How the word for a concealed text begins. */
export const CONCEALED = "text:";

const SESSION =
  /^(?:set|show|reset|discard|deallocate|listen|unlisten|notify|use|explain|analyze|vacuum|prepare|close|fetch|declare|kill|flush|describe|desc)\b|^select (?:(?:version|current_database|current_schema|database|pg_[a-z_]+|set_config|connection_id) ?\(|current_schema\b|@@)|\b(?:pg_catalog|information_schema|pg_class|pg_type|pg_attribute|pg_namespace)\b/i;

const KINDS: readonly (readonly [RegExp, StatementKind])[] = [
  [/^(?:begin|start transaction)\b/i, "begin"],
  [/^(?:commit|end)\b/i, "commit"],
  [/^rollback(?: work| transaction)? to\b/i, "rollbackTo"],
  [/^(?:rollback|abort)\b/i, "rollback"],
  [/^savepoint\b/i, "savepoint"],
  [/^release\b/i, "release"],
  [SESSION, "session"],
  [
    /^(?:select|table|values|with)\b(?!.*\b(?:insert into|update|delete from)\b.*\breturning\b)/i,
    "read",
  ],
];

function kindOf(text: string): StatementKind {
  return KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? "write";
}
