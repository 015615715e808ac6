// Random and directed runs, final states, predicates, divided work, and clients that misbehave.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import type { Ask, Client, Session } from "../../../server/src/exploration/client";
import { directedRun, directedRunSync } from "../../../server/src/exploration/directedRun";
import type {
  ExploreSummary,
  Run,
  RunLimits,
  RunProblem,
  StoreLevel,
  Work,
} from "../../../server/src/exploration/exploration";
import { exploreAsync } from "../../../server/src/exploration/explore";
import { randomRuns } from "../../../server/src/exploration/randomRuns";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import { ordersOf } from "./axioms";
import { explored, LEVELS } from "./fuzz";
import { clientOf, historyText, programOf, randomProgram, read } from "./keyPrograms";

const PRODUCTS: readonly StoreLevel[] = [
  "postgres:read-committed",
  "postgres:repeatable-read",
  "mariadb:repeatable-read",
  "mariadb:repeatable-read(snapshot-isolation=on)",
  "tidb:repeatable-read",
];

function textsOf(runs: readonly Run[]): Set<string> {
  return new Set(runs.map((run) => historyText(run.history)));
}

test("random runs find the histories of the level, and no others", () => {
  for (const text of ["rx wx | rx wx", "rx wy | ry wx", "wx wy | rx ry; rx", "?x wy | wx; ry"])
    for (const level of [...LEVELS, ...PRODUCTS]) {
      const { client } = programOf(text);
      const all = textsOf(explored(client, { level }).runs);
      const random = randomRuns(client, { level });
      const found = Array.from({ length: 300 }, (_, seed) => random.runSync(seed));
      const finished = found.filter((run) => run.history.transactions.length > 0);
      const complete = Math.max(...finished.map((run) => run.history.transactions.length));
      const texts = textsOf(
        finished.filter(
          ({ history }) =>
            history.transactions.length === complete &&
            history.transactions.every(({ failure }) => failure === undefined),
        ),
      );
      assert.deepEqual([...texts].sort(), [...all].sort(), `${text} at ${level}`);
    }
});

test("random runs repeat, and strategies keep close to serial or far from it", () => {
  const { client } = programOf("rx wx; rx wx | rx wx; rx wx");
  const runs = randomRuns(client, { level: "causal" });
  assert.equal(historyText(runs.runSync(7).history), historyText(runs.runSync(7).history));
  const staleReads = (strategy: "latest" | "stale"): number => {
    const random = randomRuns(client, { level: "causal", strategy });
    return Array.from({ length: 50 }, (_, seed) => random.runSync(seed))
      .flatMap((run) => run.history.transactions.flatMap(({ events }) => events))
      .filter((event) => event.kind === "read" && event.from === 0).length;
  };
  assert.equal(staleReads("latest"), 50);
  assert.ok(staleReads("stale") >= 100);
});

test("a session is told that its commit was refused: at random runs of parallel snapshot isolation", () => {
  /** Writes what it read and one more, and on a refusal notes it under a key of its own. */
  const adding = (name: string): Session => ({
    kind: "sync",
    name,
    *run() {
      yield { kind: "begin" };
      yield { kind: "read", keys: ["x"] };
      const written = yield { kind: "write", key: "x", value: name };
      if (written.kind !== "failed" && (yield { kind: "commit" }).kind === "done") return;
      yield { kind: "begin" };
      yield { kind: "write", key: `refused ${name}`, value: true };
      yield { kind: "commit" };
    },
  });
  const client: Client = {
    initial: new Map([["x", "start"]]),
    sessions: [adding("a"), adding("b")],
  };
  // At snapshot isolation only runs are drawn in which all commit.
  for (const [level, refusals] of [
    ["parallel-snapshot-isolation", [0, 1]],
    ["snapshot-isolation", [0]],
  ] as const) {
    const random = randomRuns(client, { level });
    const seen = new Set<number>();
    for (let seed = 0; seed < 40; seed++) {
      const { transactions } = random.runSync(seed).history;
      const wrote = (key: string): boolean =>
        transactions.some(({ events }) => events.some((each) => "key" in each && each.key === key));
      const refused = transactions.filter(({ status }) => status === "aborted").length;
      const noted = ["refused a", "refused b"].filter(wrote).length;
      assert.equal(noted, refused, `seed ${String(seed)} at ${level}`);
      seen.add(refused);
    }
    assert.deepEqual([...seen].sort(), refusals, level);
  }
});

test("a directed run follows every history, and says what the level allows", async () => {
  const { client } = programOf("rx wy; rx | ry wx");
  const causal = explored(client, { level: "causal" }).runs;
  const serializable = textsOf(explored(client, { level: "serializable" }).runs);
  for (const { history } of causal) {
    const run = directedRunSync(client, { schedule: history, level: "serializable" });
    assert.equal(run.followed, true);
    assert.equal(historyText(run.history), historyText(history));
    assert.equal(run.allowed, serializable.has(historyText(history)));
    const later = await directedRun(client, { schedule: history, level: "serializable" });
    assert.deepEqual(later.history, run.history);
  }
  const other = programOf("rz wy; rx | ry wx").client;
  const [first] = causal;
  assert.ok(first);
  assert.equal(
    directedRunSync(other, { schedule: first.history, level: "any" }).followed,
    false,
    "another program does something else",
  );
});

test("final states are those of all orders of commits", () => {
  const last = (order: readonly { readonly id: number; readonly events: readonly unknown[] }[]) => {
    const writers = new Map<string, number>();
    for (const { id, events } of order as Run["history"]["transactions"])
      for (const event of events) if (event.kind === "write") writers.set(event.key, id);
    return [...writers].sort().join();
  };
  for (let seed = 1; seed <= 25; seed++) {
    const random = randomNumbers(seed);
    const shape = { sessions: 3, transactions: 2, operations: 2, keys: 2, branches: false };
    const program = randomProgram(random, shape);
    for (const level of LEVELS) {
      const { runs } = explored(program.client, { level });
      for (const run of runs.slice(0, 10)) {
        if (run.history.transactions.length > 5) continue;
        const wanted = new Set<string>();
        ordersOf(run.history, level, (order) => {
          wanted.add(last(order));
          return false;
        });
        const states = run.finalStates().map((state) =>
          [...state]
            .filter(([, { writer }]) => writer !== 0)
            .map(([key, { writer }]) => [key, writer])
            .sort()
            .join(),
        );
        assert.deepEqual(states.sort(), [...wanted].sort(), `${program.text} at ${level}`);
      }
    }
  }
});

test("predicates miss no key, however late it comes into being", () => {
  const client = clientOf(
    [
      [
        function* () {
          const reply = yield { kind: "read", keys: [], scans: ["t/"] };
          const size =
            reply.kind === "values" ? [...reply.values.values()].filter(Boolean).length : 0;
          yield { kind: "write", key: `t/${size + 1}`, value: size + 1 };
        },
      ],
      [
        function* () {
          const reply = yield { kind: "read", keys: ["t/1"], scans: ["t/"] };
          const size =
            reply.kind === "values" ? [...reply.values.values()].filter(Boolean).length : 0;
          yield { kind: "write", key: `t/${size + 1}`, value: size + 1 };
        },
      ],
    ],
    new Map(),
  );
  const serial = explored(client, { level: "serializable" });
  assert.deepEqual(serial.summary.universe, ["t/1", "t/2"]);
  assert.equal(serial.runs.length, 2);
  const causal = explored(client, { level: "causal" });
  assert.equal(causal.runs.length, 3);
  assert.equal(
    explored(client, { level: "causal", universe: ["t/1"] }).runs.length,
    3,
    "restarted",
  );
});

test("the work can be divided, and gone on with later", () => {
  const { client } = programOf("rx wy; ry | ry wx; rx | rx ry; wx");
  for (const level of ["causal", "snapshot-isolation", "postgres:read-committed"] as const) {
    const whole = explored(client, { level });
    const broad = explored(client, { level, spread: 5 });
    assert.ok(broad.summary.remaining.length >= 5);
    const parts = broad.summary.remaining.map((work) => {
      const plain = JSON.parse(JSON.stringify([work])) as Work[];
      return explored(client, { level, from: plain });
    });
    const all = [broad, ...parts];
    assert.deepEqual(
      all.flatMap(({ runs }) => runs.map((run) => historyText(run.history))).sort(),
      whole.runs.map((run) => historyText(run.history)).sort(),
    );
    const sum = (count: (summary: ExploreSummary) => number): number =>
      all.reduce((total, { summary }) => total + count(summary), 0);
    assert.equal(
      sum(({ runs }) => runs),
      whole.summary.runs,
    );
    assert.equal(
      sum(({ blocked }) => blocked),
      whole.summary.blocked,
    );
    assert.equal(whole.summary.exhausted, true);
    assert.equal(broad.summary.exhausted, false);
  }
});

/** Explores one asynchronous session beside one that writes x. */
async function beside(
  run: (ask: Ask) => Promise<void>,
  limits: RunLimits = {},
): Promise<{ readonly runs: readonly Run[]; readonly problems: readonly RunProblem[] }> {
  const writer: Session = {
    kind: "sync",
    name: "writer",
    *run() {
      yield { kind: "begin" };
      yield { kind: "write", key: "x", value: 1 };
      yield { kind: "commit" };
    },
  };
  const client: Client = {
    initial: new Map(),
    sessions: [{ kind: "async", name: "odd", run }, writer],
  };
  const runs: Run[] = [];
  for await (const event of exploreAsync(client, { level: "causal", ...limits }))
    if (event.kind === "run") runs.push(event.run);
  return { runs, problems: runs.flatMap(({ problems }) => problems) };
}

test("asynchronous sessions are explored as others are", async () => {
  const { runs, problems } = await beside(
    async (ask) => {
      await ask({ kind: "begin", name: "look" });
      await setImmediate();
      const reply = await ask({ kind: "read", keys: ["x"] });
      await ask({ kind: "commit", result: reply.kind === "values" ? reply.values.get("x") : null });
    },
    { turn: () => setImmediate() },
  );
  assert.deepEqual(problems, []);
  const results = runs.map(
    ({ history }) => history.transactions.find(({ name }) => name === "look")?.result,
  );
  assert.deepEqual(results, [undefined, 1]);
});

test("code that misbehaves ends its session, is told of, and the others go on", async () => {
  const begin = { kind: "begin" } as const;
  const look = { kind: "read", keys: ["x"] } as const;
  const cases: readonly [RunProblem["kind"], RegExp, (ask: Ask) => Promise<void>, RunLimits?][] = [
    [
      "thrown",
      /no such luck/,
      async (ask) => {
        await ask(begin);
        await ask(look);
        throw new Error("no such luck");
      },
    ],
    [
      "stuck",
      /not the store/,
      async (ask) => {
        await ask(begin);
        await new Promise(() => undefined);
      },
    ],
    [
      "too-many-events",
      /more than 50/,
      async (ask) => {
        await ask(begin);
        for (;;) await ask(look);
      },
      { events: 50 },
    ],
    [
      "too-many-transactions",
      /ran 20/,
      async (ask) => {
        for (;;) {
          await ask(begin);
          await ask({ kind: "commit" });
        }
      },
      { transactions: 20 },
    ],
    ["wrong-request", /outside/, async (ask) => void (await ask(look))],
    ["wrong-request", /without commit/, async (ask) => void (await ask(begin))],
    [
      "wrong-request",
      /inside/,
      async (ask) => {
        await ask(begin);
        await ask(begin);
      },
    ],
    [
      "thrown",
      /await each request/,
      async (ask) => {
        await ask(begin);
        await Promise.all([ask(look), ask(look)]);
      },
    ],
  ];
  for (const [kind, message, run, limits] of cases) {
    const { runs, problems } = await beside(run, limits);
    assert.ok(runs.length > 0);
    for (const { history } of runs)
      assert.ok(
        history.transactions.some(({ session }) => session === 1),
        `${kind}: the writer ran`,
      );
    assert.ok(problems.length > 0, kind);
    for (const problem of problems) {
      assert.equal(problem.kind, kind);
      assert.match(problem.message, message);
    }
  }
});

test("code that does something else the second time is told of", () => {
  let count = 0;
  const client = clientOf([
    [
      function* () {
        yield* read("x");
        yield { kind: "write", key: "y", value: count++ };
      },
    ],
    [
      function* () {
        yield { kind: "write", key: "x", value: 1 };
      },
    ],
  ]);
  const [run] = explored(client, { level: "causal" }).runs;
  assert.deepEqual(
    run?.problems.map(({ kind, session }) => [kind, session]),
    [["not-deterministic", 0]],
  );
  assert.match(run?.problems[0]?.message ?? "", /first write y = \d, then write y = \d/);
});

test("a session that throws in an open transaction leaves nothing", () => {
  const client = clientOf([
    [
      function* () {
        yield { kind: "write", key: "x", value: 5 };
        throw new Error("broken");
      },
    ],
    [
      function* () {
        yield* read("x");
      },
    ],
  ]);
  const { runs } = explored(client, { level: "any" });
  assert.equal(runs.length, 1);
  assert.equal(runs[0]?.history.transactions[0]?.status, "aborted");
  assert.equal(runs[0]?.finalStates()[0]?.get("x")?.value, 0);
});

test("more than 32 and 64 transactions in a history", () => {
  const session = (key: string): string =>
    Array.from({ length: 40 }, () => `r${key} w${key}`).join("; ");
  const { client } = programOf(`${session("x")} | ${session("y")}`);
  for (const level of LEVELS) {
    if (level === "any" || level === "read-committed") continue;
    const { runs, summary } = explored(client, { level });
    assert.equal(runs.length, 1, level);
    assert.equal(summary.exhausted, true);
  }
});
