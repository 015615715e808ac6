// The measured litmus programs as programs of the store, and their outcomes as the servers reported them.
import { readFileSync } from "node:fs";
import type { Expression } from "../../../server/src/program/expression";
import type { Program, Transaction } from "../../../server/src/program/program";
import type { UniqueKey } from "../../../server/src/program/schema";
import type { Command } from "../../../server/src/program/statement";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { Setup } from "../../../server/src/store/execution";
import type { Run } from "../../../server/src/store/runRecord";
import { renderValue } from "../../../server/src/store/value";
import { instances, programOf, rowsOf, table } from "./programs";

export interface LitmusStatement {
  readonly sql: string;
  readonly into?: string;
  readonly as?: string;
  readonly when?: string;
}

interface LitmusOutcome {
  readonly registers: Readonly<Record<string, number>>;
  readonly final: Readonly<Record<string, number>>;
}

export interface LitmusCell {
  readonly coverage: "all" | "sample";
  readonly anyCommitted: boolean;
  readonly outcomes: readonly LitmusOutcome[];
}

export interface Litmus {
  readonly id: string;
  readonly name: string;
  readonly initial: Readonly<Record<string, number>>;
  /** The values of v are a key that is DEFERRABLE, and INITIALLY that. Only at PostgreSQL. */
  readonly key?: "immediate" | "deferred";
  readonly transactions: readonly (readonly LitmusStatement[])[];
  readonly observed: Readonly<Record<string, LitmusCell | undefined>>;
  readonly observedMixed?: Readonly<Record<string, LitmusCell | undefined>>;
}

const MEASURED = ["litmus.json", "litmus-keys.json"].map(
  (name) => new URL(`../../data/${name}`, import.meta.url),
);

/** The programs of files in the format of `test/data/litmus.json`. Throws for a file that is none. */
export function readLitmus(...files: readonly (string | URL)[]): readonly Litmus[] {
  return (files.length > 0 ? files : MEASURED).flatMap(readFile);
}

function readFile(file: string | URL): readonly Litmus[] {
  const found: unknown = JSON.parse(readFileSync(file, "utf8"));
  const isLitmus = (each: unknown): boolean =>
    typeof each === "object" && each !== null && "transactions" in each && "observed" in each;
  if (!Array.isArray(found) || !found.every(isLitmus))
    throw new Error(`${String(file)} is no list of litmus programs with transactions and observed`);
  // The tested parts of each program are there; the rest of its shape is the format's.
  return found as readonly Litmus[];
}

/** The litmus' program and setup, or undefined when the front end does not read its statements exactly. Read once for all levels. */
export function litmusProgram(litmus: Litmus): LitmusProgram | undefined {
  const key = JSON.stringify([litmus.key, litmus.initial, litmus.transactions]);
  if (!programs.has(key)) programs.set(key, readProgram(litmus));
  return programs.get(key);
}

interface LitmusProgram {
  readonly program: Program;
  readonly setup: Setup;
}

const programs = new Map<string, LitmusProgram | undefined>();

function readProgram(litmus: Litmus): LitmusProgram | undefined {
  const names = litmus.transactions.map((_, index) => `T${index + 1}`);
  const scripts = litmus.transactions.map((statements) =>
    statements
      .filter((statement) => statement.sql !== "ROLLBACK")
      .map((statement) => `${statement.sql};`)
      .join("\n"),
  );
  const program = programOf(
    Object.fromEntries(names.map((name, index) => [name, scripts[index] ?? ""])),
    [table("t", { id: "int", v: "int" }, { uniqueKeys: keysOf(litmus) })],
  );
  const transactions = program.transactions.map((transaction, index) =>
    withRegisters(transaction, litmus.transactions[index] ?? []),
  );
  if (transactions.length !== names.length) return undefined;
  if (transactions.some((each) => each === undefined)) return undefined;
  return {
    program: { ...program, transactions: transactions.filter((each) => each !== undefined) },
    setup: { instances: instances(...names), initial: { t: rowsOf(litmus.initial) } },
  };
}

function keysOf({ key }: Litmus): readonly UniqueKey[] {
  return key === undefined ? [] : [{ columns: ["v"], deferrable: key }];
}

/** An outcome as text: registers in order, then the final rows. */
export function measuredText(outcome: LitmusOutcome): string {
  return outcomeText(Object.entries(outcome.registers), Object.entries(outcome.final));
}

/** A run's outcome as text; undefined when an instance was aborted by the server. */
export function runText(litmus: Litmus, run: Run): string {
  const registers = run.machines.flatMap((machine, index) =>
    (litmus.transactions[index] ?? []).flatMap((statement): [string, number][] => {
      if (statement.into === undefined) return [];
      const value = ownEntry(machine.variables, statement.into) ?? 0;
      return [[`${machine.instance}.${statement.into}`, Number(renderValue(value))]];
    }),
  );
  const rows = (run.final.get("t") ?? []).filter((row) => row.alive);
  const final = rows.map((row): [string, number] => [
    row.key,
    Number(renderValue(row.values["v"] ?? null)),
  ]);
  return outcomeText(registers, final);
}

/** Registers (`T1.x`) and final rows as text. */
export function outcomeText(
  registers: readonly (readonly [string, number])[],
  final: readonly (readonly [string, number])[],
): string {
  const text = (pairs: readonly (readonly [string, number])[]) =>
    pairs
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(" ");
  return `${text(registers)} | ${text(final)}`;
}

/** The transaction with its registers as variables; undefined when a statement was not read exactly. */
function withRegisters(
  transaction: Transaction,
  statements: readonly LitmusStatement[],
): Transaction | undefined {
  const read = commandsOf(transaction.body);
  const source = transaction.source;
  const commands: Command[] = [];
  let index = 0;
  for (const statement of statements) {
    if (statement.sql === "ROLLBACK") {
      const refused: Command = { kind: "rollback", why: "ROLLBACK", source };
      commands.push(guarded(statement.when, refused, source));
      continue;
    }
    const command = read[index];
    index += 1;
    if (command?.kind !== "statement" || command.statement.taint.length > 0) return undefined;
    const plain: Command = registersAsVariables(command);
    commands.push(guarded(statement.when, plain, source));
    if (statement.into === undefined || plain.kind !== "statement") continue;
    if (statement.as === "sum of v") commands.push(...sumCommands(statement.into, plain, source));
    else
      commands.push({
        kind: "assign",
        variable: statement.into,
        value: registerValue(statement.as ?? "", plain.statement),
        source,
      });
  }
  return { ...transaction, parameters: [], body: { kind: "sequence", commands } };
}

function guarded(when: string | undefined, then: Command, source: Transaction["source"]): Command {
  return when === undefined ? then : { kind: "if", condition: conditionOf(when), then, source };
}

function commandsOf(body: Command): readonly Command[] {
  return body.kind === "sequence" ? body.commands : [body];
}

/** An argument of the front end (`:x`) is a register of the litmus. */
function registersAsVariables(command: Command): Command {
  const text = JSON.stringify(command, (_, value: unknown) =>
    typeof value === "object" && value !== null && "kind" in value && value.kind === "parameter"
      ? { ...value, kind: "variable" }
      : value,
  );
  // Only the kind of a node without operands has changed.
  return JSON.parse(text) as Command;
}

function registerValue(
  what: string,
  statement: Extract<Command, { kind: "statement" }>["statement"],
): Expression {
  const into = statement.kind === "select" ? statement.into : "";
  switch (what) {
    case "value of v, -1 if no row":
      return {
        kind: "coalesce",
        operands: [{ kind: "field", result: into, field: "v", at: "first" }, integer(-1)],
      };
    case "number of rows":
      return { kind: "size", result: into };
    case "affected rows":
      return { kind: "affected", statement: statement.id };
    default:
      throw new Error(`a register of an unknown kind: ${what}`);
  }
}

/** A loop that adds `v` over the rows. */
function sumCommands(
  variable: string,
  select: Extract<Command, { kind: "statement" }>,
  source: Transaction["source"],
): readonly Command[] {
  const result = select.statement.kind === "select" ? select.statement.into : "";
  const loop = `sum ${variable}`;
  const added: Expression = {
    kind: "arithmetic",
    operator: "+",
    left: { kind: "variable", name: variable },
    right: { kind: "field", result, field: "v", at: { loop } },
  };
  return [
    { kind: "assign", variable, value: integer(0), source },
    {
      kind: "loop",
      id: loop,
      over: { kind: "rows", result },
      body: { kind: "assign", variable, value: added, source },
      source,
    },
  ];
}

function conditionOf(when: string): Expression {
  const { register, below } = conditionParts(when);
  return {
    kind: "comparison",
    operator: "<",
    left: { kind: "variable", name: register },
    right: integer(below),
  };
}

/** The parts of `(:register < number)`. */
export function conditionParts(when: string): {
  readonly register: string;
  readonly below: number;
} {
  const match = /^\(:(\w+) < (\d+)\)$/.exec(when);
  if (match?.[1] === undefined || match[2] === undefined) throw new Error(`condition ${when}`);
  return { register: match[1], below: Number(match[2]) };
}

function integer(value: number): Expression {
  return { kind: "literal", value, type: "int" };
}
