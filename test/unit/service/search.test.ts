import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Finding, UnitResult } from "../../../server/src/analysis/search/unit";
import { findLevel } from "../../../server/src/isolation/levels";
import type { Level } from "../../../server/src/isolation/levels";
import { labelOfLevels } from "../../../server/src/isolation/mixedLevels";
import type { SerializablePair } from "../../../server/src/isolation/mixedLevels";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { largestSize, search } from "../../../server/src/service/search/search";
import type { SearchInput, SearchResult } from "../../../server/src/service/search/search";
import type { TupleAnswer } from "../../../server/src/service/search/tupleSolver";

function level(name: string): Level {
  const found = findLevel(name);
  assert.ok(found, name);
  return found;
}

const RC = level("pg:rc");

/** A finding is only counted here. */
const FINDING: Finding = {
  confirmation: {
    status: "confirmed",
    severity: "state",
    cycle: [],
    serial: [],
    witness: {
      instances: [],
      initial: {},
      schedule: [],
      outcome: { final: {}, status: {}, returned: {} },
    },
  },
  tables: ["t"],
  allowedAt: [],
  preventedBy: [],
};

interface Scene {
  /** Tuples per size, as "0,1". */
  readonly plan: Readonly<Record<number, readonly string[]>>;
  readonly levels?: readonly Level[];
  readonly pairs?: readonly SerializablePair[];
  /** The solver's answer on a tuple; nothing by default. */
  readonly says?: Readonly<Record<string, "anomaly" | "open" | "crash" | "missing">>;
  readonly omitted?: Readonly<Record<number, string>>;
  readonly maxTransactions?: number;
  /** More than one: answers come in another order than questions. */
  readonly lanes?: number;
  /** Tuples that need more questions than the first turns give, with how many. */
  readonly dear?: Readonly<Record<string, number>>;
  /** Transactions that are looked at, the first foremost. */
  readonly looked?: readonly number[];
  /** Aborts while this tuple is asked about. */
  readonly abortAt?: string;
}

interface Played {
  readonly result: SearchResult;
  readonly asked: readonly string[];
  readonly progress: readonly string[];
}

function answer(what: "anomaly" | "open" | "crash" | "missing" | undefined): TupleAnswer {
  if (what === "crash" || what === "missing") {
    const code = what === "crash" ? "crashed" : "missing";
    return { kind: "failed", failure: { code, message: `${what}!` } };
  }
  const result: UnitResult = {
    findings: what === "anomaly" ? [FINDING] : [],
    undecided: what === "open" ? ["a limit"] : [],
    queries: 1,
  };
  return { kind: "solved", results: [result] };
}

async function play(scene: Scene): Promise<Played> {
  const controller = new AbortController();
  const asked: string[] = [];
  const progress: string[] = [];
  const levels = scene.levels ?? [RC, RC, RC, RC];
  const input: SearchInput = {
    ids: levels.map((_, n) => `t${String(n)}`),
    levels: {
      family: "mixed",
      perTransaction: Object.fromEntries(levels.map((each, n) => [`t${String(n)}`, each])),
      serializablePairs: scene.pairs ?? [],
    },
    maxTransactions: scene.maxTransactions ?? 3,
    lanes: scene.lanes ?? 1,
    ...(scene.looked && { rank: rankIn(scene.looked) }),
    plan: (_level, size) => ({
      units: (scene.plan[size] ?? []).map((each) => ({
        transactions: each.split(",").map(Number),
      })),
      omitted: scene.omitted?.[size] === undefined ? [] : [scene.omitted[size]],
    }),
    solve: (tuple, at, _signal, effort) => {
      const key = tuple.members.join();
      const partly = tuple.units.some((unit) => unit.evenPartly) ? " even partly" : "";
      asked.push(at === RC ? `${key}${partly}` : `${key} at ${labelOfLevels(at)}${partly}`);
      if (scene.abortAt === key) {
        controller.abort();
        return Promise.resolve({ kind: "cancelled" });
      }
      const needed = ownEntry(scene.dear, key) ?? 0;
      const given = {
        ...answer(ownEntry(scene.says, key)),
        ...(needed > (effort?.questions ?? Infinity) && { partial: true as const }),
      };
      if (scene.lanes === undefined) return Promise.resolve(given);
      // The more turns of the event loop, the later.
      let turns = (asked.length * 7) % 5;
      return new Promise((resolve) => {
        const wait = (): void => {
          turns -= 1;
          if (turns < 0) resolve(given);
          else setImmediate(wait);
        };
        wait();
      });
    },
  };
  const result = await search(input, controller.signal, {
    progress: (done, total, size) =>
      progress.push(`${String(done)}/${String(total)} of ${String(size)}`),
    found: () => undefined,
  });
  return { result, asked, progress };
}

function rankIn(looked: readonly number[]): (member: number) => number {
  return (member) => (looked.includes(member) ? looked.indexOf(member) : looked.length);
}

function open(result: SearchResult): readonly string[] {
  return result.undecided.map(({ members, reason }) => `${members.join()}: ${reason}`);
}

describe("the search", () => {
  it("asks for pairs and then for triples, in the order of the plan, orders together", async () => {
    const { asked, result, progress } = await play({
      plan: { 2: ["1,0", "0,0", "0,1"], 3: ["0,1,2"] },
    });
    // Where nothing is found, again with cycles of which two form one that is harmless by itself.
    assert.deepEqual(asked, ["0,1", "0,0", "0,1,2", "0,1,2 even partly"]);
    assert.equal(result.completed, 3);
    assert.ok(!result.stopped);
    const triples = ["2/3 of 3", "3/3 of 3", "3/4 of 3", "4/4 of 3"];
    assert.deepEqual(progress, ["0/2 of 2", "1/2 of 2", "2/2 of 2", ...triples]);
  });

  it("asks first about what is looked at, and tells the same in the same order", async () => {
    const scene: Scene = {
      plan: { 2: ["0,0", "0,1", "1,2", "2,2", "2,3"], 3: ["0,0,3", "1,3,3"] },
      says: { "0,1": "open", "0,0": "anomaly", "2,2": "anomaly", "1,2": "open" },
    };
    const usual = await play(scene);
    const { asked, result } = await play({ ...scene, looked: [3, 2] });
    assert.deepEqual(asked.slice(0, 5), ["2,3", "1,2", "2,2", "0,0", "0,1"]);
    assert.deepEqual(asked.slice(5), usual.asked.slice(5));
    assert.deepEqual(result, usual.result);
  });

  it("asks behind all others about those that were each found to race", async () => {
    const { asked } = await play({
      plan: { 2: ["0,0", "1,1", "0,1", "0,2", "2,2"] },
      says: { "0,0": "anomaly", "1,1": "anomaly" },
      maxTransactions: 2,
    });
    assert.deepEqual(asked, ["0,0", "1,1", "0,2", "2,2", "0,1"]);
  });

  it("leaves out what contains a smaller anomaly", async () => {
    const { asked, result } = await play({
      plan: { 2: ["0,1", "2,3"], 3: ["0,1,2", "0,2,3", "0,0,2", "0,0,1"] },
      says: { "0,1": "anomaly" },
    });
    assert.deepEqual(asked, ["0,1", "2,3", "0,2,3", "0,0,2"]);
    assert.equal(result.findings.length, 1);
  });

  it("does not take an undecided pair for an anomaly", async () => {
    const { asked, result } = await play({
      plan: { 2: ["0,1"], 3: ["0,1,2"] },
      says: { "0,1": "open" },
    });
    assert.deepEqual(asked, ["0,1", "0,1,2"]);
    assert.deepEqual(open(result), ["0,1: a limit"]);
  });

  it("asks about tuples of different levels with the levels of their members", async () => {
    const ser = level("pg:ser");
    const { asked } = await play({
      plan: { 2: ["0,1", "0,2"], 3: ["0,1,2"] },
      levels: [RC, ser, RC],
    });
    const mixture =
      "the mixture of t0 at PostgreSQL READ COMMITTED and t1 at PostgreSQL SERIALIZABLE";
    assert.equal(asked[0], `0,1 at ${mixture}`);
    assert.equal(asked[1], "0,2");
    assert.equal(asked.length, 4);
  });

  it("asks with the serializable pairs among the members", async () => {
    const { asked } = await play({
      plan: { 2: ["0,1", "1,1", "1,2"] },
      pairs: [
        ["t1", "t0"],
        ["t1", "t1"],
      ],
    });
    const rc = "PostgreSQL READ COMMITTED";
    assert.deepEqual(asked, [
      `0,1 at ${rc} (t0 with t1, t1 with t1 kept serializable)`,
      `1,1 at ${rc} (t1 with t1 kept serializable)`,
      `1,2 at ${rc} (t1 with t1 kept serializable)`,
    ]);
  });

  it("searches transactions with a level of their own at that level", async () => {
    const rr = level("pg:rr");
    const { asked } = await play({ plan: { 2: ["0,1"] }, levels: [rr, rr] });
    assert.deepEqual(asked, ["0,1 at PostgreSQL REPEATABLE READ"]);
  });

  it("gives the same whoever answers first", async () => {
    const pairs = Array.from({ length: 90 }, (_, n) => `${String(n)},${String(n + 1)}`);
    const scene: Scene = {
      plan: { 2: pairs, 3: ["0,1,2", "3,4,5"] },
      levels: Array.from({ length: 91 }, () => RC),
      says: { "3,4": "anomaly", "60,61": "anomaly", "9,10": "open", "70,71": "open" },
    };
    const [one, three] = [await play(scene), await play({ ...scene, lanes: 3 })];
    assert.deepEqual(three.result, one.result);
  });

  it("keeps what it has when it is aborted", async () => {
    const { asked, result } = await play({
      plan: { 2: ["0,1", "0,2", "1,2"], 3: ["0,1,2"] },
      says: { "0,1": "anomaly" },
      abortAt: "0,2",
    });
    assert.deepEqual(asked, ["0,1", "0,2"]);
    assert.equal(result.findings.length, 1);
    assert.deepEqual(result.unreached, [
      [0, 2],
      [1, 2],
    ]);
    assert.equal(result.completed, 1);
    assert.ok(result.stopped);
  });

  it("goes on after a crash, and stops when the solver is missing or keeps crashing", async () => {
    const one = await play({ plan: { 2: ["0,1", "0,2"] }, says: { "0,1": "crash" } });
    assert.deepEqual(one.asked, ["0,1", "0,2"]);
    assert.deepEqual(open(one.result), ["0,1: crash!"]);
    const missing = await play({ plan: { 2: ["0,1", "0,2"] }, says: { "0,1": "missing" } });
    assert.deepEqual(missing.asked, ["0,1"]);
    assert.equal(missing.result.failure?.message, "missing!");
    assert.equal(missing.result.unreached.length, 2);
    const says = { "0,0": "crash", "0,1": "crash", "0,2": "crash" } as const;
    const often = await play({ plan: { 2: ["0,0", "0,1", "0,2", "0,3"] }, says });
    assert.deepEqual(often.asked, ["0,0", "0,1", "0,2"]);
    assert.deepEqual(often.result.unreached, [[0, 3]]);
  });

  const many = Array.from({ length: 30 }, (_, n) => `0,${String(n)}`);

  const levels = many.map(() => RC);

  it("asks every one of many before it goes on with what is dear", async () => {
    const { asked, result } = await play({
      plan: { 2: many },
      levels,
      maxTransactions: 2,
      dear: { "0,0": 1_000, "0,1": 30 },
    });
    assert.deepEqual(asked, [...many, "0,0", "0,1", "0,0", "0,0"]);
    assert.deepEqual(result.unreached, []);
    assert.equal(result.completed, 2);
  });

  it("keeps what a dear one showed when it is ended, and says that it is open", async () => {
    const { result } = await play({
      plan: { 2: many },
      levels,
      maxTransactions: 2,
      dear: { "0,0": 1_000 },
      says: { "0,0": "anomaly" },
      abortAt: "0,29",
    });
    assert.equal(result.findings.length, 1);
    assert.deepEqual(result.unreached, [
      [0, 0],
      [0, 29],
    ]);
    assert.deepEqual(open(result), []);
  });

  it("rests on the last size that was planned whole", async () => {
    const { result } = await play({ plan: { 2: ["0,1"] }, omitted: { 3: "too many" } });
    assert.equal(result.completed, 2);
    assert.ok(result.stopped);
    assert.deepEqual(open(result), [": too many"]);
  });

  for (const [asked, expected] of [
    [2, 2],
    [3, 3],
    [4, 4],
    [9, 4],
  ] as const) {
    it(`searches ${String(expected)} at a time when ${String(asked)} are allowed`, () => {
      assert.equal(largestSize(asked), expected);
    });
  }
});
