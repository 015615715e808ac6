// One statement from its tree to its result: compiled once, and run against the store as a sequence of requests.
import { attribute } from "../../query/nodes";
import type { Key as StoreKey, ReadRequest, Reply, Request, Value } from "../../exploration/client";
import type { Catalog, Table } from "../catalog";
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
import { PAUSE, type ChangeSteps } from "../compile/slices";
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
import { createChanges, type Changes, type ChangesContext, type PendingReference } from "./changes";
import { compileInsert } from "./insert";
import { compileMerge } from "./merge";
import { sameRow } from "./rowChecks";
import { createRows, MissingRows, missingRows, type LockingRule } from "./rows";
import { tableRules, type TableRules } from "./tableRules";

/** A statement that is ready to run, as often as is wanted. */
export interface Plan {
  readonly columns: readonly QueryColumn[];
  readonly parameters: ReadonlyMap<number, SqlType>;
  readonly isChange: boolean;
  readonly compiler: Compiler;
  readonly run: (env: Env, work: ChangeWork) => ChangeSteps<ChangeResult>;
}

/** Compiles a query or a change. Fails with the databases' errors. */
export function planStatement(
  statement: SqlQuery | SqlChange,
  catalog: Catalog,
  parameters: ReadonlyMap<number, SqlType>,
  locals?: ReadonlyMap<string, SqlType>,
): Plan {
  const compiler: Compiler = {
    dialect: catalog.dialect,
    catalog,
    parameters: new Map(parameters),
    ...(locals && { locals }),
    highestParameter: 0,
    withs: 0,
    depth: 0,
    recursion: { expression: expressionNode, query: queryPlan },
    change: (change, withs) => changeInWith(change, compiler, withs),
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
      *run(env) {
        const rows = query.slices === undefined ? query.run(env) : yield* query.slices(env);
        return { rows, count: rows.length };
      },
    };
  }
  const withs = new Map<string, WithQuery>();
  const declared = statement.with.map((each) => declare(each, compiler, undefined, withs));
  const change = compileChange(statement, compiler, withs);
  return {
    columns: change.columns,
    parameters: compiler.parameters,
    isChange: true,
    compiler,
    *run(env, work) {
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
  const compiled = compileChange(change, compiler, inner);
  return {
    columns: compiled.columns,
    volatile: true,
    run: (env) => {
      const work = RUNNING.get(env.work);
      if (work === undefined) throw failure("internal", "a change inside WITH has no statement");
      for (const start of declared) start(env);
      return atOnceOrAgain(compiled.run(env, work)).rows;
    },
  };
}

/** Runs a change within a statement, which begins again where rows are missing. */
function atOnceOrAgain<T>(steps: ChangeSteps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value !== undefined) throw missingRows(value);
  }
}

/** The session as a statement has it. */
export interface StatementContext {
  readonly catalog: Catalog;
  readonly rule: LockingRule;
  /** The store finds rows by values of columns. */
  readonly hasIndexes: boolean;
  readonly parameter: (number: number, type: SqlType) => SqlValue;
  readonly now: number;
  readonly random: () => number;
  readonly nextValue: (sequence: string) => number;
  readonly reached: (sequence: string, value: number) => void;
  readonly setValue: Work["setValue"];
  readonly currentValue: (sequence: string | undefined) => number | undefined;
  readonly variables: UserVariables;
  readonly locals?: Work["locals"];
  readonly called?: Work["called"];
  readonly isDue: Work["isDue"];
  readonly setting: (name: string) => SqlValue;
  readonly session: SessionFacts;
  readonly locks: Work["locks"];
  readonly parse: Work["parse"];
  readonly notice: Work["notice"];
  readonly notify: (channel: string, payload: string) => void;
  readonly references: ChangesContext["references"];
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
  const { catalog } = context;
  const rows = createRows(catalog.dialect, context.rule, context.hasIndexes);
  const drawn: Drawn = { numbers: new Map(), randoms: [], rowNumbers: [], locks: [] };
  const rules = new Map<string, TableRules>();
  const rulesOf = (table: Table): TableRules => {
    const known = rules.get(table.name) ?? tableRules(table, plan.compiler);
    rules.set(table.name, known);
    return known;
  };
  let hasAsked = false;

  /** Brings rows from the store; the end of the statement where it fails there. */
  function* ask(request: ReadRequest): Generator<Request, StatementEnd | undefined, Reply> {
    const { waiting } = context;
    const keys =
      waiting.size === 0 ? request.keys : request.keys.filter((key) => !waiting.has(key));
    const starts = [
      ...(request.scans ?? []),
      ...(request.lookups ?? []).map(({ prefix }) => prefix),
    ];
    let values: ReadonlyMap<StoreKey, Value> = new Map();
    if (keys.length > 0 || starts.length > 0) {
      const reply = yield { ...request, keys, ...(hasAsked && { continues: true }) };
      hasAsked = true;
      if (reply.kind === "failed") {
        const { code, message, goesOn = false } = reply;
        return { ok: false, code, message, goesOn };
      }
      if (reply.kind === "values") values = reply.values;
    }
    if (waiting.size > 0) {
      const own = new Map(values);
      for (const key of request.keys) if (waiting.has(key)) own.set(key, waiting.get(key));
      if (starts.length > 0)
        for (const [key, value] of waiting)
          if (starts.some((prefix) => key.startsWith(prefix))) own.set(key, value);
      values = own;
    }
    rows.add(request, values);
    return undefined;
  }

  for (;;) {
    const { work, replayed } = createWork(plan, context, rows, drawn);
    const changes: Changes = createChanges({
      catalog,
      rows,
      rules: rulesOf,
      references: context.references,
      rowNumber: replayed(drawn.rowNumbers, () => context.nextValue("#rows")),
    });
    const changeWork: ChangeWork = {
      changes,
      touched: new Set(),
      before: (row, env) =>
        catalog.triggers.has(row.table.name)
          ? atOnce(rowBefore(catalog, row, hostWithin(env, catalog)))
          : (row.after ?? row.before),
      keyOf: (row) => rows.keyOf(row) ?? changes.keyOf(row),
      reached: context.reached,
    };
    RUNNING.set(work, changeWork);
    const variables = new Map(context.variables);
    try {
      const env: Env = { work, tuple: [], up: undefined, aggregates: [], windows: [] };
      const slices = checked(plan.run(env, changeWork), changes, env);
      let slice = slices.next();
      while (slice.done !== true) {
        if (slice.value === undefined) yield PAUSE;
        else {
          const lost = yield* ask(slice.value);
          if (lost !== undefined) return lost;
        }
        slice = slices.next();
      }
      const result = slice.value;
      const [pending, changed] = [changes.pending(), changes.changed()];
      return { ok: true, result, writes: changes.writes(), changed, pending };
    } catch (error) {
      const isWaiting = error instanceof LockTaken;
      if (!isWaiting && !(error instanceof MissingRows)) throw error;
      // Variables that the attempt assigned are assigned again.
      context.variables.clear();
      for (const [name, value] of variables) context.variables.set(name, value);
      if (isWaiting) {
        const wait: LockWait = { kind: "read", keys: [], lockSeconds: error.seconds };
        const reply = yield wait;
        // The locks taken before are remembered; that one is given up.
        if (reply.kind === "failed") drawn.locks.push(false);
        continue;
      }
      const lost = yield* ask(error.request);
      if (lost !== undefined) return lost;
    }
  }
}

/** A change, and then the references of its rows. */
function* checked(
  steps: ChangeSteps<ChangeResult>,
  changes: Changes,
  env: Env,
): ChangeSteps<ChangeResult> {
  const result = yield* steps;
  yield* changes.checkReferences(env);
  return result;
}

/** Looks again at references that were deferred. */
export function* checkDeferred(
  all: readonly PendingReference[],
  context: StatementContext,
): Generator<Request, StatementEnd, Reply> {
  const nothing = planStatement(selectOf([]), context.catalog, new Map());
  const plan: Plan = {
    ...nothing,
    *run(_env, { changes }) {
      yield* [];
      changes.checkPending(all);
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
      if (statement.kind !== "select")
        throw unsupported(
          "a function that changes rows, called inside of a statement or before a row is changed,",
        );
      const types = new Map([...locals].map(([name, { declared }]) => [name, declared.type]));
      const plan = planStatement(statement, catalog, new Map(), types);
      const work: Work = { ...env.work, locals };
      const around = RUNNING.get(env.work);
      if (around === undefined) throw failure("internal", "a routine has no statement");
      RUNNING.set(work, around);
      const inside: Env = { work, tuple: [], up: undefined, aggregates: [], windows: [] };
      const { rows, count } = atOnceOrAgain(plan.run(inside, around));
      return { columns: plan.columns, rows, count };
    },
    columns: (query) => planStatement(query, catalog, new Map()).columns,
    table: (name) => catalog.tables.get(name)?.columns,
    notice: env.work.notice,
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
  rows: ReturnType<typeof createRows>,
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
  const sequences = new Map<string, () => number>();
  const work: Work = {
    parameter: context.parameter,
    now: context.now,
    random: replayed(drawn.randoms, context.random),
    changes: plan.isChange,
    nextValue: (sequence) => {
      const memory = drawn.numbers.get(sequence) ?? [];
      drawn.numbers.set(sequence, memory);
      const next = sequences.get(sequence) ?? replayed(memory, () => context.nextValue(sequence));
      sequences.set(sequence, next);
      return next();
    },
    setValue: context.setValue,
    currentValue: context.currentValue,
    rows: rows.find,
    prepare: rows.prepare,
    newest: (table, row) => {
      if (context.rule !== "recheck") return row;
      const key = rows.keyOf(row);
      const newest = key === undefined ? row : rows.newestRow(table, key);
      // An unchanged row stays the one that was judged.
      return newest !== undefined && sameRow(newest, row) ? row : newest;
    },
    prepareNewest: (all) => {
      if (context.rule !== "recheck") return;
      rows.prepareNewest(all.flatMap(({ row }) => rows.keyOf(row) ?? []));
    },
    withRows: new Map(),
    withEnvs: new Map(),
    variables: context.variables,
    locals: context.locals,
    called: context.called,
    isDue: context.isDue,
    setting: context.setting,
    session: context.session,
    locks: lockedOnce(context.locks, drawn.locks),
    parse: context.parse,
    notice: context.notice,
    notify: context.notify,
  };
  return { work, replayed };
}
