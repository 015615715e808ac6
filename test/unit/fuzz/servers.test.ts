// The servers' fuzzer itself: it sees what a server does wrong and what it does not, where a verdict is wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openOrders } from "../../fuzz/servers/orders";
import { postgresStage } from "../../fuzz/servers/postgresStage";
import { readProgram } from "../../fuzz/servers/program";
import { randomOf } from "../../fuzz/servers/random";
import { searchInterleavings, someChoosers } from "../../fuzz/servers/serial";
import { serverFor } from "../../support/liveServers";

const withdrawal = (lock: string): string => `
-- !init insert into acc values (1, 10)
-- !run withdraw(1, 2) | withdraw(1, 3)
create table acc (id int primary key, v int not null);
create function withdraw(p int, q int) returns int language plpgsql as $$
declare x int;
begin
  select v into x from acc where id = p${lock};
  /*bp*/
  update acc set v = x - q where id = p;
  return x - q;
end $$;
`;

const EXPECTED = [
  { lock: "", level: "postgres:read-committed", isWrong: true },
  { lock: " for update", level: "postgres:read-committed", isWrong: false },
  { lock: "", level: "postgres:serializable", isWrong: false },
];

test("each order of steps is run once, and none after all have been", () => {
  const orders = openOrders();
  const seen: string[] = [];
  for (const choose of someChoosers(randomOf(1), 40)) {
    if (orders.areDone()) break;
    const left = [2, 2];
    const walk = orders.begin(choose);
    let order = "";
    for (;;) {
      const ready = [0, 1].filter((at) => (left[at] ?? 0) > 0);
      if (ready.length === 0) break;
      const chosen = walk.choose(ready);
      left[chosen] = (left[chosen] ?? 0) - 1;
      order += String(chosen);
    }
    walk.end();
    seen.push(order);
  }
  assert.deepEqual(seen.sort(), ["0011", "0101", "0110", "1001", "1010", "1100"]);
});

test("interleavings on a server give what no serial order gives exactly where something is lost", async (context) => {
  const temporary = await serverFor("postgres", context);
  if (temporary === undefined) return;
  const stage = await postgresStage(temporary.address);
  try {
    for (const { lock, level, isWrong } of EXPECTED) {
      const program = readProgram(withdrawal(lock), level);
      assert.equal(await stage.define(program), undefined);
      const found = await searchInterleavings(
        stage,
        program,
        { init: program.init, calls: program.runs[0] ?? [], isAfresh: false },
        { choosers: someChoosers(randomOf(1), 24), stopAtFirst: false },
      );
      assert.ok(found.interleavings > 0);
      assert.equal(found.wrong.length > 0, isWrong, `${level}${lock}`);
    }
  } finally {
    await stage.close();
    await temporary.stop();
  }
});
