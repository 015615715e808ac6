// Changes answers of the server while tests run again, as experiments ask for it: one in a run.
import type { AnsweredStatement, Protocol, Value } from "../events";
import { listKey } from "../learn/repetition";
import { isWork, runOrdinals } from "../runs";
import { kindOf, textAndSite, type RecordedStatement } from "../statements";
import type { CallSite } from "../sites";
import { placeKey, type Experiment, type Experiments } from "./experiments";
import { namesOtherDatabase } from "./otherDatabase";
import { otherValue } from "./otherValue";

/** The part of a column's type that bounds its values. */
export interface ColumnType {
  readonly largest?: number | undefined;
  /** The number of the enumeration that it is. */
  readonly enumeration?: number;
}

/** Another value for a column of the first row. */
export interface ColumnChange {
  readonly column: number;
  /** The value that is answered; undefined: the server's own. To be asked once. */
  readonly replaced: (value: Value, type?: ColumnType) => string | undefined;
}

export interface AnswerChanges {
  /** Asked at the first row of each answer. */
  ofRow(connection: number, statement: AnsweredStatement): ColumnChange | undefined;
  /** Asked where rows were changed: true if none is to be told. */
  ofCount(connection: number, statement: AnsweredStatement): boolean;
  /** The statement marked as one of a run in which answers may be changed. To be called for each, in their order. */
  completed(statement: RecordedStatement): RecordedStatement;
  readonly count: number;
  /** The runs in which an answer was changed, by what they have in common with theirs when the tests run again. */
  readonly reached: ReadonlySet<string>;
  /** Places of answers for which no other value is known. */
  readonly unchangeable: ReadonlySet<string>;
}

export interface ChangesOptions {
  readonly experiments: Experiments;
  readonly protocol: Protocol;
  /** Answers of no other database are changed. */
  readonly database: string;
  /** The number of this run of the tests, from one. */
  readonly rerun: number;
  /** Values that answers had before, by their places or their type. */
  readonly seen: Map<string, readonly string[]>;
}

/** State of a connection's run. */
interface RunState {
  readonly call: string;
  readonly entry: string | undefined;
  /** It stands in a transaction, which is of the call that began it. */
  isBegun: boolean;
  /** Set by its first statement that reads or changes rows. */
  twin: string | undefined;
  isChanged: boolean;
  readonly occurrences: Map<string, number>;
}

/** Values of a place that are kept, to stand for each other. */
const MOST_SEEN = 20;

/** The changes of one run of the tests. */
export function answerChanges({
  experiments,
  protocol,
  database,
  rerun,
  seen,
}: ChangesOptions): AnswerChanges {
  const states = new Map<number, RunState>();
  const ordinals = runOrdinals();
  const changed = new Set<number>();
  const reached = new Set<string>();
  const unchangeable = new Set<string>();
  /** The decision for the answer that is on its way on a connection. */
  const decided = new Map<number, { readonly order: number; readonly experiment?: Experiment }>();

  function stateOf(connection: number, site: CallSite | undefined): RunState {
    const call = callOf(site);
    const before = states.get(connection);
    if (before?.isBegun === true) return before;
    // A statement without a site belongs to the call around it.
    if (before !== undefined && (site === undefined || before.call === call)) return before;
    const state: RunState = {
      call,
      entry: site?.entry,
      isBegun: false,
      twin: undefined,
      isChanged: false,
      occurrences: new Map(),
    };
    states.set(connection, state);
    return state;
  }

  function twinOf(state: RunState, text: string): string {
    return (state.twin ??= ordinals.of(state.entry, text));
  }

  function decide(connection: number, statement: AnsweredStatement): Experiment | undefined {
    const before = decided.get(connection);
    if (before?.order === statement.order) return before.experiment;
    const { text, site } = textAndSite(statement.sql, protocol);
    const isOther =
      statement.database !== database ||
      site?.isTest === true ||
      !isWork({ kind: kindOf(text) }) ||
      (protocol === "mysql" && namesOtherDatabase(statement.sql, database));
    const experiment = isOther ? undefined : chosen(stateOf(connection, site), text);
    decided.set(connection, { order: statement.order, ...(experiment && { experiment }) });
    return experiment;
  }

  function chosen(state: RunState, text: string): Experiment | undefined {
    const experiment = experiments.get(twinOf(state, text));
    const key = listKey(text);
    const isHere =
      experiment?.decider.text === key &&
      experiment.decider.occurrence === (state.occurrences.get(key) ?? 0);
    return isHere && !state.isChanged ? experiment : undefined;
  }

  function marked(connection: number, order: number): void {
    changed.add(order);
    const state = states.get(connection);
    if (state === undefined) return;
    state.isChanged = true;
    if (state.twin !== undefined) reached.add(state.twin);
  }

  return {
    ofRow(connection, statement) {
      const experiment = decide(connection, statement);
      const column = experiment?.decider.column;
      if (experiment === undefined || column === undefined) return undefined;
      const { decider, round } = experiment;
      const place = placeKey(decider);
      return {
        column,
        replaced(value, { largest = Infinity, enumeration } = {}) {
          const isLabel = enumeration !== undefined;
          const places = isLabel ? [place, `enumeration ${String(enumeration)}`] : [place];
          const own = [...new Set(places.flatMap((each) => seen.get(each) ?? []))];
          const twin = states.get(connection)?.twin;
          const aims = decider.aimsOf?.get(twin ?? "") ?? decider.aims ?? [];
          const other = otherValue(value, { round, largest, aims, seen: own, isLabel });
          if (value !== null && !own.includes(value))
            for (const each of places)
              seen.set(each, [...(seen.get(each) ?? []), value].slice(-MOST_SEEN));
          if (other !== undefined) marked(connection, statement.order);
          else if (value !== null && !isLabel) unchangeable.add(place);
          return other;
        },
      };
    },
    ofCount(connection, statement) {
      const experiment = decide(connection, statement);
      if (experiment === undefined || experiment.decider.column !== undefined) return false;
      marked(connection, statement.order);
      return true;
    },
    completed(statement) {
      const { connection, site, text, kind, status, order } = statement;
      const state = stateOf(connection, site);
      if (isWork(statement)) {
        if (site?.isTest === true) ordinals.passTest(statement);
        else twinOf(state, text);
      }
      const key = listKey(text);
      state.occurrences.set(key, (state.occurrences.get(key) ?? 0) + 1);
      if (kind === "begin" && site !== undefined) state.isBegun = true;
      if (status === "idle") state.isBegun = false;
      // Without call sites, each transaction is a run.
      if (status === "idle" && state.call === "") states.delete(connection);
      return { ...statement, rerun, ...(changed.has(order) && { isPerturbed: true }) };
    },
    get count() {
      return changed.size;
    },
    reached,
    unchangeable,
  };
}

function callOf(site: CallSite | undefined): string {
  return site === undefined ? "" : `${site.entry} ${site.call ?? ""}`;
}
