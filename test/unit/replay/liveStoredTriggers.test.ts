// The effect of MariaDB's triggers on its tables, and that of the statements that stand for them in the store.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverFor } from "../../support/liveServers";
import { randomSeed } from "../analysis/agreementRuns";
import { chooser } from "../analysis/productsHarness";
import {
  compareStoredTriggers,
  randomStoredTriggers,
  storedTriggersText,
} from "./randomStoredTriggers";

const PROGRAMS = 40;

test("transactions that fire triggers leave the rows that MariaDB leaves", async (context) => {
  const temporary = await serverFor("mariadb", context);
  if (temporary === undefined) return;
  const session = await temporary.server.open();
  let same = 0;
  try {
    await session.execute("CREATE DATABASE triggers");
    await session.execute("USE triggers");
    for (let number = 1; number <= PROGRAMS; number += 1) {
      const program = randomStoredTriggers(chooser(randomSeed(1, number)));
      const { kind, server, store } = await compareStoredTriggers(session, program);
      if (kind === "different") assert.equal(store, server, storedTriggersText(program));
      if (kind === "same") same += 1;
    }
    assert.ok(same > PROGRAMS / 2, `${String(same)} understood`);
  } finally {
    await session.close();
    await temporary.stop();
  }
});
