// Differently written texts that are equal in MySQL and MariaDB: collations ignore case, accents and trailing spaces by default. Elsewhere
// equality is identity. Only literals need care: any other text may be the one that it equals anyway.
import type { Dialect } from "../../program/dialect";
import type { Taint } from "../../program/precision";
import type { Transaction } from "../../program/program";
import type { Column, Table } from "../../program/schema";
import type { Command, Statement } from "../../program/statement";
import type { SourceRange } from "../../protocol/source";
import { inStatements } from "./dialectDetection/replaceStatements";
import { walkCommand } from "./walk";

/**
 * The transactions with one spelling for literals that are certainly equal, and a loss for literals that may equal another. Unchanged ones
 * are returned as they are. Linear in their text.
 */
export function withEqualTexts(
  transactions: readonly Transaction[],
  tables: readonly Table[],
  dialect: Dialect,
): readonly Transaction[] {
  if (dialect !== "mysql" && dialect !== "mariadb") return transactions;
  const classes = classesOf(transactions.flatMap(({ body }) => textsIn(body)));
  if (classes.size === 0) return transactions;
  const byName = new Map(tables.map((each) => [each.name, each] as const));
  return transactions.map((transaction) => spelledAlike(transaction, { classes, byName, dialect }));
}

interface Equal {
  /** The spellings that a literal may equal, the first one first, by each of them. */
  readonly classes: ReadonlyMap<string, readonly string[]>;
  readonly byName: ReadonlyMap<string, Table>;
  readonly dialect: Dialect;
}

function spelledAlike(transaction: Transaction, equal: Equal): Transaction {
  const losses: Taint[] = [];
  const isOne = transaction.boundary !== "unit";
  const spell = (statement: Statement): readonly Command[] | undefined => {
    const texts = textsIn(statement).filter((each) => equal.classes.has(each));
    if (texts.length === 0 || !comparesLetters(statement, equal)) return undefined;
    const { source, taint } = statement;
    const loss = lossOf(texts, equal, source);
    const alike = replaced(statement, equal);
    return [{ kind: "statement", statement: { ...alike, taint: [...taint, loss] } }];
  };
  const body = inStatements(transaction.body, spell, isOne);
  const outside = textsIn(withoutStatements(transaction.body)).filter((each) =>
    equal.classes.has(each),
  );
  if (outside.length > 0) losses.push(lossOf(outside, equal, transaction.header));
  if (body === transaction.body && losses.length === 0) return transaction;
  return { ...transaction, body, taint: [...transaction.taint, ...losses] };
}

function lossOf(texts: readonly string[], { classes }: Equal, source: SourceRange): Taint {
  const [first = ""] = texts;
  const all = (classes.get(first) ?? []).map((each) => `'${each}'`).join(" and ");
  return { effect: "over", reason: `${all}, which may be equal to the server`, source };
}

/** True if the statement names a column with a non-binary collation. */
function comparesLetters(statement: Statement, { byName }: Equal): boolean {
  const tables = new Set<string>();
  walkCommand(
    { kind: "statement", statement },
    {
      relation: ({ table }) => tables.add(table),
      assignment: (table) => tables.add(table),
    },
  );
  const isOfLetters = ({ type, isBytewise }: Column): boolean =>
    (type === "text" || type === "other") && isBytewise !== true;
  return [...tables].some((name) => byName.get(name)?.columns.some(isOfLetters) ?? true);
}

/** The statement with the first spelling of each literal that equals others under every collation. */
function replaced(statement: Statement, { classes, dialect }: Equal): Statement {
  const first = (text: string): string =>
    (classes.get(text) ?? []).find((each) => surely(each, dialect) === surely(text, dialect)) ??
    text;
  // Only literals change, and keep their types.
  return mapTexts(statement, first) as Statement;
}

/** The text in one case, and for MariaDB without trailing spaces, which its collations ignore. */
function surely(text: string, dialect: Dialect): string {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return dialect === "mariadb" ? folded.replace(/ +$/, "") : folded;
}

/** The common form of texts that some collation equates. */
function perhaps(text: string): string {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "");
  return letters.toUpperCase().toLowerCase().trimEnd();
}

function classesOf(texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byForm = new Map<string, Set<string>>();
  for (const text of texts) {
    const form = perhaps(text);
    byForm.set(form, (byForm.get(form) ?? new Set()).add(text));
  }
  const classes = new Map<string, readonly string[]>();
  for (const spellings of byForm.values()) {
    if (spellings.size < 2) continue;
    for (const each of spellings) classes.set(each, [...spellings]);
  }
  return classes;
}

/** The compared or stored text literals in a part of a transaction. */
function textsIn(part: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [part];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const node = next as Readonly<Record<string, unknown>>;
    if (node["kind"] === "literal") {
      if (isText(node)) texts.push(node.value);
    } else if (node["kind"] !== "call") {
      for (const [key, value] of Object.entries(node)) if (!APART.has(key)) open.push(value);
    }
  }
  return texts;
}

/** Places and remarks, which contain no literals. */
const APART = new Set(["source", "taint", "through"]);

function isText(
  node: Readonly<Record<string, unknown>>,
): node is { readonly value: string; readonly type: "text" } {
  return typeof node["value"] === "string" && node["type"] === "text";
}

/** The part with its texts mapped, except arguments of functions, such as date formats. */
function mapTexts(part: unknown, change: (text: string) => string): unknown {
  if (Array.isArray(part)) return part.map((each: unknown) => mapTexts(each, change));
  if (typeof part !== "object" || part === null) return part;
  const node = part as Readonly<Record<string, unknown>>;
  if (node["kind"] === "literal")
    return isText(node) ? { ...node, value: change(node.value) } : node;
  if (node["kind"] === "call") return node;
  const entries = Object.entries(node).map(
    ([key, value]) => [key, APART.has(key) ? value : mapTexts(value, change)] as const,
  );
  return Object.fromEntries(entries);
}

/** The command without statements: its assignments, conditions and results. */
function withoutStatements(command: Command): Command {
  return inStatements(command, () => []);
}
