// Witnesses by refinement at a product's level: the store runs a model; if a serial order has the same outcome, the solver learns that
// order and is asked for a model that differs. Most cycles need one or two of the n! orders, which are the expensive part of a query.
import type { Levels } from "../../../isolation/mixedLevels";
import type { Program } from "../../../program/program";
import type { StatementId } from "../../../program/statement";
import { ownEntry } from "../../../protocol/dictionary";
import type { Severity } from "../../../protocol/report";
import type { Outcome } from "../../../protocol/witness";
import type { CheckResult, Model } from "../../../solver/solver";
import type { Confirmation, WitnessPlan } from "../../../store/execution";
import { permutations } from "../../../store/permutations";
import { addSerialRun, otherRows } from "../../encoding/product/encoding";
import type { CycleShape, ProductEncoding } from "../../encoding/product/encoding";
import { parameterName } from "../../encoding/product/database";
import {
  IN_ORDER,
  OTHER_READ,
  OTHER_STATE,
  OTHER_VALUE,
  READABLE,
  SPARSE,
  PRESENCE,
} from "../../encoding/product/names";
import { and, bool, eq, imp, int, not } from "../../encoding/smt";
import type { Queries } from "../literature/queries";
import { evidenceTables } from "../evidence";
import { instanceName } from "../readModel";
import type { Finding } from "../unit";
import { decodeProduct } from "./decode";
import { retryPlan } from "./retry";

/** Runs a plan and reports what it shows. */
export type Judge = (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;

/** The shared parts of all queries about one commit order. */
export interface Search {
  readonly program: Program;
  readonly encoding: ProductEncoding;
  readonly levels: Levels;
  readonly queries: Queries;
  readonly judge: Judge;
  /** Serial orders that the solver has learnt. */
  readonly orders: Set<string>;
  /** Reads of earlier causes, which the cycle must not use. */
  readonly past?: readonly StatementId[];
}

export interface CandidateFinding {
  readonly finding: Finding;
  /** The tables of the model's cycle. */
  readonly tables: readonly string[];
}

/** Models per query before the store's refusal is reported; those that teach an order do not count. */
const TRIES = 4;

/** The most severe anomaly among the cycles selected by the literal `cycle`; undefined if all are harmless. */
export function findWorst(
  search: Search,
  cycle: string,
  shapes: readonly CycleShape[],
): CandidateFinding | undefined {
  const worst = worstOf(search, cycle, shapes);
  return worst && severityOf(worst) === "state"
    ? showingCause(search, cycle, shapes, worst)
    : worst;
}

/**
 * The finding, or one in whose run a table of the cycle ends as in no order: a loss elsewhere says nothing about the reads that the finding
 * is told at. One more question, where the first run does not show its cause.
 */
function showingCause(
  search: Search,
  cycle: string,
  shapes: readonly CycleShape[],
  found: CandidateFinding,
): CandidateFinding {
  if (showsCause(search.program, found)) return found;
  const own = found.finding.tables;
  const changed = [...search.encoding.tuple.tables.values()].filter(
    ({ table, mutable }) => own.includes(table.name) && mutable.size > 0,
  );
  for (const table of changed) {
    if (search.queries.stopped()) break;
    learnAll(search);
    const { proposal } = propose(search, [cycle, otherRows(search.encoding, table)], shapes);
    if (proposal && isAtLeast(proposal, "state")) return proposal;
  }
  return found;
}

/**
 * True if, times aside, a table of the cycle ends as in no order; or the whole does, and some order stops a transaction at its read of such
 * a table.
 */
function showsCause(
  { schema }: Program,
  { finding: { confirmation, tables } }: CandidateFinding,
): boolean {
  const { execution, serial, deciding = [] } = confirmation;
  const here = execution?.outcome.final ?? {};
  const text = (final: Outcome["final"], name: string): string => {
    const columns = schema.tables.find((table) => table.name === name)?.columns ?? [];
    const times = new Set(columns.filter(({ type }) => type === "time").map((each) => each.name));
    const rows = ownEntry(final, name) ?? [];
    return JSON.stringify(
      rows.map((row) => Object.entries(row).filter(([column]) => !times.has(column))),
    );
  };
  const isOther = (final: Outcome["final"], names: readonly string[]): boolean =>
    names.some((name) => text(final, name) !== text(here, name));
  const all = Object.keys(here);
  const decides = tables.some((name) => deciding.includes(name));
  return (
    tables.some((name) => serial.every(({ outcome }) => isOther(outcome.final, [name]))) ||
    (decides && serial.every(({ outcome }) => isOther(outcome.final, all)))
  );
}

function worstOf(
  search: Search,
  cycle: string,
  shapes: readonly CycleShape[],
): CandidateFinding | undefined {
  const first = propose(search, [cycle], shapes);
  if (first.proposal === undefined) return undefined;
  let best: CandidateFinding | undefined = isConfirmed(first.proposal) ? first.proposal : undefined;
  if (severityOf(best) === "state") return best;
  if (search.queries.stopped()) return undefined;
  // A pair has only two orders, so both are taught at once.
  if (search.encoding.tuple.units.length === 2) learnAll(search);
  else learn(search, first.proposal, "unused");
  let unconfirmed: CandidateFinding | undefined;
  // The widest query comes first: most cycles without an immediate difference are harmless, and then it is the only query.
  for (const wanted of ["unused", "state", "value"] as const) {
    if (rank(severityOf(best)) >= rank(wanted)) continue;
    const { answer, found } = refine(search, cycle, wanted, shapes);
    if (found && isConfirmed(found)) best = worse(best, found);
    else unconfirmed ??= found;
    if (answer === "unsat" && wanted === "unused" && best === undefined) return undefined;
  }
  return best ?? unconfirmed;
}

/** The severity as a number; 0 for none. */
export function rank(severity: Severity | undefined): number {
  return severity === undefined ? 0 : { unused: 1, value: 2, state: 3 }[severity];
}

/** The literals that require a difference from the learnt orders. */
const GOALS: Readonly<Record<Severity, string>> = {
  state: OTHER_STATE,
  value: OTHER_VALUE,
  unused: OTHER_READ,
};

interface Proposal extends CandidateFinding {
  readonly model: Model;
  readonly plan: WitnessPlan;
}

interface Answer {
  readonly answer: CheckResult;
  readonly found?: CandidateFinding;
}

/** Asks for models that differ from more and more orders until the store confirms one; "unsat" means that there is none. */
function refine(
  search: Search,
  cycle: string,
  wanted: Severity,
  shapes: readonly CycleShape[],
): Answer {
  const question = GOALS[wanted];
  let lesser: CandidateFinding | undefined;
  for (let tries = 0; tries < TRIES;) {
    const { answer, proposal } = propose(search, [cycle, question], shapes);
    if (proposal === undefined) return { answer, ...(lesser && { found: lesser }) };
    if (isAtLeast(proposal, wanted)) return { answer, found: proposal };
    if (learn(search, proposal, wanted)) {
      if (isConfirmed(proposal)) lesser = worse(lesser, proposal);
      continue;
    }
    const other = retried(search, proposal, wanted);
    if (isAtLeast(other, wanted)) return { answer, found: other };
    if (isConfirmed(other)) lesser = worse(lesser, other);
    else lesser ??= other;
    block(search, question, proposal);
    tries += 1;
    // The store does not follow the encoding here, so all orders must be ruled out before anything is claimed.
    if (tries === TRIES - 1) learnAll(search);
  }
  return { answer: "sat", ...(lesser && { found: lesser }) };
}

/**
 * Teaches the solver a serial order that agrees with the proposal in the wanted respect; true if it was new. One order at a time: the next
 * model usually differs from the others as well.
 */
function learn(search: Search, { finding }: CandidateFinding, wanted: Severity): boolean {
  const { agreeing } = finding.confirmation;
  const lists = { state: agreeing?.state, value: agreeing?.values, unused: agreeing?.reads };
  const agrees = lists[wanted] ?? [];
  const { encoding, orders } = search;
  const numbers = new Map(
    encoding.tuple.units.map((_, index): [string, number] => [instanceName(index), index]),
  );
  const order = agrees
    .map((names) => names.flatMap((name) => numbers.get(name) ?? []))
    .find((each) => !orders.has(each.join()));
  // The first order to learn, if none is known to agree, is the commit order.
  const told = order ?? (orders.size === 0 ? [...numbers.values()] : undefined);
  if (told === undefined) return false;
  tell(search, told);
  return true;
}

function learnAll(search: Search): void {
  const all = permutations([...search.encoding.tuple.units.keys()]);
  for (const order of all) if (!search.orders.has(order.join())) tell(search, order);
}

function tell({ encoding, orders }: Search, order: readonly number[]): void {
  orders.add(order.join());
  addSerialRun(encoding, order);
}

/** The best of the proposal's other interleavings, for statements that search without holding locks on what they pass. */
function retried(
  { program, levels, judge, encoding }: Search,
  proposal: Proposal,
  wanted: Severity,
): Proposal {
  if (!encoding.searches) return proposal;
  const isGood = ({ status, severity }: Confirmation): boolean =>
    status === "confirmed" && rank(severity) >= rank(wanted);
  const judgePlan = (plan: WitnessPlan): Confirmation => judge(program, levels, plan);
  const others = retryPlan(program, levels, proposal.plan, judgePlan, isGood);
  const [best] = others
    .filter(({ status }) => status === "confirmed")
    .sort((a, b) => rank(b.severity) - rank(a.severity));
  if (best === undefined) return proposal;
  const { finding, tables } = proposal;
  return {
    ...proposal,
    finding: { ...finding, confirmation: best, tables: evidenceTables(best) ?? tables },
  };
}

function isConfirmed({ finding }: CandidateFinding): boolean {
  return finding.confirmation.status === "confirmed";
}

function isAtLeast(found: CandidateFinding, wanted: Severity): boolean {
  return isConfirmed(found) && rank(severityOf(found)) >= rank(wanted);
}

function severityOf(found: CandidateFinding | undefined): Severity | undefined {
  return found?.finding.confirmation.severity;
}

function worse(a: CandidateFinding | undefined, b: CandidateFinding): CandidateFinding {
  if (a === undefined || !isConfirmed(a)) return b;
  return rank(severityOf(b)) > rank(severityOf(a)) ? b : a;
}

/** Asks for a model: an executable one with few rows and small values if possible, else any. */
function askReadable({ queries, encoding }: Search, assumptions: readonly string[]): CheckResult {
  // Queries over small values are fast, and the lemmas learnt there help with the larger ones.
  const small: readonly (readonly string[])[] = [
    [READABLE, SPARSE, PRESENCE],
    [READABLE, PRESENCE],
    [READABLE],
    [],
  ];
  const wished = encoding.searches ? small.map((wishes) => [IN_ORDER, ...wishes]) : [];
  let answer: CheckResult = "unknown";
  for (const wishes of [...wished, ...small]) {
    answer = queries.ask([...assumptions, ...wishes]);
    if (answer === "sat") return answer;
    const core = answer === "unsat" ? queries.core() : wishes;
    if (!wishes.some((wish) => core.includes(wish))) return answer;
  }
  return answer;
}

/** A model under these assumptions, a readable one if there is one, with the store's judgement. */
function propose(
  search: Search,
  assumptions: readonly string[],
  shapes: readonly CycleShape[],
): { readonly answer: CheckResult; readonly proposal?: Proposal } {
  const { queries, encoding, program, levels } = search;
  queries.add(encoding.script.take());
  const answer = askReadable(search, assumptions);
  if (answer !== "sat") return { answer };
  const model = queries.model();
  const past = search.past ? { past: search.past } : {};
  const plan = { ...decodeProduct(program, encoding, model), throughAll: true, ...past };
  const shape = shapes.find((each) => each.literals.every((literal) => model.bool(literal)));
  const confirmation = search.judge(program, levels, plan);
  const tables = shape?.tables ?? [];
  const finding: Finding = {
    confirmation,
    tables: evidenceTables(confirmation) ?? tables,
    allowedAt: [],
    preventedBy: [],
    ...past,
  };
  return { answer, proposal: { finding, tables, model, plan } };
}

/** Excludes a model's arguments and initial values from further answers to a query. */
function block({ encoding, queries }: Search, question: string, { model }: Proposal): void {
  const { transactions, leads } = encoding.tuple;
  const same = transactions.flatMap(({ parameters }, instance) =>
    (leads[instance] === instance ? parameters : []).map(({ type }, at) => {
      const name = parameterName(instance, at);
      return type === "bool" ? eq(name, bool(model.bool(name))) : eq(name, int(model.int(name)));
    }),
  );
  const start = encoding.database.inputs.map(({ name, sort }) =>
    sort === "Bool" ? eq(name, bool(model.bool(name))) : eq(name, int(model.int(name))),
  );
  encoding.script.assert(imp(question, not(and(...same, ...start))));
  queries.add(encoding.script.take());
}
