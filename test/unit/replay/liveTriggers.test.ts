// The effect of PostgreSQL's triggers on its tables, and that of the statements that stand for them in the store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFor } from "../../support/liveServers";
import { randomSeed } from "../analysis/agreementRuns";
import { chooser } from "../analysis/productsHarness";
import { compareTriggers, randomTriggers, triggersText } from "./randomTriggers";

const PROGRAMS = 60;

test("transactions that fire triggers leave the rows that PostgreSQL leaves", async (context) => {
  const temporary = await serverFor("postgres", context);
  if (temporary === undefined) return;
  const session = await temporary.server.open();
  let same = 0;
  try {
    for (let number = 1; number <= PROGRAMS; number += 1) {
      const program = randomTriggers(chooser(randomSeed(1, number)));
      const { kind, server, store } = await compareTriggers(session, program);
      if (kind === "different") assert.equal(store, server, triggersText(program));
      if (kind === "same") same += 1;
    }
    assert.ok(same > PROGRAMS / 2, `${String(same)} understood`);
  } finally {
    await session.close();
    await temporary.stop();
  }
});
