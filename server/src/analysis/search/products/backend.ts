// The search at a product's level: one solver per commit order. The solver proposes a cycle and the store runs it; only if that does not
// decide, the solver is asked for an outcome that no serial order has.
import type { Levels } from "../../../isolation/mixedLevels";
import type { Program } from "../../../program/program";
import type { SolverFactory } from "../../../solver/solver";
import { confirm } from "../../../store/confirm";
import {
  askForCycle,
  cycleShapes,
  encodeProduct,
  isMinimal,
} from "../../encoding/product/encoding";
import type { CycleShape, ProductEncoding } from "../../encoding/product/encoding";
import { not } from "../../encoding/smt";
import { commitOrders } from "../../encoding/product/parts";
import type { Member } from "../../encoding/product/parts";
import { levelsWithin } from "../../encoding/product/tuple";
import type { FlatProgram, FlatTransaction } from "../../operations/operation";
import { withBreach } from "../breach";
import { withReadableValues } from "../readableValues";
import { groundsOf, makeQueries } from "../literature/queries";
import type { Finding, SearchLimits, Unit, UnitResult } from "../unit";
import { hasCycle, meetings } from "./meeting";
import { areCertified, planProduct, readsDirty } from "./plan";
import { furtherCauses, staleReads } from "./causes";
import { findWorst, rank } from "./witness";
import type { Judge, Search } from "./witness";

export { planProduct };

/**
 * The anomalies of a tuple in a commit order, at most one per set of tables. Cycles whose outcome equals that of a serial order are
 * dropped. If the solver gives up, the unit is `undecided`; SolverError propagates.
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
  const members = unit.transactions.flatMap((each) => flat.transactions[each] ?? []);
  const own = members.flatMap((each) => levelsWithin(levels, each));
  if (areCertified(levels, flat.tables, members))
    return { findings: [], undecided: [], queries: 0 };
  const size = unit.transactions.length;
  const hasUnits = members.some(({ parts }) => parts);
  const pairsTell = size > 2 && !hasUnits && !own.some(readsDirty);
  const mayLead = pairsTell ? meetings(solvers, flat, levels, unit, limits) : undefined;
  if (mayLead && !hasCycle(size, mayLead)) return { findings: [], undecided: [], queries: 0 };
  const question = { solvers, program, flat, levels, unit, limits, judge, mayLead };
  return hasUnits ? solveOrders(question, members) : solveOrder(question);
}

interface Question {
  readonly solvers: SolverFactory;
  readonly program: Program;
  readonly flat: FlatProgram;
  readonly levels: Levels;
  readonly unit: Unit;
  readonly limits: SearchLimits;
  readonly judge: Judge;
  /** Rules out steps of cycles. */
  readonly mayLead: ((from: number, to: number) => boolean) | undefined;
}

/** Limit of solver queries for all commit orders of one tuple. */
const MOST_QUERIES = 600;

const TOO_MANY =
  "they commit in too many orders to search them all; one transaction around what belongs together has fewer";

/** Units commit several times: every order of their commits is searched separately, until one shows the worst severity. */
function solveOrders(question: Question, members: readonly FlatTransaction[]): UnitResult {
  const subject = members.map(({ id }) => id).join(", ");
  if (members.some((each) => levelsWithin(question.levels, each).some(readsDirty))) {
    const reason = `${subject}: what commits before its end is not searched where reads see what is not committed`;
    return { findings: [], undecided: [reason], queries: 0 };
  }
  const orders = commitOrders(members);
  if (!orders) return { findings: [], undecided: [`${subject}: ${TOO_MANY}`], queries: 0 };
  const findings = new Map<string, Finding>();
  const undecided = new Set<string>();
  const assumed = new Set<string>();
  let queries = 0;
  let gaveUp = false;
  for (const order of orders) {
    if (question.limits.stopped() || queries >= MOST_QUERIES) {
      const why = queries >= MOST_QUERIES ? TOO_MANY : "the search was stopped";
      undecided.add(`${subject}: ${why}`);
      gaveUp ||= queries < MOST_QUERIES;
      break;
    }
    const result = solveOrder(question, order);
    for (const finding of result.findings) keepBest(findings, finding);
    for (const reason of result.undecided) undecided.add(reason);
    for (const name of result.assumed ?? []) assumed.add(name);
    queries += result.queries;
    gaveUp ||= result.gaveUp === true;
    if (result.findings.some(({ confirmation }) => isWorst(confirmation))) break;
  }
  return {
    findings: withoutWider([...findings.values()]),
    undecided: [...undecided],
    queries,
    ...(assumed.size > 0 && { assumed: [...assumed] }),
    ...(gaveUp && { gaveUp }),
  };
}

function isWorst({ status, severity }: Finding["confirmation"]): boolean {
  return status === "confirmed" && severity === "state";
}

/** The anomalies if the instances commit in this order. */
function solveOrder(
  { solvers, program, flat, levels, unit, limits, judge, mayLead }: Question,
  commits?: readonly Member[],
): UnitResult {
  const encoding = encodeProduct(flat, levels, unit.transactions, commits);
  const shapes = cycleShapes(encoding, mayLead);
  if (shapes.length === 0) return { findings: [], undecided: [], queries: 0 };
  const minimal = isMinimal(encoding);
  encoding.script.assert(unit.evenPartly === true ? not(minimal) : minimal);
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    const members = unit.transactions.flatMap((each) => flat.transactions[each] ?? []);
    const subject = members.map((each) => each.id).join(", ");
    const queries = makeQueries(solver, limits, subject, encoding.database.assumptions);
    const search: Search = { program, encoding, levels, queries, judge, orders: new Set() };
    const first = findAll(search, shapes, limits);
    // Undecided queries about further causes do not affect the verdict.
    const beside = {
      ...search,
      queries: makeQueries(solver, limits, subject, encoding.database.assumptions),
    };
    const found = [...first, ...furtherCauses(beside, shapes, first, limits.maxFindings)];
    const doubts = found.filter((finding) => restsOnLosses(finding, encoding));
    return {
      findings: found
        .filter((finding) => !doubts.includes(finding))
        .map((finding) => withBreach(withReadableValues(finding, search, flat), search)),
      undecided: [...queries.undecided(), ...doubtsAbout(subject, doubts, encoding)],
      queries: queries.count() + beside.queries.count(),
      ...groundsOf(queries),
    };
  } finally {
    solver.dispose();
  }
}

/** True if the store ran the plan and saw no difference, because the solver was free in a statement that was not fully understood. */
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
    const found = findWorst(search, literal, open);
    if (found === undefined) break;
    keepBest(findings, found.finding);
    const closed = new Set([found.tables.join(" "), found.finding.tables.join(" ")]);
    const left = open.filter((shape) => !closed.has(shape.tables.join(" ")));
    if (left.length === open.length) throw new Error("a cycle was found that was not asked for");
    open = left;
  }
  return withoutWider([...findings.values()]);
}

/** Keeps one finding per set of tables and stale reads: executed before not executed, then the more severe. */
function keepBest(findings: Map<string, Finding>, finding: Finding): void {
  const key = JSON.stringify([finding.tables, [...new Set(staleReads(finding))].sort()]);
  const known = findings.get(key);
  const worth = ({ confirmation }: Finding): number =>
    confirmation.status === "confirmed" ? 1 + rank(confirmation.severity) : 0;
  if (known === undefined || worth(finding) > worth(known)) findings.set(key, finding);
}

/** Drops findings over more tables, and with no other stale read, than one of at least the same severity. */
function withoutWider(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(
    (finding) =>
      !findings.some(
        (other) =>
          other !== finding &&
          other.tables.length < finding.tables.length &&
          other.tables.every((table) => finding.tables.includes(table)) &&
          isWithin(staleReads(finding), staleReads(other)) &&
          rank(other.confirmation.severity) >= rank(finding.confirmation.severity),
      ),
  );
}

function isWithin<T>(some: readonly T[], all: readonly T[]): boolean {
  return some.every((each) => all.includes(each));
}
