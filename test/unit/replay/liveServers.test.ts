// A sample of the litmus programs on real servers, where they are installed: nothing that a server shows may be
// something that the store does not allow.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MODELLED_LEVELS, type ProductLevel } from "../../../server/src/isolation/levels";
import { hasDeadlock } from "../../../server/src/replay/servers/liveServer";
import { compareLive, litmusOf } from "../../support/liveComparison";
import { openStage, runLive, type LiveStage } from "../../support/liveLitmus";
import { serverFor } from "../../support/liveServers";
import { chooser } from "../analysis/productsHarness";
import { randomTransactions } from "../analysis/randomTransactions";
import { productOf } from "../store/programs";
import { readLitmus, type Litmus } from "../store/litmus";

/** Lost updates, skew on items and on predicates, a scan against a swap, gaps, and a lock that waits. */
const SAMPLE = ["L10", "L13", "L20", "L26", "L33", "L42"];

for (const product of ["postgres", "mariadb"] as const)
  test(`litmus programs on ${product} itself show what the store allows`, async (context) => {
    const temporary = await serverFor(product, context);
    if (temporary === undefined) return;
    const stage = await openStage(temporary.server);
    try {
      const levels = MODELLED_LEVELS.filter(
        (each) => each.product === product && each.evidence === "measured",
      );
      for (const litmus of readLitmus().filter(({ id }) => SAMPLE.includes(id))) {
        for (const level of levels) await checkLive(stage, litmus, [level]);
        const [mixture] = Object.keys(litmus.observedMixed ?? {}).filter((each) =>
          each.startsWith(product),
        );
        if (mixture !== undefined)
          await checkLive(stage, litmus, mixture.split(" + ").map(productOf));
      }
      await checkRandomLive(stage, levels);
      await checkRefusal(stage);
    } finally {
      await stage.close();
      await temporary.stop();
    }
  });

test("a deadlock is a cycle among those that wait", () => {
  const waits = (pairs: readonly (readonly [number, readonly number[]])[]) => new Map(pairs);
  assert.equal(hasDeadlock(waits([[1, [2]]])), false);
  assert.equal(
    hasDeadlock(
      waits([
        [1, [2]],
        [2, [3]],
        [3, [4]],
      ]),
    ),
    false,
  );
  assert.equal(
    hasDeadlock(
      waits([
        [1, [2]],
        [2, [3]],
        [3, [2]],
      ]),
    ),
    true,
  );
});

async function checkLive(
  stage: LiveStage,
  litmus: Litmus,
  levels: readonly ProductLevel[],
): Promise<void> {
  const choose = chooser(7);
  const live = await runLive(stage, litmus, levels, {
    most: 20,
    choose: (below) => choose([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % below,
  });
  const { missing } = compareLive(litmus, levels, live);
  const place = `${litmus.id} ${litmus.name} at ${levels.map(({ name }) => name).join(" + ")}`;
  assert.ok(live.runs > 1, place);
  assert.deepEqual(missing, [], place);
}

/** Inserts, deletes, scans, guards and rollbacks, one level per program in turn. */
async function checkRandomLive(stage: LiveStage, levels: readonly ProductLevel[]): Promise<void> {
  for (let number = 0; number < 12; number += 1) {
    const transactions = randomTransactions(chooser(31 + number * 17));
    const pair = transactions.length === 1 ? [...transactions, ...transactions] : transactions;
    const level = levels[number % levels.length];
    if (level !== undefined)
      await checkLive(stage, litmusOf(`random ${String(number)}`, pair, { 1: 1, 2: 2 }), [level]);
  }
}

/** A refusal of a server is a value with its code, and the session goes on. */
async function checkRefusal({ server, sessions: [session] }: LiveStage): Promise<void> {
  if (session === undefined) throw new Error("there is no session");
  const refused = await session.execute("SELECT nothing FROM nowhere");
  assert.equal(refused.ok, false);
  assert.equal(refused.ok ? "" : refused.code, server.product === "postgres" ? "42P01" : "1146");
  assert.deepEqual(await session.execute("SELECT 1 AS n"), {
    ok: true,
    rows: [{ n: 1 }],
    affected: 1,
  });
}
