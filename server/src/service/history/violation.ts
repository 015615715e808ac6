// A violation as the report presents it: names instead of numbers, places in files, and the counterexample in a readable order.
import type { CheckResult } from "../../history/check";
import { historyData } from "../../history/formats/writeJson";
import {
  ABORTED,
  APPEND,
  FAILED_WRITE,
  READ,
  READ_LIST,
  UNKNOWN,
  keyText,
  keyWords,
  listVersions,
  sessionLabel,
  transactionLabel,
  type History,
} from "../../history/history";
import type { Part } from "../../history/part";
import {
  explainViolation,
  valueOf,
  type ExplainOptions,
  type ViolationEdge,
  type ViolationReason,
} from "../../history/violation";
import type {
  HistoryEdge,
  HistoryOperation,
  HistoryPlace,
  HistoryReason,
  HistoryTransaction,
  HistoryViolation,
} from "../../protocol/history";
import type { HistoryInput } from "./files";
import { placeOf } from "./places";

/** The explained violation of a judged history; undefined if there is none, or if the limits ended its search. */
export function violationOf(
  history: History,
  result: CheckResult,
  input: HistoryInput,
  options: ExplainOptions,
): HistoryViolation | undefined {
  const found = explainViolation(history, result, options);
  if (!found) return undefined;
  const { kind, level, message, transactions, edges, support, minimal } = found;
  const name = (transaction: number): string => transactionLabel(history, transaction);
  const place = (operation: number): HistoryPlace => placeOf(history, operation, input);
  const reason = ({ text, operations, because }: ViolationReason): HistoryReason => ({
    text,
    places: operations.map(place),
    because: because.map(reason),
  });
  const edgeOf = (edge: ViolationEdge): HistoryEdge => ({
    type: edge.type,
    ...(edge.key !== undefined && { key: edge.key }),
    from: name(edge.from),
    to: name(edge.to),
    reason: reason(edge.reason),
  });
  return {
    kind: kind.name,
    title: kind.title,
    meaning: kind.meaning,
    level,
    message,
    transactions: transactions.map(name),
    edges: edges.map(edgeOf),
    ...(support.length > 0 && { support: support.map(edgeOf) }),
    minimal: historyData(minimal.history),
    story: storyOf(minimal, history, (operation) => place(minimal.operations[operation] ?? 0)),
  };
}

/** The transactions of a small history, writers before their readers where possible. */
function storyOf(
  part: Part,
  whole: History,
  place: (operation: number) => HistoryPlace,
): readonly HistoryTransaction[] {
  const { history } = part;
  const writer = writersOf(history);
  return tellingOrder(history, writer).map((transaction): HistoryTransaction => {
    const operations: HistoryOperation[] = [];
    const to = history.to[transaction] ?? 0;
    for (let at = history.from[transaction] ?? 0; at < to; at += 1)
      operations.push(operationOf(part, whole, at, writer, place(at)));
    const status = history.status[transaction];
    return {
      name: transactionLabel(history, transaction),
      session: sessionLabel(history, history.sessionOf[transaction] ?? 0),
      status: status === ABORTED ? "aborted" : status === UNKNOWN ? "unknown" : "committed",
      operations,
    };
  });
}

function operationOf(
  part: Part,
  whole: History,
  at: number,
  writer: ReadonlyMap<number, number>,
  place: HistoryPlace,
): HistoryOperation {
  const { history } = part;
  const kind = history.kind[at];
  const key = keyText(history, history.key[at] ?? 0);
  const words = keyWords(history, history.key[at] ?? 0);
  const value = valueOf(part, whole, at);
  if (kind !== READ && kind !== READ_LIST) {
    const text = kind === APPEND ? `appends ${value} to ${words}` : `writes ${words} = ${value}`;
    const refused = kind === FAILED_WRITE;
    return {
      kind: refused ? "failed-write" : "write",
      key,
      value,
      place,
      text: refused ? `${text}, refused` : text,
    };
  }
  const from = readFrom(history, at, writer);
  return {
    kind: "read",
    key,
    value,
    place,
    text: `reads ${words} = ${value}`,
    writer: from === undefined ? null : transactionLabel(history, from),
  };
}

/** The writer of each version; the first of several. */
function writersOf(history: History): ReadonlyMap<number, number> {
  const writer = new Map<number, number>();
  for (let each = 0; each < history.transactions; each += 1) {
    for (let at = history.from[each] ?? 0; at < (history.to[each] ?? 0); at += 1) {
      const [kind, version] = [history.kind[at], history.version[at] ?? 0];
      if (kind !== READ && kind !== READ_LIST && !writer.has(version)) writer.set(version, each);
    }
  }
  return writer;
}

/** The transaction that wrote what a read returned: for a list, its last element. */
function readFrom(
  history: History,
  at: number,
  writer: ReadonlyMap<number, number>,
): number | undefined {
  const version = history.version[at] ?? 0;
  if (history.kind[at] === READ) return writer.get(version);
  const last = listVersions(history, version).at(-1);
  return last === undefined ? undefined : writer.get(last);
}

/** Session order and writers before readers; a cycle is broken at the first transaction of the file. */
function tellingOrder(history: History, writer: ReadonlyMap<number, number>): readonly number[] {
  const before = new Map<number, Set<number>>();
  for (let each = 0; each < history.transactions; each += 1) {
    const own = new Set<number>();
    if (each > 0 && history.sessionOf[each - 1] === history.sessionOf[each]) own.add(each - 1);
    for (let at = history.from[each] ?? 0; at < (history.to[each] ?? 0); at += 1) {
      const kind = history.kind[at];
      const from = kind === READ || kind === READ_LIST ? readFrom(history, at, writer) : undefined;
      if (from !== undefined && from !== each) own.add(from);
    }
    before.set(each, own);
  }
  const placeIn = (each: number): number => history.place[history.from[each] ?? 0] ?? 0;
  const waiting = [...before.keys()].sort((a, b) => placeIn(a) - placeIn(b) || a - b);
  const told: number[] = [];
  while (waiting.length > 0) {
    const ready = waiting.findIndex((each) =>
      [...(before.get(each) ?? [])].every((other) => told.includes(other)),
    );
    told.push(...waiting.splice(Math.max(0, ready), 1));
  }
  return told;
}
