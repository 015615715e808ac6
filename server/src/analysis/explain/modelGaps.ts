// Gaps in the model of a product that a finding's statements touch: the server may behave differently from the execution shown. They are
// reported per finding; gaps that could hide an anomaly are separate `unknown`s.
import type { Level, ProductLevel } from "../../isolation/levels";
import type { Program, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command, Statement } from "../../program/statement";
import type { Expression, LockClause, Relation } from "../../program/expression";
import type { LeftOut } from "../../protocol/report";
import type { SourceRange } from "../../protocol/source";
import type { ExecutedStep } from "../../store/execution";
import { conjuncts } from "../../store/frame";
import { searchRange } from "../../store/searchRange";

/**
 * The model gaps at the statements of these steps, each reason once, at the first statement concerned. Axiomatic levels have none, since
 * they model no server.
 */
export function leftOutOf(
  program: Program,
  steps: readonly ExecutedStep[],
  transactionOf: (instance: string) => string,
  levelOf: (step: ExecutedStep) => Level,
): readonly LeftOut[] {
  const found = new Map<string, LeftOut>();
  const add = (reason: string, { file, range }: SourceRange): void => {
    if (!found.has(reason)) found.set(reason, { reason, file, range });
  };
  const inserted = new Set(
    steps.flatMap(({ source }) => (source?.kind === "insert" ? [source.table] : [])),
  );
  for (const step of steps) {
    const { source, waitedFor } = step;
    const level = levelOf(step);
    if (source === undefined || level.family === "paper") continue;
    for (const reason of reasonsOf(program, source, level, inserted)) add(reason, source.source);
    if (waitedFor !== undefined) add(REASONS.waiting, source.source);
  }
  for (const step of new Map(steps.map((each) => [each.instance, each])).values()) {
    const own = program.transactions.find(({ id }) => id === transactionOf(step.instance));
    const level = levelOf(step);
    // For the other products the store is exact: PostgreSQL releases such locks with their consequences, InnoDB keeps them.
    const isLeftOut = level.family === "product" && level.product === "oracle";
    if (own === undefined || !isLeftOut) continue;
    const undoing = undoingIn(own);
    if (undoing !== undefined) add(REASONS.savepoint, undoing);
  }
  return [...found.values()];
}

const REASONS = {
  indexes:
    "locks and gaps of indexes other than unique keys are not known: the server may lock more or fewer rows in this search",
  order:
    "rows are locked in the order of their keys; the server locks them in the order of its plan",
  subquery:
    "how subqueries and joined tables of a change see rows was compared with servers in single cases only",
  limit:
    "which rows a locking SELECT with LIMIT takes when others change its order meanwhile is left to the server's plan",
  duplicate:
    "an error of this INSERT is taken to undo the transaction; the server undoes the statement alone, and the program may go on",
  sequence: "values of sequences are taken to be new, in no order",
  escalation: "SQL Server may replace many row locks by one on the table",
  waiting:
    "waits end when the other transaction ends; a lock time-out on the server may end them before",
  savepoint:
    "who waits for a lock that returning to a savepoint gives up goes on at once; on the server it waits until the transaction ends",
} as const;

function reasonsOf(
  program: Program,
  statement: Statement,
  level: ProductLevel,
  inserted: ReadonlySet<string>,
): readonly string[] {
  const { searched, lock } = lockingSearch(statement, level);
  const ranged = searched.filter(({ relation, where }) => !isPoint(program, relation, where));
  const reasons: string[] = [];
  const gaps = level.gaps && ranged.some(({ relation }) => inserted.has(relation.table));
  if (gaps || (level.locks === "scanned" && ranged.length > 0)) reasons.push(REASONS.indexes);
  if (ranged.length > 0 && level.candidates === "current") reasons.push(REASONS.order);
  if (ranged.length > 0 && level.product === "sqlserver") reasons.push(REASONS.escalation);
  if (isChange(statement) && readsOthers(statement)) reasons.push(REASONS.subquery);
  if (statement.kind === "select" && lock && statement.query.limit) reasons.push(REASONS.limit);
  const isInnodb = level.product === "mysql" || level.product === "mariadb";
  if (isInnodb && statement.kind === "insert" && statement.onConflict === undefined)
    reasons.push(REASONS.duplicate);
  if (holds(statement, (part) => part["kind"] === "fresh" && part["why"] === "sequence"))
    reasons.push(REASONS.sequence);
  return reasons;
}

interface Search {
  readonly relation: Relation;
  readonly where: Expression;
}

/** The tables that a statement searches with locks. */
function lockingSearch(
  statement: Statement,
  level: ProductLevel,
): { readonly searched: readonly Search[]; readonly lock?: LockClause } {
  switch (statement.kind) {
    case "select": {
      const { lock, relations, where } = statement.query;
      const locks = lock !== undefined || level.plainRead === "locking";
      const searched = locks ? relations.map((relation) => ({ relation, where })) : [];
      return { searched, ...(lock && { lock }) };
    }
    case "update":
    case "delete":
      return { searched: [{ relation: statement.relation, where: statement.where }] };
    case "insert":
    case "lock":
    case "opaque":
      return { searched: [] };
    default: {
      const never: never = statement;
      return never;
    }
  }
}

function isPoint(program: Program, { table, alias }: Relation, where: Expression): boolean {
  const declared: Table | undefined = program.schema.tables.find(({ name }) => name === table);
  return declared !== undefined && searchRange(declared, alias, conjuncts(where)).point;
}

function isChange({ kind }: Statement): boolean {
  return kind === "insert" || kind === "update" || kind === "delete";
}

/** True if a change also reads tables other than its target. */
function readsOthers(statement: Statement): boolean {
  if (statement.kind === "update" && statement.from.length > 0) return true;
  if (statement.kind === "delete" && statement.using.length > 0) return true;
  return holds(statement, (part) => "relations" in part && "outputs" in part);
}

/** True if a part of the statement, at any depth, satisfies the predicate. */
function holds(
  statement: Statement,
  test: (part: Readonly<Record<string, unknown>>) => boolean,
): boolean {
  const open: unknown[] = [statement];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== "object" || part === null) continue;
    const fields: Readonly<Record<string, unknown>> = { ...part };
    if (test(fields)) return true;
    open.push(...Object.values(fields));
  }
  return false;
}

/** The place where the transaction returns to a savepoint, or where a handler undoes its block. */
function undoingIn(transaction: Transaction): SourceRange | undefined {
  const visit = (command: Command): SourceRange | undefined => {
    switch (command.kind) {
      case "sequence":
        return firstOf(command.commands, visit);
      case "if":
        return visit(command.then) ?? (command.otherwise && visit(command.otherwise));
      case "loop":
      case "atomic":
        return visit(command.body);
      case "rollbackTo":
        return command.source;
      case "try":
        return command.undoes === "statement"
          ? (visit(command.body) ?? visit(command.handler))
          : command.source;
      default:
        return undefined;
    }
  };
  return visit(transaction.body);
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
