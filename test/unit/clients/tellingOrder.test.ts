// Steps of a run in an order in which they can have happened: every read finds the newest version that is committed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedStep } from "../../../server/src/clients/sqlSession";
import { rowKey } from "../../../server/src/clients/rowKeys";
import { tellingOrder, type ToldStep } from "../../../server/src/clients/tellingOrder";
import { transactionId, type History } from "../../../server/src/exploration/history";
import { randomFrom } from "../../bench/randomRun";

type Statement = ObservedStep["statement"];

/** The executed run is of no matter here. */
const STATEMENT: Statement = JSON.parse("{}") as Exclude<Statement, string>;

/** A small history run by a scheduler at READ COMMITTED, and then written down one transaction after the other. */
function run(seed: number): { readonly told: readonly ToldStep[]; readonly history: History } {
  const next = randomFrom(seed);
  const pick = (most: number): number => Math.floor(next() * most);
  const count = 2 + pick(3);
  const newest = new Map<string, number>();
  const locked = new Map<string, number>();
  const open = Array.from({ length: count }, (_, session) => ({
    id: transactionId(session, 0),
    session,
    left: 1 + pick(4),
    steps: [] as ToldStep[],
    events: [] as History["transactions"][number]["events"][number][],
    own: new Set<string>(),
  }));
  const order: typeof open = [];
  const step = (
    session: number,
    statement: Statement,
    writes: readonly string[],
  ): ObservedStep => ({
    instance: `t${String(session)}`,
    statement,
    cells: [],
    // Of a write only the place matters here.
    writes: writes.map((key) => ({ table: key, key: "1" })) as unknown as ObservedStep["writes"],
    rows: [],
    affected: 0,
  });
  while (order.length < count) {
    const running = open.filter((each) => !order.includes(each));
    const one = running[pick(running.length)];
    assert.ok(one);
    const table = "abc"[pick(3)] ?? "a";
    const key = rowKey(table, "1");
    if (one.left === 0) {
      one.steps.push({ step: step(one.session, "commit", []), reads: new Map() });
      for (const own of one.own) {
        newest.set(own, one.id);
        locked.delete(own);
      }
      order.push(one);
      continue;
    }
    one.left -= 1;

    if (next() < 0.5) {
      if (one.own.has(key)) continue;
      one.steps.push({
        step: step(one.session, STATEMENT, []),
        reads: new Map([[key, newest.get(key) ?? 0]]),
      });
    } else if ((locked.get(key) ?? one.id) === one.id) {
      locked.set(key, one.id);
      one.own.add(key);
      one.events.push({ kind: "write", key, value: one.id });
      one.steps.push({ step: step(one.session, STATEMENT, [table]), reads: new Map() });
    }
  }
  const history: History = {
    transactions: order.map(({ id, session, events }) => ({
      id,
      session,
      index: 0,
      name: `t${String(session)}`,
      events,
      status: "committed",
    })),
  };
  return { told: order.flatMap(({ steps }) => steps), history };
}

test("what a scheduler can run is told in an order in which every read finds the newest version", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { told, history } = run(seed);
    const names = new Map(history.transactions.map(({ id, name }) => [id, name ?? ""]));
    const idOf = new Map([...names].map(([id, name]) => [name, id]));
    const order = tellingOrder(told, history, (id) => names.get(id) ?? "");
    assert.equal(new Set(order).size, told.length);
    const newest = new Map<string, number>();
    const locked = new Map<string, string>();
    for (const { step, reads } of order) {
      for (const [key, from] of reads)
        assert.equal(newest.get(key) ?? 0, from, `seed ${String(seed)}`);
      for (const { table, key } of step.writes) {
        const row = rowKey(table, key);
        assert.equal(locked.get(row) ?? step.instance, step.instance, `seed ${String(seed)}`);
        locked.set(row, step.instance);
      }
      if (step.statement !== "commit") continue;
      for (const [row, owner] of [...locked]) {
        if (owner !== step.instance) continue;
        locked.delete(row);
        newest.set(row, idOf.get(owner) ?? 0);
      }
    }
  }
});

test("what no order explains stays as it was executed", () => {
  const { history } = run(1);
  const [first, second] = history.transactions;
  assert.ok(first && second);

  const of = (name: string | undefined, reads: ToldStep["reads"]): ToldStep => ({
    step: {
      instance: name ?? "",
      statement: STATEMENT,
      cells: [],
      writes: [],
      rows: [],
      affected: 0,
    },
    reads,
  });
  const told = [
    of(first.name, new Map([["a", second.id]])),
    of(second.name, new Map([["a", first.id]])),
  ];
  const nameOf = (id: number): string =>
    history.transactions.find((each) => each.id === id)?.name ?? "";
  assert.equal(tellingOrder(told, history, nameOf), told);
});
