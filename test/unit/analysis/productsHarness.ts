// Random programs against exhaustive enumeration at the products' levels: what the search claims, and what some
// interleaving shows.
import assert from "node:assert/strict";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { planProduct, solveProduct } from "../../../server/src/analysis/search/products";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import {
  labelOfLevels,
  productLevelAt,
  type Levels,
} from "../../../server/src/isolation/mixedLevels";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import type { Execution, Setup } from "../../../server/src/store/execution";
import { NotExecutable } from "../../../server/src/store/failure";
import { permutations } from "../../../server/src/store/permutations";
import { runSerial } from "../../../server/src/store/run";
import { toExecution } from "../../../server/src/store/toExecution";
import { loadPgParser } from "../../../server/src/engine/pgParser";

const solvers = openZ3();
const parser = loadPgParser();
const SEVERITIES = ["", "unused", "value", "state"];
const STARTS = [[1, 2], [5, 5], [6, 0], [7, 1, 3], [-3, 5], [12, 12], [3]];

export type Choose = <T>(items: readonly [T, ...T[]]) => T;

/** A linear congruential generator: the same programs on every run. */
function chooser(seed: number): Choose {
  let state = seed;
  return (items) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return items[(state >>> 8) % items.length] ?? items[0];
  };
}

/** The worst confirmed severity of one instance each of the two transactions. */
async function found(program: Program, levels: Levels, unroll: number): Promise<string> {
  const flat = flattenProgram(program, { unroll });
  const limits = { resourceLimit: 3_000_000, maxFindings: 5, stopped: () => false };
  let worst = "";
  for (const unit of planProduct(flat, levels, 2)) {
    if (unit.transactions[0] === unit.transactions[1]) continue;
    const result = solveProduct(await solvers, program, flat, levels, unit, limits);
    for (const { confirmation } of result.findings)
      if (confirmation.status === "confirmed") worst = severer(worst, confirmation.severity ?? "");
  }
  return worst;
}

/** The worst severity over all interleavings and some states at the start. */
function enumerated(program: Program, levels: Levels): string {
  let worst = "";
  for (const start of STARTS) {
    const setup: Setup = {
      instances: program.transactions.map(({ id }, at) => ({
        instance: `T${String(at + 1)}`,
        transaction: id,
        arguments: {},
      })),
      initial: { t: start.map((v, at) => ({ id: at + 1, v })) },
    };
    for (const execution of executions(program, setup, levels))
      worst = severer(worst, severityOf(program, setup, execution));
  }
  return worst;
}

function executions(program: Program, setup: Setup, levels: Levels): readonly Execution[] {
  try {
    const transactions = new Map(setup.instances.map((each) => [each.instance, each.transaction]));
    const levelOf = (instance: string) => productLevelAt(levels, transactions.get(instance) ?? "");
    const { runs } = enumerateProduct(program, setup, levelOf, 2000);
    return runs
      .map(toExecution)
      .filter(({ outcome }) => Object.values(outcome.status).every((how) => how === "committed"));
  } catch (problem) {
    // What the store does not represent says nothing.
    if (problem instanceof NotExecutable) return [];
    throw problem;
  }
}

function severityOf(program: Program, setup: Setup, execution: Execution): string {
  const names = setup.instances.map((each) => each.instance);
  const serial = permutations(names).map((order) => runSerial(program, setup, order));
  const differs = (view: (each: Execution) => unknown): boolean =>
    serial.every(
      (each) => each.ok && JSON.stringify(view(each.execution)) !== JSON.stringify(view(execution)),
    );
  if (differs((each) => each.outcome.final)) return "state";
  if (differs((each) => each.outcome)) return "value";
  return differs((each) => [each.outcome, each.observed]) ? "unused" : "";
}

function severer(a: string, b: string): string {
  return SEVERITIES.indexOf(b) > SEVERITIES.indexOf(a) ? b : a;
}

export interface RandomCheck {
  readonly seed: number;
  readonly rounds: number;
  readonly programs: (choose: Choose) => string;
  readonly levelsOf: (program: Program) => readonly Levels[];
  readonly unroll?: number;
}

/** Checks `rounds` random programs; returns how many of them have an anomaly. */
export async function checkRandom(check: RandomCheck): Promise<number> {
  const { seed, rounds, programs, levelsOf, unroll = 1 } = check;
  const pg = await parser;
  const choose = chooser(seed);
  let anomalous = 0;
  for (let round = 0; round < rounds; round += 1) {
    const text = programs(choose);
    // Any name will do for the only file.
    const program = readProgram([{ file: "random.sql" as FileId, text }], { pg });
    for (const levels of levelsOf(program)) {
      const [shown, claimed] = [enumerated(program, levels), await found(program, levels, unroll)];
      assert.equal(
        severer(shown, claimed),
        claimed,
        `${labelOfLevels(levels)}: ${shown} missed in\n${text}`,
      );
      if (claimed !== "") anomalous += 1;
    }
  }
  return anomalous;
}
