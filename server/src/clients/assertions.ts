// Assertions of a client program: queries over the final state, or expressions over results. A query is read as another transaction of the
// workspace, so that every dialect of transactions is supported.
import type { SourceFile } from "../frontend/sql/readProgram";
import type { Key, Reply, Value } from "../exploration/client";
import type { Program } from "../program/program";
import type { FileId } from "../protocol/source";
import { unknownText } from "../workspace/configuration";
import {
  readExpression,
  type AssertionExpression,
  type TransactionOutcome,
} from "./assertionExpression";
import { AssertionFault, type ResultValue } from "./assertionValues";
import type { ClientAssertion, ClientProblem } from "./clientProgram";
import { sqlSession } from "./sqlSession";
import { accessRules } from "./statementView";

/** The outcome of a run, as assertions see it. */
export interface FinalOutcome {
  /** The outcome of a transaction, by zero-based indexes in the client. */
  outcome(session: number, transaction: number): TransactionOutcome | undefined;
  /** The final rows, by key. */
  readonly state: ReadonlyMap<Key, Value>;
}

export interface Assertion {
  readonly text: string;
  readonly range: ClientAssertion["range"];
  /** True if it depends on the final rows, and so may hold in one final state and not in another. */
  readonly asksState: boolean;
  /** The transactions that it names, as `s1[0]`; undefined if unknown. */
  readonly names: readonly string[] | undefined;
  /** True if it holds; NULL counts as true. Throws AssertionFault if the value is no Boolean. */
  holds(outcome: FinalOutcome): boolean | Promise<boolean>;
}

/** True if an assertion is a query over the final state. */
export function isQuery(text: string): boolean {
  return /^[\s(]*(?:select|with|values|table)\b/iu.test(text);
}

/** The queries of a client's assertions as files, to be read together with its transactions. */
export function assertionFiles(assertions: readonly ClientAssertion[]): readonly SourceFile[] {
  return queriesOf(assertions).map((text, at) => ({
    // A synthetic file name that is no path.
    file: queryFile(at) as FileId,
    text: `-- @transaction ${queryName(at)}\n${text.replace(/;\s*$/u, "")};\n`,
  }));
}

/** The program without the queries of assertions. */
export function withoutAssertions(program: Program): Program {
  return {
    ...program,
    transactions: program.transactions.filter(({ header }) => !isQueryFile(header.file)),
    notes: program.notes.filter(({ source }) => !isQueryFile(source.file)),
  };
}

/**
 * Binds assertions. `program` was read with `assertionFiles`; `tables` are those without them, and `sizes` are the numbers of transactions
 * per session.
 */
export function bindAssertions(
  assertions: readonly ClientAssertion[],
  program: Program,
  tables: readonly string[],
  sizes: readonly number[],
): { readonly assertions: readonly Assertion[]; readonly problems: readonly ClientProblem[] } {
  const problems: ClientProblem[] = [];
  const queries = queriesOf(assertions);
  const bound = assertions.flatMap((assertion): readonly Assertion[] => {
    const { text, range } = assertion;
    const refuse = (message: string): readonly Assertion[] => {
      problems.push({ severity: "error", message, range });
      return [];
    };
    const own = ownQueries(assertion);
    for (const query of own.queries) {
      const fault = queryFault(program, queries.indexOf(query), tables);
      if (fault !== undefined) return refuse(fault);
    }
    const run = (query: string, state: ReadonlyMap<Key, Value>): ResultValue =>
      runQueryOver(program, queryName(queries.indexOf(query)), state);
    if (own.kind === "query")
      return [
        {
          text,
          range,
          asksState: true,
          names: [],
          holds: ({ state }) => rowsHold(run(text, state)),
        },
      ];
    if (own.kind === "fault") return refuse(own.message);
    const { expression } = own;
    for (const { session, transaction } of expression.transactions)
      if (transaction >= (sizes[session] ?? 0))
        return refuse(missingText(session, transaction, sizes));
    return [expressionAssertion(assertion, expression, run)];
  });
  return { assertions: bound, problems };
}

/** An expression assertion; `run` answers its queries. */
export function expressionAssertion(
  { text, range }: ClientAssertion,
  expression: AssertionExpression,
  run: (query: string, state: ReadonlyMap<Key, Value>) => ResultValue,
): Assertion {
  return {
    text,
    range,
    asksState: expression.queries.length > 0,
    names: expression.transactions.map(
      ({ session, transaction }) => `s${String(session + 1)}[${String(transaction)}]`,
    ),
    holds: ({ outcome, state }) =>
      truth(expression.evaluate({ outcome, query: (query) => run(query, state) })),
  };
}

/** True if no row of a query contains false, or 0 in a single column. */
export function rowsHold(rows: ResultValue): boolean {
  if (!Array.isArray(rows)) return truth(rows);
  return rows.every((row: ResultValue) => {
    if (typeof row !== "object" || row === null) return truth(row);
    const values = Object.values(row);
    const [only] = values;
    if (values.length === 1 && only !== undefined) return truth(only);
    return !values.includes(false);
  });
}

type OwnQueries =
  | { readonly kind: "query"; readonly queries: readonly string[] }
  | {
      readonly kind: "expression";
      readonly queries: readonly string[];
      readonly expression: AssertionExpression;
    }
  | { readonly kind: "fault"; readonly queries: readonly string[]; readonly message: string };

function ownQueries({ text }: ClientAssertion): OwnQueries {
  if (isQuery(text)) return { kind: "query", queries: [text] };
  const read = readExpression(text);
  if (!read.ok) {
    const message = `the assertion is not understood: ${read.message} (at character ${String(read.offset + 1)})`;
    return { kind: "fault", queries: [], message };
  }
  const { expression } = read;
  return { kind: "expression", queries: expression.queries, expression };
}

function queriesOf(assertions: readonly ClientAssertion[]): readonly string[] {
  return [...new Set(assertions.flatMap((each) => ownQueries(each).queries))];
}

const FILE = "\u0000assertion ";

function queryFile(at: number): string {
  return `${FILE}${String(at + 1)}`;
}

function isQueryFile(file: string): boolean {
  return file.startsWith(FILE);
}

function queryName(at: number): string {
  return `isolens_assertion_${String(at + 1)}`;
}

/** The reason why a query is not supported; undefined if it is. */
function queryFault(program: Program, at: number, tables: readonly string[]): string | undefined {
  const transaction = program.transactions.find(({ name }) => name === queryName(at));
  for (const table of tablesNamed(transaction?.body))
    if (!tables.includes(table)) return unknownText("table", table, tables);
  const note = program.notes.find(
    ({ severity, source }) => source.file === queryFile(at) && severity !== "information",
  );
  if (note !== undefined) return `the assertion's query: ${note.message}`;
  return transaction === undefined ? "the assertion's query is not understood" : undefined;
}

/** The base tables in a body's queries, at any depth. */
function tablesNamed(body: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (
      "kind" in value &&
      value.kind === "base" &&
      "table" in value &&
      typeof value.table === "string"
    )
      names.add(value.table);
    for (const part of Object.values(value)) visit(part);
  };
  visit(body);
  return names;
}

/** A query's result over a state. Throws AssertionFault if it fails. */
function runQueryOver(program: Program, name: string, state: ReadonlyMap<Key, Value>): ResultValue {
  const transaction = program.transactions.find((each) => each.name === name);
  if (transaction === undefined) throw new AssertionFault("the query is not understood");
  const instance = { instance: name, transaction: transaction.id, arguments: {} };
  const session = sqlSession(name, [instance], {
    program,
    rules: accessRules({ family: "paper" }),
    firstFresh: () => 1,
  });
  const code = session.run();
  for (let step = code.next(); step.done !== true;) {
    const request = step.value;
    if (request.kind === "abort")
      throw new AssertionFault(`the query fails: ${abortReason(request.result)}`);
    if (request.kind === "commit") return plainResult(request.result);
    let reply: Reply = { kind: "done" };
    if (request.kind === "read") {
      const { keys, scans = [] } = request;
      const values = new Map<Key, Value>(keys.map((key) => [key, state.get(key)]));
      for (const [key, value] of state)
        if (scans.some((scan) => key.startsWith(scan))) values.set(key, value);
      reply = { kind: "values", values };
    }
    step = code.next(reply);
  }
  return null;
}

/** The reason of a rollback, which is then the transaction's result. */
export function abortReason(result: Value): string {
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "no reason");
}

/** A result as assertions see it: missing values are null. */
export function plainResult(value: Value): ResultValue {
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return value;
  if (isList(value)) return value.map(plainResult);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainResult(each)]));
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function truth(value: ResultValue): boolean {
  if (value === null) return true;
  if (typeof value === "boolean") return value;
  if (value === 0 || value === 1) return value === 1;
  throw new AssertionFault(`it gives ${JSON.stringify(value)}, which is neither true nor false`);
}

function missingText(session: number, transaction: number, sizes: readonly number[]): string {
  const name = `s${String(session + 1)}[${String(transaction)}]`;
  const size = sizes[session];
  if (size === undefined) {
    const count = sizes.length === 1 ? "1 session" : `${String(sizes.length)} sessions`;
    return `there is no ${name}: the client has ${count}, s1${sizes.length > 1 ? ` to s${String(sizes.length)}` : ""}`;
  }
  const count =
    size === 1 ? "1 transaction, 0" : `${String(size)} transactions, 0 to ${String(size - 1)}`;
  return `there is no ${name}: session ${String(session + 1)} has ${count}`;
}
