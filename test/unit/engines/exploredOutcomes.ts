// Exhaustive exploration of some instances from one start: histories whose outcome no serial order gives, and
// whether the history checker says the same of each of them.
import { explorable } from "../../../server/src/clients/bindClient";
import type { ExplorableClient } from "../../../server/src/clients/explorableClient";
import { clientHistory } from "../../../server/src/clients/recording";
import { initialVersions, partsOfKey, plainRow } from "../../../server/src/clients/rowKeys";
import { serialOutcomes } from "../../../server/src/clients/serialOutcomes";
import { accessRules } from "../../../server/src/clients/statementView";
import type { Key, Value } from "../../../server/src/exploration/client";
import type { AxiomaticLevel } from "../../../server/src/exploration/exploration";
import { exploreSync } from "../../../server/src/exploration/explore";
import {
  INITIAL,
  OWN,
  type FinalState,
  type History,
} from "../../../server/src/exploration/history";
import { checkHistory, HISTORY_LEVELS, type HistoryLevel } from "../../../server/src/history/check";
import type { Program } from "../../../server/src/program/program";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { Setup } from "../../../server/src/store/execution";
import { freshValues } from "../../../server/src/store/freshValues";
import { runEveryOrder } from "../../../server/src/store/run";
import { COMMITTED } from "../../../server/src/store/runRecord";
import { outcomeOf } from "../../../server/src/store/toExecution";

/** The part of an outcome that no serial order gives. */
export type Difference = "none" | "value" | "state";

export interface Explored {
  /** Histories with each of their final states. */
  readonly outcomes: number;
  /** Those that no serial order gives. */
  readonly anomalous: number;
  /** Those that the checker refuses although a serial order gives the same. */
  readonly benign: number;
  /** Histories that exist of whole rows only, of which the analysis need not know; see `mergesRows` and `readsBeforeInsert`. */
  readonly merged: number;
  readonly worst: Difference;
  /** Of histories in which no rows are merged. */
  readonly worstUnmerged: Difference;
  /** The first history with the worst difference, without merged rows. */
  readonly example?: string;
  /** The answers in which the engines differ on the same history. */
  readonly contradictions: readonly string[];
  readonly exhausted: boolean;
}

/** More histories than these programs have. */
const MOST = 20_000;

/** Opens a start, whose serial outcomes and verdicts on histories serve all levels. */
export async function openStart(program: Program, setup: Setup): Promise<ExploredStart> {
  const client = clientOf(program, setup);
  const serial = await serialViews(client);
  const contradictions = compareSerialRuns(program, setup, serial);
  const among = new Map<string, readonly View[]>([["", serial]]);
  const without = async (aborted: readonly string[]): Promise<readonly View[]> => {
    const name = aborted.join(" ");
    const known = among.get(name);
    if (known !== undefined) return known;
    const made = await serialViews(client.without(new Set(aborted)));
    among.set(name, made);
    return made;
  };
  const verdicts = new Map<string, Judged>();
  const keys = new Set<string>();
  const judge = async (history: History, final: FinalState): Promise<Judged> => {
    const text = textOf(history, final);
    const known = verdicts.get(text);
    if (known !== undefined) return known;
    const own = viewOf(history, final);
    const aborted = own.names.filter((name) => own.ends.get(name) === undefined);
    const committed = own.names.filter((name) => !aborted.includes(name));
    // A transaction that rolled itself back has happened to nobody: the others alone are serial orders as well.
    const orders = aborted.length === 0 ? serial : [...serial, ...(await without(aborted))];
    const made = {
      difference: differenceOf(own, orders, committed),
      serializable: isSerializable(history, final),
    };
    verdicts.set(text, made);
    return made;
  };
  return { client, contradictions, keys, judge };
}

export interface ExploredStart {
  readonly client: ExplorableClient;
  readonly contradictions: readonly string[];
  /** Keys that came into being so far: predicates of the next exploration need not look for them. */
  readonly keys: Set<string>;
  readonly judge: (history: History, final: FinalState) => Promise<Judged>;
}

interface Judged {
  readonly difference: Difference;
  readonly serializable: boolean;
}

/** All histories of a start at a level. */
export async function exploreStart(start: ExploredStart, level: AxiomaticLevel): Promise<Explored> {
  const { client } = start;
  const contradictions = [...start.contradictions];
  let tally = { outcomes: 0, anomalous: 0, benign: 0, merged: 0 };
  let worst: Difference = "none";
  let worstUnmerged: Difference = "none";
  let example: string | undefined;
  const restart = { ...tally };
  const steps = exploreSync(
    { initial: client.initial, uniqueValues: client.uniqueValues, sessions: client.open() },
    {
      level,
      stop: () => tally.outcomes > MOST,
      ...(start.keys.size > 0 && { universe: [...start.keys] }),
    },
  );
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      const { exhausted, universe } = step.value;
      for (const key of universe) start.keys.add(key);
      return {
        ...tally,
        worst,
        worstUnmerged,
        ...(example && { example }),
        contradictions,
        exhausted,
      };
    }
    if (step.value.kind === "restart") {
      tally = { ...restart };
      [worst, worstUnmerged, example] = ["none", "none", undefined];
      contradictions.length = start.contradictions.length;
      continue;
    }
    const { run } = step.value;
    const { history } = run;
    for (const { message } of run.problems) contradictions.push(`the client fails: ${message}`);
    const checked = HISTORY_LEVELS.find((each) => each === level);
    if (checked !== undefined && !isAllowed(history, checked))
      contradictions.push(`explored at ${level}, refused by the checker: ${historyText(history)}`);
    const merges =
      mergesRows(history, client.initial) || readsBeforeInsert(history, client.initial);
    if (merges) tally.merged += 1;
    for (const final of run.finalStates()) {
      tally.outcomes += 1;
      const { difference, serializable } = await start.judge(history, final);
      if (difference === "none") {
        tally.benign += Number(!serializable);
        continue;
      }
      tally.anomalous += 1;
      if (serializable)
        contradictions.push(
          `no serial order gives it, serializable to the checker: ${historyText(history, final)}`,
        );
      worst = severer(worst, difference);
      if (merges) continue;
      if (worstUnmerged !== severer(worstUnmerged, difference))
        example = historyText(history, final);
      worstUnmerged = severer(worstUnmerged, difference);
    }
  }
}

function severer(one: Difference, other: Difference): Difference {
  return one === "state" || other === "none" ? one : other;
}

/** The instances of a start, each in a session of its own. */
function clientOf(program: Program, setup: Setup): ExplorableClient {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const sessions = setup.instances.map((instance) => {
    const transaction = program.transactions.find(({ id }) => id === instance.transaction);
    if (transaction === undefined) throw new Error(`no transaction ${instance.transaction}`);
    const given = { by: "place", list: [] } as const;
    const call = { name: transaction.id, nameRange: range, arguments: given, range };
    return [{ call, instance, transaction }];
  });
  const { initial } = setup;
  const versions = initialVersions(program.schema, initial);
  return explorable({ program, initial, versions, sessions }, accessRules({ family: "paper" }));
}

/** Rows at the end, and what each transaction gave; undefined where it rolled itself back. */
interface View {
  readonly state: string;
  readonly names: readonly string[];
  readonly ends: ReadonlyMap<string, string | undefined>;
}

async function serialViews(client: ExplorableClient): Promise<readonly View[]> {
  const { outcomes } = await serialOutcomes(client, { states: 10_000, stop: () => false });
  return outcomes.map(({ history, state }) => viewOf(history, state));
}

function viewOf({ transactions }: History, final: FinalState): View {
  const names = transactions.map(({ name = "" }) => name).sort();
  const ends = new Map(
    transactions.map(({ name = "", status, result }) => [
      name,
      status === "committed" ? JSON.stringify(result ?? null) : undefined,
    ]),
  );
  const rows = [...final].map(([key, { value }]) =>
    rowText(partsOfKey(key).table, plainRow(value) ?? {}),
  );
  return { state: rows.sort().join(" "), names, ends };
}

function rowText(table: string, row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([table, Object.entries(row).sort()]);
}

function differenceOf(
  own: View,
  serial: readonly View[],
  committed: readonly string[],
): Difference {
  const sameState = serial.filter(({ state }) => state === own.state);
  if (sameState.length === 0) return "state";
  const same = sameState.some(({ ends }) =>
    committed.every((name) => ends.get(name) === own.ends.get(name)),
  );
  return same ? "none" : "value";
}

/** The store's own serial runs, which share neither explorer nor versions with these, must end the same. */
function compareSerialRuns(
  program: Program,
  setup: Setup,
  serial: readonly View[],
): readonly string[] {
  const names = setup.instances.map(({ instance }) => instance);
  const stored = runEveryOrder(program, setup, names, freshValues(setup)).map(({ run }) => {
    const { final, status } = outcomeOf(run);
    const rows = Object.entries(final).flatMap(([table, all]) =>
      all.map((row) => rowText(table, row)),
    );
    const ends = [...names].sort().map((name) => ownEntry(status, name) === COMMITTED);
    return `${rows.sort().join(" ")} ${ends.join()}`;
  });
  const explored = serial.map(
    ({ state, names: all, ends }) =>
      `${state} ${all.map((name) => ends.get(name) !== undefined).join()}`,
  );
  const [one, other] = [[...new Set(stored)].sort(), [...new Set(explored)].sort()];
  return one.join("\n") === other.join("\n")
    ? []
    : [`serial runs differ: ${one.join(" | ")}; explored: ${other.join(" | ")}`];
}

/** Closed by a transaction that reads all rows at the end. */
function isSerializable(history: History, final: FinalState): boolean {
  const writers = new Map<Key, number>([...final].map(([key, { writer }]) => [key, writer]));
  return holds(history, "serializable", closing(history, writers));
}

function isAllowed(history: History, level: HistoryLevel): boolean {
  return holds(history, level, undefined);
}

function holds(
  history: History,
  level: HistoryLevel,
  final: ReadonlyMap<Key, number> | undefined,
): boolean {
  const recorded = clientHistory(history, String, final);
  return checkHistory(recorded, { levels: [level] }).verdicts.get(level) === "ok";
}

/** Rows that are gone at the end are read as well: by whom they were removed decides between orders. */
function closing(
  { transactions }: History,
  writers: ReadonlyMap<Key, number>,
): ReadonlyMap<Key, number> {
  const all = new Map(writers);
  for (const { id, status, events } of transactions) {
    if (status !== "committed") continue;
    for (const event of events) {
      if (event.kind !== "write" || all.has(event.key)) continue;
      // The state has no row: the last writer is one that removed it, the only one where there is one.
      const removers = removersOf(transactions, event.key);
      if (removers.length === 1) all.set(event.key, removers[0] ?? id);
    }
  }
  return all;
}

function removersOf(transactions: History["transactions"], key: Key): readonly number[] {
  return transactions
    .filter(({ status, events }) => {
      const writes = events.some((event) => event.kind === "write" && event.key === key);
      return status === "committed" && writes;
    })
    .map(({ id }) => id)
    .filter((id) => lastWrite(transactions, id, key) === undefined);
}

/**
 * Two transactions replaced the same version of a row: one removed what the other changed, both inserted it, or they
 * changed other columns. Explored versions are whole rows, so either change may be the last; to the analysis, a row that
 * was removed stays so, only one of two transactions that do not see each other inserts a key, and columns are apart.
 */
function mergesRows({ transactions }: History, initial: ReadonlyMap<Key, Value>): boolean {
  const replaced = new Map<string, string>();
  for (const { id, status, events } of transactions) {
    if (status !== "committed") continue;
    for (const key of new Set(events.flatMap((each) => (each.kind === "write" ? each.key : [])))) {
      const first = events.findIndex((each) => each.kind === "write" && each.key === key);
      const read = events
        .slice(0, first)
        .findLast((each) => each.kind === "read" && each.key === key && each.from !== OWN);
      if (read?.kind !== "read") continue;
      const found =
        read.from === INITIAL ? initial.get(key) : lastWrite(transactions, read.from, key);
      const left = lastWrite(transactions, id, key);
      const what = left === undefined ? "removed" : changedColumns(found, left).join();
      const place = `${key} ${String(read.from)}`;
      const before = replaced.get(place);
      if (before !== undefined && (before !== what || (found === undefined && left !== undefined)))
        return true;
      replaced.set(place, what);
    }
  }
  return false;
}

/**
 * A transaction reads what another changed of a row while it misses, by another row, the transaction that inserted it. Below
 * causal consistency explored versions, whole rows, allow that; to the analysis, a row is there for those who see its insert.
 */
function readsBeforeInsert({ transactions }: History, initial: ReadonlyMap<Key, Value>): boolean {
  return transactions.some(({ status, events }) => {
    const reads = events.filter((each) => each.kind === "read");
    if (status !== "committed") return false;
    return reads.some(({ key, from }) => {
      if (initial.get(key) !== undefined) return false;
      const [, ...earlier] = versionsUnder(transactions, key, from);
      const inserter = earlier.at(-1);
      return (
        inserter !== undefined &&
        reads.some(
          (other) =>
            writes(transactions, inserter, other.key) &&
            other.from !== OWN &&
            !versionsUnder(transactions, other.key, other.from).includes(inserter),
        )
      );
    });
  });
}

/** Who wrote a version, whose version that one replaced, and so on, down to the first that is not of the start. */
function versionsUnder(
  transactions: History["transactions"],
  key: Key,
  from: number,
): readonly number[] {
  const writers: number[] = [];
  for (let at: number | undefined = from; at !== undefined && at !== INITIAL && at !== OWN;) {
    if (writers.includes(at)) break;
    writers.push(at);
    const events = transactions.find(({ id }) => id === at)?.events ?? [];
    const first = events.findIndex((each) => each.kind === "write" && each.key === key);
    const read = events
      .slice(0, first)
      .findLast((each) => each.kind === "read" && each.key === key && each.from !== OWN);
    at = read?.kind === "read" ? read.from : undefined;
  }
  return writers;
}

function writes(transactions: History["transactions"], id: number, key: Key): boolean {
  const events = transactions.find((each) => each.id === id)?.events ?? [];
  return events.some((event) => event.kind === "write" && event.key === key);
}

function changedColumns(found: Value, left: Value): readonly string[] {
  const [before, after] = [plainRow(found) ?? {}, plainRow(left) ?? {}];
  return Object.keys(after)
    .filter((column) => ownEntry(before, column) !== ownEntry(after, column))
    .sort();
}

function lastWrite(transactions: History["transactions"], id: number, key: Key): Value {
  const writer = transactions.find((each) => each.id === id);
  const last = writer?.events.findLast((event) => event.kind === "write" && event.key === key);
  return last?.kind === "write" ? last.value : undefined;
}

function textOf({ transactions }: History, final: FinalState): string {
  const ordered = [...transactions].sort((a, b) => a.id - b.id);
  return JSON.stringify([
    ordered.map(({ id, events, status }) => [id, status, events]),
    [...final].map(([key, { writer }]) => [key, writer]),
  ]);
}

/** For people: one line. */
function historyText({ transactions }: History, final?: FinalState): string {
  const told = transactions.map(({ name = "?", events, status, result }) => {
    const steps = events.map((event) =>
      event.kind === "read"
        ? `r ${event.key}<-${event.from === OWN ? "own" : nameOf(transactions, event.from)}`
        : `w ${event.key}=${JSON.stringify(plainRow(event.value)?.["v"]) ?? "gone"}`,
    );
    return `${name}[${steps.join(", ")}; ${status} ${JSON.stringify(result)}]`;
  });
  const end =
    final && [...final].map(([key, { writer }]) => `${key} by ${nameOf(transactions, writer)}`);
  return [...told, ...(end === undefined ? [] : [`end {${end.join(", ")}}`])].join(" ");
}

function nameOf(transactions: History["transactions"], id: number): string {
  return transactions.find((each) => each.id === id)?.name ?? "start";
}
