// The search at the papers' levels: per necklace one solver, cycles grouped by the tables they go through, each
// group's witness executed by the store, each group's levels read off the axioms that rule it out.
import { PAPER_LEVELS } from "../../isolation/levels";
import type { Level, PaperLevel } from "../../isolation/levels";
import type { Program } from "../../program/program";
import type { SolverFactory } from "../../solver/solver";
import { confirm } from "../../store/confirm";
import type { Confirmation, WitnessPlan } from "../../store/execution";
import {
  DIFFERS,
  DIFFERS_STATE,
  encodeRelational,
  isTooLarge,
  levelAssumptions,
} from "../encoding/relational";
import type { RelationalEncoding, Tier } from "../encoding/relational";
import { PREFERENCES } from "../encoding/relationalReadable";
import type { FlatProgram } from "../operations/operation";
import { decodePapers } from "./papersDecode";
import { blockCycle, closeGroup, cycleOfModel, openGroup, tablesOfModel } from "./papersGroups";
import { SEARCHED_LEVELS, contains, makeLevelVector } from "./papersLevels";
import { makeQueries } from "./papersQueries";
import type { Queries } from "./papersQueries";
import type { Finding, SearchLimits, Unit, UnitResult } from "./unit";

export { planPapers } from "./papersPlan";

/** Models that are tried per group and level before it is given up. */
const TRIES = 3;

/** Runs a plan and says what it shows. */
export type Judge = (program: Program, level: Level, plan: WitnessPlan) => Confirmation;

/**
 * The anomalies of a necklace at the base level. Each finding is one group of cycles (same tables), shown by the
 * witness that the strongest possible level still allows; `allowedAt` and `preventedBy` cover all papers' levels.
 * A solver that gives up makes the unit `undecided`; SolverError passes through.
 */
export function solvePapers(
  solvers: SolverFactory,
  program: Program,
  flat: FlatProgram,
  base: PaperLevel,
  unit: Unit,
  limits: SearchLimits,
  judge: Judge = confirm,
): UnitResult {
  const subject = unit.transactions.map((index) => flat.transactions[index]?.id ?? "?").join(", ");
  if (isTooLarge(flat, unit.transactions)) {
    const reason = `${subject}: too many statements to search together`;
    return { findings: [], undecided: [reason], queries: 0 };
  }
  const encoding = encodeRelational(flat, unit.transactions, tierOf(base, unit));
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    solver.add(encoding.text);
    const queries = makeQueries(solver, limits, subject);
    const findings = findAll({ program, encoding, base, queries, judge }, limits);
    return { findings, undecided: queries.undecided(), queries: queries.count() };
  } finally {
    solver.dispose();
  }
}

interface Search {
  readonly program: Program;
  readonly encoding: RelationalEncoding;
  readonly base: PaperLevel;
  readonly queries: Queries;
  readonly judge: Judge;
}

/** Pairs are searched statement by statement; larger tuples too, where transactions can be seen in part. */
function tierOf(base: PaperLevel, unit: Unit): Tier {
  const whole = base.axioms.includes("atomic") && base.axioms.includes("repeatable");
  return unit.transactions.length > 2 && whole ? "transaction" : "statement";
}

function findAll(search: Search, limits: SearchLimits): readonly Finding[] {
  const { encoding, base, queries } = search;
  const atBase = levelAssumptions(base);
  if (queries.ask(atBase) !== "sat") return [];
  // Only now, since most necklaces have no cycle: what every serial order would give.
  queries.add(encoding.differences());
  const findings = new Map<string, Finding>();
  for (let number = 0; findings.size < limits.maxFindings; number += 1) {
    if (queries.ask([...atBase, DIFFERS]) !== "sat") break;
    const tables = tablesOfModel(encoding, queries.model());
    const group = openGroup(encoding, queries, tables, number);
    const witness =
      explore(search, [group.literal, DIFFERS_STATE]) ?? explore(search, [group.literal, DIFFERS]);
    if (witness !== undefined) {
      keepBest(findings, findingOf(search, witness, [group.literal, DIFFERS], group.tables));
    }
    closeGroup(queries, group);
  }
  if (findings.size === 0 && !queries.stopped()) {
    // A cycle that changes nothing but reads that nobody uses.
    const unused = explore(search, []);
    if (unused?.confirmation.status === "confirmed") {
      keepBest(findings, findingOf(search, unused, [], []));
    }
  }
  return [...findings.values()];
}

/** One finding per set of tables; one that was executed is better than one that was not. */
function keepBest(findings: Map<string, Finding>, finding: Finding): void {
  const key = finding.tables.join(" ");
  const known = findings.get(key);
  const better = finding.confirmation.status === "confirmed";
  if (known === undefined || (better && known.confirmation.status !== "confirmed")) {
    findings.set(key, finding);
  }
}

/** What the store says about a model, and the level that the model keeps to. */
interface Judged {
  readonly confirmation: Confirmation;
  readonly level: PaperLevel;
}

/**
 * A witness within `context` (assumptions) that the store confirms, or one that it cannot run: at the strongest
 * level that allows it, then at weaker ones down to the base.
 */
function explore(search: Search, context: readonly string[]): Judged | undefined {
  const { base, queries } = search;
  const vector = makeLevelVector(queries, context);
  let unexecuted: Judged | undefined;
  for (const level of SEARCHED_LEVELS) {
    if (!contains(level, base) || vector.decide(level) !== true) continue;
    for (let tries = 0; tries < TRIES && !queries.stopped(); tries += 1) {
      const confirmation = attempt(search, context, level, base);
      if (confirmation === undefined) break;
      if (confirmation.status === "confirmed") return { confirmation, level };
      if (!isBenign(confirmation)) unexecuted ??= { confirmation, level };
    }
  }
  return unexecuted;
}

/** Decodes and runs one model, the most readable one; leaves its cycle excluded if it shows nothing. */
function attempt(
  search: Search,
  context: readonly string[],
  level: PaperLevel,
  judgedAt: PaperLevel,
): Confirmation | undefined {
  const { encoding, queries, program, judge } = search;
  for (const preference of PREFERENCES) {
    const assumptions = [...context, ...levelAssumptions(level), ...preference];
    const last = preference.length === 0;
    const answer = last ? queries.ask(assumptions) : queries.tryOut(assumptions);
    if (answer !== "sat") continue;
    const model = queries.model();
    const cycle = cycleOfModel(encoding, model);
    const confirmation = judge(program, judgedAt, decodePapers(program, encoding, model));
    if (confirmation.status !== "confirmed") blockCycle(queries, cycle);
    return confirmation;
  }
  return undefined;
}

/** It ran, and some serial order gives the same. */
function isBenign(confirmation: Confirmation): boolean {
  return confirmation.execution !== undefined && confirmation.severity === undefined;
}

/**
 * The finding of a witness. It is allowed at the levels that allow something within `context`; where the witness does
 * not show that already, another one is executed there.
 */
function findingOf(
  search: Search,
  { confirmation, level }: Judged,
  context: readonly string[],
  tables: readonly string[],
): Finding {
  const vector = makeLevelVector(search.queries, context);
  vector.allow(level);
  const shown: PaperLevel[] = [level];
  const denied = new Set<PaperLevel>();
  for (const each of SEARCHED_LEVELS) {
    const claimed = vector.decide(each) === true && !shown.some((other) => contains(other, each));
    if (!claimed || confirmation.status !== "confirmed") continue;
    if (canShow(search, context, each)) shown.push(each);
    else denied.add(each);
  }
  const allowed = PAPER_LEVELS.filter((each) => vector.get(each) === true && !denied.has(each));
  const prevented = PAPER_LEVELS.filter((each) => vector.get(each) === false || denied.has(each));
  return {
    confirmation,
    tables: tablesOfCycle(confirmation) ?? tables,
    allowedAt: allowed.map((each) => each.name),
    preventedBy: prevented.map((each) => each.name),
  };
}

function canShow(search: Search, context: readonly string[], level: PaperLevel): boolean {
  for (let tries = 0; tries < TRIES && !search.queries.stopped(); tries += 1) {
    const confirmation = attempt(search, context, level, level);
    if (confirmation === undefined) return false;
    if (confirmation.status === "confirmed") return true;
  }
  return false;
}

function tablesOfCycle(confirmation: Confirmation): readonly string[] | undefined {
  const { execution, cycle } = confirmation;
  const tables = cycle.flatMap((index) => execution?.dependencies[index]?.table ?? []);
  return tables.length === 0 ? undefined : [...new Set(tables)].sort();
}
