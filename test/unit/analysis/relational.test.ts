// The relational encoding against itself and against the store: nothing at serializable, both tiers agree, every
// outcome that an enumeration of small inputs shows is found, and every model can be executed.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { encodeRelational } from "../../../server/src/analysis/encoding/relational/encoding";
import type { Tier } from "../../../server/src/analysis/encoding/relational/encoding";
import { axiomLiteral } from "../../../server/src/analysis/encoding/relational/relations";
import type { FlatProgram } from "../../../server/src/analysis/operations/operation";
import { planPapers, solvePapers } from "../../../server/src/analysis/search/literature/backend";
import { openZ3 } from "../../../server/src/engine/z3";
import type { Z3 } from "../../../server/src/engine/z3";
import type { PaperLevelName } from "../../../server/src/isolation/levels";
import type { Solver } from "../../../server/src/solver/solver";
import { confirm } from "../../../server/src/store/confirm";
import { enumerateWeak, enumerateWhole } from "./enumerateWeak";
import { WITHDRAW, smallBank } from "./flatBuilder";
import { programOf } from "./flatToProgram";
import { LIMITS, fromApp, levelOf } from "./papersHarness";
import { randomProgram } from "./randomFlat";
import { compareTiers } from "./tiersAgree";

let z3: Z3;

before(async () => {
  z3 = await openZ3();
});

after(() => {
  z3.dispose();
});

const PROGRAMS: readonly (readonly [string, FlatProgram])[] = [
  ["withdraw", WITHDRAW],
  ["SmallBank", smallBank()],
  ["inventory", fromApp("inventory").flat],
  ["micro", fromApp("micro").flat],
];

function tuples(flat: FlatProgram, size: number): readonly (readonly number[])[] {
  return planPapers(flat, levelOf("eventual"), size).map((unit) => unit.transactions);
}

function withEncoding<T>(
  flat: FlatProgram,
  tuple: readonly number[],
  tier: Tier,
  use: (solver: Solver, selectors: readonly (readonly string[])[]) => T,
): T {
  const encoding = encodeRelational(flat, tuple, tier);
  const solver = z3.open({ resourceLimit: 0 });
  try {
    solver.add(encoding.text);
    const byStep = tuple.map((_, step) =>
      encoding.selectors.filter((each) => each.step === step).map((each) => each.name),
    );
    return use(solver, byStep);
  } finally {
    solver.dispose();
  }
}

describe("nothing has a cycle at serializable", () => {
  for (const [name, flat] of PROGRAMS) {
    test(name, () => {
      const assumptions = levelOf("serializable").axioms.map(axiomLiteral);
      for (const size of name === "SmallBank" || name === "withdraw" ? [2, 3] : [2]) {
        for (const tuple of tuples(flat, size)) {
          for (const tier of ["statement", "transaction"] as const) {
            if (size > 2 && tier === "statement") continue;
            const answer = withEncoding(flat, tuple, tier, (solver) => solver.check(assumptions));
            assert.equal(answer, "unsat", `${tuple.join(" ")} ${tier}`);
          }
        }
      }
    });
  }
});

describe("both tiers have the same cycles from read-atomic on", () => {
  const levels: readonly PaperLevelName[] = [
    "read-atomic",
    "causal",
    "prefix",
    "parallel-snapshot-isolation",
    "snapshot-isolation",
  ];

  function cycles(flat: FlatProgram, tuple: readonly number[], tier: Tier): readonly string[] {
    return withEncoding(flat, tuple, tier, (solver, [first = [], second = []]) =>
      levels.flatMap((level) =>
        first.flatMap((one) =>
          second
            .filter((other) => {
              const assumptions = [...levelOf(level).axioms.map(axiomLiteral), one, other];
              return solver.check(assumptions) === "sat";
            })
            .map((other) => `${level} ${one} ${other}`),
        ),
      ),
    );
  }

  for (const [name, flat] of PROGRAMS) {
    test(name, () => {
      for (const tuple of tuples(flat, 2)) {
        assert.deepEqual(
          cycles(flat, tuple, "statement"),
          cycles(flat, tuple, "transaction"),
          tuple.join(" "),
        );
      }
    });
  }
});

describe("random programs against all executions over small inputs", () => {
  const levels: readonly PaperLevelName[] = ["read-committed", "snapshot-isolation"];

  test("what an execution shows is found, and what is found is executed", () => {
    let shown = 0;
    for (let seed = 1; seed <= 12; seed += 1) {
      const flat = randomProgram(seed);
      const program = programOf(flat);
      const pair = flat.transactions.length > 1 ? [0, 1] : [0, 0];
      for (const name of levels) {
        const level = levelOf(name);
        const where = `seed ${String(seed)} at ${name}`;
        const findings = planPapers(flat, level, 2)
          .filter((unit) => unit.transactions.join() === pair.join())
          .flatMap((unit) => {
            const result = solvePapers(z3, program, flat, level, unit, LIMITS);
            assert.deepEqual(result.undecided, [], where);
            return result.findings;
          });
        for (const { confirmation } of findings) {
          assert.equal(
            confirmation.status,
            "confirmed",
            `${where}: ${String(confirmation.reason)}`,
          );
        }
        const found = findings.some(({ confirmation }) => confirmation.severity !== "unused");
        const example = found
          ? undefined
          : enumerateWeak(flat, pair, name, (plan) => confirm(program, level, plan));
        assert.equal(example, undefined, `${where}: ${JSON.stringify(example)}`);
        if (found) shown += 1;
      }
    }
    assert.ok(shown >= 5, `only ${String(shown)} anomalies among the random programs`);
  });
});

describe("random programs", () => {
  function agree(programs: number, size: number, atLeast: number): void {
    let sat = 0;
    for (let seed = 1; seed <= programs; seed += 1) {
      const result = compareTiers(z3, randomProgram(seed), size);
      assert.deepEqual(result.disagreements, [], `seed ${String(seed)}`);
      sat += result.sat;
    }
    assert.ok(sat >= atLeast, `only ${String(sat)} cycles`);
  }

  test("both tiers give the same verdicts on pairs", () => {
    agree(50, 2, 200);
  });

  test("both tiers, and the pairs, give the same verdicts on triples", () => {
    agree(8, 3, 5);
  });

  test("three at snapshot isolation: what an execution shows is found", () => {
    const level = levelOf("snapshot-isolation");
    for (let seed = 1; seed <= 10; seed += 1) {
      const flat = randomProgram(seed);
      const program = programOf(flat);
      const triple = flat.transactions.length > 1 ? [0, 0, 1] : [0, 0, 0];
      const found = planPapers(flat, level, 3)
        .concat(planPapers(flat, level, 2))
        .filter((unit) => isWithin(unit.transactions, triple))
        .some((unit) =>
          solvePapers(z3, program, flat, level, unit, LIMITS).findings.some(
            ({ confirmation }) => confirmation.severity !== "unused",
          ),
        );
      const example = found
        ? undefined
        : enumerateWhole(flat, triple, 5, (plan) => confirm(program, level, plan));
      assert.equal(example, undefined, `seed ${String(seed)}: ${JSON.stringify(example)}`);
    }
  });
});

/** True if a tuple is part of another, each instance counted. */
function isWithin(part: readonly number[], whole: readonly number[]): boolean {
  return [...new Set(part)].every((each) => count(part, each) <= count(whole, each));
}

function count(tuple: readonly number[], wanted: number): number {
  return tuple.filter((each) => each === wanted).length;
}
