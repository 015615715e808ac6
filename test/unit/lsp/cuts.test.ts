// Broken texts are calm: whether they were whole before or are opened so, nothing is told of them that goes when they are whole.
// A sample; `npm run bench:cuts` cuts every example program at each token.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { Session } from "../../../server/src/service/session";
import { cutsOf } from "../../support/cuts";
import { openTestSession } from "../service/testSession";

const APPS = path.resolve(__dirname, "../../apps");

describe("files cut behind a token", () => {
  let session: Session;
  before(async () => {
    session = await openTestSession();
  });
  after(() => session.dispose());

  for (const [app, every] of [
    ["bank", 41],
    ["micro", 53],
    ["prisma-shapes", 211],
  ] as const) {
    it(`of ${app} tell nothing that the whole file does not`, async () => {
      const states = new Set<string>();
      for await (const cut of cutsOf(session, path.join(APPS, app), { every, first: 7 })) {
        states.add(cut.state);
        if (cut.state === "program") continue;
        assert.deepEqual(cut.more, [], `${cut.file} at ${String(cut.at)} after ${cut.before}`);
        assert.notEqual(cut.verdict, "safe");
      }
      assert.ok(states.has("stands") && states.has("broken"));
    });
  }
});
