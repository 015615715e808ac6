// Queries about invariants: whether a transaction that runs alone breaks one, shown by an execution, and whether they are consistent.
import { PRODUCT_LEVELS } from "../../isolation/levels";
import type { Program } from "../../program/program";
import type { Model, SolverFactory } from "../../solver/solver";
import type { Setup } from "../../store/execution";
import { NotExecutable } from "../../store/failure";
import { brokenInvariant } from "../../store/invariants";
import { initialRows } from "../../store/row";
import { runSerial } from "../../store/run";
import { preconditionName } from "../encoding/assumptions";
import { makeDatabase } from "../encoding/product/database";
import { PRESENCE, READABLE, SPARSE } from "../encoding/product/names";
import { makeRun } from "../encoding/product/run";
import { makeTuple } from "../encoding/product/tuple";
import { SEES_ALL } from "../encoding/product/views";
import { and, createScript, imp, or } from "../encoding/smt";
import type { Script } from "../encoding/smt";
import { isTrue } from "../encoding/sqlValue";
import type { FlatInvariant, FlatProgram, FlatTransaction } from "../operations/operation";
import { FALSE } from "../operations/terms";
import { dressings } from "../search/readableValues";
import { decodeStart } from "../search/products/decode";
import type { Start } from "../search/products/decode";
import type {
  BreakingRun,
  BrokenInvariant,
  InvariantAnswer,
  SearchLimits,
  Unit,
  UnitResult,
} from "../search/unit";
import { probeOf, probeOfTables } from "./probe";
import type { Probe } from "./probe";

/** Solves a unit whose question is about invariants. SolverError propagates. */
export function solveInvariants(
  solvers: SolverFactory,
  program: Program,
  flat: FlatProgram,
  unit: Unit,
  limits: SearchLimits,
): UnitResult {
  const [member] = unit.transactions;
  const asked = { solvers, program, flat, limits, queries: { count: 0 } };
  const invariants: InvariantAnswer =
    member === undefined
      ? { broken: [], contradictory: contradiction(asked) }
      : { broken: brokenBy(asked, member), contradictory: contradictoryConditions(asked, member) };
  return { findings: [], undecided: [], queries: asked.queries.count, invariants };
}

interface Asked {
  readonly solvers: SolverFactory;
  readonly program: Program;
  readonly flat: FlatProgram;
  readonly limits: SearchLimits;
  readonly queries: { count: number };
}

/** The invariants that the transaction breaks. Those without a flat form are skipped. */
function brokenBy(asked: Asked, member: number): readonly BrokenInvariant[] {
  const { flat, program } = asked;
  const transaction = flat.transactions[member];
  if (transaction === undefined) return [];
  const written = new Set(
    transaction.operations.filter(({ kind }) => kind !== "read").map(({ table }) => table),
  );
  const place = placesOf(program, flat);
  const concerned = (flat.invariants ?? []).filter(({ tables, exists }) =>
    [...tables, ...(exists ? [exists.table] : [])].some((table) => written.has(table)),
  );
  if (
    concerned.length > 1 &&
    transaction.losses.length === 0 &&
    keepsAll(asked, transaction, concerned)
  )
    return [];
  return (flat.invariants ?? []).flatMap((invariant, at): readonly BrokenInvariant[] => {
    const index = place[at];
    const tables = [...invariant.tables, ...(invariant.exists ? [invariant.exists.table] : [])];
    if (index === undefined || !tables.some((table) => written.has(table))) return [];
    if (asked.limits.stopped()) return [{ index, reason: "the search was stopped" }];
    const broken = breaks(asked, transaction, invariant, index);
    if (broken) return [broken];
    // A weakened part may be what breaks it.
    const [loss] = transaction.losses;
    return loss === undefined ? [] : [{ index, reason: `it is not fully understood (${loss})` }];
  });
}

/** The index in the program of each flat invariant: the parts of one share its text and keep their order. */
function placesOf(program: Program, flat: FlatProgram): readonly (number | undefined)[] {
  const tables = (program.invariants ?? []).map(({ text, relations }) =>
    JSON.stringify([text, relations.map(({ table }) => table)]),
  );
  const used = new Set<number>();
  return (flat.invariants ?? []).map((each) => {
    const key = JSON.stringify([each.text, each.tables]);
    const index = tables.findIndex((other, at) => other === key && !used.has(at));
    if (index < 0) return undefined;
    used.add(index);
    return index;
  });
}

/** True if one query shows that the transaction preserves all of these; false if uncertain. */
function keepsAll(
  asked: Asked,
  transaction: FlatTransaction,
  invariants: readonly FlatInvariant[],
): boolean {
  const probes = invariants.map((each) => probeOf(asked.flat, each));
  const { script, start } = encode(asked.flat, [transaction], probes);
  const solver = asked.solvers.open({ resourceLimit: asked.limits.resourceLimit });
  try {
    solver.add(script.take());
    asked.queries.count += 1;
    return solver.check(start.database.assumptions.all().map(({ literal }) => literal)) === "unsat";
  } finally {
    solver.dispose();
  }
}

function breaks(
  asked: Asked,
  transaction: FlatTransaction,
  invariant: FlatInvariant,
  index: number,
): BrokenInvariant | undefined {
  const { script, start } = encode(asked.flat, [transaction], [probeOf(asked.flat, invariant)]);
  const solver = asked.solvers.open({ resourceLimit: asked.limits.resourceLimit });
  try {
    solver.add(script.take());
    const literals = start.database.assumptions.all().map(({ literal }) => literal);
    for (const wishes of [[READABLE, SPARSE, PRESENCE], [READABLE], []]) {
      asked.queries.count += 1;
      const answer = solver.check([...literals, ...wishes]);
      if (answer === "unknown") return { index, reason: `the solver gave up (${solver.reason()})` };
      if (answer === "sat")
        return { index, ...execute(asked.program, start, solver.model(), index) };
      // The invariant is preserved without any of the wishes.
      const core = solver.core();
      if (!wishes.some((wish) => core.includes(wish))) return undefined;
    }
    return undefined;
  } finally {
    solver.dispose();
  }
}

/** Runs the transaction alone from the model's start. */
function execute(
  program: Program,
  start: Start,
  model: Model,
  index: number,
): Pick<BrokenInvariant, "example" | "reason"> {
  const setup = decodeStart(program, start, model);
  for (const each of dressings(program, start.tuple.flat, setup)) {
    const run = executeFrom(program, each, index);
    if (run.example) return run;
  }
  return executeFrom(program, setup, index);
}

function executeFrom(
  program: Program,
  setup: Setup,
  index: number,
): Pick<BrokenInvariant, "example" | "reason"> {
  const invariant = program.invariants?.[index];
  const [instance] = setup.instances;
  if (!instance || !invariant) return { reason: "it cannot be executed" };
  try {
    const { schema } = program;
    if (brokenInvariant(program, initialRows(schema, setup.initial)))
      return { reason: "its start breaks an invariant" };
    const result = runSerial(program, { ...setup, instances: [instance] }, [instance.instance]);
    if (!result.ok) return { reason: `it cannot be executed: ${result.reason}` };
    const { outcome, steps } = result.execution;
    const after = initialRows(schema, outcome.final);
    if (!brokenInvariant({ ...program, invariants: [invariant] }, after))
      return { reason: "the execution that was tried keeps it" };
    const tables = tablesOf(invariant);
    const last = steps.findLast((step) => step.writes.some(({ table }) => tables.has(table)));
    const example: BreakingRun = {
      arguments: instance.arguments,
      initial: pick(setup.initial, tables),
      final: pick(outcome.final, tables),
      ...(last?.source && { statement: last.source.id }),
    };
    return { example };
  } catch (problem) {
    if (!(problem instanceof NotExecutable)) throw problem;
    return { reason: `it cannot be executed: ${problem.message}` };
  }
}

function tablesOf({ relations, condition }: NonNullable<Program["invariants"]>[number]) {
  const sought = condition.kind === "exists" ? condition.query.relations : [];
  return new Set([...relations, ...sought].map(({ table }) => table));
}

function pick<Value>(
  rows: Readonly<Record<string, Value>>,
  tables: ReadonlySet<string>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(rows).filter(([table]) => tables.has(table)));
}

interface Encoded {
  readonly script: Script;
  readonly start: Start;
}

/** Encodes the transactions one after the other, then the probes; one of them finds its rows violating. */
function encode(
  flat: FlatProgram,
  transactions: readonly FlatTransaction[],
  probes: readonly Probe[],
): Encoded {
  const script = createScript();
  script.constant(READABLE, "Bool");
  script.constant(SPARSE, "Bool");
  script.constant(PRESENCE, "Bool");
  const all = [...transactions, ...probes.map((each) => each.transaction)];
  const order = all.map((_, instance) => instance);
  const tuple = makeTuple({ ...flat, transactions: all }, SERIAL, order);
  const database = makeDatabase(script, tuple);
  const run = makeRun(script, tuple, database, { ...SEES_ALL, order, serial: true });
  for (const [instance, { id, preconditions }] of transactions.entries()) {
    for (const [at, condition] of preconditions.entries()) {
      const assumed = database.assumptions.literal(preconditionName(id, at));
      script.assert(imp(assumed, isTrue(run.value(instance, condition))));
    }
  }
  for (const commits of run.commits) script.assert(commits);
  const broken = probes.map((probe, at) => {
    const instance = transactions.length + at;
    return and(
      isTrue(run.value(instance, probe.present)),
      isTrue(run.value(instance, probe.broken)),
    );
  });
  script.assert(or(...broken));
  return { script, start: { tuple, database, run, serial: [] } };
}

const SERIAL = serializable();

function serializable() {
  const level = PRODUCT_LEVELS.find((each) => each.serializable);
  if (level === undefined) throw new Error("there is no serializable product level");
  return level;
}

/**
 * The names of invariants and CHECKs that are inconsistent with rows in each of the invariants' tables, minimised by leaving one out at a
 * time; empty if consistent, or if the solver gives up.
 */
function contradiction(asked: Asked): readonly string[] {
  const { flat } = asked;
  const tables = [...new Set((flat.invariants ?? []).flatMap((each) => each.tables))];
  if (tables.length === 0) return [];
  return unsatisfiable(asked, encode(flat, [], [probeOfTables(flat, tables)]));
}

/** As `contradiction`, for the preconditions of one transaction. */
function contradictoryConditions(asked: Asked, member: number): readonly string[] {
  const transaction = asked.flat.transactions[member];
  if (transaction === undefined || transaction.preconditions.length === 0) return [];
  const call: FlatTransaction = {
    ...transaction,
    steps: [],
    operations: [],
    aborts: FALSE,
    returns: [],
    visible: [],
  };
  const flat = { ...asked.flat, invariants: [] };
  return unsatisfiable(asked, encode(flat, [call], [probeOfTables(flat, [])]));
}

/** The names of an inconsistent set of assumptions, minimised by leaving one out at a time. */
function unsatisfiable(asked: Asked, { script, start }: Encoded): readonly string[] {
  const { solvers, limits } = asked;
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    solver.add(script.take());
    const all = start.database.assumptions.all();
    const check = (literals: readonly string[]) => {
      asked.queries.count += 1;
      return solver.check(literals);
    };
    if (check(all.map(({ literal }) => literal)) !== "unsat") return [];
    let core = solver.core();
    for (const literal of core) {
      const without = core.filter((each) => each !== literal);
      if (check(without) === "unsat") core = without;
    }
    return all.filter(({ literal }) => core.includes(literal)).map(({ name }) => name);
  } finally {
    solver.dispose();
  }
}
