// The synchronous binding of Z3: answers, models, cores, limits, refusals and release of memory.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openZ3, selfTest } from "../../../server/src/engine/z3";
import type { Z3 } from "../../../server/src/engine/z3";
import { SolverError } from "../../../server/src/solver/solver";
import type { CheckResult, Solver, SolverFactory } from "../../../server/src/solver/solver";

let z3: Z3;

before(async () => {
  z3 = await openZ3();
});

after(() => {
  z3.dispose();
});

function withSolver<T>(use: (solver: Solver) => T, resourceLimit = 0): T {
  const solver = z3.open({ resourceLimit });
  try {
    return use(solver);
  } finally {
    solver.dispose();
  }
}

function check(text: string, expected: CheckResult, assumptions: readonly string[] = []): void {
  withSolver((solver) => {
    solver.add(text);
    assert.equal(solver.check(assumptions), expected, text);
  });
}

/** Pigeonhole: n+1 pigeons in n holes; exponentially hard for resolution. */
function pigeons(holes: number): string {
  const name = (pigeon: number, hole: number): string => `p${String(pigeon)}_${String(hole)}`;
  const range = (count: number): number[] => [...Array(count).keys()];
  const lines: string[] = [];
  for (const pigeon of range(holes + 1)) {
    for (const hole of range(holes)) lines.push(`(declare-const ${name(pigeon, hole)} Bool)`);
    lines.push(
      `(assert (or ${range(holes)
        .map((hole) => name(pigeon, hole))
        .join(" ")}))`,
    );
  }
  for (const hole of range(holes)) {
    for (const one of range(holes + 1)) {
      for (const other of range(one)) {
        lines.push(`(assert (or (not ${name(one, hole)}) (not ${name(other, hole)})))`);
      }
    }
  }
  return lines.join("\n");
}

describe("z3", () => {
  test("answers sat, unsat and unknown", () => {
    check("(declare-const x Int)(assert (> x 3))", "sat");
    check("(declare-const x Int)(assert (> x 3))(assert (< x 4))", "unsat");
    check("", "sat");
    withSolver((solver) => {
      solver.add(pigeons(9));
      assert.equal(solver.check(), "unknown");
      assert.match(solver.reason(), /resource|limit|cancel/);
      assert.throws(() => solver.model(), SolverError);
    }, 20_000);
  });

  test("assumptions hold for one check only", () => {
    withSolver((solver) => {
      solver.add("(declare-const a Bool)(declare-const b Bool)(assert (not (and a b)))");
      assert.equal(solver.check(["a", "b"]), "unsat");
      assert.deepEqual([...solver.core()].sort(), ["a", "b"]);
      assert.equal(solver.check(["a"]), "sat");
      assert.equal(solver.model().bool("a"), true);
      assert.equal(solver.model().bool("b"), false);
      solver.add("(assert b)");
      assert.equal(solver.check(["a"]), "unsat");
      assert.deepEqual(solver.core(), ["a"]);
    });
  });

  test("a core leaves out what does not matter", () => {
    withSolver((solver) => {
      const letters = ["a", "b", "c", "d"];
      solver.add(letters.map((name) => `(declare-const ${name} Bool)`).join(""));
      solver.add("(assert (not c))");
      assert.equal(solver.check(letters), "unsat");
      assert.deepEqual(solver.core(), ["c"]);
    });
  });

  test("models give integers of any sign and size, and functions", () => {
    withSolver((solver) => {
      solver.add(`(declare-const x Int)(declare-const y Int)
        (declare-fun f (Int Int) Int)(declare-fun g (Int) Bool)
        (assert (= x (- 7)))(assert (= y 5000000000))
        (assert (= (f x 2) 13))(assert (= (f 1 2) (- 4)))(assert (g x))(assert (not (g 3)))`);
      assert.equal(solver.check(), "sat");
      const model = solver.model();
      assert.equal(model.int("x"), -7);
      assert.equal(model.int("y"), 5_000_000_000);
      assert.equal(model.intAt("f", [-7, 2]), 13);
      assert.equal(model.intAt("f", [1, 2]), -4);
      assert.equal(model.boolAt("g", [-7]), true);
      assert.equal(model.boolAt("g", [3]), false);
      assert.equal(model.int("unheard"), 0);
      assert.equal(model.bool("unheardToo"), false);
      assert.equal(model.intAt("unheardOf", [1]), 0);
    });
  });

  test("a model is of its own check", () => {
    withSolver((solver) => {
      solver.add("(declare-const x Int)(assert (> x 0))");
      solver.check();
      const model = solver.model();
      solver.add("(assert (> x 10))");
      solver.check();
      assert.throws(() => model.int("x"), SolverError);
      assert.ok(solver.model().int("x") > 10);
    });
  });

  test("a bad text is refused with Z3's words, and other solvers stay usable", () => {
    for (const text of ["(assert", "(assert (= x 1))", "(declare-const x Float99)", "(assert 3)"]) {
      withSolver((solver) => {
        assert.throws(
          () => {
            solver.add(text);
          },
          (error: unknown) => error instanceof SolverError && error.code === "text",
          text,
        );
      });
      check("(declare-const y Int)(assert (= y 2))", "sat");
    }
  });

  test("declaring a symbol twice is refused", () => {
    withSolver((solver) => {
      solver.add("(declare-const x Int)");
      assert.throws(() => {
        solver.add("(declare-const x Int)");
      }, SolverError);
    });
  });

  test("solvers do not know of each other", () => {
    withSolver((one) => {
      withSolver((other) => {
        one.add("(declare-const x Int)(assert (= x 1))");
        other.add("(declare-const x Bool)(assert x)");
        assert.equal(one.check(), "sat");
        assert.equal(other.check(), "sat");
        assert.equal(one.model().int("x"), 1);
        assert.equal(other.model().bool("x"), true);
      });
    });
  });

  test("a closed solver says so", () => {
    const solver = z3.open({ resourceLimit: 0 });
    solver.dispose();
    solver.dispose();
    assert.throws(() => solver.check(), SolverError);
  });

  test("solvers give their memory back", () => {
    const round = (): number => {
      for (let n = 0; n < 10; n += 1) {
        withSolver((solver) => {
          solver.add(pigeons(5));
          assert.equal(solver.check(), "unsat");
        });
      }
      return z3.allocated();
    };
    const first = round();
    round();
    const third = round();
    assert.ok(third - first < 64 * 1024, `${String(first)} then ${String(third)} bytes`);
  });

  test("the same questions give the same model", () => {
    const ask = (): string =>
      withSolver((solver) => {
        solver.add(`(declare-const x Int)(declare-const y Int)(declare-fun f (Int) Int)
          (assert (> (f x) (f y)))(assert (distinct x y (f 3)))`);
        solver.check();
        const model = solver.model();
        const [x, y] = [model.int("x"), model.int("y")];
        return [x, y, model.intAt("f", [x]), model.intAt("f", [y])].join(",");
      });
    assert.equal(ask(), ask());
  });

  test("opens again after it was disposed", async () => {
    for (let n = 0; n < 2; n += 1) {
      const again = await openZ3();
      assert.match(again.version, /Z3/);
      again.dispose();
      assert.throws(() => again.open({ resourceLimit: 0 }), SolverError);
    }
  });

  test("the self-test notices a solver that is wrong", () => {
    const broken = (change: (solver: Solver) => Partial<Solver>): SolverFactory => ({
      open: (options) => {
        const solver = z3.open(options);
        return { ...solver, ...change(solver) };
      },
    });
    const cases: readonly [string, (solver: Solver) => Partial<Solver>][] = [
      ["always unsat", () => ({ check: () => "unsat" })],
      ["always unknown", () => ({ check: () => "unknown" })],
      ["no core", () => ({ core: () => [] })],
      ["accepts everything", () => ({ add: () => undefined })],
      [
        "zeros",
        () => ({
          model: () => ({ int: () => 0, bool: () => false, intAt: () => 0, boolAt: () => false }),
        }),
      ],
    ];
    for (const [name, change] of cases) {
      assert.notEqual(selfTest(broken(change)), undefined, name);
    }
    assert.equal(selfTest(z3), undefined);
  });
});
