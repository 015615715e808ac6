// Deadlocks over rows of one table: a statement in front locks all of these rows in the order of their key, so that whoever comes
// second waits for all of them before it holds any.
import type { Transaction } from "../../../program/program";
import type { Candidate, Proposals, TextEdit } from "../candidate";
import { addBefore } from "../idioms/addStatement";
import { nameText } from "../idioms/lockRow";
import { refusal, type EditOutcome } from "../idioms/sourceForms";
import { valueText } from "../idioms/valueText";
import { equalitiesOf } from "../predicate";
import type { Site, Workshop } from "../workshop";

/** One candidate per table of which each transaction of the deadlock locks rows by their key, and some lock several. */
export function lockOrders(workshop: Workshop): Proposals {
  if (workshop.anomaly.kind !== "deadlock") return { candidates: [], refusals: [] };
  const candidates: Candidate[] = [];
  const reasons: string[] = [];
  for (const { name, primaryKey } of workshop.program.schema.tables) {
    const [key, ...others] = primaryKey;
    if (key === undefined || others.length > 0) continue;
    const rows = workshop.transactions.map((each) => lockedRows(workshop, each, name, key));
    const several = rows.filter((each) => each.values.length > 1);
    if (several.length === 0 || rows.some((each) => each.values.length === 0)) continue;
    const written = several.map((each) => lockedFirst(workshop, each, name, key));
    const edits: TextEdit[] = [];
    for (const each of written) {
      if (each.ok) edits.push(...each.edits);
      else reasons.push(each.reason);
    }
    if (written.some(({ ok }) => !ok)) continue;
    const names = several.map(({ transaction }) => transaction.name);
    candidates.push({
      kind: "lock-order",
      title: `Lock the rows of ${name} in the order of their ${key} first in ${names.join(" and ")}`,
      edits,
      costs: ["others who write or lock one of the rows wait until this transaction ends"],
    });
  }
  return { candidates, refusals: reasons.map((reason) => ({ kind: "lock-order", reason })) };
}

interface LockedRows {
  readonly transaction: Transaction;
  /** The first statement of the function that locks a row. */
  readonly first: Site | undefined;
  /** Keys of the rows, in the language around, each once. */
  readonly values: readonly string[];
}

/** The rows of a table that a transaction locks by their key, as far as the text names them. */
function lockedRows(
  workshop: Workshop,
  transaction: Transaction,
  table: string,
  key: string,
): LockedRows {
  const own = workshop.sitesOf(transaction).flatMap((site) => {
    const { statement } = site;
    const isLocking =
      statement.kind === "update" ||
      statement.kind === "delete" ||
      (statement.kind === "select" && statement.query.lock !== undefined);
    const equality = isLocking
      ? equalitiesOf(statement).find((each) => each.table === table && each.column === key)
      : undefined;
    const value = equality && valueText(workshop, site, equality);
    return value === undefined ? [] : [{ site, value }];
  });
  const values = [...new Set(own.map(({ value }) => value))];
  return { transaction, first: own[0]?.site, values };
}

function lockedFirst(
  workshop: Workshop,
  { first, transaction, values }: LockedRows,
  table: string,
  key: string,
): EditOutcome {
  if (!first) return refusal(`${transaction.name} locks no row by its key`);
  const text = workshop.textOf(first.file)?.text ?? "";
  const later = values.find((value) => isDeclaredIn(text.slice(first.end), value));
  if (later !== undefined) return refusal(`"${later}" is not known before the first row is locked`);
  return addBefore(workshop, first, {
    before: `SELECT 1 FROM ${nameText(workshop, table)} WHERE ${nameText(workshop, key)} IN (`,
    values,
    after: `) ORDER BY ${nameText(workshop, key)} FOR UPDATE`,
    isVoid: false,
  });
}

/** True if a text behind the first lock gives a variable of that name its value; a wrong guess does not survive the reading. */
function isDeclaredIn(text: string, value: string): boolean {
  const root = /^\w+/u.exec(value)?.[0] ?? "";
  const until = text.slice(0, NEAR);
  return new RegExp(`\\b(?:const|let|var|int|long)\\b[^;=\\n]*\\b${root}\\b`, "u").test(until);
}

/** Characters in which a declaration is looked for. */
const NEAR = 1000;
