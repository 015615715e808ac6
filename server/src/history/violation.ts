// A violation as data: its name, the minimal part of the history that shows it, and the dependencies with their reasons. Numbers are those
// of the whole history, so that every view can point into the file.
import type { CheckResult } from "./check";
import { deriveCycle } from "./derive";
import type { Fact, FactType } from "./facts";
import type { History } from "./history";
import {
  READ,
  READ_LIST,
  keyText,
  keyWords,
  listVersions,
  sessionLabel,
  transactionLabel,
  valueText,
} from "./history";
import type { ViolationKind } from "./kinds";
import { READ_KINDS, kindOfCycle } from "./kinds";
import { HISTORY_LEVELS, type HistoryLevel } from "./levels";
import { OutOfLimits, pollFor, type Limits } from "./limits";
import { minimiseRead, minimalViolation, weakestViolated } from "./minimise";
import type { Part } from "./part";
import type { ReadViolation, Resolved } from "./readResolution";
import { resolve } from "./resolve";
import { findWriters } from "./writers";

export interface Violation {
  readonly kind: ViolationKind;
  /** The weakest level that is violated. */
  readonly level: HistoryLevel;
  /** One sentence on the event and its transactions. */
  readonly message: string;
  /** Transactions of the whole history, in the order of the cycle; then those mentioned in reasons only. */
  readonly transactions: readonly number[];
  /** The cycle; for a read that no level allows, at most one edge. */
  readonly edges: readonly ViolationEdge[];
  /** Further dependencies: those that the reasons rest on, and those that connect a transaction. */
  readonly support: readonly ViolationEdge[];
  /** The minimal part: without any one of its transactions the rest is possible. */
  readonly minimal: Part;
}

export interface ViolationEdge {
  readonly type: FactType;
  /** The key's name, for wr, ww and rw. */
  readonly key?: string;
  readonly from: number;
  readonly to: number;
  readonly reason: ViolationReason;
}

/** A sentence, the operations that show it, and its supporting reasons. */
export interface ViolationReason {
  readonly text: string;
  readonly operations: readonly number[];
  readonly because: readonly ViolationReason[];
}

export interface ExplainOptions extends Limits {
  readonly strict?: boolean;
}

/** Explains the violation of the weakest requested level; undefined if none is violated, or if a limit was reached first. */
export function explainViolation(
  history: History,
  result: CheckResult,
  options: ExplainOptions = {},
): Violation | undefined {
  try {
    const [read] = result.resolved.violations;
    if (read !== undefined) return readViolation(history, read, options);
    if (result.violated === undefined) return undefined;
    const { level, blamed } = result.violated;
    const strict = options.strict ?? false;
    const minimal = minimalViolation(history, level, blamed, strict, pollFor(options));
    return minimal && cycleViolation(history, minimal, options);
  } catch (problem) {
    if (problem instanceof OutOfLimits) return undefined;
    throw problem;
  }
}

function cycleViolation(
  history: History,
  minimal: Part,
  options: ExplainOptions,
): Violation | undefined {
  const poll = pollFor(options);
  const strict = options.strict ?? false;
  const level = weakestViolated(minimal.history, strict);
  if (level === undefined) return undefined;
  const resolved = resolve(minimal.history);
  const cycle = deriveCycle(resolved, level, strict, poll);
  if (cycle === undefined) return undefined;
  const teller = tellerOf(minimal, resolved, history);
  const ordered = fromFirst(cycle);
  const kind = kindOfCycle(ordered, level, (t, key) => versionsRead(resolved, t, key));
  const members = ordered.map((fact) => teller.whole(fact.from));
  const edgeOf = (fact: Fact): ViolationEdge => ({
    type: fact.type,
    ...(fact.key >= 0 && { key: keyText(minimal.history, fact.key) }),
    from: teller.whole(fact.from),
    to: teller.whole(fact.to),
    reason: teller.reason(fact),
  });
  const edges = ordered.map(edgeOf);
  return {
    kind,
    level,
    message: `${kind.title}: ${ordered.map(teller.step).join(", ")}.`,
    transactions: [...new Set([...members, ...minimal.transactions])],
    edges,
    support: supportOf(edges, ordered.flatMap(restsOn).map(edgeOf), minimal, history),
    minimal,
  };
}

/** The facts that a fact rests on, transitively, without assumptions. */
function restsOn({ reason }: Fact): readonly Fact[] {
  const below =
    reason.kind === "overwritten" ? [reason.order] : reason.kind === "excluded" ? reason.cycle : [];
  return below.filter((fact) => !isSupposed(fact)).flatMap((fact) => [fact, ...restsOn(fact)]);
}

/** The further edges to draw: each dependency once, and reads that connect isolated transactions. */
function supportOf(
  edges: readonly ViolationEdge[],
  reasons: readonly ViolationEdge[],
  part: Part,
  history: History,
): readonly ViolationEdge[] {
  const keyOf = ({ type, key, from, to }: ViolationEdge): string =>
    JSON.stringify([type, key, from, to]);
  const drawn = new Set(edges.map(keyOf));
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const support: ViolationEdge[] = [];
  const add = (edge: ViolationEdge): void => {
    if (edge.from === edge.to || drawn.has(keyOf(edge))) return;
    drawn.add(keyOf(edge));
    support.push(edge);
  };
  for (const edge of reasons) add(edge);
  for (const { from, to } of support) connected.add(from).add(to);
  for (const edge of readEdges(part, history)) {
    if (!connected.has(edge.from) || !connected.has(edge.to)) add(edge);
  }
  return support;
}

/** The reads-from edges of a part. */
function readEdges(part: Part, history: History): readonly ViolationEdge[] {
  const own = part.history;
  const writers = findWriters(own);
  const whole = (t: number): number => part.transactions[t] ?? 0;
  const edges: ViolationEdge[] = [];
  for (let reader = 0; reader < own.transactions; reader++) {
    for (let at = own.from[reader] ?? 0; at < (own.to[reader] ?? 0); at++) {
      const version = own.version[at] ?? 0;
      const kind = own.kind[at];
      if (kind !== READ && kind !== READ_LIST) continue;
      for (const each of kind === READ ? [version] : listVersions(own, version)) {
        const writer = writers.of[each] ?? -1;
        if (writer < 0) continue;
        const name = keyWords(own, own.key[at] ?? 0);
        const value = valueText(own, each);
        const [by, who] = [writer, reader].map((t) => transactionLabel(history, whole(t)));
        edges.push({
          type: "wr",
          key: keyText(own, own.key[at] ?? 0),
          from: whole(writer),
          to: whole(reader),
          reason: {
            text: `${who ?? ""} reads ${value} of ${name}, which ${by ?? ""} wrote`,
            operations: [part.operations[at] ?? 0],
            because: [],
          },
        });
      }
    }
  }
  return edges;
}

/** The cycle in its most readable rotation: the anti-dependency last, what led to it first. */
function fromFirst(cycle: readonly Fact[]): readonly Fact[] {
  const last = cycle.findLastIndex((fact) => fact.type === "rw");
  return [...cycle.slice(last + 1), ...cycle.slice(0, last + 1)];
}

function versionsRead(resolved: Resolved, transaction: number, key: number): readonly number[] {
  const found: number[] = [];
  const end = resolved.readFrom[transaction + 1] ?? 0;
  for (let at = resolved.readFrom[transaction] ?? 0; at < end; at++)
    if (resolved.readKey[at] === key) found.push(resolved.readWriter[at] ?? 0);
  return found;
}

/** Words for the facts of a part. */
function tellerOf(part: Part, resolved: Resolved, history: History) {
  const own = part.history;
  const inPart = (t: number) => resolved.original[t] ?? 0;
  const whole = (t: number) => part.transactions[inPart(t)] ?? 0;
  const name = (t: number) => transactionLabel(history, whole(t));
  const key = (fact: Fact) => keyWords(own, fact.key);
  const operation = (at: number | undefined) =>
    at === undefined ? [] : [part.operations[at] ?? 0];
  const value = (at: number | undefined) => valueOf(part, history, at ?? 0);
  // The last element of a shortened list belongs to somebody else.
  const share = (fact: Fact) => {
    const last = lastOf(own, fact.read ?? 0);
    const isLast = last === lastOf(history, part.operations[fact.read ?? 0] ?? 0);
    return isLast ? "" : `, ${last ?? ""} of it`;
  };
  const lastWrite = (t: number, wanted: number) => {
    let found: number | undefined;
    for (let at = own.from[inPart(t)] ?? 0; at < (own.to[inPart(t)] ?? 0); at++)
      if (own.key[at] === wanted && own.kind[at] !== 0 && own.kind[at] !== READ_LIST) found = at;
    return operation(found);
  };

  return { whole, step, reason };

  function step(fact: Fact): string {
    const [from, to] = [name(fact.from), name(fact.to)];
    switch (fact.type) {
      case "so":
        return `${from} comes before ${to} in its session`;
      case "rt":
        return `${from} ended before ${to} began`;
      case "wr":
        return `${to} reads ${key(fact)} = ${value(fact.read)}${share(fact)} from ${from}`;
      case "ww":
        return `${to} writes ${key(fact)} after ${from} did`;
      case "rw":
        return `${from} reads ${key(fact)} = ${value(fact.read)} and misses what ${to} writes`;
    }
  }

  function reason(fact: Fact): ViolationReason {
    const [from, to] = [name(fact.from), name(fact.to)];
    switch (fact.type) {
      case "so":
        return {
          text: `${from} comes before ${to} in session ${sessionLabel(own, own.sessionOf[inPart(fact.from)] ?? 0)}`,
          operations: [],
          because: [],
        };
      case "rt": {
        const [end, begin] = [own.end?.[inPart(fact.from)], own.begin?.[inPart(fact.to)]];
        return {
          text: `${from} ended at ${end ?? "?"}, and ${to} began at ${begin ?? "?"}`,
          operations: [],
          because: [],
        };
      }
      case "wr":
        return {
          text: `${to} reads ${key(fact)} = ${value(fact.read)}${share(fact)}, which ${from} wrote`,
          operations: [...operation(fact.read), ...lastWrite(fact.from, fact.key)],
          because: [],
        };
      case "rw":
        return antiReason(fact);
      case "ww":
        return orderReason(fact);
    }
  }

  function antiReason(fact: Fact): ViolationReason {
    const [from, to] = [name(fact.from), name(fact.to)];
    const operations = [...operation(fact.read), ...lastWrite(fact.to, fact.key)];
    if (fact.reason.kind !== "overwritten")
      return {
        text: `${from} reads ${key(fact)} = ${value(fact.read)}, as it was before anybody wrote it, and ${to} writes ${key(fact)}`,
        operations,
        because: [],
      };
    const { order } = fact.reason;
    return {
      text: `${from} reads ${key(fact)} = ${value(fact.read)}${share(fact)} from ${name(order.from)}, and ${to} writes a later version`,
      operations,
      because: isSupposed(order) ? [] : [orderReason(order)],
    };
  }

  function orderReason(fact: Fact): ViolationReason {
    const [from, to] = [name(fact.from), name(fact.to)];
    const operations = [...lastWrite(fact.from, fact.key), ...lastWrite(fact.to, fact.key)];
    const text = `${from} writes ${key(fact)} before ${to} does`;
    switch (fact.reason.kind) {
      case "excluded": {
        const { cycle, level } = fact.reason;
        const steps = cycle.map(step).join(", ");
        return {
          text: `${text}: the other order would give a cycle that ${levelWords(level)} forbids (${steps})`,
          operations,
          because: cycle.filter((each) => !isSupposed(each)).map(reason),
        };
      }
      case "supposed":
        return { text: `suppose that ${text}`, operations, because: [] };
      default:
        return {
          text: `${text}: the list ${value(fact.read)} shows it`,
          operations: [...operations, ...operation(fact.read)],
          because: [],
        };
    }
  }
}

function isSupposed(fact: Fact): boolean {
  return fact.reason.kind === "supposed";
}

function levelWords(level: HistoryLevel): string {
  if (level === "causal") return "causal consistency";
  return level === "serializable" ? "serializability" : level.replaceAll("-", " ");
}

/** The value of an operation as in the file; a list as "[1 2]". */
function valueRead(history: History, operation: number): string {
  return listText(history, operation) ?? valueText(history, history.version[operation] ?? 0);
}

/** The value of an operation of a part as in the file; a long list is reduced to the part's elements. */
export function valueOf(part: Part, history: History, operation: number): string {
  const own = part.history;
  const whole = part.operations[operation];
  if (own.kind[operation] !== READ_LIST || whole === undefined) return valueRead(own, operation);
  const told = new Set(elementsOf(own, operation));
  return listText(history, whole, told) ?? valueRead(own, operation);
}

/** Longer lists are shortened. */
const LONGEST_LIST = 12;

/** A list that was read, as in the file; a long one is reduced to its ends and what is `told`, with "..." between. */
function listText(
  history: History,
  operation: number,
  told: ReadonlySet<string> = new Set(),
): string | undefined {
  if (history.kind[operation] !== READ_LIST) return undefined;
  const texts = elementsOf(history, operation);
  const isTold = (text: string, at: number): boolean =>
    texts.length <= LONGEST_LIST || at === 0 || at === texts.length - 1 || told.has(text);
  const words = texts.map((text, at) => (isTold(text, at) ? text : ELIDED));
  return `[${words.filter((word, at) => word !== ELIDED || words[at - 1] !== ELIDED).join(" ")}]`;
}

const ELIDED = "...";

function elementsOf(history: History, operation: number): readonly string[] {
  const list = listVersions(history, history.version[operation] ?? 0);
  return [...list].map((each) => valueText(history, each));
}

function lastOf(history: History, operation: number): string | undefined {
  return history.kind[operation] === READ_LIST ? elementsOf(history, operation).at(-1) : undefined;
}

function readViolation(
  history: History,
  found: ReadViolation,
  options: ExplainOptions,
): Violation | undefined {
  const minimal = minimiseRead(history, found, pollFor(options));
  if (minimal === undefined) return undefined;
  const [left] = resolve(minimal.history).violations;
  if (left === undefined) return cycleViolation(history, minimal, options);
  const violation: ReadViolation = {
    kind: left.kind,
    transaction: minimal.transactions[left.transaction] ?? 0,
    operation: minimal.operations[left.operation] ?? 0,
    ...(left.writer !== undefined && { writer: minimal.transactions[left.writer] ?? 0 }),
    ...(left.because !== undefined && { because: minimal.operations[left.because] ?? 0 }),
  };
  const kind = READ_KINDS[violation.kind];
  const name = (t: number) => transactionLabel(history, t);
  const key = keyText(history, history.key[violation.operation] ?? 0);
  const value = valueRead(history, violation.operation);
  const { transaction, writer, operation, because } = violation;
  const text = `${name(transaction)} reads ${keyWords(history, history.key[violation.operation] ?? 0)} = ${value}, ${readWords(history, violation, name)}`;
  const others = minimal.transactions.filter((t) => t !== transaction && t !== writer);
  const edges: readonly ViolationEdge[] =
    writer === undefined || violation.kind === "incompatible-lists"
      ? []
      : [
          {
            type: "wr",
            key,
            from: writer,
            to: transaction,
            reason: {
              text,
              operations: [operation, ...(because === undefined ? [] : [because])],
              because: [],
            },
          },
        ];
  return {
    kind,
    level: HISTORY_LEVELS[0],
    message: `${kind.title}: ${text}.`,
    transactions: [transaction, ...(writer === undefined ? [] : [writer]), ...others],
    edges,
    support: supportOf(edges, [], minimal, history),
    minimal,
  };
}

function readWords(
  history: History,
  { kind, writer, because }: ReadViolation,
  name: (transaction: number) => string,
): string {
  const by = writer === undefined ? "another transaction" : name(writer);
  const other = because === undefined ? "something else" : valueRead(history, because);
  switch (kind) {
    case "thin-air-read":
      return "which nobody wrote";
    case "aborted-read":
      return writer === undefined
        ? "which was written by a transaction that was rolled back"
        : `which ${by} wrote without committing it`;
    case "intermediate-read":
      return `which ${by} replaced before it committed`;
    case "future-read":
      return "which it writes itself only afterwards";
    case "own-write-not-read":
      return `although it had written ${other} itself`;
    case "incompatible-lists":
      return `and ${by} reads ${other}: neither list continues the other`;
    case "duplicate-element":
      return "in which an element stands twice";
  }
}
