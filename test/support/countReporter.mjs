// A reporter for node:test that writes one JSON object at the end: how many tests ran, and what could not run here.

/**
 * @typedef {object} Counts
 * @property {number} tests
 * @property {number} pass
 * @property {number} fail
 * @property {number} skipped
 * @property {{ file: string, seconds: number }[]} times of the outermost tests, by file: relative to test/, or absolute
 * @property {{ file: string, name: string, message: string }[]} failures
 * @property {string[]} absent peers that are not installed: a test says `context.diagnostic("not run: NAME")`
 */

/**
 * @param {AsyncIterable<import("node:test/reporters").TestEvent>} source
 * @returns {AsyncGenerator<string>}
 */
export default async function* countReporter(source) {
  /** @type {Counts} */
  const counts = { tests: 0, pass: 0, fail: 0, skipped: 0, failures: [], absent: [], times: [] };
  for await (const event of source) {
    if (event.type === "test:diagnostic") {
      const name = /^not run: (.+)$/.exec(event.data.message)?.[1];
      if (name !== undefined) counts.absent.push(name);
    }
    if (event.type !== "test:pass" && event.type !== "test:fail") continue;
    if (event.data.nesting === 0) {
      const { name, file = name, details } = event.data;
      const seconds = details.duration_ms / 1000;
      counts.times.push({ file: name.endsWith(".test.ts") ? name : file, seconds });
    }
    // A suite is not a test of its own.
    if (event.data.details.type === "suite") continue;
    counts.tests += 1;
    if (event.data.skip !== undefined || event.data.todo !== undefined) counts.skipped += 1;
    else if (event.type === "test:pass") counts.pass += 1;
    else {
      counts.fail += 1;
      counts.failures.push(failureOf(event.data));
    }
  }
  yield JSON.stringify(counts);
}

/** @param {{ name: string, file?: string | undefined, details: object }} data */
function failureOf({ name, file = "", details }) {
  const error = "error" in details ? details.error : undefined;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return { file, name, message: cause instanceof Error ? cause.message : String(cause) };
}
