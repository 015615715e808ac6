// Stated invariants that a finding breaks. The solver knows nothing of sums and counts, so numbers near those that it found are tried by
// execution, until the start and every serial order preserve the invariants and the run does not.
import type { Levels } from "../../isolation/mixedLevels";
import type { Invariant, Program } from "../../program/program";
import type { Column } from "../../program/schema";
import { ownEntry } from "../../protocol/dictionary";
import type { Value } from "../../protocol/witness";
import type { Confirmation, Setup, WitnessPlan } from "../../store/execution";
import { standsOf, statedInvariants, type Rows } from "../../store/totals";
import { evidenceTables } from "./evidence";
import type { Finding } from "./unit";

interface Judging {
  readonly program: Program;
  readonly levels: Levels;
  readonly judge: (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;
}

/** Executions per finding, each with its serial orders. */
const MOST_RUNS = 80;

/** Single-number changes to a start that breaks an invariant. */
const MOST_REPAIRS = 24;

/**
 * The finding with numbers for which it breaks a stated invariant; if there are none nearby, with a start that satisfies all invariants, if
 * the original one does not. It stays confirmed, over the same tables, with another final state.
 */
export function withBreach(finding: Finding, judging: Judging): Finding {
  const { confirmation, tables } = finding;
  const { program, levels, judge } = judging;
  const stated = statedInvariants(program);
  if (stated.length === 0 || !isOfState(confirmation)) return finding;
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
    const isSame =
      isOfState(other) &&
      evidenceTables(other)?.join(" ") === evidenceTables(confirmation)?.join(" ");
    return isSame ? rated(program, stated, other) : undefined;
  };
  const repair = (setup: Setup): Setup => repaired(program, stated, setup);
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

function excess(stands: NonNullable<ReturnType<typeof standsOf>>): number {
  return stands.reduce((sum, { isBroken, slack }) => sum + (isBroken ? 0 - slack : 0), 0);
}

function isBreach({ start, serial, slack }: Rated): boolean {
  return start === 0 && serial === 0 && slack < 0;
}

function isBetter(a: Rated, b: Rated): boolean {
  if (a.start !== b.start) return a.start < b.start;
  if (a.serial !== b.serial) return a.serial < b.serial;
  return a.slack < b.slack;
}

/** The setup with a start that satisfies the invariants, as far as single-number changes achieve that. */
function repaired(program: Program, stated: readonly Invariant[], setup: Setup): Setup {
  let current = setup;
  const excessOf = (rows: Rows): number => excess(standsOf(program.schema, stated, rows) ?? []);
  for (
    let round = 0, open = excessOf(setup.initial);
    round < MOST_REPAIRS && open > 0;
    round += 1
  ) {
    const stands = standsOf(program.schema, stated, current.initial) ?? [];
    const steps = stands.flatMap(({ isBroken, slack }) => (isBroken ? [0 - slack] : []));
    let best: Setup | undefined;
    for (const cell of rowCells(program, current))
      for (const value of valuesNear(cell, steps)) {
        const changed = cell.set(current, value);
        const less = excessOf(changed.initial);
        if (less >= open) continue;
        open = less;
        best = changed;
      }
    if (!best) break;
    current = best;
  }
  return current;
}

/** Setups that differ in one number. */
function neighbours(program: Program, setup: Setup, { slack }: Rated): readonly Setup[] {
  const steps = Number.isFinite(slack) && slack >= 0 ? [slack + 1, Math.ceil(slack / 2) + 1] : [];
  const cells = [...argumentCells(setup), ...rowCells(program, setup)];
  return cells.flatMap((cell) =>
    valuesNear(cell, [...steps, 1, 10]).map((value) => cell.set(setup, value)),
  );
}

/** A number or Boolean of a setup that may be varied. */
interface Cell {
  readonly value: Value;
  readonly isBool: boolean;
  readonly nullable: boolean;
  readonly set: (setup: Setup, value: Value) => Setup;
}

function valuesNear({ value, isBool, nullable }: Cell, steps: readonly number[]): readonly Value[] {
  if (isBool) return [value !== true];
  const own = typeof value === "number" ? value : 0;
  const numbers = [...steps.flatMap((step) => [own + step, own - step]), own * 2, 0, 1];
  const least = Math.min(0, own);
  const fitting = numbers.filter((each) => each >= least && Number.isSafeInteger(each));
  return [...new Set<Value>([...fitting, ...(nullable ? [null] : [])])].filter(
    (each) => each !== value,
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

/** Numbers and Booleans of rows, except keys. */
function rowCells({ schema }: Program, { initial }: Setup): readonly Cell[] {
  return schema.tables.flatMap(({ name: table, columns, primaryKey, uniqueKeys, foreignKeys }) => {
    const keys = new Set([primaryKey, ...[...uniqueKeys, ...foreignKeys].map((key) => key.columns)].flat()); // prettier-ignore
    const free = columns.filter(({ name, type }) => !keys.has(name) && FREE.has(type));
    return (ownEntry(initial, table) ?? []).flatMap((row, at) =>
      free.map(({ name, type, nullable }) => ({
        value: ownEntry(row, name) ?? null,
        isBool: type === "bool",
        nullable,
        set: (setup: Setup, value: Value): Setup => ({
          ...setup,
          initial: {
            ...setup.initial,
            [table]: (ownEntry(setup.initial, table) ?? []).map((each, n) =>
              n === at ? { ...each, [name]: value } : each,
            ),
          },
        }),
      })),
    );
  });
}

const FREE: ReadonlySet<Column["type"]> = new Set(["int", "decimal", "bool"]);
