// One statement from its tree to its result: compiled once, and run against the store as a sequence of requests.
import { attribute } from "../../query/nodes";
import type {
  Key as StoreKey,
  RangePart,
  ReadRequest,
  Reply,
  Request,
  Value,
} from "../../exploration/client";
import type { Catalog, Table } from "../catalog";
import { throughViews } from "../updatableViews";
import type {
  CompiledQuery,
  Compiler,
  Env,
  QueryColumn,
  SessionFacts,
  WithQuery,
  Work,
  UserVariables,
} from "../compile/node";
import { expressionNode } from "../compile/expression";
import { queryPlan } from "../compile/query";
import { compileQuery } from "../compile/recursion";
import { MissingRows, PAUSE, toEnd, type Slices } from "../compile/slices";
import { declare } from "../compile/with";
import { callRoutine } from "../routine/call";
import type { RoutineHost } from "../routine/frame";
import { rowBefore, type ChangedRow } from "../routine/triggers";
import { LockTaken, type AdvisoryLocks, type LockWait } from "../advisoryLocks";
import { typeNamed } from "../mysql/routineDefinition";
import { selectOf } from "../selectOf";
import { declaredType } from "../tableParts";
import { failure, unsupported } from "../sqlError";
import type { SqlChange, SqlQuery } from "../tree";
import type { SqlType } from "../values/types";
import type { SqlValue } from "../values/value";
import { compileDelete, compileUpdate } from "./change";
import type { ChangeResult, ChangeWork, CompiledChange } from "./changeTypes";
import { createChanges, type Changes } from "./changes";
import type { ChangesContext, PendingReference } from "./rowChanges";
import { compileInsert } from "./insert";
import { compileMerge } from "./merge";
import { sameRow } from "./rowChecks";
import { createRows, type LockingRule, type Rows } from "./rows";
import { tableRules, type TableRules } from "./tableRules";

/** A statement that is ready to run, as often as is wanted. */
export interface Plan {
  readonly columns: readonly QueryColumn[];
  readonly parameters: ReadonlyMap<number, SqlType>;
  readonly isChange: boolean;
  readonly compiler: Compiler;
  /** Compiled once for the plan. */
  readonly rules: (table: Table) => TableRules;
  /** Changes of rows are parts of its queries. */
  readonly nestsChanges: boolean;
  /** Without `work` where it changes nothing. */
  readonly run: (env: Env, work: ChangeWork | undefined) => Slices<ChangeResult>;
}

/** Compiles a query or a change. Fails with the databases' errors. */
export function planStatement(
  statement: SqlQuery | SqlChange,
  catalog: Catalog,
  parameters: ReadonlyMap<number, SqlType>,
  locals?: ReadonlyMap<string, SqlType>,
): Plan {
  let nestsChanges = false;
  const rules = new Map<Table, TableRules>();
  const rulesOf = (table: Table): TableRules => {
    const known = rules.get(table) ?? tableRules(table, compiler);
    rules.set(table, known);
    return known;
  };
  const compiler: Compiler = {
    dialect: catalog.dialect,
    catalog,
    parameters: new Map(parameters),
    ...(locals && { locals }),
    highestParameter: 0,
    withs: 0,
    depth: 0,
    recursion: { expression: expressionNode, query: queryPlan },
    change: (change, withs) => {
      nestsChanges = true;
      return changeInWith(change, compiler, withs);
    },
    routine: (routine, args, env) => atOnce(callRoutine(routine, args, hostWithin(env, catalog))),
  };
  const changes =
    statement.kind !== "select" || statement.with.some((each) => each.body.kind !== "select");
  if (statement.kind === "select") {
    const query = compileQuery(statement, compiler, undefined, new Map());
    return {
      columns: query.columns,
      parameters: compiler.parameters,
      isChange: changes,
      compiler,
      rules: rulesOf,
      nestsChanges,
      *run(env) {
        const rows = query.slices === undefined ? query.run(env) : yield* query.slices(env);
        return { rows, count: rows.length };
      },
    };
  }
  const behind = throughViews(statement, catalog);
  const withs = new Map<string, WithQuery>();
  const declared = statement.with.map((each) => declare(each, compiler, undefined, withs));
  const change = compileChange(behind, compiler, withs);
  return {
    columns: change.columns,
    parameters: compiler.parameters,
    isChange: true,
    compiler,
    rules: rulesOf,
    nestsChanges,
    *run(env, work) {
      if (work === undefined) throw failure("internal", "a change has no statement");
      for (const start of declared) start(env);
      return yield* change.run(env, work);
    },
  };
}

function compileChange(
  change: SqlChange,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledChange {
  switch (change.kind) {
    case "insert":
      return compileInsert(change, compiler, withs);
    case "update":
      return compileUpdate(change, compiler, withs);
    case "delete":
      return compileDelete(change, compiler, withs);
    case "merge":
      return compileMerge(change, compiler, withs);
    default:
      return change satisfies never;
  }
}

/** The works of the statements that run now, by their environment's work: a change inside WITH finds its own. */
const RUNNING = attribute<Work, ChangeWork>();

function changeInWith(
  change: SqlChange,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledQuery {
  const inner = new Map(withs);
  const declared = change.with.map((each) => declare(each, compiler, undefined, inner));
  const compiled = compileChange(throughViews(change, compiler.catalog), compiler, inner);
  return {
    columns: compiled.columns,
    volatile: true,
    run: (env) => {
      const work = RUNNING.get(env.work);
      if (work === undefined) throw failure("internal", "a change inside WITH has no statement");
      for (const start of declared) start(env);
      return toEnd(compiled.run(env, work)).rows;
    },
  };
}

/** The session as all of its statements have it. */
export interface SharedContext {
  readonly catalog: Catalog;
  readonly rule: LockingRule;
  /** The store finds rows by values of columns. */
  readonly hasIndexes: boolean;
  readonly random: () => number;
  readonly nextValue: (sequence: string) => number;
  readonly reached: (sequence: string, value: number) => void;
  readonly setValue: Work["setValue"];
  readonly currentValue: (sequence: string | undefined) => number | undefined;
  readonly variables: UserVariables;
  readonly isDue: Work["isDue"];
  readonly setting: Work["setting"];
  readonly session: () => SessionFacts;
  readonly locks: Work["locks"];
  readonly parse: Work["parse"];
  readonly notice: Work["notice"];
  readonly warn: Work["warn"];
  readonly notify: (channel: string, payload: string) => void;
  readonly references: ChangesContext["references"];
}

/** The session as one statement has it. */
export interface StatementContext {
  readonly shared: SharedContext;
  readonly parameter: (number: number, type: SqlType) => SqlValue;
  readonly now: number;
  readonly locals?: Work["locals"];
  readonly called?: Work["called"];
  /** Writes that wait for the end of a savepoint, and go before what the store says. */
  readonly waiting: ReadonlyMap<StoreKey, Value>;
}

export type StatementEnd =
  | {
      readonly ok: true;
      readonly result: ChangeResult;
      readonly writes: Iterable<readonly [StoreKey, Value]>;
      readonly changed?: readonly ChangedRow[];
      readonly pending?: readonly PendingReference[];
    }
  /** The store ended the transaction, unless it `goesOn`. */
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly goesOn?: boolean;
    };

/**
 * Runs a plan: evaluates it with the rows that are there, asks the store for those that are missing, and begins again,
 * so that the evaluation itself need not wait. Numbers and random values drawn before are drawn again from memory.
 * Throws an `SqlFailure`.
 */
export function* runPlan(
  plan: Plan,
  context: StatementContext,
): Generator<Request, StatementEnd, Reply> {
  const { shared, waiting } = context;
  const { catalog, variables } = shared;
  const rows = createRows(catalog.dialect, shared.rule, shared.hasIndexes);
  const drawn: Drawn = { numbers: new Map(), randoms: [], rowNumbers: [], locks: [] };
  const asking: Asking = { rows, waiting, hasAsked: false };
  for (;;) {
    const { work, replayed } = createWork(plan, context, rows, drawn);
    const change =
      plan.isChange || isNesting(plan, catalog)
        ? changeOf(
            plan,
            shared,
            rows,
            replayed(drawn.rowNumbers, () => shared.nextValue("#rows")),
          )
        : undefined;
    if (change !== undefined && isNesting(plan, catalog)) RUNNING.set(work, change);
    const assigned = variables.size === 0 ? undefined : new Map(variables);
    try {
      const env: Env = { work, tuple: [], up: undefined, aggregates: [], windows: [] };
      const slices = checked(plan.run(env, change), change?.changes, env);
      let slice = slices.next();
      while (slice.done !== true) {
        if (slice.value === undefined) yield PAUSE;
        else {
          const lost = yield* ask(slice.value, asking);
          if (lost !== undefined) return lost;
        }
        slice = slices.next();
      }
      const result = slice.value;
      if (change === undefined) return { ok: true, result, writes: NONE };
      const { changes } = change;
      const [pending, changed] = [changes.pending(), changes.changed()];
      return { ok: true, result, writes: changes.writes(), changed, pending };
    } catch (error) {
      const isWaiting = error instanceof LockTaken;
      if (!isWaiting && !(error instanceof MissingRows)) throw error;
      // Variables that the attempt assigned are assigned again.
      if (variables.size > 0) variables.clear();
      for (const [name, value] of assigned ?? []) variables.set(name, value);
      if (isWaiting) {
        const wait: LockWait = { kind: "read", keys: [], lockSeconds: error.seconds };
        const reply = yield wait;
        // The locks taken before are remembered; that one is given up.
        if (reply.kind === "failed") drawn.locks.push(false);
        continue;
      }
      const lost = yield* ask(error.request, asking);
      if (lost !== undefined) return lost;
    }
  }
}

/** True if what the statement calls, or holds, may ask for its change. */
function isNesting({ nestsChanges }: Plan, { routines, triggers }: Catalog): boolean {
  return nestsChanges || routines.size + triggers.size > 0;
}

function changeOf(
  { rules }: Plan,
  { catalog, references, reached }: SharedContext,
  rows: Rows,
  rowNumber: () => number,
): ChangeWork {
  const changes = createChanges({ catalog, rows, rules, references, rowNumber });
  return {
    changes,
    touched: new Set(),
    before: (row, env) =>
      catalog.triggers.has(row.table.name)
        ? atOnce(rowBefore(catalog, row, hostWithin(env, catalog)))
        : (row.after ?? row.before),
    keyOf: (row) => rows.keyOf(row) ?? changes.keyOf(row),
    reached,
  };
}

const NONE: readonly never[] = [];

interface Asking {
  readonly rows: Rows;
  readonly waiting: StatementContext["waiting"];
  hasAsked: boolean;
}

/** Brings rows from the store; the end of the statement where it fails there. */
function* ask(
  request: ReadRequest,
  asking: Asking,
): Generator<Request, StatementEnd | undefined, Reply> {
  const { rows, waiting, hasAsked } = asking;
  const { scans = NONE, lookups = NONE } = request;
  const keys = waiting.size === 0 ? request.keys : request.keys.filter((key) => !waiting.has(key));
  let values: ReadonlyMap<StoreKey, Value> = NO_VALUES;
  let part: RangePart | undefined;
  if (keys.length + scans.length + lookups.length > 0) {
    const reply = yield { ...request, keys, ...(hasAsked && { continues: true }) };
    asking.hasAsked = true;
    if (reply.kind === "failed") {
      const { code, message, goesOn = false } = reply;
      return { ok: false, code, message, goesOn };
    }
    if (reply.kind === "values") ({ values, part } = reply);
  }
  rows.add(request, waiting.size === 0 ? values : withWaiting(values, request, waiting), part);
  return undefined;
}

const NO_VALUES: ReadonlyMap<StoreKey, Value> = new Map();

/** The store's answer, below the writes that it has not been told of. */
function withWaiting(
  values: ReadonlyMap<StoreKey, Value>,
  { keys, scans = NONE, lookups = NONE }: ReadRequest,
  waiting: ReadonlyMap<StoreKey, Value>,
): ReadonlyMap<StoreKey, Value> {
  const own = new Map(values);
  for (const key of keys) if (waiting.has(key)) own.set(key, waiting.get(key));
  const starts = [...scans, ...lookups.map(({ prefix }) => prefix)];
  if (starts.length > 0)
    for (const [key, value] of waiting)
      if (starts.some((prefix) => key.startsWith(prefix))) own.set(key, value);
  return own;
}

/** A change, and then the references of its rows. */
function* checked(
  steps: Slices<ChangeResult>,
  changes: Changes | undefined,
  env: Env,
): Slices<ChangeResult> {
  const result = yield* steps;
  if (changes !== undefined) yield* changes.checkReferences(env);
  return result;
}

/** Looks again at references that were deferred. */
export function* checkDeferred(
  all: readonly PendingReference[],
  context: StatementContext,
): Generator<Request, StatementEnd, Reply> {
  const nothing = planStatement(selectOf([]), context.shared.catalog, new Map());
  const plan: Plan = {
    ...nothing,
    isChange: true,
    *run(_env, work) {
      yield* [];
      work?.changes.checkPending(all);
      return { rows: [], count: 0 };
    },
  };
  return yield* runPlan(plan, context);
}

/** Runs to its end what asks nobody: rows that are missing are asked for by beginning again. */
function atOnce<T>(steps: Generator<Request, T, Reply>): T {
  const { value, done } = steps.next();
  if (done === true) return value;
  throw failure("internal", "a routine inside of a statement has asked the store");
}

/** Routines inside of a statement see what it sees. */
function hostWithin(env: Env, catalog: Catalog): RoutineHost {
  const { dialect } = catalog;
  return {
    dialect,
    declared: (type) => declaredType(catalog, typeNamed(type, dialect)),
    variables: env.work.variables,
    parse: env.work.parse,
    *run(statement, locals) {
      // New rows become part of the statement; of other changes the next row's trigger would not know.
      if (statement.kind !== "select" && statement.kind !== "insert")
        throw unsupported(
          "a function that changes or deletes rows, called inside of a statement or before a row is changed,",
        );
      const types = new Map([...locals].map(([name, { declared }]) => [name, declared.type]));
      const plan = planStatement(statement, catalog, new Map(), types);
      const work: Work = { ...env.work, locals };
      const around = RUNNING.get(env.work);
      if (around === undefined) throw failure("internal", "a routine has no statement");
      RUNNING.set(work, around);
      const inside: Env = { work, tuple: [], up: undefined, aggregates: [], windows: [] };
      const { rows, count } = toEnd(plan.run(inside, around));
      return { columns: plan.columns, rows, count };
    },
    columns: (query) => planStatement(query, catalog, new Map()).columns,
    table: (name) => catalog.tables.get(name)?.columns,
    notice: env.work.notice,
    warn: (code, message) => {
      env.work.warn({ level: "Warning", code, message });
    },
    mark: () => ({ undo: () => true, end: () => undefined }),
  };
}

interface Drawn {
  /** The numbers that each sequence gave: rows may come to theirs in another order when the statement begins again. */
  readonly numbers: Map<string, number[]>;
  readonly randoms: number[];
  readonly rowNumbers: number[];
  /** Answers of named locks. */
  readonly locks: boolean[];
}

/** Locks that a statement takes once, however often it begins again. */
function lockedOnce(locks: AdvisoryLocks, memory: boolean[]): AdvisoryLocks {
  let at = 0;
  const once = (act: () => boolean): boolean => {
    const known = memory[at] ?? act();
    memory[at++] = known;
    return known;
  };
  return {
    ...locks,
    take: (name, mode) => once(() => locks.take(name, mode)),
    await: (name, mode, seconds) =>
      once(() => {
        const isTaken = locks.await(name, mode, seconds);
        if (!isTaken && locks.canWait === true && seconds !== 0) throw new LockTaken(seconds);
        return isTaken;
      }),
    release: (name, isShared) => once(() => locks.release(name, isShared)),
  };
}

function createWork(
  plan: Plan,
  context: StatementContext,
  rows: Rows,
  drawn: Drawn,
): {
  readonly work: Work;
  readonly replayed: (memory: number[], draw: () => number) => () => number;
} {
  const replayed = (memory: number[], draw: () => number): (() => number) => {
    let at = 0;
    return () => {
      const known = memory[at] ?? draw();
      memory[at++] = known;
      return known;
    };
  };
  const { shared } = context;
  const { rule } = shared;
  const sequences = new Map<string, () => number>();
  const work: Work = {
    parameter: context.parameter,
    now: context.now,
    random: replayed(drawn.randoms, shared.random),
    changes: plan.isChange,
    nextValue: (sequence) => {
      const memory = drawn.numbers.get(sequence) ?? [];
      drawn.numbers.set(sequence, memory);
      const next = sequences.get(sequence) ?? replayed(memory, () => shared.nextValue(sequence));
      sequences.set(sequence, next);
      return next();
    },
    setValue: shared.setValue,
    currentValue: shared.currentValue,
    rows: rows.find,
    rowsInTurns: (read) => rows.findInTurns(read, shared.isDue),
    page: rows.page,
    lacking: rows.lacking,
    newest: (table, row) => {
      if (rule !== "recheck") return row;
      const key = rows.keyOf(row);
      const newest = key === undefined ? row : rows.newestRow(table, key);
      // An unchanged row stays the one that was judged.
      return newest !== undefined && sameRow(newest, row) ? row : newest;
    },
    lackingNewest: (all) =>
      rule === "recheck" ? rows.newestOf(all.flatMap((row) => rows.keyOf(row) ?? [])) : undefined,
    withRows: new Map(),
    withEnvs: new Map(),
    variables: shared.variables,
    locals: context.locals,
    called: context.called,
    isDue: shared.isDue,
    setting: shared.setting,
    session: shared.session(),
    locks: lockedOnce(shared.locks, drawn.locks),
    parse: shared.parse,
    notice: shared.notice,
    warn: shared.warn,
    notify: shared.notify,
  };
  return { work, replayed };
}
