// Loops with any number of rounds, for proofs: two rounds represent all. A dependency concerns one statement in one round, and a chain of
// dependencies enters and leaves a transaction once each, so two rounds are enough. What the rounds between do to variables and rows is
// havocked.
import type { Command } from "../../program/statement";
import type { Builder, ResultTerms } from "./builder";
import { orAll } from "./builder";
import { ANY, anyValue } from "./anyValue";
import type { Operation, Term } from "./operation";
import { EVERY_COLUMN } from "./operation";
import { FALSE, TRUE, and, compare, conditional } from "./terms";
import type { Leaves, Loop, Unrolling } from "./unrolling";

/** True if two rounds can represent all: handlers and exits from the transaction depend on earlier rounds. */
export function standsForAll(body: Command): boolean {
  switch (body.kind) {
    case "sequence":
      return body.commands.every(standsForAll);
    case "if":
      return standsForAll(body.then) && (!body.otherwise || standsForAll(body.otherwise));
    case "loop":
      return standsForAll(body.body);
    case "atomic":
      return standsForAll(body.body);
    case "try":
    case "savepoint":
    case "release":
    case "rollbackTo":
      return false;
    default:
      return true;
  }
}

/** Runs two arbitrary rounds of the loop under `path`; returns the path after it. `counter` has the bounds of a counting loop. */
export function runAnyRounds(
  builder: Builder,
  loop: Loop,
  path: Term,
  unrolling: Unrolling,
  bounds: { readonly from: Term; readonly to: Term; readonly step: number } | undefined,
  enters: () => Term,
): Term {
  const leaves: Leaves = { exits: [], continues: [] };
  unrolling.leaves.set(loop.id, leaves);
  const changed = changedBy(loop.body);
  const started = builder.operations.length;
  const epochs: number[] = [];
  let on = path;
  for (const round of [0, 1]) {
    const id = `${loop.id} ${String(builder.operations.length)} ${String(round)}`;
    const goesOn: Term = { kind: "unknown", id: `${ANY}enters ${id}`, type: "bool" };
    forget(builder, changed, id);
    epochs.push(builder.operations.length);
    builder.path = on;
    builder.rounds.set(loop.id, 0);
    let inside: Term = TRUE;
    if (loop.over.kind === "count") {
      const counter: Term = { kind: "unknown", id: `${ANY}counter ${id}`, type: "int" };
      builder.variables.set(loop.over.variable, counter);
      if (bounds && bounds.step !== 0) {
        const [low, high] = bounds.step < 0 ? [bounds.to, bounds.from] : [bounds.from, bounds.to];
        inside = and(compare("<=", low, counter), compare("<=", counter, high));
      }
    } else if (loop.over.kind === "rows") forgetResult(builder, loop.over.result, id);
    else if (loop.over.kind === "while") inside = enters();
    leaves.continues.length = 0;
    const after = unrolling.run(loop.body, and(on, goesOn, conditional(inside, TRUE, FALSE)));
    on = orAll([after, ...leaves.continues]);
  }
  const id = `${loop.id} ${String(builder.operations.length)} after`;
  forget(builder, changed, id);
  epochs.push(builder.operations.length);
  const columns = columnsWritten(builder.operations.slice(started));
  if (Object.keys(columns).length > 0)
    for (const from of epochs) builder.forgotten.push({ from, columns });
  builder.rounds.delete(loop.id);
  unrolling.leaves.delete(loop.id);
  // Another round may have ended the transaction.
  return and(path, { kind: "unknown", id: `${ANY}left ${id}`, type: "bool" });
}

interface Changed {
  readonly variables: ReadonlySet<string>;
  readonly results: ReadonlySet<string>;
  readonly statements: ReadonlySet<string>;
}

function changedBy(body: Command): Changed {
  const variables = new Set<string>();
  const results = new Set<string>();
  const statements = new Set<string>();
  const visit = (command: Command): void => {
    switch (command.kind) {
      case "sequence":
        command.commands.forEach(visit);
        return;
      case "if":
        visit(command.then);
        if (command.otherwise) visit(command.otherwise);
        return;
      case "loop":
        if (command.over.kind === "count") variables.add(command.over.variable);
        visit(command.body);
        return;
      case "assign":
        variables.add(command.variable);
        return;
      case "statement": {
        const { statement } = command;
        statements.add(statement.id);
        if (statement.kind === "select") results.add(statement.into);
        else if ("returning" in statement && statement.returning)
          results.add(statement.returning.into);
        return;
      }
      default:
        return;
    }
  };
  visit(body);
  return { variables, results, statements };
}

/** Havocs what rounds that are not represented may change. */
function forget(builder: Builder, changed: Changed, id: string): void {
  for (const name of changed.variables) builder.variables.set(name, anyValue(`${id} ${name}`));
  for (const name of changed.results) forgetResult(builder, name, id);
  for (const statement of changed.statements)
    builder.affected.set(statement, {
      kind: "unknown",
      id: `${ANY}${id} affected ${statement}`,
      type: "int",
    });
}

function forgetResult(builder: Builder, name: string, id: string): void {
  const known = builder.results.get(name);
  if (!known) return;
  const row = Object.fromEntries(
    Object.keys(known.row).map((field) => [field, anyValue(`${id} ${name} ${field}`)]),
  );
  const forgotten: ResultTerms = {
    row,
    values: known.values.map((_, at) => anyValue(`${id} ${name} ${String(at)}`)),
    found: { kind: "unknown", id: `${ANY}${id} ${name} found`, type: "bool" },
    size: { kind: "unknown", id: `${ANY}${id} ${name} size`, type: "int" },
  };
  builder.results.set(name, forgotten);
}

function columnsWritten(
  operations: readonly Operation[],
): Readonly<Record<string, readonly string[]>> {
  const columns = new Map<string, Set<string>>();
  for (const { kind, table, set, update } of operations) {
    if (kind === "read") continue;
    const own = columns.get(table) ?? new Set<string>();
    columns.set(table, own);
    if (kind === "insert" || kind === "delete") own.add(EVERY_COLUMN);
    for (const column of [...Object.keys(set), ...Object.keys(update ?? {})]) own.add(column);
  }
  return Object.fromEntries([...columns].map(([table, own]) => [table, [...own]]));
}
