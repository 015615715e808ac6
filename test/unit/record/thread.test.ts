// The way of a recording's bytes to the thread that decodes them: order, bounds, and what becomes of a thread that fails.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import {
  createBatcher,
  forEachPart,
  ORIGIN,
  type Batch,
} from "../../../server/src/record/thread/batches";
import type { FromThread } from "../../../server/src/record/thread/messages";
import { startIntakeThread } from "../../../server/src/record/thread/remoteIntake";
import { intakeOf } from "../../../server/src/record/thread/thread";

const home = mkdtempSync(path.join(os.tmpdir(), "isolens-thread-"));
const recording = { file: path.join(home, "recording.jsonl"), isContinued: false };

function told(batch: Batch): string {
  const parts: string[] = [];
  forEachPart(batch, (connection, origin, chunk) =>
    parts.push(`${String(connection)} ${String(origin)} ${chunk.toString()}`),
  );
  return parts.join("; ");
}

test("parts of a batch keep their order, large ones do not wait", () => {
  const batches: Batch[] = [];
  const batcher = createBatcher((batch) => batches.push(batch));
  batcher.add(1, ORIGIN.client, Buffer.from("one"));
  batcher.add(2, ORIGIN.server, Buffer.from("two"));
  batcher.add(1, ORIGIN.end, Buffer.alloc(0));
  assert.equal(batches.length, 0);
  batcher.flush();
  batcher.flush();
  assert.deepEqual(batches.map(told), ["1 0 one; 2 1 two; 1 2 "]);
  batcher.add(3, ORIGIN.server, Buffer.alloc(300_000));
  assert.equal(batches[1]?.bytes.length, 300_000);
});

/** Messages of the client and answers of the server, as PostgreSQL's protocol writes them. */
function message(type: string, body: string): Buffer {
  const head = Buffer.alloc(type.length + 4);
  head.write(type);
  head.writeInt32BE(4 + Buffer.byteLength(body), type.length);
  return Buffer.concat([head, Buffer.from(body)]);
}

test("the thread takes statements in, and tells all of them at its end", () => {
  const sent: FromThread[] = [];
  const take = intakeOf({ protocol: "postgres", recording }, (each) => sent.push(each));
  const batcher = createBatcher((batch) => {
    take({ kind: "batch", batch });
  });
  batcher.add(1, ORIGIN.client, message("", "\0\x03\0\0user\0ann\0\0"));
  batcher.add(1, ORIGIN.server, Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I")]));
  batcher.add(1, ORIGIN.client, message("Q", "UPDATE t SET a = 1\0"));
  batcher.flush();
  batcher.add(1, ORIGIN.server, Buffer.concat([message("C", "UPDATE 2\0"), message("Z", "I")]));
  batcher.add(1, ORIGIN.end, Buffer.alloc(0));
  batcher.flush();
  take({ kind: "end" });
  const last = sent.at(-1);
  assert.ok(last?.kind === "state");
  assert.deepEqual(
    last.state.statements.map(({ text, affected }) => [text, affected]),
    [["UPDATE t SET a = $1", 2]],
  );
  assert.deepEqual(
    sent.map(({ kind }) => kind),
    ["done", "done", "state"],
  );
});

/** A thread that does what the script says. */
function started(name: string, script: string, remarks: string[] = []) {
  const file = path.join(home, name);
  writeFileSync(file, script);
  const remark = (text: string): void => {
    remarks.push(text);
  };
  return startIntakeThread({ script: file, protocol: "postgres", recording, remark });
}

test("a thread that fails ends the recording, is told once, and holds nobody up", async () => {
  const remarks: string[] = [];
  const intake = started("failing.cjs", 'throw new Error("broken")', remarks);
  const watch = intake.watch(1);
  watch.fromServer(Buffer.alloc(40 * 1024 * 1024));
  await watch.relief();
  assert.equal(watch.relief(), undefined);
  assert.equal(await intake.close(), undefined);
  assert.equal(remarks.length, 1);
  assert.match(
    remarks[0] ?? "",
    /nothing is recorded from here on \(internal fault .*record --from/,
  );
});

test("connections wait while too many bytes do, and go on when these were looked at", async () => {
  const intake = started(
    "slow.cjs",
    `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ kind, batch }) => {
      if (kind === "end") {
        parentPort.postMessage({ kind: "state", state: { count: 7 } });
        parentPort.close();
      } else setTimeout(() => parentPort.postMessage({ kind: "done", bytes: batch.bytes.length }), 20);
    });`,
  );
  const watch = intake.watch(1);
  watch.fromServer(Buffer.alloc(1024));
  assert.equal(watch.relief(), undefined);
  watch.fromServer(Buffer.alloc(17 * 1024 * 1024));
  await watch.relief();
  assert.equal(watch.relief(), undefined);
  assert.equal((await intake.close())?.count, 7);
});
