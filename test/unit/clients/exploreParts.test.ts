// Explorations that are divided find what one explorer finds, in the same order, however they are divided.
import assert from "node:assert/strict";
import path from "node:path";
import { before, describe, it } from "node:test";
import { exploreClient, type ClientExploration } from "../../../server/src/clients/exploreClient";
import {
  exploreParts,
  type Part,
  type PartRunner,
  type PartsResult,
} from "../../../server/src/clients/exploreParts";
import { accessRules } from "../../../server/src/clients/statementView";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import type { StoreLevel } from "../../../server/src/exploration/exploration";
import { loadClient, type LoadedClient } from "../../../server/src/service/exploration/loadClient";
import {
  readSavedExploration,
  savedExplorationText,
} from "../../../server/src/service/exploration/snapshot";

const CLIENTS = path.join(__dirname, "..", "..", "clients");
const loaded = new Map<string, LoadedClient>();

before(async () => {
  const parsers = { pg: await loadPgParser() };
  for (const name of ["monkeydb/reappears", "courseware/overflow"]) {
    const { client } = await loadClient(path.join(CLIENTS, `${name}.client.json`), parsers);
    if (client !== undefined) loaded.set(name, client);
  }
});

function clientOf(name: string): LoadedClient {
  const client = loaded.get(name);
  assert.ok(client, name);
  return client;
}

/** Explores up to so many histories of a part, and answers after a while that nobody can foresee. */
function runner(client: LoadedClient, level: StoreLevel, most: number, seed: number): PartRunner {
  const random = randomNumbers(seed);
  return async (part) => {
    let count = 0;
    const result = await exploreClient(client.open(rules), client.assertions, {
      level,
      ...part,
      progress: (histories) => (count = histories),
      stop: () => count >= most,
    });
    for (let turns = random(20); turns > 0; turns--)
      await new Promise<void>((resolve) => setImmediate(resolve));
    return result;
  };
}

const rules = accessRules({ family: "paper" });

/** The parts that must not depend on how the work was divided. */
function told({ histories, exhausted, states, broken, faults, problems }: ClientExploration) {
  return { histories, exhausted, states: [...states].sort(), broken, faults, problems };
}

async function whole(client: LoadedClient, level: StoreLevel) {
  const result = await exploreClient(client.open(rules), client.assertions, {
    level,
    stop: () => false,
  });
  assert.ok(result.histories > 5 && result.exhausted);
  return told(result);
}

describe("divided explorations", () => {
  const check = (name: string, level: StoreLevel, runners: number, most: number): void => {
    it(`${name} at ${level}: ${String(runners)} with ${String(most)} histories at a time`, async () => {
      const client = clientOf(name);
      const expected = await whole(client, level);
      const all = Array.from({ length: runners }, (_, at) => runner(client, level, most, at + 1));
      assert.deepEqual(told(await exploreParts(all, { stop: () => false })), expected);
    });
  };
  check("monkeydb/reappears", "causal", 1, 10);
  check("monkeydb/reappears", "causal", 2, 7);
  check("monkeydb/reappears", "causal", 5, 3);
  check("monkeydb/reappears", "serializable", 3, 4);
  check("courseware/overflow", "causal", 3, 1);
  check("courseware/overflow", "snapshot-isolation", 2, 2);
  check("courseware/overflow", "parallel-snapshot-isolation", 3, 2);

  it("go on where they were stopped, from a text", async () => {
    const client = clientOf("monkeydb/reappears");
    const subject = { identity: "x", level: "causal" };
    let rest: PartsResult | undefined;
    let rounds = 0;
    for (; rest?.exhausted !== true; rounds++) {
      const saved =
        rest &&
        readSavedExploration(savedExplorationText({ ...rest, assertions: [0] }, subject), subject);
      assert.ok(typeof saved !== "string", "what was saved cannot be read");
      let parts = 0;
      const one = runner(client, "causal", 20, 1);
      const counted = (part: Part) => {
        parts++;
        return one(part);
      };
      rest = await exploreParts([counted], {
        stop: () => parts >= 2,
        ...(saved && { begin: saved }),
      });
    }
    assert.ok(rounds > 2, `${String(rounds)} rounds`);
    assert.deepEqual(told(rest), await whole(client, "causal"));
  });

  it("say that one gave up, and keep what it was exploring", async () => {
    const client = clientOf("monkeydb/reappears");
    let parts = 0;
    const dying: PartRunner = (part) => {
      parts++;
      return parts > 2
        ? Promise.reject(new Error("it died"))
        : runner(client, "causal", 10, 1)(part);
    };
    const cut = await exploreParts([dying], { stop: () => false });
    assert.deepEqual([cut.failure, cut.exhausted, cut.histories], ["it died", false, 20]);
    const { segments, states, universe } = cut;
    const rest = await exploreParts([runner(client, "causal", 50, 1)], {
      stop: () => false,
      begin: { segments, states, universe },
    });
    assert.deepEqual(told(rest), await whole(client, "causal"));
  });

  it("do not go on from what is not theirs", () => {
    const subject = { identity: "x", level: "causal" };
    const text = savedExplorationText(
      { assertions: [], segments: [], states: [], universe: [] },
      subject,
    );
    const check = (given: string, asked: typeof subject, reason: RegExp): void => {
      const read = readSavedExploration(given, asked);
      assert.ok(typeof read === "string");
      assert.match(read, reason);
    };
    check("{", subject, /not what an exploration left/u);
    check("[1]", subject, /not what an exploration left/u);
    check(text.replace("segments", "segment5"), subject, /was changed/u);
    check(text, { ...subject, level: "serializable" }, /at causal, not at serializable/u);
    check(text, { ...subject, identity: "y" }, /has changed/u);
    check(text.replace('ration":1', 'ration":2'), subject, /another version/u);
  });
});
