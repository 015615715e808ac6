// From the abstract representation to the flat form: control flow becomes guards, variables are substituted, loops are unrolled. Statements
// are split in query.ts and writes.ts.
import { lengthName } from "../../program/arrays";
import type { Expression, Output, Query } from "../../program/expression";
import { ownEntry } from "../../protocol/dictionary";
import { precisionOf } from "../../program/precision";
import type { Program, Transaction } from "../../program/program";
import { tableLockOf } from "../../program/tableLocks";
import type {
  Command,
  InsertStatement,
  LockStatement,
  OpaqueStatement,
  Statement,
} from "../../program/statement";
import type { Builder, BuilderOptions } from "./builder";
import {
  NO_ROWS,
  addOperation,
  createBuilder,
  leaveOut,
  merge,
  openPart,
  orAll,
  setResult,
  unknownTerm,
} from "./builder";
import { flattenExpression } from "./expression";
import { flattenInvariant } from "./flatInvariant";
import { raise, returnToSavepoint, runTry, setSavepoint, withoutErrors } from "./handlers";
import { runLoop, wantedRows } from "./loops";
import type { FlatProgram, FlatTransaction, Term } from "./operation";
import {
  beginStatement,
  endPart,
  failUnit,
  leavePart,
  partsOf,
  runAtomic,
  withErrorsBehind,
} from "./parts";
import { nullArguments } from "./nullArguments";
import { rejoin } from "./paths";
import { flattenQuery, limitOf, rowsTerm } from "./query";
import { flattenSubquery } from "./subquery";
import type { FlatTables } from "./tables";
import type { Leaves } from "./unrolling";
import { createTables, intern, locksTable, tableOf } from "./tables";
import { FALSE, NULL, TRUE, and, compare, conditional, int, isNull, isTrue, not } from "./terms";
import { flattenDelete, flattenInsert, flattenUpdate } from "./writes";

export interface FlattenOptions {
  /** Loop unrolling bound. */
  readonly unroll: number;
  /** For proofs: two rounds represent any number if a loop does not say how many it has. */
  readonly anyRounds?: boolean;
}

/**
 * The flat form of every transaction, in program order, and of the tables that they mention. Never fails: what cannot be represented is an
 * unknown value with a loss. O(size of the program times `unroll` per nested loop).
 */
export function flattenProgram(program: Program, options: FlattenOptions): FlatProgram {
  const tables = createTables(program);
  const flattened = program.transactions.map((each) => flattenOne(tables, each, options));
  for (const table of program.schema.tables) {
    const flat = tables.all.get(table.name);
    if (!flat) continue;
    const checks = table.checks.map((check) => exactCondition(tables, check));
    tables.all.set(table.name, { ...flat, checks });
  }
  const invariants = (program.invariants ?? []).flatMap((each) => {
    const builder = newBuilder(tables, []);
    return flattenInvariant(builder, each) ?? [];
  });
  return {
    tables: Object.fromEntries(tables.all),
    transactions: withErrorsBehind(flattened, tables.all),
    ...(invariants.length > 0 && { invariants }),
    interned: tables.interned,
  };
}

function newBuilder(
  tables: FlatTables,
  parameters: FlatTransaction["parameters"],
  options: BuilderOptions = {},
): Builder {
  const ask: Parameters<typeof createBuilder>[2] = (builder) => ({
    query: (query, outer) => flattenQuery(builder(), query, outer),
    subquery: (query, outer, member) => flattenSubquery(builder(), query, outer, member),
  });
  return createBuilder(tables, parameters, ask, options);
}

/** A CHECK; a weakened one is not used. */
function exactCondition(tables: FlatTables, check: Expression): Term {
  const builder = newBuilder(tables, []);
  const condition = rowCondition(builder, check);
  return builder.losses.size + builder.guesses.size === 0 ? condition : TRUE;
}

function rowCondition(builder: Builder, check: Expression): Term {
  return flattenExpression(builder, check, { column: (_, column) => ({ kind: "column", column }) });
}

function flattenOne(
  tables: FlatTables,
  transaction: Transaction,
  options: FlattenOptions,
): FlatTransaction {
  // Elements of arrays become parameters on use.
  const parameters = transaction.parameters.map(
    ({ name, type, elements, origin, isSetting, nullable, of }) =>
      elements === undefined
        ? {
            name,
            type,
            fresh: origin === "fresh",
            ...(origin === "constant" && { constant: true }),
            ...(isSetting && { isSetting }),
            ...(nullable && { nullable }),
            ...(of && { of }),
          }
        : { name: lengthName(name), type: "int" as const, fresh: false },
  );
  const builder = newBuilder(tables, parameters, {
    isUnit: transaction.boundary === "unit",
    anyRounds: options.anyRounds ?? false,
  });
  const flow: Flow = { transaction, options, leaves: new Map(), uncovered: new Map(), exceeds: [] };
  for (const [result, rows] of wantedRows(transaction.body, options.unroll))
    builder.wanted.set(result, rows);
  run(builder, flow, transaction.body, TRUE);
  const lengths = transaction.parameters.filter(({ elements }) => elements !== undefined);
  const preconditions = [
    ...transaction.preconditions.map((each) => flattenExpression(builder, each, NO_ROWS)),
    ...lengths.map(({ name }): Term => {
      const length: Term = { kind: "parameter", name: lengthName(name) };
      return and(not(isNull(length)), compare("<=", int(0), length));
    }),
  ];
  const value = builder.returns.reduceRight<Term>(
    (rest, each) => conditional(each.guard, each.value, rest),
    NULL,
  );
  const uncovered = [...flow.uncovered, ...builder.beyond].map(([loop, rounds]) => ({
    loop,
    rounds,
  }));
  const conditions = [
    ...preconditions,
    ...builder.steps.map(({ guard }) => guard),
    ...builder.aborts,
  ];
  const nulls = nullArguments(builder.operations, conditions, (name) => tables.all.get(name));
  return {
    id: transaction.id,
    parameters: builder.parameters.map(({ nullable, ...each }) =>
      nullable && nulls.has(each.name) ? { ...each, nullable } : each,
    ),
    preconditions,
    steps: builder.steps,
    operations: builder.operations,
    aborts: orAll(builder.aborts),
    returns: [...(builder.returns.length > 0 ? [value] : []), ...builder.shown],
    visible: builder.visible,
    observed: builder.observed,
    ...partsOf(builder),
    ...(flow.exceeds.length > 0 && { exceeds: orAll(flow.exceeds) }),
    ...(uncovered.length > 0 && { uncovered }),
    ...(builder.forgotten.length > 0 && { forgotten: builder.forgotten }),
    losses: [...builder.losses],
    ...(builder.isPartial && { isPartial: true }),
    ...(builder.guesses.size > 0 && { guesses: [...builder.guesses] }),
  };
}

interface Flow {
  readonly transaction: Transaction;
  readonly options: FlattenOptions;
  /** Per running loop: the paths that leave it, and those that end its round early. */
  readonly leaves: Map<string, Leaves>;
  /** Loops that may have more rounds than are represented. */
  readonly uncovered: Map<string, number>;
  readonly exceeds: Term[];
}

/** Runs a command under `path`; returns the path after it. */
function run(builder: Builder, flow: Flow, command: Command, path: Term): Term {
  if (path === FALSE) return FALSE;
  builder.path = path;
  switch (command.kind) {
    case "sequence":
      return command.commands.reduce((on, each) => run(builder, flow, each, on), path);
    case "statement": {
      const part = beginStatement(builder);
      runStatement(builder, flow, command.statement);
      if (part) endPart(builder, part);
      return withoutErrors(builder, path, part);
    }
    case "assign": {
      const value = flattenExpression(builder, command.value, NO_ROWS);
      const older = builder.variables.get(command.variable) ?? NULL;
      builder.variables.set(command.variable, merge(builder, value, older));
      return path;
    }
    case "if": {
      const condition = isTrue(flattenExpression(builder, command.condition, NO_ROWS));
      const [yes, no] = [and(path, condition), and(path, not(condition))];
      const afterYes = run(builder, flow, command.then, yes);
      const afterNo = command.otherwise ? run(builder, flow, command.otherwise, no) : no;
      return afterYes === yes && afterNo === no ? path : rejoin(path, afterYes, afterNo);
    }
    case "loop":
      return runLoop(builder, command, path, {
        unroll: flow.options.unroll,
        anyRounds: flow.options.anyRounds ?? false,
        leaves: flow.leaves,
        uncovered: flow.uncovered,
        exceeds: flow.exceeds,
        run: (body, on) => run(builder, flow, body, on),
      });
    case "exit":
      flow.leaves.get(command.loop)?.exits.push(path);
      return FALSE;
    case "continue":
      flow.leaves.get(command.loop)?.continues.push(path);
      return FALSE;
    case "rollback":
      if (command.leaves === "atomic") return leavePart(builder, path);
      if (command.code !== undefined && raise(builder, command.code, path)) return FALSE;
      if (builder.parts) failUnit(builder, path, command.why);
      else builder.aborts.push(path);
      return FALSE;
    case "return":
      if (command.value !== undefined) {
        const { value } = command;
        if (value.kind === "call" && value.name === "row") {
          // Several values at once: OUT arguments, or a record.
          for (const part of value.arguments) {
            const term = flattenExpression(builder, part, NO_ROWS);
            builder.shown.push(conditional(path, term, NULL));
          }
        } else {
          builder.returns.push({ guard: path, value: flattenExpression(builder, value, NO_ROWS) });
        }
      }
      return FALSE;
    case "try":
      return runTry(builder, command, path, (body, on) => run(builder, flow, body, on));
    case "atomic":
      return runAtomic(builder, command, path, () => run(builder, flow, command.body, path));
    case "savepoint":
      setSavepoint(builder, command.name);
      return path;
    case "rollbackTo":
      returnToSavepoint(builder, command.name);
      return path;
    case "release":
      return path;
  }
}

function runStatement(builder: Builder, flow: Flow, statement: Statement): void {
  flattenStatement(builder, flow, statement);
  const returning = "returning" in statement ? statement.returning?.into : undefined;
  const into = statement.kind === "select" ? statement.into : returning;
  const result = into === undefined ? undefined : builder.results.get(into);
  // The number of changed rows is observed if the program asks for it; it is then in what it does or returns.
  const seen = result ? [result.size, ...Object.values(result.row)] : [];
  builder.observed.push(builder.path, ...seen.map((term) => conditional(builder.path, term, NULL)));
}

function flattenStatement(builder: Builder, flow: Flow, statement: Statement): void {
  const { id, snapshotOf } = statement;
  builder.steps.push({
    statement: id,
    guard: builder.path,
    ...(snapshotOf !== undefined && { snapshotOf }),
  });
  builder.precision = precisionOf(statement.taint);
  for (const loss of statement.taint) builder.losses.add(loss.reason);
  switch (statement.kind) {
    case "select": {
      const shown = !statement.discarded;
      const limit = shown ? Math.min(limitOf(statement.query), SHOWN) : 1;
      const rows = Math.max(builder.wanted.get(statement.into) ?? 1, limit < SHOWN ? limit : 1);
      const result = flattenQuery(builder, statement.query, NO_ROWS, rows);
      setResult(builder, statement.into, result);
      if (!shown) return;
      if (statement.kept) {
        showKept(builder, statement.into, statement.kept);
        return;
      }
      show(builder, statement.into);
      if (result.whole !== true) showRows(builder, statement.query);
      return;
    }
    case "insert":
      flattenInsert(builder, statement);
      showReturning(builder, flow, statement);
      return;
    case "update":
      flattenUpdate(builder, statement);
      showReturning(builder, flow, statement);
      return;
    case "delete":
      flattenDelete(builder, statement);
      showReturning(builder, flow, statement);
      return;
    case "lock":
      flattenLock(builder, statement);
      return;
    case "opaque":
      flattenOpaque(builder, statement);
      return;
  }
}

/** Results with fewer rows than this are returned row by row. */
const SHOWN = 4;

/** A script's caller sees its statements' results, a routine's caller only its return value. */
function show(builder: Builder, name: string): void {
  const result = builder.results.get(name);
  if (!result) return;
  builder.shown.push(conditional(builder.path, result.size, int(0)));
  for (const each of result.next ?? [])
    for (const term of Object.values(each.row))
      builder.shown.push(conditional(and(builder.path, each.found), term, NULL));
  for (const term of Object.values(result.row)) {
    if (term.kind === "output")
      builder.visible.push({ operation: term.operation, name: term.name });
    else builder.shown.push(conditional(builder.path, term, NULL));
  }
}

/** The caller sees variables: with the first row, or as they were. */
function showKept(builder: Builder, name: string, kept: readonly Output[]): void {
  const result = builder.results.get(name);
  if (!result) return;
  const isFound = compare("<", int(0), result.size);
  for (const output of kept) {
    const before = flattenExpression(builder, output.value, NO_ROWS);
    const after = conditional(isFound, ownEntry(result.row, output.name) ?? NULL, before);
    builder.shown.push(conditional(builder.path, after, NULL));
  }
}

/** Rows of RETURNING reach the caller of a script; a routine keeps them in variables. */
function showReturning(
  builder: Builder,
  flow: Flow,
  { returning }: Pick<InsertStatement, "returning">,
): void {
  if (returning && flow.transaction.boundary !== "routine") show(builder, returning.into);
}

/** Shows the caller all of a result with many rows, as a fingerprint that distinguishes different sets. */
function showRows(builder: Builder, query: Query): void {
  const fingerprint = rowsTerm(builder, query);
  if (!fingerprint && limitOf(query) !== Infinity)
    builder.losses.add("of the rows that LIMIT allows the first counts");
  if (fingerprint) builder.shown.push(conditional(builder.path, fingerprint, NULL));
}

/** A lock on no row becomes a lock on a hidden row that nobody changes. */
function flattenLock(builder: Builder, statement: LockStatement): void {
  const table = locksTable(builder.tables);
  const mode = statement.mode.toLowerCase();
  const kind = statement.table === undefined ? int(0) : intern(builder.tables, statement.table);
  const key = statement.key ? flattenExpression(builder, statement.key, NO_ROWS) : int(0);
  if (statement.releases) {
    giveUp(builder, statement.key && key);
    return;
  }
  const granted: Term = { kind: "parameter", name: statement.granted ?? "" };
  const weak =
    mode.includes("row share") || mode.includes("access share") || mode === "row exclusive";
  const exclusive = mode.includes("exclusive") || !mode.includes("share");
  addOperation(builder, {
    kind: "read",
    table: table.name,
    key: { kind, key },
    lock: weak ? "none" : exclusive ? "update" : "share",
    ...(statement.granted !== undefined && { guard: isTrue(granted) }),
    ...(statement.granted !== undefined && !statement.isCalled && { asksFree: true }),
    ...(statement.outlives && { session: {} }),
    ...(statement.table !== undefined && {
      tableLock: {
        table: statement.table,
        mode: tableLockOf(mode),
        isFirst: statement.isCalled !== true,
      },
    }),
  });
}

/** Ends the session's locks of a key, or of every key. Who gives one up before its transaction's commit may as well not have it. */
function giveUp(builder: Builder, key: Term | undefined): void {
  const open = openPart(builder);
  builder.operations.forEach((draft, index) => {
    const own = draft.key["key"];
    if (!draft.session || draft.session.until !== undefined || !mayEqual(own, key)) return;
    const isSame = !builder.parts || (open !== undefined && draft.step >= open.from);
    const until = builder.steps.length - 1;
    builder.operations[index] = isSame
      ? { ...draft, guard: FALSE }
      : { ...draft, session: { until } };
  });
}

function mayEqual(one: Term | undefined, other: Term | undefined): boolean {
  return one?.kind !== "int" || other?.kind !== "int" || one.value === other.value;
}

/** A statement of which only the tables are known reads any of their rows and, if it writes, changes any of them. */
function flattenOpaque(builder: Builder, statement: OpaqueStatement): void {
  builder.precision = "opaque";
  const why = `the effect of "${statement.text.slice(0, 40)}" is not known`;
  leaveOut(builder, why);
  for (const name of statement.tables) {
    const table = tableOf(builder.tables, name);
    const id = `${statement.id}:${name}`;
    const where = unknownTerm(builder, `${id}:where`, "bool", why);
    const columns = table.columns.filter((column) => !table.primaryKey.includes(column.name));
    addOperation(builder, {
      kind: "read",
      table: name,
      where,
      pick: "some",
      outputs: Object.fromEntries(
        columns.map((column): [string, Term] => [
          column.name,
          { kind: "column", column: column.name },
        ]),
      ),
    });
    if (!statement.writes) continue;
    addOperation(builder, {
      kind: "update",
      table: name,
      where,
      pick: "all",
      set: Object.fromEntries(
        columns.map((column) => [
          column.name,
          unknownTerm(builder, `${id}:${column.name}`, column.type, why),
        ]),
      ),
    });
  }
}
