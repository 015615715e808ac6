// Decides, while tests run again, which answer of the server is changed and to what: one in a run, in some of the runs,
// so that the others go on as before.
import type { AnsweredStatement, Protocol, Value } from "../events";
import { listKey } from "../learn/repetition";
import type { Decider } from "../learn/program";
import { runOrdinals } from "../runs";
import { textAndSite, type RecordedStatement } from "../statements";
import type { CallSite } from "../sites";
import { namesOtherDatabase } from "./otherDatabase";
import { otherValue } from "./otherValue";
import { targetKey, type Targets } from "./targets";

/** Another value for a column of the first row. */
export interface ColumnChange {
  readonly column: number;
  /** The value that is answered; undefined: the server's own. To be asked once. */
  readonly replaced: (value: Value, largest?: number) => string | undefined;
}

export interface AnswerChanges {
  /** Asked at the first row of each answer. */
  ofRow(connection: number, statement: AnsweredStatement): ColumnChange | undefined;
  /** Asked where rows were changed: true if none is to be told. */
  ofCount(connection: number, statement: AnsweredStatement): boolean;
  /** The statement marked as one of a run in which answers may be changed. To be called for each, in their order. */
  completed(statement: RecordedStatement): RecordedStatement;
  readonly count: number;
}

export interface ChangesOptions {
  readonly targets: Targets;
  readonly protocol: Protocol;
  /** Answers of no other database are changed. */
  readonly database: string;
  /** The number of this run of the tests, so that each run changes other answers. */
  readonly run: number;
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
export function answerChanges({ targets, protocol, database, run }: ChangesOptions): AnswerChanges {
  const states = new Map<number, RunState>();
  const ordinals = runOrdinals();
  const executions = new Map<string, number>();
  const rounds = new Map<string, number>();
  const seen = new Map<string, string[]>();
  const changed = new Set<number>();
  /** The decision for the answer that is on its way on a connection. */
  const decided = new Map<number, { readonly order: number; readonly decider?: Decider }>();

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

  function decide(connection: number, statement: AnsweredStatement): Decider | undefined {
    const before = decided.get(connection);
    if (before?.order === statement.order) return before.decider;
    const { text, site } = textAndSite(statement.sql, protocol);
    const isOther =
      statement.database !== database ||
      site?.isTest === true ||
      (protocol === "mysql" && namesOtherDatabase(statement.sql, database));
    const state = stateOf(connection, site);
    state.twin ??= isOther ? undefined : ordinals(state.entry, text);
    const decider = isOther ? undefined : chosen(state, listKey(text));
    decided.set(connection, { order: statement.order, ...(decider && { decider }) });
    return decider;
  }

  function chosen(state: RunState, text: string): Decider | undefined {
    if (state.isChanged) return undefined;
    const occurrence = state.occurrences.get(text) ?? 0;
    const key = targetKey(state.entry, { text, occurrence });
    const target = targets.get(key);
    if (target === undefined) return undefined;
    const execution = executions.get(key) ?? 0;
    executions.set(key, execution + 1);
    // One in so many runs is left as it is.
    if ((execution + run) % (target.of + 1) !== target.index) return undefined;
    const turn = Math.floor((execution + run) / (target.of + 1)) + run;
    return target.deciders[turn % target.deciders.length];
  }

  function placeOf({ text, occurrence, column }: Decider): string {
    return `${String(column)} ${String(occurrence)} ${text}`;
  }

  function marked(connection: number, order: number): void {
    changed.add(order);
    const state = states.get(connection);
    if (state) state.isChanged = true;
  }

  return {
    ofRow(connection, statement) {
      const decider = decide(connection, statement);
      const column = decider?.column;
      if (decider === undefined || column === undefined) return undefined;
      const place = placeOf(decider);
      return {
        column,
        replaced(value, largest = Infinity) {
          const own = seen.get(place) ?? [];
          const round = (rounds.get(place) ?? 0) + run;
          const twin = states.get(connection)?.twin;
          const aims = decider.aimsOf?.get(twin ?? "") ?? decider.aims ?? [];
          const other = otherValue(value, { round, largest, aims, seen: own });
          if (value !== null && !own.includes(value))
            seen.set(place, [...own, value].slice(-MOST_SEEN));
          if (other === undefined) return undefined;
          rounds.set(place, round + 1 - run);
          marked(connection, statement.order);
          return other;
        },
      };
    },
    ofCount(connection, statement) {
      const decider = decide(connection, statement);
      if (decider === undefined || decider.column !== undefined) return false;
      marked(connection, statement.order);
      return true;
    },
    completed(statement) {
      const { connection, site, text, kind, status, order } = statement;
      const state = stateOf(connection, site);
      const key = listKey(text);
      state.occurrences.set(key, (state.occurrences.get(key) ?? 0) + 1);
      if (kind === "begin" && site !== undefined) state.isBegun = true;
      if (status === "idle") state.isBegun = false;
      // Without call sites, each transaction is a run.
      if (status === "idle" && state.call === "") states.delete(connection);
      return { ...statement, rerun: run + 1, ...(changed.has(order) && { isPerturbed: true }) };
    },
    get count() {
      return changed.size;
    },
  };
}

function callOf(site: CallSite | undefined): string {
  return site === undefined ? "" : `${site.entry} ${site.call ?? ""}`;
}
