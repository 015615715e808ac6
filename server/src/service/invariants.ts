// The invariants that a check may assume: the user's, unless they contradict each other, and counters that every transaction maintains.
// Those that some transaction breaks are reported with an execution.
import type { CounterCandidates } from "../analysis/assumptions/counters";
import type { BreakingRun, BrokenInvariant, InvariantAnswer } from "../analysis/search/unit";
import { flattenProgram } from "../analysis/operations/flatten";
import { invariantName, preconditionName } from "../analysis/encoding/assumptions";
import { expressionText } from "../analysis/explain/expressionText";
import { listText, resultText, valueText } from "../analysis/explain/words";
import type { Job } from "../engine/jobs";
import type { SolvePool } from "../engine/pool";
import type { Invariant, Note, Program, Transaction } from "../program/program";
import type { Row } from "../protocol/witness";
import { statementsOf, tablesOf } from "./statements";
import { MAX_FINDINGS, RESOURCE_LIMIT } from "./search/tupleSolver";
import type { SolveCache, SolveCounters } from "./search/tupleSolver";
import { digest } from "./search/tuples";

/** Runs a job with one question about invariants; undefined if there is no answer. */
export type AskInvariants = (job: Job, key: string) => Promise<InvariantAnswer | undefined>;

/** Asks the pool; answers are cached. */
export function askInvariants(
  pool: SolvePool,
  cache: SolveCache,
  counters: SolveCounters,
  { unroll, signal }: { readonly unroll: number; readonly signal: AbortSignal },
): AskInvariants {
  return async (job, problem) => {
    const key = `invariants ${problem} ${String(unroll)} ${String(RESOURCE_LIMIT)}`;
    const known = cache.get(key);
    if (known) return known[0]?.invariants;
    const answer = await pool.solve({ ...job, unroll }, signal);
    if (answer.kind !== "solved") return undefined;
    for (const { queries } of answer.results) counters.queries += queries;
    cache.set(key, answer.results);
    return answer.results[0]?.invariants;
  };
}

export interface SettledInvariants {
  /** Invariants that the search assumes. */
  readonly invariants: readonly Invariant[];
  /** The transactions, without contradictory preconditions. */
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
  /** Reasons, by an invariant's text, why results that rest on it stay open. */
  readonly unsafe: ReadonlyMap<string, string>;
}

/**
 * Decides the invariants of a program. Candidates are dropped until every transaction preserves the rest (Houdini): at most one round per
 * candidate, one question per transaction that touches them.
 */
export async function settleInvariants(
  { transactions, ...rest }: Program,
  candidates: readonly CounterCandidates[],
  ask: AskInvariants,
): Promise<SettledInvariants> {
  const notes: Note[] = [];
  const callable: Transaction[] = [];
  for (const each of transactions) callable.push(await callableOne(each, ask, notes));
  const program: Program = { ...rest, transactions: callable };
  const said = await withoutContradictions(program, ask, notes);
  const unsafe = new Map<string, string>();
  let kept: readonly Invariant[] = [...said, ...candidates.flat()];
  for (let changed = kept.length > 0; changed;) {
    const lost = new Set<Invariant>();
    for (const transaction of program.transactions) {
      const { job, asked } = breakingJob(program, transaction, kept);
      if (asked.length === 0) continue;
      const answer = await ask(job, digest([job, asked.map(({ text }) => text)]));
      const broken = answer?.broken ?? asked.map((_, index) => ({ index, reason: "not decided" }));
      for (const each of broken) {
        const invariant = asked[each.index];
        if (!invariant) continue;
        lost.add(invariant);
        if (invariant.origin === "inferred") continue;
        notes.push(brokenNote(transaction, invariant, each));
        unsafe.set(invariant.text, unsafeReason(transaction, invariant, each));
      }
    }
    kept = kept.filter((each) => !lost.has(each));
    changed = lost.size > 0 && kept.some(({ origin }) => origin === "inferred");
  }
  const counters = candidates.flatMap((group) => group.find((each) => kept.includes(each)) ?? []);
  const known = new Set(said.map(({ text }) => text));
  return {
    invariants: [...said, ...counters.filter(({ text }) => !known.has(text))],
    transactions: callable,
    notes: distinctNotes(notes),
    unsafe,
  };
}

/** Remarks on invariants that have no exact solver form: they only serve to reject witnesses. */
export function invariantRemarks(program: Program): readonly Note[] {
  const invariants = program.invariants ?? [];
  if (invariants.length === 0) return [];
  const flat = flattenProgram({ ...program, transactions: [] }, { unroll: 1 });
  const guiding = new Set((flat.invariants ?? []).map(({ text }) => text));
  return invariants.flatMap(({ text, source }): readonly Note[] => {
    if (!source || guiding.has(text)) return [];
    const message = `The search cannot use "${text}": it compares texts or has parts that are not understood. Witnesses that break it are refused.`;
    return [{ severity: "information", code: "invariant-open", message, source }];
  });
}

/** The user's invariants; contradictory ones are refused until the rest is consistent. */
async function withoutContradictions(
  program: Program,
  ask: AskInvariants,
  notes: Note[],
): Promise<readonly Invariant[]> {
  for (let said = program.invariants ?? []; ;) {
    if (said.length === 0) return said;
    const names = new Set(said.flatMap(tablesIn));
    const tables = program.schema.tables.filter(({ name }) => names.has(name));
    const part = { schema: { tables }, transactions: [], invariants: said, notes: [], files: [] };
    const job = jobOf(part, []);
    const answer = await ask(job, digest([job, said.map(({ text }) => text)]));
    const contradictory = answer?.contradictory ?? [];
    const refused = said.filter(({ text }) => contradictory.includes(invariantName(text)));
    if (refused.length === 0) return said;
    const message = contradictionText(refused, contradictory.length > refused.length);
    for (const { source } of refused)
      if (source) notes.push({ severity: "error", code: "invariant", message, source });
    said = said.filter((each) => !refused.includes(each));
  }
}

/** The transaction, without unsatisfiable conditions on its arguments: they are dropped until some arguments satisfy the rest. */
async function callableOne(
  transaction: Transaction,
  ask: AskInvariants,
  notes: Note[],
): Promise<Transaction> {
  for (let callable = transaction; ;) {
    const { id, name, header, preconditions } = callable;
    if (preconditions.length === 0) return callable;
    const call: Transaction = { ...callable, body: { kind: "sequence", commands: [] } };
    const part = { schema: { tables: [] }, transactions: [call], notes: [], files: [] };
    const job = jobOf(part, [0]);
    const contradictory = (await ask(job, digest([job])))?.contradictory ?? [];
    const refused = preconditions.filter((_, at) =>
      contradictory.includes(preconditionName(id, at)),
    );
    if (refused.length === 0) return callable;
    const texts = listText([...new Set(refused.map((each) => `"${expressionText(each)}"`))]);
    const message = `No arguments of ${name} satisfy ${texts}: this is not used.`;
    notes.push({ severity: "error", code: "invariant", message, source: header });
    callable = {
      ...callable,
      preconditions: preconditions.filter((each) => !refused.includes(each)),
    };
  }
}

function contradictionText(refused: readonly Invariant[], checks: boolean): string {
  const texts = [...new Set(refused.map(({ text }) => `"${text}"`))];
  const [them, are] = texts.length > 1 ? ["these invariants", "are"] : ["this invariant", "is"];
  const beside = checks ? " beside the CHECKs of the schema" : "";
  return `No rows satisfy ${listText(texts)}${beside}: ${them} ${are} not used.`;
}

/** The question which of these invariants a transaction breaks, over the tables that both name. */
function breakingJob(
  program: Program,
  transaction: Transaction,
  invariants: readonly Invariant[],
): { readonly job: Job; readonly asked: readonly Invariant[] } {
  const own = tablesOf(transaction);
  const touched = invariants.filter((each) => tablesIn(each).some((table) => own.has(table)));
  const names = new Set([...own, ...touched.flatMap(tablesIn)]);
  const asked = invariants.filter((each) => tablesIn(each).every((table) => names.has(table)));
  const tables = program.schema.tables.filter(({ name }) => names.has(name));
  const part = { schema: { tables }, transactions: [transaction], notes: [], files: [] };
  return {
    job: jobOf({ ...part, invariants: asked }, [0]),
    asked: touched.length > 0 ? asked : [],
  };
}

function jobOf(program: Program, transactions: readonly number[]): Job {
  return {
    program: { ...program, notes: [], files: [] },
    levels: "postgres:serializable",
    units: [{ transactions, question: "invariants" }],
    resourceLimit: RESOURCE_LIMIT,
    maxFindings: MAX_FINDINGS,
  };
}

/** Every table that the invariant names. */
function tablesIn({ relations, condition }: Invariant): readonly string[] {
  const sought = condition.kind === "exists" ? condition.query.relations : [];
  return [...new Set([...relations, ...sought].map(({ table }) => table))];
}

function brokenNote(transaction: Transaction, invariant: Invariant, broken: BrokenInvariant): Note {
  const { example, reason = "it was not decided" } = broken;
  const statement = statementsOf(transaction.body).find(({ id }) => id === example?.statement);
  const source = statement?.source ?? transaction.header;
  if (!example) {
    const message = `It is not certain that ${transaction.name} keeps the invariant "${invariant.text}": ${reason}.`;
    return { severity: "information", code: "invariant-open", message, source };
  }
  const message = `${transaction.name} can break the invariant "${invariant.text}": ${exampleText(example)}.`;
  return { severity: "warning", code: "invariant-broken", message, source };
}

function exampleText({ arguments: given, initial, final }: BreakingRun): string {
  const values = Object.entries(given).map(([name, value]) => `${name} = ${valueText(value)}`);
  const called = values.length > 0 ? `with ${listText(values)}, ` : "";
  return `${called}starting from ${rowsText(initial)}, it ends with ${rowsText(final)}`;
}

const MOST_ROWS = 6;

function rowsText(tables: Readonly<Record<string, readonly Row[]>>): string {
  const rows = Object.entries(tables).flatMap(([table, list]) =>
    list.map((row) => `${table} ${resultText(row)}`),
  );
  if (rows.length === 0) return "no rows";
  const more = rows.length > MOST_ROWS ? [`${String(rows.length - MOST_ROWS)} more`] : [];
  return listText([...rows.slice(0, MOST_ROWS), ...more]);
}

function unsafeReason(
  transaction: Transaction,
  { text }: Invariant,
  { example }: BrokenInvariant,
): string {
  const why = example
    ? `${transaction.name} can break it`
    : `it is not certain that ${transaction.name} keeps it`;
  return `rests on the invariant "${text}", and ${why}`;
}

function distinctNotes(notes: readonly Note[]): readonly Note[] {
  return [...new Map(notes.map((note) => [JSON.stringify(note), note])).values()];
}
