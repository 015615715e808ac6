// Stated invariants that a finding breaks. The solver knows nothing of sums and counts, so numbers near those that it found are tried by
// execution, until the start and every serial order preserve the invariants and the run does not.
import type { Levels } from "../../isolation/mixedLevels";
import type { Invariant, Program } from "../../program/program";
import type { Confirmation, Setup, WitnessPlan } from "../../store/execution";
import { brokenBy, standsOf, statedInvariants, type Rows } from "../../store/totals";
import type { Value } from "../../protocol/witness";
import { evidenceTables } from "./evidence";
import { excess, rowCells, statedStart, valuesNear, type Cell } from "./statedStart";
import type { Finding } from "./unit";

interface Judging {
  readonly program: Program;
  readonly levels: Levels;
  readonly judge: (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;
}

/** Executions per finding, each with its serial orders. */
const MOST_RUNS = 80;

/**
 * The finding with numbers for which it breaks a stated invariant; if there are none nearby, with a start that satisfies all invariants. It
 * stays over the same tables, and confirmed where there is such a start.
 */
export function withBreach(finding: Finding, judging: Judging): Finding {
  if (finding.confirmation.status !== "confirmed") return finding;
  if (statedInvariants(judging.program).length === 0) return finding;
  return withStatedStart(nearBreach(finding, judging), judging);
}

/** The finding from a start that satisfies the stated invariants; unconfirmed if none was found. */
function withStatedStart(finding: Finding, { program, levels, judge }: Judging): Finding {
  const { confirmation, tables, past } = finding;
  const { witness } = confirmation;
  const found = brokenBy(program, witness.initial);
  if (!found) return finding;
  const { instances, initial } = statedStart(program, witness);
  if (!brokenBy(program, initial)) {
    const own = past ? { past } : {};
    const plan = {
      instances,
      initial,
      schedule: witness.schedule,
      tables,
      throughAll: true,
      ...own,
    };
    const other = judge(program, levels, plan);
    if (isAlike(other, confirmation)) return { ...finding, confirmation: other };
  }
  const reason = `it starts from rows that break the invariant "${found.text}", and others were not found`;
  return { ...finding, confirmation: { ...confirmation, status: "unconfirmed", reason } };
}

/** True if both are confirmed as the same over the same tables. */
function isAlike(one: Confirmation, other: Confirmation): boolean {
  return (
    one.status === "confirmed" &&
    one.severity === other.severity &&
    evidenceTables(one)?.join(" ") === evidenceTables(other)?.join(" ")
  );
}

/** The finding with numbers for which it breaks a stated invariant, or with a start that satisfies all of them, where there are such. */
function nearBreach(finding: Finding, judging: Judging): Finding {
  const { confirmation, tables } = finding;
  const { program, levels, judge } = judging;
  const stated = statedInvariants(program);
  if (!isOfState(confirmation)) return finding;
  const first = rated(program, stated, confirmation);
  if (!first || isBreach(first)) return finding;
  const own = finding.past ? { past: finding.past } : {};
  let left = MOST_RUNS;
  const tried = new Set<string>();
  const run = (setup: Setup): Rated | undefined => {
    const text = JSON.stringify(setup);
    if (left === 0 || tried.has(text)) return undefined;
    tried.add(text);
    left -= 1;
    const { schedule } = confirmation.witness;
    const other = judge(program, levels, { ...setup, schedule, tables, throughAll: true, ...own });
    return isAlike(other, confirmation) ? rated(program, stated, other) : undefined;
  };
  const repair = (setup: Setup): Setup => statedStart(program, setup);
  let best = first;
  for (let improved = true; improved && !isBreach(best) && left > 0;) {
    improved = false;
    const { witness } = best.confirmation;
    const next = best.start > 0 ? [repair(witness), ...neighbours(program, witness, best)] : neighbours(program, witness, best); // prettier-ignore
    for (const setup of next) {
      const found = run(repair(setup));
      if (!found || !isBetter(found, best)) continue;
      best = found;
      improved = true;
      break;
    }
  }
  if (!isBreach(best) && !(first.start > 0 && best.start === 0)) return finding;
  return { ...finding, confirmation: best.confirmation };
}

function isOfState({ status, severity }: Confirmation): boolean {
  return status === "confirmed" && severity === "state";
}

interface Rated {
  readonly confirmation: Confirmation;
  /** The violation of the invariants by the start, and by the serial orders; zero if they hold. */
  readonly start: number;
  readonly serial: number;
  /** The distance of the final state from a violation; negative if it violates an invariant. */
  readonly slack: number;
}

function rated(
  { schema }: Program,
  stated: readonly Invariant[],
  confirmation: Confirmation,
): Rated | undefined {
  const { witness, serial } = confirmation;
  const stands = (rows: Rows) => standsOf(schema, stated, rows);
  const here = stands(witness.outcome.final);
  const before = stands(witness.initial);
  const orders = serial.map(({ outcome }) => stands(outcome.final));
  if (!here || !before || orders.includes(undefined)) return undefined;
  return {
    confirmation,
    start: excess(before),
    serial: orders.reduce((sum, each) => sum + excess(each ?? []), 0),
    slack: Math.min(...here.map(({ slack }) => slack)),
  };
}

function isBreach({ start, serial, slack }: Rated): boolean {
  return start === 0 && serial === 0 && slack < 0;
}

function isBetter(a: Rated, b: Rated): boolean {
  if (a.start !== b.start) return a.start < b.start;
  if (a.serial !== b.serial) return a.serial < b.serial;
  return a.slack < b.slack;
}

/** Setups that differ in one number. */
function neighbours(program: Program, setup: Setup, { slack }: Rated): readonly Setup[] {
  const steps = Number.isFinite(slack) && slack >= 0 ? [slack + 1, Math.ceil(slack / 2) + 1] : [];
  const cells = [...argumentCells(setup), ...rowCells(program, setup)];
  return cells.flatMap((cell) =>
    valuesNear(cell, [...steps, 1, 10]).map((value) => cell.set(setup, value)),
  );
}

function argumentCells({ instances }: Setup): readonly Cell[] {
  return instances.flatMap(({ arguments: given }, at) =>
    Object.entries(given).flatMap(([name, value]): readonly Cell[] => {
      if (typeof value !== "number") return [];
      const set = (setup: Setup, other: Value): Setup => ({
        ...setup,
        instances: setup.instances.map((each, n) =>
          n === at ? { ...each, arguments: { ...each.arguments, [name]: other } } : each,
        ),
      });
      return [{ value, isBool: false, nullable: false, set }];
    }),
  );
}
