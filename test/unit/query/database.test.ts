// The query engine against its definition: whatever is asked after whatever edits, the answer is the one that is made from nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createDatabase,
  QueryCycle,
  type Cell,
  type Database,
  type Derived,
} from "../../../server/src/query/database";

/** A derived query over earlier ones: its first one decides which of the others it asks. */
interface Rule {
  readonly picks: readonly number[];
  readonly modulus: number;
}

interface Network {
  readonly inputs: number;
  readonly rules: readonly Rule[];
}

const networks: fc.Arbitrary<Network> = fc.record({
  inputs: fc.integer({ min: 1, max: 5 }),
  rules: fc.array(
    fc.record({
      picks: fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 4 }),
      modulus: fc.integer({ min: 1, max: 5 }),
    }),
    { minLength: 1, maxLength: 12 },
  ),
});

type Step =
  | { readonly set: number; readonly to: number }
  | { readonly ask: number; readonly stopsAt?: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ set: fc.nat({ max: 100 }), to: fc.integer({ min: 0, max: 6 }) }),
    fc.record({ ask: fc.nat({ max: 100 }) }),
    fc.record({ ask: fc.nat({ max: 100 }), stopsAt: fc.nat({ max: 6 }) }),
  ),
  { maxLength: 40 },
);

/** The answer of a rule, given those of the rules and inputs before it. */
function answer({ picks, modulus }: Rule, before: number, ask: (at: number) => number): number {
  const [first = 0, ...others] = picks.map((pick) => pick % before);
  const decision = ask(first);
  const asked = others.filter((_, at) => (decision + at) % 2 === 0);
  return asked.reduce((sum, at) => sum + ask(at), decision) % modulus;
}

function scratch({ inputs, rules }: Network, values: readonly number[], at: number): number {
  const rule = rules[at - inputs];
  if (rule === undefined) return values[at] ?? 0;
  return answer(rule, at, (of) => scratch({ inputs, rules }, values, of));
}

interface Opened {
  readonly database: Database;
  readonly set: (at: number, to: number) => void;
  readonly ask: (at: number) => number;
  readonly cell: (at: number) => Cell;
}

function opened({ inputs, rules }: Network): Opened {
  const database = createDatabase();
  const low = database.input<[number], number>("low");
  const high = database.input<[number], number>("high", { durability: "high" });
  const inputOf = (at: number): typeof low => (at % 2 === 0 ? low : high);
  const derived: Derived<[number], number> = database.derived<[number], number>("rule", (at) => {
    const rule = rules[at - inputs];
    return rule === undefined ? (inputOf(at).get(at) ?? 0) : answer(rule, at, derived.get);
  });
  return {
    database,
    set: (at, to) => {
      inputOf(at).set(to, at);
    },
    ask: (at) => derived.get(at),
    cell: (at) => derived.cell(at),
  };
}

class Stopped extends Error {}

test("random edits of random networks give the answers from scratch, also after work that was cancelled anywhere", () => {
  fc.assert(
    fc.property(networks, steps, (network, all) => {
      const { database, set, ask } = opened(network);
      const values = Array.from({ length: network.inputs }, () => 0);
      const size = network.inputs + network.rules.length;
      for (const step of all) {
        if ("set" in step) {
          values[step.set % network.inputs] = step.to;
          set(step.set % network.inputs, step.to);
          continue;
        }
        let left = step.stopsAt ?? Infinity;
        const check = (): void => {
          if (left-- <= 0) throw new Stopped();
        };
        const asked = step.ask % size;
        try {
          const found = database.under(check, () => ask(asked));
          assert.equal(found, scratch(network, values, asked));
        } catch (error) {
          if (!(error instanceof Stopped)) throw error;
        }
      }
      for (let at = 0; at < size; at += 1) assert.equal(ask(at), scratch(network, values, at));
    }),
  );
});

test("answers hold for others exactly as long as they are what they were", () => {
  fc.assert(
    fc.property(networks, steps, (network, all) => {
      const { database, set, ask, cell } = opened(network);
      const values = Array.from({ length: network.inputs }, () => 0);
      const last = network.inputs + network.rules.length - 1;
      const result = ask(last);
      const uses = database.usesOf([cell(last)]);
      const at = database.revision();
      for (const step of all) {
        if (!("set" in step)) continue;
        values[step.set % network.inputs] = step.to;
        set(step.set % network.inputs, step.to);
        assert.equal(database.holds(uses, at), scratch(network, values, last) === result);
      }
    }),
  );
});

test("an equal answer ends a change: what rests on it is not made again", () => {
  const database = createDatabase();
  const text = database.input<[string], string>("text");
  const length = database.derived("length", (file: string) => (text.get(file) ?? "").length);
  const double = database.derived("double", (file: string) => 2 * length.get(file));
  text.set("abc", "a");
  assert.equal(double.get("a"), 6);
  text.set("xyz", "a");
  assert.equal(double.get("a"), 6);
  assert.deepEqual(database.counts(), { made: 3, equal: 1 });
  text.set("wxyz", "a");
  assert.equal(double.get("a"), 8);
  assert.deepEqual(database.counts(), { made: 5, equal: 1 });
});

test("`equals` keeps the first of equal values", () => {
  const database = createDatabase();
  const text = database.input<[], string>("text");
  const words = database.derived("words", () => (text.get() ?? "").split(/ +/u), {
    equals: (a, b) => a.join() === b.join(),
  });
  text.set("a b");
  const first = words.get();
  text.set("a  b");
  assert.equal(words.get(), first);
});

test("an edit of one input makes again what rests on it, and nothing else", () => {
  const database = createDatabase();
  const text = database.input<[number], number>("text");
  const part = database.derived("part", (at: number) => text.get(at) ?? 0);
  const sum = database.derived("sum", () => {
    let all = 0;
    for (let at = 0; at < 1000; at += 1) all += part.get(at);
    return all;
  });
  for (let at = 0; at < 1000; at += 1) text.set(at, at);
  assert.equal(sum.get(), 499_500);
  const { made } = database.counts();
  text.set(7, 3);
  assert.equal(sum.get(), 499_504);
  assert.equal(database.counts().made - made, 2);
});

test("what rests on lasting inputs alone is not looked at after an edit of others", () => {
  const database = createDatabase();
  const text = database.input<[], string>("text");
  const model = database.input<[number], number>("model", { durability: "high" });
  const models = database.derived("models", () => (model.get(0) ?? 0) + (model.get(1) ?? 0));
  const whole = database.derived("whole", () => `${text.get() ?? ""} ${String(models.get())}`);
  model.set(1, 0);
  text.set("a");
  assert.equal(whole.get(), "a 1");
  text.set("b");
  let checked = 0;
  database.under(
    () => (checked += 1),
    () => whole.get(),
  );
  // `whole` and `models`; the models below are not asked.
  assert.equal(checked, 2);
  model.set(2, 1);
  assert.equal(whole.get(), "b 3");
});

test("a cycle is told by the names of its queries, and no answer of it is kept", () => {
  const database = createDatabase();
  const isOpen = database.input<[], boolean>("isOpen");
  const one: { readonly get: () => number } = database.derived("one", () => 1 + two.get());
  const two: { readonly get: () => number } = database.derived("two", () =>
    isOpen.get() === true ? 5 : one.get(),
  );
  assert.throws(
    () => one.get(),
    (error) =>
      error instanceof QueryCycle &&
      assert.deepEqual(error.names, ["one", "two", "one"]) === undefined,
  );
  isOpen.set(true);
  assert.equal(one.get(), 6);
  isOpen.set(false);
  assert.throws(() => two.get(), QueryCycle);
});

test("an input cannot be set by a query, which would be no function of what it asks", () => {
  const database = createDatabase();
  const input = database.input<[], number>("count");
  const derived = database.derived("counting", () => {
    input.set(1);
  });
  assert.throws(() => derived.get(), /count was set while a query ran/u);
});

test("keys are told apart by all of their parts, and objects by identity", () => {
  const database = createDatabase();
  const pair = database.derived("pair", (...key: readonly unknown[]) => key.map(String).join("|"));
  const [a, b] = [{ toString: () => "a" }, { toString: () => "b" }];
  assert.equal(pair.get(a, 1), "a|1");
  assert.equal(pair.get(b, 1), "b|1");
  assert.equal(pair.get(a), "a");
  assert.equal(pair.get("1", 1), "1|1");
  assert.equal(pair.get(1, "1"), "1|1");
  assert.equal(database.counts().made, 5);
});
