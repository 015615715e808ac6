// Transactions of one name get unique ids, and their statements follow.
import { attribute } from "../../query/nodes";
import type { Note, Transaction } from "../../program/program";
import type { Command } from "../../program/statement";
import { mapSharing } from "./dialectDetection/sharedParts";

export interface UniqueTransactions {
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
}

/**
 * The transactions with unique ids: `name`, or `name (file)` if several share a name, numbered if necessary. A second definition of a name
 * is noted at its header.
 */
export function uniqueTransactions(transactions: readonly Transaction[]): UniqueTransactions {
  const counts = countBy(transactions.map((each) => each.name));
  const inFile = countBy(transactions.filter(({ name }) => counts.get(name) !== 1).map(fileId));
  const used = new Set<string>();
  const notes: Note[] = [];
  const seen = new Map<string, Transaction>();
  const unique = transactions.map((transaction) => {
    const { name } = transaction;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, transaction);
    else notes.push(duplicateNote(transaction, first));
    if (counts.get(name) === 1 && !used.has(name)) {
      used.add(name);
      return withId(transaction, name);
    }
    const base = fileId(transaction);
    let id = base;
    const several = (inFile.get(base) ?? 0) > 1;
    for (let number = several ? 1 : 2; (several && number === 1) || used.has(id); number++) {
      id = `${base} #${number}`;
      if (!used.has(id)) break;
    }
    used.add(id);
    return withId(transaction, id);
  });
  return { transactions: unique, notes };
}

function fileId(transaction: Transaction): string {
  return `${transaction.name} (${transaction.source.file})`;
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function duplicateNote(transaction: Transaction, first: Transaction): Note {
  const { file, range } = first.source;
  const where = file === transaction.source.file ? "" : ` in ${file}`;
  const message = `${transaction.name} is also defined on line ${range.start.line + 1}${where}; both are checked.`;
  return { severity: "warning", code: "duplicate-name", message, source: transaction.header };
}

const underOther = attribute<Transaction, Transaction>();

/** The same transaction under another id; ids of statements begin with it. The last result is memoised. */
export function withId(transaction: Transaction, id: string): Transaction {
  if (transaction.id === id) return transaction;
  const known = underOther.get(transaction);
  if (known?.id === id) return known;
  const own = renamedTo(transaction, id);
  underOther.set(transaction, own);
  return own;
}

function renamedTo(transaction: Transaction, id: string): Transaction {
  const from = `${transaction.id}/`;
  const rename = (text: string): string =>
    text.startsWith(from) ? `${id}/${text.slice(from.length)}` : text;
  return { ...transaction, id, body: renamed(transaction.body, rename) };
}

/**
 * A copy with renamed statement ids and `affected` references. Ids only occur in the properties `id` and `statement`, where nothing else
 * begins with a transaction's name and a slash.
 */
function renamed(body: Command, rename: (text: string) => string): Command {
  return mapSharing(body, (part) => {
    let own = part;
    if ("id" in part && typeof part.id === "string") {
      const id = rename(part.id);
      if (id !== part.id) own = { ...own, id };
    }
    if ("statement" in part && typeof part.statement === "string") {
      const statement = rename(part.statement);
      if (statement !== part.statement) own = { ...own, statement };
    }
    return own;
  });
}
