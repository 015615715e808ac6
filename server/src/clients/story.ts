// The explanation of a client's history: the reads and writes of every statement, the writers of the reads, and the cycle that excludes
// every serial order.
import type { Key, Value as Version } from "../exploration/client";
import { INITIAL as INITIALLY, OWN, type History } from "../exploration/history";
import { setEntry } from "../protocol/dictionary";
import type { CellAccess, ExecutedDependency, ExecutedStep, Execution } from "../store/execution";
import { EXISTENCE, INITIAL, writtenColumns } from "../store/row";
import type { CellRead } from "../store/recorder";
import { toValue, type SqlValue } from "../store/value";
import { writtenCells } from "../store/toExecution";
import type { Outcome, Row, Value } from "../protocol/witness";
import { outcomesOf } from "./exploreClient";
import { RESULT_MARK, type ExplorableClient } from "./explorableClient";
import { replay } from "./replay";
import { partsOfKey, plainTables, rowKey } from "./rowKeys";
import type { ObservedStep } from "./sqlSession";
import { tellingOrder, type ToldStep } from "./tellingOrder";

/** Replays the history and records what it does. */
export async function executionOf(
  client: ExplorableClient,
  history: History,
  state: ReadonlyMap<Key, Version>,
): Promise<Execution> {
  const executed: ToldStep[] = [];
  let reads = new Map<Key, number>();
  const sessions = client.open((step) => {
    executed.push({ step, reads });
    reads = new Map();
  });
  await replay(sessions, client.initial, history, ({ key, from }) => {
    if (from !== OWN) reads.set(key, from);
  });
  const nameOf = namesOf(history);
  const observed = tellingOrder(executed, history, nameOf);
  const steps = observed.map(({ step, reads: from }, at) =>
    executedStep(step, numberOf(observed, at), (cell) => writerOf(cell, step, from, nameOf)),
  );
  return {
    steps,
    dependencies: dependenciesOf(observed, history, nameOf),
    outcome: outcomeOf(history, state),
    observed: {},
  };
}

/** Names of transactions by their ids in histories. */
export function namesOf({ transactions }: History): (id: number) => string {
  const names = new Map(transactions.map(({ id, name }) => [id, name ?? String(id)]));
  return (id) => names.get(id) ?? String(id);
}

/** The history without the transactions that only carry results. */
export function ownTransactions({ transactions }: History): History {
  return {
    transactions: transactions.filter(({ name }) => name?.startsWith(RESULT_MARK) !== true),
  };
}

/** Outcome of a run, for people. */
export function outcomeOf(history: History, state: ReadonlyMap<Key, Version>): Outcome {
  const final = plainTables([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
  const status: Record<string, string> = {};
  const returned: Record<string, readonly string[]> = {};
  const outcomes = outcomesOf(history);
  for (const [name, outcome] of outcomes.byName) {
    setEntry(
      status,
      name,
      outcome.status === "committed" ? "committed" : `rolled back: ${outcome.error ?? ""}`,
    );
    setEntry(returned, name, outcome.result === null ? [] : [resultText(outcome.result)]);
  }
  return { final, status, returned };
}

/** The number of a step among its instance's statements, from 1. */
function numberOf(observed: readonly ToldStep[], at: number): number {
  const instance = observed[at]?.step.instance;
  return observed.slice(0, at + 1).filter(({ step }) => step.instance === instance).length;
}

function writerOf(
  cell: Pick<CellRead, "table" | "key" | "writer">,
  step: ObservedStep,
  reads: ReadonlyMap<Key, number>,
  nameOf: (id: number) => string,
): string | null {
  if (cell.writer !== INITIAL) return step.instance;
  const from = reads.get(rowKey(cell.table, cell.key)) ?? INITIALLY;
  return from === INITIALLY ? null : nameOf(from);
}

function executedStep(
  step: ObservedStep,
  number: number,
  writer: (cell: CellRead) => string | null,
): ExecutedStep {
  const ended = typeof step.statement === "string";
  return {
    instance: step.instance,
    statement: typeof step.statement === "string" ? step.statement : number,
    ...(typeof step.statement !== "string" && { source: step.statement }),
    sees: [],
    reads: ended
      ? []
      : step.cells.map((cell): CellAccess => ({
          table: cell.table,
          key: cell.key,
          column: cell.column,
          value: toValue(cell.value),
          writer: writer(cell),
        })),
    writes: step.writes.flatMap(writtenCells),
    result: step.rows.map(plainValues),
    affected: step.affected,
    ...(step.why !== undefined && { why: step.why }),
  };
}

function plainValues(row: Readonly<Record<string, SqlValue>>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]): [string, Value] => [name, toValue(value)]),
  );
}

/** Dependencies between row versions; the history lists its transactions in a commit order. */
function dependenciesOf(
  observed: readonly ToldStep[],
  history: History,
  nameOf: (id: number) => string,
): readonly ExecutedDependency[] {
  const dependencies: ExecutedDependency[] = [];
  const committed = history.transactions.filter(({ status }) => status === "committed");
  const writersOfKey = (key: Key): readonly number[] =>
    committed
      .filter(({ events }) => events.some((each) => each.kind === "write" && each.key === key))
      .map(({ id }) => id);
  const stepWriting = (id: number, key: Key): number =>
    observed.findLastIndex(
      ({ step }) =>
        step.instance === nameOf(id) &&
        step.writes.some((write) => rowKey(write.table, write.key) === key),
    );
  const columnsWritten = (at: number, key: Key): readonly string[] => [
    ...new Set(
      observed[at]?.step.writes
        .filter((write) => rowKey(write.table, write.key) === key)
        .flatMap(writtenColumns),
    ),
  ];
  const committedNames = new Set(committed.map(({ id }) => nameOf(id)));
  observed.forEach(({ step, reads }, at) => {
    if (!committedNames.has(step.instance)) return;
    const cells = cellsByKey(step);
    for (const [key, from] of reads) {
      const writers = writersOfKey(key);
      const { table, row } = partsOfKey(key);
      // A row without used cells was absent or did not match: a search met it.
      const place = { table, key: row, predicate: !cells.has(key) };
      const read = cells.get(key)?.map(({ column }) => column) ?? [];
      if (from !== INITIALLY && nameOf(from) !== step.instance) {
        const wrote = stepWriting(from, key);
        const columns = common(columnsWritten(wrote, key), read);
        if (wrote >= 0)
          dependencies.push({ dependency: "wr", from: wrote, to: at, ...place, columns });
      }
      const next = writers
        .slice(writers.indexOf(from) + 1)
        .find((id) => nameOf(id) !== step.instance);
      if (next === undefined) continue;
      const wrote = stepWriting(next, key);
      const columns = common(columnsWritten(wrote, key), read);
      if (wrote >= 0)
        dependencies.push({ dependency: "rw", from: at, to: wrote, ...place, columns });
    }
  });
  const keys = new Set(
    committed.flatMap(({ events }) =>
      events.flatMap((event) => (event.kind === "write" ? [event.key] : [])),
    ),
  );
  for (const key of keys) {
    const writers = writersOfKey(key);
    writers.forEach((id, n) => {
      const before = writers[n - 1];
      if (before === undefined) return;
      const [from, to] = [stepWriting(before, key), stepWriting(id, key)];
      const { table, row } = partsOfKey(key);
      const columns = common(columnsWritten(from, key), columnsWritten(to, key));
      if (from >= 0 && to >= 0)
        dependencies.push({
          dependency: "ww",
          from,
          to,
          table,
          key: row,
          predicate: false,
          columns,
        });
    });
  }
  return dependencies;
}

function cellsByKey({ cells }: ObservedStep): ReadonlyMap<Key, readonly CellRead[]> {
  const byKey = new Map<Key, CellRead[]>();
  for (const cell of cells) {
    if (cell.writer !== INITIAL) continue;
    const key = rowKey(cell.table, cell.key);
    const known = byKey.get(key);
    if (known) known.push(cell);
    else byKey.set(key, [cell]);
  }
  return byKey;
}

/** The columns of both, or those of the write if the whole row matters. */
function common(written: readonly string[], others: readonly string[]): readonly string[] {
  const both = written.filter((column) => others.includes(column));
  return both.length > 0 ? both : written.filter((column) => column !== EXISTENCE);
}

function resultText(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}
