// The search against exhaustive enumeration: what no interleaving shows may not be found, and what some interleaving of
// a random small program shows must be found.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProductLevel } from "../../../server/src/isolation/levels";
import type { Levels } from "../../../server/src/isolation/mixedLevels";
import type { Program } from "../../../server/src/program/program";
import { checkRandom } from "./productsHarness";
import { OTHERS, POSTGRES, levelNamed, randomProgram } from "./randomSql";

/** Every mixture of two of these levels. */
function mixtures(levels: readonly ProductLevel[], program: Program): readonly Levels[] {
  const [first = "", second = ""] = program.transactions.map((each) => each.id);
  return levels.flatMap((a) =>
    levels
      .filter((b) => b !== a)
      .map((b): Levels => ({
        family: "mixed",
        perTransaction: { [first]: a, [second]: b },
        serializablePairs: [],
      })),
  );
}

test("random pairs: nothing that enumeration shows is missed", async () => {
  const single = POSTGRES.filter((each) => !each.serializable);
  const anomalous = await checkRandom({
    seed: 20,
    rounds: 40,
    programs: randomProgram,
    levelsOf: () => single,
  });
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

test("random pairs at two levels: nothing that enumeration shows is missed", async () => {
  const anomalous = await checkRandom({
    seed: 7,
    rounds: 20,
    programs: randomProgram,
    levelsOf: (program) => mixtures(POSTGRES, program),
  });
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

test("random pairs at other databases' levels: nothing that enumeration shows is missed", async () => {
  let turn = 0;
  const anomalous = await checkRandom({
    seed: 5,
    rounds: 60,
    programs: randomProgram,
    // Each program at two of them.
    levelsOf: () => [0, 1].flatMap(() => OTHERS[turn++ % OTHERS.length] ?? []),
  });
  assert.ok(anomalous >= 10, "too few of the random programs say anything");
});

test("random pairs at two levels of InnoDB: nothing that enumeration shows is missed", async () => {
  const innodb = ["read-committed", "repeatable-read", "serializable"].map((each) =>
    levelNamed(`mariadb:${each}`),
  );
  let turn = 0;
  const anomalous = await checkRandom({
    seed: 12,
    rounds: 60,
    programs: randomProgram,
    levelsOf: (program) => {
      const all = mixtures(innodb, program);
      return [all[turn++ % all.length]].flatMap((each) => each ?? []);
    },
  });
  assert.ok(anomalous >= 3, "too few of the random programs say anything");
});

test("random pairs that read what is not committed, of transactions that may roll back", async () => {
  const dirty = ["mariadb:read-uncommitted", "sqlserver:read-uncommitted"].map(levelNamed);
  const others = ["mariadb:repeatable-read", "mariadb:read-committed"].map(levelNamed);
  let turn = 0;
  const anomalous = await checkRandom({
    seed: 77,
    rounds: 30,
    programs: (choose) => {
      const text = randomProgram(choose);
      const at = text.indexOf("COMMIT;");
      return choose(["commits", "rolls back"]) === "commits"
        ? text
        : `${text.slice(0, at)}ROLLBACK;${text.slice(at + "COMMIT;".length)}`;
    },
    levelsOf: (program) => {
      const [first, second] = dirty;
      if (first === undefined || second === undefined) return [];
      const mixed = others.flatMap((other) => mixtures([first, other], program));
      const all: readonly Levels[] = [first, second, ...mixed];
      return [all[turn++ % all.length]].flatMap((each) => each ?? []);
    },
  });
  assert.ok(anomalous >= 5, "too few of the random programs say anything");
});
