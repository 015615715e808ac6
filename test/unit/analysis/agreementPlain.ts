// Random pairs of transactions without inserts and locks, and what levels that promise serial outcomes make of them.
import { findLevel } from "../../../server/src/isolation/levels";
import type { Program } from "../../../server/src/program/program";
import { enumeratePrefix, enumerateProduct } from "../../../server/src/store/enumerate";
import type { Setup } from "../../../server/src/store/execution";
import { freshValues } from "../../../server/src/store/freshValues";
import { runEveryOrder } from "../../../server/src/store/run";
import type { Run } from "../../../server/src/store/runRecord";
import { outcomeOf } from "../../../server/src/store/toExecution";
import { COMMITTED } from "../../../server/src/store/runRecord";
import type { Choose } from "./productsHarness";
import { randomTransactions, type RandomTransactions } from "./randomTransactions";

const START = [3, 6, 1].map((v, at) => ({ id: at + 1, v }));
/** More runs than any of the programs has. */
const RUNS = 20_000;

/** Two transactions that read, change and delete rows. */
export function plainTransactions(choose: Choose): RandomTransactions {
  for (;;) {
    const transactions = randomTransactions(choose);
    const plain = transactions.map((statements) =>
      statements
        .filter(({ sql }) => sql !== "ROLLBACK" && !sql.startsWith("INSERT"))
        .map((each) => ({ ...each, sql: each.sql.replace(/ FOR (UPDATE|SHARE)$/, "") })),
    );
    if (plain.length === 2 && plain.every((each) => each.length > 0)) return plain;
  }
}

/** The levels at which the outcomes are not exactly those of the serial runs, with what is missing or too many. */
export function compareSerial(program: Program): readonly string[] {
  const setup: Setup = {
    instances: program.transactions.map(({ id }, at) => ({
      instance: `T${String(at + 1)}`,
      transaction: id,
      arguments: {},
    })),
    initial: { t: START },
  };
  const names = setup.instances.map((each) => each.instance);
  const serial = new Set(
    runEveryOrder(program, setup, names, freshValues(setup))
      .map((each) => each.run)
      .filter(allCommit)
      .map(textOf),
  );
  return ["serializable", "postgres:serializable", "mariadb:serializable"].flatMap((name) => {
    const level = findLevel(name);
    if (level === undefined) return [`there is no level ${name}`];
    const { runs } =
      level.family === "paper"
        ? enumeratePrefix(program, setup, level)
        : enumerateProduct(program, setup, () => level, RUNS);
    const shown = new Set(runs.filter(allCommit).map(textOf));
    const missing = [...serial].filter((each) => !shown.has(each));
    const extra = [...shown].filter((each) => !serial.has(each));
    if (missing.length + extra.length === 0) return [];
    return [`${name}: missing ${missing.join(" ")} extra ${extra.join(" ")}`];
  });
}

function allCommit(run: Run): boolean {
  return Object.values(run.status).every((how) => how === COMMITTED);
}

function textOf(run: Run): string {
  const { final, returned } = outcomeOf(run);
  return JSON.stringify([final, returned]);
}
