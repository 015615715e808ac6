// Random flat programs over two small tables, for comparisons with the store. The same seed gives the same program.
import type {
  FlatProgram,
  FlatTransaction,
  Operation,
  Term,
} from "../../../server/src/analysis/operations/operation";
import {
  FALSE,
  TRUE,
  atMost,
  col,
  equal,
  insert,
  num,
  out,
  par,
  plus,
  program,
  read,
  remove,
  table,
  transaction,
  update,
} from "./flatBuilder";

type Draft = Partial<Operation> & Pick<Operation, "kind" | "table">;

/** One or two transactions of up to three statements: reads, aggregates, updates, inserts and deletes with guards. */
export function randomProgram(seed: number): FlatProgram {
  const random = generator(seed);
  const transactions = [randomTransaction("A", random)];
  if (random(3) > 0) transactions.push(randomTransaction("B", random));
  return program([table("x", ["id", "v"]), table("y", ["id", "v"])], transactions);
}

type Random = (below: number) => number;

/** A linear congruential generator: enough for variety, and the same everywhere. */
function generator(seed: number): Random {
  let state = (seed * 2_654_435_761) % 2_147_483_648;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

function randomTransaction(id: string, random: Random): FlatTransaction {
  const outputs: Term[] = [];
  const drafts = [...Array(1 + random(3)).keys()].map((index) => {
    const guard = randomGuard(outputs, random);
    const draft = randomOperation(outputs, random);
    if (draft.kind === "read") outputs.push(out(index, draft.aggregate?.output ?? "v"));
    return { ...draft, guard };
  });
  const one = (): Term => outputs[random(outputs.length)] ?? num(0);
  return transaction(id, ["k", "v"], drafts, {
    aborts: outputs.length > 0 && random(5) === 0 ? equal(one(), num(0)) : FALSE,
    returns: outputs.length > 0 ? [one()] : [],
  });
}

function randomGuard(outputs: readonly Term[], random: Random): Term {
  const one = outputs[random(Math.max(1, outputs.length))];
  if (one === undefined || random(4) > 0) return TRUE;
  return random(2) === 0 ? atMost(one, num(1)) : equal(one, num(random(3)));
}

function randomOperation(outputs: readonly Term[], random: Random): Draft {
  const name = random(3) > 0 ? "x" : "y";
  const key = { id: random(3) > 0 ? par("k") : num(1 + random(2)) };
  const value = (): Term => {
    const one = outputs[random(Math.max(1, outputs.length))];
    if (one === undefined || random(3) === 0) return random(2) === 0 ? num(random(3)) : par("v");
    return random(2) === 0 ? one : plus(one, num(1));
  };
  switch (random(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return read(name, key, ["v"]);
    case 4: {
      const fn = (["count", "sum", "max"] as const)[random(3)] ?? "count";
      const where = equal(col("v"), random(2) === 0 ? num(1) : par("v"));
      const aggregate = { function: fn, operand: col("v"), output: "n" };
      return { kind: "read", table: name, where, pick: "all", aggregate };
    }
    case 5: {
      const orderBy = { column: "v", descending: random(2) === 0 };
      return { ...read(name, {}, ["v"]), where: atMost(num(1), col("v")), pick: "first", orderBy };
    }
    case 6:
    case 7:
      return update(name, key, { v: plus(col("v"), num(1)) });
    case 8:
      return update(name, key, { v: value() });
    case 9: {
      const where = equal(col("v"), num(random(3)));
      return { ...update(name, {}, { v: value() }), where, pick: "all" };
    }
    case 10:
      return {
        ...insert(name, key, { v: value() }),
        onDuplicate: random(2) === 0 ? "error" : "nothing",
      };
    default:
      return remove(name, key);
  }
}
