// The search at the papers' levels: one solver per necklace; cycles are grouped by the tables they go through; the store executes a witness
// of each group, and the group's levels follow from the axioms that exclude it.
import type { PaperLevel } from "../../../isolation/levels";
import type { Levels } from "../../../isolation/mixedLevels";
import type { Program } from "../../../program/program";
import type { SolverFactory } from "../../../solver/solver";
import { confirm } from "../../../store/confirm";
import { encodeRelational, isTooLarge } from "../../encoding/relational/encoding";
import type { Tier } from "../../encoding/relational/encoding";
import { makeInstances } from "../../encoding/relational/instances";
import { isTooWide } from "../../encoding/relational/writes";
import type { FlatProgram } from "../../operations/operation";
import { withBreach } from "../breach";
import { withReadableValues } from "../readableValues";
import { evidenceTables } from "../evidence";
import type { Finding, SearchLimits, Unit, UnitResult } from "../unit";
import { blockGroup, groupAssumptions, singleTables, tablesOfModel } from "./groups";
import { contains, makeLevelVector, tupleLevels } from "./levels";
import type { SearchedLevel, TupleLevels } from "./levels";
import { mayCycle } from "./meeting";
import { groundsOf, makeQueries } from "./queries";
import { PATIENCE, openWitnesses } from "./witness";
import type { Judge, Judgement, WitnessRequest, Witnesses } from "./witness";

export { planPapers } from "./plan";

/**
 * The anomalies of a necklace at its levels. Each finding is one group of cycles (same tables), shown by the witness of the strongest level
 * that still allows one; `allowedAt` and `preventedBy` cover all papers' and user-defined levels. If the solver gives up, the unit is
 * `undecided`; SolverError propagates.
 */
export function solvePapers(
  solvers: SolverFactory,
  program: Program,
  flat: FlatProgram,
  levels: Levels,
  unit: Unit,
  limits: SearchLimits,
  judge: Judge = confirm,
  defined: readonly PaperLevel[] = [],
): UnitResult {
  const ids = unit.transactions.map((index) => flat.transactions[index]?.id ?? "?");
  const subject = ids.join(", ");
  if (isTooLarge(flat, unit.transactions)) {
    const reason = `${subject}: too many statements to search together`;
    return { findings: [], undecided: [reason], queries: 0 };
  }
  const hasUnits = unit.transactions.some((index) => flat.transactions[index]?.parts);
  const known = tupleLevels(levels, ids, defined, hasUnits);
  if (hasUnits && known.written.length > 0) {
    const reason = `${subject}: what commits before its end is not searched beside axioms of your own`;
    return { findings: [], undecided: [reason], queries: 0 };
  }
  if (isTooWide(known.written, makeInstances(flat, unit.transactions))) {
    const reason = `${subject}: an axiom has too many variables for so many statements`;
    return { findings: [], undecided: [reason], queries: 0 };
  }
  const tier = tierOf(known.base);
  const large = unit.transactions.length > 2;
  if (
    large &&
    !hasUnits &&
    tier === "transaction" &&
    !mayCycle(solvers, flat, known.base, unit.transactions, limits)
  ) {
    return { findings: [], undecided: [], queries: 0 };
  }
  const encoding = encodeRelational(flat, unit.transactions, tier, {
    ...known,
    evenPartly: unit.evenPartly === true,
  });
  const solver = solvers.open({ resourceLimit: limits.resourceLimit });
  try {
    solver.add(encoding.text);
    const queries = makeQueries(solver, limits, subject, encoding.run.database.assumptions);
    const witnesses = openWitnesses({ program, encoding, queries, judge });
    const judging = { program, levels: known.base.levels, judge };
    const findings = findAll(known, witnesses, limits).map((each) =>
      withBreach(withReadableValues(each, judging, flat), judging),
    );
    return {
      findings,
      undecided: queries.undecided(),
      queries: queries.count(),
      ...groundsOf(queries),
    };
  } finally {
    solver.dispose();
  }
}

/** Whole transactions are a fine enough unit if they are visible and ordered as a whole; weaker levels need statements. */
function tierOf({ inAll }: SearchedLevel): Tier {
  const whole =
    inAll.includes("atomicVisibility") &&
    inAll.includes("atomicArbitration") &&
    inAll.includes("repeatable");
  return whole ? "transaction" : "statement";
}

function findAll(
  levels: TupleLevels,
  witnesses: Witnesses,
  limits: SearchLimits,
): readonly Finding[] {
  const { encoding, queries } = witnesses;
  const { base } = levels;
  const findings = new Map<string, Finding>();
  const atBase = (): readonly string[] => [...base.assumptions, ...witnesses.differing()];
  const explore = (tables: readonly string[]): void => {
    const group = askAbout(witnesses, levels, groupAssumptions(encoding, tables));
    const shown = strongest(witnesses, levels, group);
    if (shown !== undefined) keepBest(findings, findingOf(witnesses, levels, group, shown, tables));
    blockGroup(encoding, queries, tables);
  };
  if (queries.ask(atBase()) !== "sat") return [];
  // Cycles over one table come first: a cycle over several tables is only reported without a smaller one.
  for (const table of singleTables(encoding)) {
    if (queries.ask([...atBase(), ...groupAssumptions(encoding, [table])]) !== "sat") continue;
    explore([table]);
  }
  const excluded = new Set<string>();
  while (findings.size < limits.maxFindings) {
    for (const { confirmation, tables } of findings.values()) {
      const name = tables.join(" ");
      if (confirmation.status !== "confirmed" || excluded.has(name)) continue;
      excluded.add(name);
      queries.add(encoding.withoutCycle(tables));
    }
    if (queries.ask(atBase()) !== "sat") break;
    explore(tablesOfModel(encoding, queries.model()));
  }
  const unused = witnesses.unused();
  if (findings.size === 0 && unused !== undefined && !queries.stopped()) {
    // The finding that affects only reads nobody uses.
    keepBest(findings, findingOf(witnesses, levels, askAbout(witnesses, levels, []), unused, []));
  }
  if (findings.size === 0 && witnesses.setAside())
    queries.leaveOpen("what the solver proposed was harmless when it was run; more was not tried");
  return [...findings.values()];
}

/** Shared parts of all questions about one group of cycles. */
type Group = Pick<WitnessRequest, "context" | "vector" | "patience">;

function askAbout(
  witnesses: Witnesses,
  { searched }: TupleLevels,
  context: readonly string[],
): Group {
  const assumed = (): readonly string[] => [...context, ...witnesses.differing()];
  const vector = makeLevelVector(witnesses.queries, assumed, searched);
  return { context, vector, patience: { left: PATIENCE } };
}

/** Keeps one finding per set of tables, preferring executed ones. */
function keepBest(findings: Map<string, Finding>, finding: Finding): void {
  const key = finding.tables.join(" ");
  const known = findings.get(key);
  const better = finding.confirmation.status === "confirmed";
  if (known === undefined || (better && known.confirmation.status !== "confirmed")) {
    findings.set(key, finding);
  }
}

/**
 * A witness within the group that the store confirms, or cannot run: preferably one with different final rows, else different values; at
 * the strongest level that allows it, down to the base.
 */
function strongest(
  witnesses: Witnesses,
  { base, searched }: TupleLevels,
  group: Group,
): Judgement | undefined {
  let best: Judgement | undefined;
  for (const level of searched) {
    if (!contains(level, base) || group.vector.get(level) === false) continue;
    const found = witnesses.find({ level, judgedAt: base, wanted: "state", ...group });
    if (found?.confirmation.severity === "state") return found;
    if (best?.confirmation.status !== "confirmed") best = found ?? best;
  }
  if (best?.confirmation.status === "confirmed") return best;
  for (const level of searched) {
    if (!contains(level, base) || group.vector.get(level) === false) continue;
    const found = witnesses.find({ level, judgedAt: base, wanted: "value", ...group });
    if (found?.confirmation.status === "confirmed") return found;
    best ??= found;
  }
  return best;
}

/**
 * The finding of a witness. It is allowed at every level that allows something in the group; if the witness does not show that for the
 * base, another one is executed there. Undecided levels are in neither list.
 */
function findingOf(
  witnesses: Witnesses,
  { searched, compared }: TupleLevels,
  group: Group,
  { confirmation, level }: Judgement,
  tables: readonly string[],
): Finding {
  const { vector } = group;
  vector.allow(level);
  const shown: SearchedLevel[] = [level];
  const open = new Set<SearchedLevel>();
  for (const each of searched) {
    if (shown.some((other) => contains(other, each)) || vector.get(each) === false) continue;
    if (confirmation.status !== "confirmed") {
      vector.decide(each);
      continue;
    }
    const wanted = confirmation.severity === "unused" ? "anything" : "value";
    const found = witnesses.find({ level: each, judgedAt: each, wanted, ...group });
    if (found?.confirmation.status === "confirmed") {
      shown.push(each);
      vector.allow(each);
    } else open.add(each);
  }
  const allowed = compared.filter((each) => vector.get(each) === true && !open.has(each));
  const prevented = compared.filter((each) => vector.get(each) === false);
  return {
    confirmation,
    tables:
      (confirmation.status === "confirmed" ? evidenceTables(confirmation) : undefined) ?? tables,
    allowedAt: allowed.map((each) => each.name),
    preventedBy: prevented.map((each) => each.name),
  };
}
