// The transactions of a unit: where each begins and ends among its statements, and what an error or a ROLLBACK undoes.
import type { Command } from "../../program/statement";
import type { Builder, PartDraft } from "./builder";
import { openPart, orAll } from "./builder";
import { undoPart } from "./handlers";
import { HIDDEN } from "./operation";
import type { FlatTable, FlatTransaction, Operation, Term } from "./operation";
import { join } from "./paths";
import { deferredKeysOf, intern } from "./tables";
import {
  FALSE,
  NULL,
  and,
  columnsIn,
  conditional,
  dependsOnReads,
  mentionsRow,
  not,
} from "./terms";

/** Opens a transaction for the statement at hand where it is one of its own. */
export function beginStatement(builder: Builder): PartDraft | undefined {
  if (!builder.parts || openPart(builder)) return undefined;
  return beginPart(builder, true);
}

/** Runs the body of an `atomic` command where `path` holds; returns where control goes on behind it. */
export function runAtomic(
  builder: Builder,
  { level }: Extract<Command, { kind: "atomic" }>,
  path: Term,
  body: () => Term,
): Term {
  // One inside of another is a part of it.
  if (!builder.parts || openPart(builder)) return body();
  builder.path = path;
  const part = beginPart(builder, false, level?.name);
  const after = body();
  endPart(builder, part);
  return part.left.length === 0 ? after : join(after, ...part.left);
}

export function endPart(builder: Builder, part: PartDraft): void {
  part.to = builder.steps.length;
}

/** ROLLBACK where `path` holds, and control goes on behind the transaction. */
export function leavePart(builder: Builder, path: Term): Term {
  const part = openPart(builder);
  if (!part) return path;
  undoPart(builder, part, path);
  part.left.push(path);
  return FALSE;
}

/**
 * The unit ends with an error where `path` holds. Where nothing was written before, it is as if it had not been; else what
 * was committed stays, and the caller gets the error.
 */
export function failUnit(builder: Builder, path: Term, why: string): void {
  const open = openPart(builder);
  const written = builder.operations.slice(0, open?.firstOperation).flatMap(({ kind, index }) => {
    const changed: Term = { kind: "found", operation: index };
    return kind === "read" ? [] : [changed];
  });
  if (open) undoPart(builder, open, path);
  builder.aborts.push(and(path, ...written.map(not)));
  if (written.length > 0)
    builder.shown.push(conditional(path, intern(builder.tables, `fails: ${why}`), NULL));
}

/**
 * The transactions of a program, of which units say where a statement may fail, for what others do, behind something
 * that they have committed: runs with errors that nobody handles are not represented, and here they leave something.
 */
export function withErrorsBehind(
  transactions: readonly FlatTransaction[],
  tables: ReadonlyMap<string, FlatTable>,
): readonly FlatTransaction[] {
  const all = transactions.flatMap(({ operations }) => operations);
  const others = (kind: Operation["kind"], table: string): number =>
    all.filter((each) => each.kind === kind && each.table === table).length;
  const mayFail = (operation: Operation): boolean => {
    const { kind, table, onDuplicate, caught, mustFind, mustMiss, key } = operation;
    if (kind !== "read" && caught === undefined && mayBreak(operation, tables.get(table)))
      return true;
    if (deferredKeysOf(operation, tables.get(table)).length > 0) return true;
    if (kind === "read" && mustMiss && caught === undefined)
      return others("insert", table) + others("update", table) > 0;
    if (kind === "read") return mustFind && caught === undefined && others("delete", table) > 0;
    // A number that the database gives is nobody else's.
    const isGiven = Object.values(key).some(
      (term) => term.kind === "parameter" && term.name.startsWith(HIDDEN),
    );
    return kind === "insert" && onDuplicate === "error" && caught === undefined && !isGiven;
  };
  return transactions.map((transaction) => {
    const { parts = [], operations } = transaction;
    const isBehind = ({ step }: Operation): boolean => {
      const own = parts.find(({ from, to }) => step >= from && step < to);
      return operations.some((each) => each.kind !== "read" && each.step < (own?.from ?? 0));
    };
    if (!operations.some((each) => mayFail(each) && isBehind(each))) return transaction;
    const loss = "what it leaves when a statement fails behind something that it has committed";
    return { ...transaction, losses: [...transaction.losses, loss] };
  });
}

/** True if what others do may decide that a CHECK refuses what is written. */
function mayBreak({ set, update }: Operation, table: FlatTable | undefined): boolean {
  const checked = columnsIn(...(table?.checks ?? []));
  return [...Object.entries(set), ...Object.entries(update ?? {})].some(
    ([column, value]) => checked.has(column) && (dependsOnReads(value) || mentionsRow(value)),
  );
}

/** The transactions of a unit. */
export function partsOf({ parts }: Builder): Pick<FlatTransaction, "parts"> {
  if (!parts) return {};
  return {
    parts: parts.map(({ from, to = from, single, level, guard, undone }) => ({
      from,
      to,
      single,
      ...(level !== undefined && { level }),
      guard,
      undone: orAll(undone),
    })),
  };
}

function beginPart(builder: Builder, single: boolean, level?: string): PartDraft {
  const part: PartDraft = {
    single,
    level,
    guard: builder.path,
    from: builder.steps.length,
    firstOperation: builder.operations.length,
    undone: [],
    left: [],
  };
  builder.parts?.push(part);
  return part;
}
