// The search at a product's level: per commit order one solver; a cycle is proposed, the store runs it, and only where
// that does not settle the matter the solver is asked for an outcome that no serial order gives.
import { productLevelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Program } from "../../program/program";
import type { Severity } from "../../protocol/report";
import type { Model, SolverFactory } from "../../solver/solver";
import { confirm } from "../../store/confirm";
import type { Confirmation, WitnessPlan } from "../../store/execution";
import {
  addSerialRuns,
  askForCycle,
  assertMinimal,
  cycleShapes,
  encodeProduct,
} from "../encoding/product";
import type { CycleShape, ProductEncoding } from "../encoding/product";
import { parameterName } from "../encoding/productDatabase";
import {
  IN_ORDER,
  OTHER_READ,
  OTHER_STATE,
  OTHER_VALUE,
  READABLE,
  SPARSE,
} from "../encoding/productNames";
import { and, bool, eq, imp, int, not } from "../encoding/smt";
import type { FlatProgram } from "../operations/operation";
import { assumedBy, makeQueries } from "./papersQueries";
import type { Queries } from "./papersQueries";
import { decodeProduct } from "./productsDecode";
import { planProduct, readsDirty } from "./productsPlan";
import { retryPlan } from "./productsRetry";
import type { Finding, SearchLimits, Unit, UnitResult } from "./unit";

export { planProduct };

/** Runs a plan and says what it shows. */
export type Judge = (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;

/** Models that are tried per question before the store's refusal is reported. */
const TRIES = 4;

/**
 * The anomalies of a tuple in the given commit order, at most one per set of tables. Cycles whose outcome some serial
 * order gives as well are none. A solver that gives up makes the unit `undecided`; SolverError passes through.
 */
export function solveProduct(
  solvers: SolverFactory,
  program: Program,
  flat: FlatProgram,
  levels: Levels,
  unit: Unit,
  limits: SearchLimits,
  judge: Judge = confirm,
): UnitResult {
  const own = unit.transactions.flatMap((each) => {
    const transaction = flat.transactions[each];
    return transaction ? [productLevelAt(levels, transaction.id)] : [];
  });
  if (own.every((level) => level.serializable)) return { findings: [], undecided: [], queries: 0 };
  const dirty = own.find(readsDirty);
  if (dirty !== undefined) {
    const reason = `${dirty.label}: what reads of uncommitted rows let through is not searched`;
    return { findings: [], undecided: [reason], queries: 0 };
  }
  const encoding = encodeProduct(flat, levels, unit.transactions);
  const shapes = cycleShapes(encoding);
  if (shapes.length === 0) return { findings: [], undecided: [], queries: 0 };
  assertMinimal(encoding);
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    const subject = encoding.tuple.transactions.map((each) => each.id).join(", ");
    const queries = makeQueries(solver, limits, subject, encoding.database.assumptions);
    const search: Search = { program, encoding, levels, queries, judge, solved: { serial: false } };
    const found = findAll(search, shapes, limits);
    const doubts = found.filter((finding) => restsOnLosses(finding, encoding));
    return {
      findings: found.filter((finding) => !doubts.includes(finding)),
      undecided: [...queries.undecided(), ...doubtsAbout(subject, doubts, encoding)],
      queries: queries.count(),
      ...assumedBy(queries),
    };
  } finally {
    solver.dispose();
  }
}

/** The store ran the plan and saw nothing: the solver was free where a statement was not fully understood. */
function restsOnLosses({ confirmation }: Finding, encoding: ProductEncoding): boolean {
  const ran = confirmation.execution !== undefined && confirmation.severity === undefined;
  return ran && lossesOf(encoding).length > 0;
}

function lossesOf(encoding: ProductEncoding): readonly string[] {
  return [
    ...new Set(
      encoding.tuple.transactions.flatMap((each) => [...each.losses, ...(each.guesses ?? [])]),
    ),
  ];
}

function doubtsAbout(
  subject: string,
  doubts: readonly Finding[],
  encoding: ProductEncoding,
): readonly string[] {
  if (doubts.length === 0) return [];
  return [`${subject}: not fully understood (${lossesOf(encoding).join("; ")})`];
}

interface Search {
  readonly program: Program;
  readonly encoding: ProductEncoding;
  readonly levels: Levels;
  readonly queries: Queries;
  readonly judge: Judge;
  readonly solved: { serial: boolean };
}

function findAll(
  search: Search,
  shapes: readonly CycleShape[],
  limits: SearchLimits,
): readonly Finding[] {
  const findings = new Map<string, Finding>();
  let open = shapes;
  for (let round = 0; findings.size < limits.maxFindings && open.length > 0; round += 1) {
    const literal = `CYCLE${String(round)}`;
    askForCycle(search.encoding, literal, open);
    const found = findOne(search, literal, open);
    if (found === undefined) break;
    keepBest(findings, found.finding);
    const closed = new Set([found.tables.join(" "), found.finding.tables.join(" ")]);
    open = open.filter((shape) => !closed.has(shape.tables.join(" ")));
  }
  return withoutWider([...findings.values()]);
}

/** One finding per set of tables: one that was executed rather than one that was not, the more severe one. */
function keepBest(findings: Map<string, Finding>, finding: Finding): void {
  const key = finding.tables.join(" ");
  const known = findings.get(key);
  const worth = ({ confirmation }: Finding): number =>
    confirmation.status === "confirmed" ? 1 + rank(confirmation.severity) : 0;
  if (known === undefined || worth(finding) > worth(known)) findings.set(key, finding);
}

/** A finding over more tables says nothing new where one over some of them is as severe. */
function withoutWider(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    (finding) =>
      !findings.some(
        (other) =>
          other !== finding &&
          other.tables.length < finding.tables.length &&
          other.tables.every((table) => finding.tables.includes(table)) &&
          rank(other.confirmation.severity) >= rank(finding.confirmation.severity),
      ),
  );
}

interface Found {
  readonly finding: Finding;
  /** The tables of the cycle that the model shows. */
  readonly tables: readonly string[];
}

/** The most severe anomaly among these cycles. */
function findOne(search: Search, cycle: string, shapes: readonly CycleShape[]): Found | undefined {
  const { queries } = search;
  const proposed = propose(search, [cycle], shapes);
  if (proposed === undefined) return undefined;
  if (proposed.finding.confirmation.severity === "state" && isConfirmed(proposed)) return proposed;
  if (queries.stopped()) return undefined;
  if (!search.solved.serial) {
    addSerialRuns(search.encoding);
    search.solved.serial = true;
  }
  let best: Found | undefined = isConfirmed(proposed) ? proposed : undefined;
  // The widest question first: most cycles that show nothing at once are harmless, and then it is the only one.
  if (best === undefined && isHarmless(search, cycle)) return undefined;
  let unconfirmed: Found | undefined;
  for (const [question, severity] of QUESTIONS) {
    if (rank(best?.finding.confirmation.severity) >= rank(severity)) break;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const proposal = propose(search, [cycle, question], shapes);
      if (proposal === undefined) break;
      const next = isConfirmed(proposal) ? proposal : retried(search, proposal, severity);
      if (isConfirmed(next)) {
        best = worse(best, next);
        if (rank(best.finding.confirmation.severity) >= rank(severity)) break;
      } else unconfirmed ??= next;
      block(search, question, next);
    }
  }
  return best ?? unconfirmed;
}

/** The best of the other interleavings of what was proposed, where statements search without holding what they pass. */
function retried<Proposal extends Found & { readonly plan: WitnessPlan }>(
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
    finding: { ...finding, confirmation: best, tables: tablesOf(best) ?? tables },
  };
}

const QUESTIONS: readonly (readonly [string, Severity])[] = [
  [OTHER_STATE, "state"],
  [OTHER_VALUE, "value"],
  [OTHER_READ, "unused"],
];

function isConfirmed(found: Found): boolean {
  return found.finding.confirmation.status === "confirmed";
}

function worse(a: Found | undefined, b: Found): Found {
  if (a === undefined) return b;
  return rank(b.finding.confirmation.severity) > rank(a.finding.confirmation.severity) ? b : a;
}

function rank(severity: Severity | undefined): number {
  return severity === undefined ? 0 : { unused: 1, value: 2, state: 3 }[severity];
}

/** Whether there is a model: one that the store can execute, with few rows and small values if possible, else any. */
function askReadable({ queries, encoding }: Search, assumptions: readonly string[]): boolean {
  const small: readonly (readonly string[])[] = [[READABLE, SPARSE], [READABLE], []];
  const wished = encoding.searches ? small.map((wishes) => [IN_ORDER, ...wishes]) : [];
  for (const wishes of [...wished, ...small]) {
    const answer = queries.ask([...assumptions, ...wishes]);
    if (answer === "sat") return true;
    const core = answer === "unsat" ? queries.core() : wishes;
    if (!wishes.some((wish) => core.includes(wish))) return false;
  }
  return false;
}

/** Whether no run with such a cycle differs from the serial ones in anything; false where the solver gave up. */
function isHarmless({ queries, encoding }: Search, cycle: string): boolean {
  queries.add(encoding.script.take());
  // Among small values the solver decides at once, and what it learns there helps it with the others.
  for (const wishes of [[READABLE], []]) {
    if (queries.ask([cycle, OTHER_READ, ...wishes]) !== "unsat") return false;
    if (!wishes.some((wish) => queries.core().includes(wish))) return true;
  }
  return true;
}

/** A model under these assumptions, a readable one if there is one, and what the store says to it. */
function propose(
  search: Search,
  assumptions: readonly string[],
  shapes: readonly CycleShape[],
): (Found & { readonly model: Model; readonly plan: WitnessPlan }) | undefined {
  const { queries, encoding, program, levels } = search;
  queries.add(encoding.script.take());
  if (!askReadable(search, assumptions)) return undefined;
  const model = queries.model();
  const plan = decodeProduct(program, encoding, model);
  const shape = shapes.find((each) => each.literals.every((literal) => model.bool(literal)));
  const confirmation = search.judge(program, levels, plan);
  const tables = shape?.tables ?? [];
  const finding: Finding = {
    confirmation,
    tables: tablesOf(confirmation) ?? tables,
    allowedAt: [],
    preventedBy: [],
  };
  return { finding, tables, model, plan };
}

/** Excludes the arguments and values at the start of a model from further answers to a question. */
function block(search: Search, question: string, found: Found & { readonly model?: Model }): void {
  const { encoding, queries } = search;
  const { model } = found;
  if (model === undefined) return;
  const same = encoding.tuple.transactions.flatMap((transaction, instance) =>
    transaction.parameters.map(({ type }, at) => {
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

function tablesOf(confirmation: Confirmation): readonly string[] | undefined {
  const { execution, cycle } = confirmation;
  const tables = cycle.flatMap((index) => execution?.dependencies[index]?.table ?? []);
  return tables.length === 0 ? undefined : [...new Set(tables)].sort();
}
