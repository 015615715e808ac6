// Executes one SQL statement against tables and locks provided by a driver. Writes are returned, not applied.
import type {
  Assignment,
  DeleteStatement,
  LockStatement,
  SelectStatement,
  Statement,
  UpdateStatement,
} from "../program/statement";
import type { Expression, Relation } from "../program/expression";
import type { Table } from "../program/schema";
import { tableLocksOf } from "../program/tableLocks";
import { ownEntry } from "../protocol/dictionary";
import { checkReferences, checkRow, lockParents, uniqueColumns } from "./constraints";
import { evaluate, isTrue } from "./evaluateExpression";
import { joinRelations, qualifies, runQuery } from "./evaluateQuery";
import { deferKeys } from "./deferredKeys";
import { assignRow, returningRow, updateWrites } from "./changes";
import { executeInsert } from "./executeInsert";
import type { StatementFrame, StatementResult } from "./statementFrame";
import { NotExecutable, withPlace } from "./failure";
import { withRows, type Binding, type Frame, type ResultRows } from "./frame";
import { rereadRow } from "./recorder";
import { findTable, writtenRow, type StoredRow, type Write } from "./row";
import { renderValue, sameValue, type SqlValue } from "./value";

/**
 * Executes a statement. Throws WaitFor if a lock is in the way, SqlFailure if the database would refuse it, and NotExecutable if its effect
 * is unknown.
 */
export function executeStatement(statement: Statement, frame: StatementFrame): StatementResult {
  return withPlace(statement.source, () => execute(statement, frame));
}

function execute(statement: Statement, frame: StatementFrame): StatementResult {
  requireKnownEffect(statement);
  const inside = statement.snapshotOf === undefined ? frame : { ...frame, isPart: true as const };
  for (const [table, mode] of tableLocksOf(statement))
    frame.acting.lockObject(`table ${table}`, mode);
  switch (statement.kind) {
    case "select": {
      const rows = runQuery(statement.query, frame);
      const shown = rows.length === 0 ? keptValues(statement, frame) : undefined;
      const result = { into: statement.into, rows, affected: rows.length, writes: [] };
      return shown ? { ...result, shown } : result;
    }
    case "insert":
      return executeInsert(statement, inside);
    case "update":
      return change(statement, statement.from, inside, { kind: "update", set: statement.set });
    case "delete":
      return change(statement, statement.using, inside, { kind: "delete" });
    case "lock": {
      const affected = statement.table === undefined ? lockKey(statement, frame) : 0;
      return { into: undefined, rows: [], affected, writes: [] };
    }
    case "opaque":
      return { into: undefined, rows: [], affected: 0, writes: [] };
    default:
      return unreachable(statement);
  }
}

/** Takes the lock of a key if it is granted, or gives it up; returns the number of locks. */
function lockKey(
  { key, mode, granted, outlives, releases }: LockStatement,
  frame: StatementFrame,
): number {
  const name = key && `advisory ${renderValue(evaluate(key, frame))}`;
  if (granted !== undefined && !isTrue({ kind: "parameter", name: granted }, frame)) {
    if (frame.acting.isHeld(name ?? "advisory ", mode)) return 0;
    throw new NotExecutable("nobody in this run has the lock that is refused");
  }
  if (releases) frame.acting.unlockObject(name, mode);
  else frame.acting.lockObject(name ?? "advisory ", mode, outlives && "outlives");
  return 1;
}

/** The values of the variables that the statement leaves as they were; none where all of them are NULL. */
function keptValues({ kept }: SelectStatement, frame: StatementFrame): ResultRows | undefined {
  const row = Object.fromEntries(
    (kept ?? []).map(({ name, value }) => [name, evaluate(value, frame)] as const),
  );
  return Object.values(row).some((value) => value !== null) ? [row] : undefined;
}

/**
 * Refuses a statement of which only keyword and tables are known, since what it really does may differ from what would be run: a trigger
 * that is not read may write other values, say. Text that is not understood and writes nothing is passed over.
 */
function requireKnownEffect(statement: Statement): void {
  if (statement.kind === "opaque") {
    if (!statement.writes) return;
    throw new NotExecutable(`the effect of "${statement.text.slice(0, 60)}" is not understood`);
  }
  const loss = statement.taint.find(({ effect }) => effect === "approx" || effect === "opaque");
  if (loss) throw new NotExecutable(`a statement is not understood: ${loss.reason}`);
}

type Change =
  { readonly kind: "update"; readonly set: readonly Assignment[] } | { readonly kind: "delete" };

function change(
  statement: UpdateStatement | DeleteStatement,
  others: readonly Relation[],
  frame: StatementFrame,
  what: Change,
): StatementResult {
  const { relation, where, returning } = statement;
  const table = findTable(frame.schema, relation.table);
  const relations: readonly Relation[] = [{ ...relation, join: "cross" }, ...others];
  const writes: Write[] = [];
  const rows: Readonly<Record<string, SqlValue>>[] = [];
  const done = new Set<string>();
  let affected = 0;
  const searching = { ...frame, targets: targetsOf(statement, frame) };
  for (const candidate of joinRelations(relations, where, searching)) {
    const target = ownEntry(candidate, relation.alias);
    if (
      target === undefined ||
      target === null ||
      target.kind === "derived" ||
      done.has(target.key)
    )
      continue;
    const binding = actOn(relation, relations, where, candidate, target, table, frame, what);
    const row = ownEntry(binding, relation.alias);
    if (binding === undefined || row === undefined || row === null || row.kind === "derived")
      continue;
    done.add(target.key);
    const made = changeRow(table, row, withRows(frame, binding), frame, what);
    writes.push(...made);
    affected += 1;
    const last = made.at(-1);
    const after = what.kind === "update" && last !== undefined ? writtenRow(row, last) : row;
    rows.push(...returningRow(returning, { ...binding, [relation.alias]: after }, frame));
  }
  const leavesNoChildren = statement.kind === "delete" && statement.leavesNoChildren === true;
  checkReferences(table, writes, frame, leavesNoChildren);
  deferKeys(table, writes, frame.acting);
  return { into: returning?.into, rows, affected, writes };
}

/**
 * The tables in which the changed rows are searched, where their locks are taken; other relations are searched where the statement reads.
 */
function targetsOf(
  { kind, relation, lock }: UpdateStatement | DeleteStatement,
  { acting, tables }: StatementFrame,
): Frame["targets"] {
  const targets = acting.targets?.("update", "block", kind);
  const others = lock && acting.targets?.(lock, "block", "read");
  return targets && ((alias) => (alias === relation.alias ? targets : (others ?? tables)));
}

/** Locks the target and returns the rows to act on; none if the newest version does not qualify. */
function actOn(
  relation: Relation,
  relations: readonly Relation[],
  where: Expression,
  candidate: Binding,
  target: StoredRow,
  table: Table,
  frame: StatementFrame,
  what: Change,
): Binding | undefined {
  const strength = lockStrength(table, target, withRows(frame, candidate), what);
  const outcome = frame.acting.lock(target, strength, "block");
  if (outcome.kind === "gone" && outcome.newest !== undefined)
    rereadRow(frame.recorder, target, outcome.newest);
  if (outcome.kind !== "row") return undefined;
  if (!outcome.changed) return candidate;
  rereadRow(frame.recorder, target, outcome.row);
  const binding = { ...candidate, [relation.alias]: outcome.row };
  return qualifies(relations, where, binding, frame) ? binding : undefined;
}

/** The lock strength: an update of no unique key takes the weaker lock, which foreign key checks do not wait for. */
function lockStrength(
  table: Table,
  row: StoredRow,
  inside: Frame,
  what: Change,
): "update" | "no-key-update" {
  if (what.kind === "delete") return "update";
  const keys = uniqueColumns(table);
  const touched = what.set.filter((each) => keys.includes(each.column));
  if (touched.length === 0) return "no-key-update";
  const values = assignRow(table, touched, inside);
  const changes = Object.entries(values).some(
    ([column, value]) => !sameValue(value, ownEntry(row.values, column) ?? null),
  );
  return changes ? "update" : "no-key-update";
}

function changeRow(
  table: Table,
  row: StoredRow,
  inside: Frame,
  frame: StatementFrame,
  what: Change,
): readonly Write[] {
  if (what.kind === "delete")
    return [
      {
        table: table.name,
        key: row.key,
        instance: frame.environment.instance,
        step: frame.acting.step,
        alive: false,
        values: {},
        before: row,
      },
    ];
  const values = assignRow(table, what.set, inside);
  checkRow(table, { ...row.values, ...values }, Object.keys(values), frame);
  lockParents(table, { ...row.values, ...values }, Object.keys(values), frame);
  return updateWrites(table, row, values, frame);
}

function unreachable(statement: never): never {
  throw new Error(`unknown statement ${JSON.stringify(statement)}`);
}
