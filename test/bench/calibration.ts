// Three fixed tasks that tell how fast this machine is right now. Every other figure is also printed as a multiple of
// them, so that runs on different machines, or under different load, compare.
import { Parser } from "node-sql-parser/build/postgresql";
import type { SolverFactory } from "../../server/src/solver/solver";
import { medianTime } from "./statistics";

export interface Calibration {
  /** Milliseconds of a fixed problem in Z3. */
  readonly solve: number;
  /** Milliseconds of parsing a fixed statement many times. */
  readonly parse: number;
  /** Milliseconds of a fixed loop over numbers. */
  readonly loop: number;
}

/** Takes about two seconds. */
export async function calibrate(solvers: SolverFactory): Promise<Calibration> {
  const parser = new Parser();
  return {
    solve: await medianTime(5, () => solvePigeons(solvers)),
    parse: await medianTime(5, () => {
      for (let round = 0; round < 40; round += 1) parser.parse(STATEMENT);
    }),
    loop: await medianTime(5, fillAndSum),
  };
}

const STATEMENT =
  "SELECT a.id, sum(b.total) FROM accounts a JOIN bills b ON b.account = a.id " +
  "WHERE a.kind IN ('x', 'y') AND b.due < 100 GROUP BY a.id HAVING sum(b.total) > 10 ORDER BY 2 LIMIT 5";

const PIGEONS = 6;

/** Six pigeons do not fit into five holes: unsatisfiable, and only by search. */
function solvePigeons(solvers: SolverFactory): void {
  const solver = solvers.open({ resourceLimit: 0 });
  try {
    solver.add(PIGEON_TEXT);
    if (solver.check() !== "unsat") throw new Error("The calibration problem was not refuted.");
  } finally {
    solver.dispose();
  }
}

const PIGEON_TEXT = pigeonText();

function pigeonText(): string {
  const lines: string[] = [];
  const hole = (pigeon: number) => `h${pigeon}`;
  for (let pigeon = 0; pigeon < PIGEONS; pigeon += 1) {
    lines.push(`(declare-const ${hole(pigeon)} Int)`);
    lines.push(`(assert (and (<= 1 ${hole(pigeon)}) (<= ${hole(pigeon)} ${PIGEONS - 1})))`);
    for (let other = 0; other < pigeon; other += 1) {
      lines.push(`(assert (not (= ${hole(other)} ${hole(pigeon)})))`);
    }
  }
  return lines.join("\n");
}

function fillAndSum(): number {
  const cells = new Uint32Array(1 << 16);
  let state = 1;
  for (let round = 0; round < 1 << 23; round += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const at = state & 0xffff;
    cells[at] = (cells[at] ?? 0) + state;
  }
  return cells.reduce((sum, cell) => (sum + cell) >>> 0, 0);
}
