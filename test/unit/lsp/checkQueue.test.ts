import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCheckQueue, type QueueJob } from "../../../server/src/lsp/checkQueue";

/** A job that notes when it begins and ends, and ends by its gate or its abort. */
function job(log: string[], name: string, gate?: Promise<void>): QueueJob {
  return async (signal) => {
    log.push(`${name} begins`);
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
    await Promise.race([gate ?? Promise.resolve(), aborted]);
    log.push(signal.aborted ? `${name} stopped` : `${name} ends`);
  };
}

const forever = new Promise<void>(() => undefined);

describe("the queue of checks", () => {
  it("runs one job of a key after the other, the newest only", async () => {
    const queue = createCheckQueue();
    const log: string[] = [];
    void queue.submit("a", job(log, "first"));
    void queue.submit("a", job(log, "second"));
    await queue.submit("a", job(log, "third"));
    assert.deepEqual(log, ["third begins", "third ends"]);
  });

  it("stops what runs when the same is asked again", async () => {
    const queue = createCheckQueue();
    const log: string[] = [];
    const begun = new Promise<void>((resolve) => {
      void queue.submit("a", (signal) => {
        resolve();
        return job(log, "old", forever)(signal);
      });
    });
    await begun;
    await queue.submit("a", job(log, "new"));
    assert.deepEqual(log, ["old begins", "old stopped", "new begins", "new ends"]);
  });

  it("leaves other keys alone", async () => {
    const queue = createCheckQueue();
    const log: string[] = [];
    await Promise.all([queue.submit("a", job(log, "a")), queue.submit("b", job(log, "b"))]);
    assert.deepEqual([...log].sort(), ["a begins", "a ends", "b begins", "b ends"]);
  });

  it("cancels what waits and what runs", async () => {
    const queue = createCheckQueue();
    const log: string[] = [];
    const ended = queue.submit("a", job(log, "a"), { delay: 60_000 });
    assert.equal(queue.cancel(), 1);
    await ended;
    assert.deepEqual(log, []);
    assert.equal(queue.cancel(), 0);
    assert.equal(queue.waits("a"), false);
  });
});
