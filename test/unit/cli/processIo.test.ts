// Signals that end the command line.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { processIo, type Interrupt } from "../../../server/src/cli/processIo";

/** Events that a process with these interrupts tells when it gets signals. */
function told(interrupts: readonly Interrupt[], ...signals: readonly string[]): readonly string[] {
  const events: string[] = [];
  const stream = Object.assign(new EventEmitter(), { isTTY: false });
  const own = Object.assign(new EventEmitter(), {
    ...{ stdout: stream, stderr: stream, env: {}, cwd: () => "/" },
    exit: (code: number) => events.push(`exit ${String(code)}`),
  });
  const controller = new AbortController();
  controller.signal.addEventListener("abort", () => events.push("aborts"));
  // The parts of a process that are used.
  processIo(own as unknown as NodeJS.Process, controller, interrupts);
  for (const signal of signals) if (!own.emit(signal)) events.push(`not heard: ${signal}`);
  return events;
}

test("the first interrupt ends the work, the second one the process", () => {
  const all = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  assert.deepEqual(told(all, "SIGTERM", "SIGTERM"), ["aborts", "exit 143"]);
  assert.deepEqual(told(all, "SIGHUP", "SIGINT"), ["aborts", "exit 130"]);
  assert.deepEqual(told(["SIGINT"], "SIGTERM", "SIGINT"), ["not heard: SIGTERM", "aborts"]);
});
