import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createThrottle } from "../../../server/src/lsp/throttle";

/** Work that takes so many milliseconds of the mocked clock each time it runs. */
function slowWork(context: TestContext, milliseconds: number) {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const runs: number[] = [];
  const throttle = createThrottle(() => {
    runs.push(Date.now());
    context.mock.timers.setTime(Date.now() + milliseconds);
  });
  const pass = (passed: number): void => {
    for (let tick = 0; tick < passed; tick++) context.mock.timers.tick(1);
  };
  return { throttle, runs, pass };
}

describe("work that is requested more often than it should run", () => {
  it("runs at once, and of the requests that follow one", (context) => {
    const { throttle, runs, pass } = slowWork(context, 0);
    for (let request = 0; request < 100; request++) throttle.request();
    assert.deepEqual(runs, [0]);
    pass(1000);
    assert.equal(runs.length, 2);
    pass(1000);
    throttle.request();
    assert.deepEqual(runs.slice(2), [2000]);
  });

  it("leaves ten elevenths of the time to others", (context) => {
    const { throttle, runs, pass } = slowWork(context, 200);
    throttle.request();
    throttle.request();
    pass(1900);
    assert.deepEqual(runs, [0]);
    pass(200);
    assert.deepEqual(runs, [0, 2200]);
  });

  it("runs no more after it was cancelled, and once where it is flushed", (context) => {
    const { throttle, runs, pass } = slowWork(context, 0);
    throttle.request();
    throttle.request();
    throttle.cancel();
    pass(1000);
    throttle.flush();
    assert.deepEqual(runs, [0]);
    throttle.request();
    throttle.request();
    throttle.flush();
    assert.equal(runs.length, 3);
  });
});
