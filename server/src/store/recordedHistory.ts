// An execution of the store as a recorded history, for the history checker, which shares no code with store or encodings. Every column of
// every row is a key, and so is the row's existence.
import { HistoryBuilder } from "../history/builder";
import { HISTORY_LEVELS, checkHistory } from "../history/check";
import { READ, WRITE, type History } from "../history/history";
import type { Levels } from "../isolation/mixedLevels";
import type { CellAccess, Execution } from "./execution";
import { EXISTENCE } from "./row";
import { transactionAt } from "./runRecord";

export interface RecordedOptions {
  /** True to append a transaction that reads the final version of everything that was written. */
  readonly closed?: boolean;
}

/**
 * The history of the committed instances, one session each; a unit's session has several transactions. A predicate becomes reads of the
 * rows that it looked at, and of the absence of rows that it would have matched (the unborn versions of Adya 1999, section 4.3). Reads of
 * absence conflict with the insert only.
 */
export function recordedHistory(execution: Execution, options: RecordedOptions = {}): History {
  const builder = new HistoryBuilder({ zeroIsInitial: false, placeUnit: "line" });
  const committed = Object.entries(execution.outcome.status)
    .filter(([, status]) => status === "committed")
    .map(([instance]) => instance);
  const undone = new Set(
    execution.steps
      .filter((step) => step.statement === "rollback" && step.part !== undefined)
      .map(transactionAt),
  );
  const transactions = new Map<string, number>();
  for (const step of execution.steps) {
    const name = transactionAt(step);
    if (!committed.includes(step.instance) || transactions.has(name) || undone.has(name)) continue;
    transactions.set(name, builder.textTransaction(builder.textSession(step.instance), name));
  }
  const finalWrites = lastWrites(execution);
  const written = new Set<string>();
  const missed = rowsMissed(execution, new Set(committed));
  execution.steps.forEach((step, index) => {
    const own = transactionAt(step);
    const transaction = transactions.get(own);
    if (transaction === undefined) return;
    for (const cell of missed.get(index) ?? []) {
      if (written.has(cellOf(own, cell))) continue;
      const key = builder.textKey(nameOf(cell));
      builder.add(READ, transaction, key, builder.initialVersion(key), index + 1);
    }
    for (const cell of step.reads) {
      // Own writes follow from the transaction; the read is attributed to the other writer.
      const writer = writerOf(cell);
      if (writer === own || written.has(cellOf(own, cell))) continue;
      const key = builder.textKey(nameOf(cell));
      const version =
        writer === undefined
          ? builder.initialVersion(key)
          : builder.textVersion(key, finalWrites.get(cellOf(writer, cell)) ?? "unknown");
      builder.add(READ, transaction, key, version, index + 1);
    }
    for (const cell of step.writes) {
      const key = builder.textKey(nameOf(cell));
      written.add(cellOf(own, cell));
      builder.add(
        WRITE,
        transaction,
        key,
        builder.textVersion(key, writeName(own, index)),
        index + 1,
      );
    }
  });
  if (options.closed === true) close(builder, execution, finalWrites, new Set(committed));
  return builder.finish();
}

/**
 * The history checker's reason why an execution is impossible at its levels; undefined if it has none. It knows six of the papers' levels,
 * one for all transactions.
 */
export function historyObjection(levels: Levels, execution: Execution): string | undefined {
  const level = HISTORY_LEVELS.find((each) => levels.family === "paper" && each === levels.name);
  if (level === undefined) return undefined;
  const { verdicts } = checkHistory(recordedHistory(execution), { levels: [level] });
  return verdicts.get(level) === "violated"
    ? `its history is not possible at ${level}, says the history checker`
    : undefined;
}

/**
 * Per step, the existence of rows that its predicates would have matched. Only rows that one transaction created and nobody deleted:
 * otherwise it is unclear which absence was read.
 */
function rowsMissed(
  execution: Execution,
  committed: ReadonlySet<string>,
): ReadonlyMap<number, readonly Cell[]> {
  const creators = new Map<string, Set<number>>();
  execution.steps.forEach((step, index) => {
    for (const cell of step.writes) {
      if (cell.column !== EXISTENCE || !committed.has(step.instance)) continue;
      const steps = creators.get(nameOf(cell)) ?? new Set();
      creators.set(nameOf(cell), steps.add(index));
    }
  });
  const missed = new Map<number, Cell[]>();
  for (const { dependency, predicate, from, to, table, key } of execution.dependencies) {
    if (dependency !== "rw" || !predicate) continue;
    const cell: Cell = { table, key, column: EXISTENCE };
    const created = creators.get(nameOf(cell));
    const lookedAt = execution.steps[from]?.reads.some(
      (each) => each.table === table && each.key === key,
    );
    if (lookedAt !== false || created?.size !== 1 || !created.has(to)) continue;
    missed.set(from, [...(missed.get(from) ?? []), cell]);
  }
  return missed;
}

/** Appends a session that reads the final versions. */
function close(
  builder: HistoryBuilder,
  execution: Execution,
  finalWrites: ReadonlyMap<string, string>,
  committed: ReadonlySet<string>,
): void {
  const overwritten = new Set(
    execution.dependencies
      .filter(({ dependency }) => dependency === "ww")
      .flatMap(({ from, table, key, columns }) =>
        columns.map((column) => {
          const writer = execution.steps[from];
          return cellOf(writer === undefined ? "" : transactionAt(writer), { table, key, column });
        }),
      ),
  );
  const reader = builder.textTransaction(builder.textSession("closing"), "closing");
  for (const step of execution.steps)
    for (const cell of step.writes) {
      const own = cellOf(transactionAt(step), cell);
      if (!committed.has(step.instance) || overwritten.has(own)) continue;
      const key = builder.textKey(nameOf(cell));
      const name = finalWrites.get(own) ?? "unknown";
      builder.add(READ, reader, key, builder.textVersion(key, name), execution.steps.length + 1);
    }
}

type Cell = Pick<CellAccess, "table" | "key" | "column">;

/** Other transactions see the last write of a cell. */
function lastWrites(execution: Execution): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  execution.steps.forEach((step, index) => {
    for (const cell of step.writes)
      last.set(cellOf(transactionAt(step), cell), writeName(transactionAt(step), index));
  });
  return last;
}

/** The transaction whose version was read; undefined for initial rows. */
function writerOf({ writer, writerPart: part }: CellAccess): string | undefined {
  if (writer === null || writer === undefined) return undefined;
  return transactionAt({ instance: writer, ...(part !== undefined && { part }) });
}

function nameOf({ table, key, column }: Cell): string {
  return `${table}[${key}].${column}`;
}

function cellOf(transaction: string, cell: Cell): string {
  return `${transaction} ${nameOf(cell)}`;
}

function writeName(transaction: string, step: number): string {
  return `${transaction} ${step}`;
}
