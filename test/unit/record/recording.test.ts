// Recordings as files.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import {
  openRecording,
  readRecording,
  type RecordingWriter,
} from "../../../server/src/record/recording";
import { newGlossary, recordedStatement } from "../../../server/src/record/statements";

test("a file is made with the first statement, and is its owner's alone also where it was there before", () => {
  const root = mkdtempSync(path.join(os.tmpdir(), "isolens-recording-"));
  const file = path.join(root, "isolens", "recording.jsonl");
  const failures: unknown[] = [];
  const open = (name: string, isContinued: boolean): RecordingWriter =>
    openRecording({ file: name, isContinued }, { protocol: "mysql", key: "own" }, (error) =>
      failures.push(error),
    );
  open(file, false).close();
  assert.equal(existsSync(path.dirname(file)), false);

  const event = { connection: 1, order: 1, at: 0, sql: "SELECT 1", arguments: [], columns: [] };
  const own = { ...event, rows: [], count: 0, status: "idle" } as const;
  const statement = recordedStatement(own, "mysql", newGlossary());
  const record = (isContinued: boolean): void => {
    const writer = open(file, isContinued);
    writer.add(statement);
    writer.close();
  };
  record(false);
  chmodSync(file, 0o644);
  record(true);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const read = readRecording(file);
  assert.equal("statements" in read && read.statements.length, 2);
  assert.equal("key" in read && read.key, "own");

  record(false);
  const again = readRecording(file);
  assert.equal("statements" in again && again.statements.length, 1);
  const blocked = path.join(root, "blocked");
  writeFileSync(blocked, "");
  assert.deepEqual(failures, []);
  const lost = open(path.join(blocked, "x"), false);
  lost.add(statement);
  lost.close();
  assert.equal(failures.length, 1);
  rmSync(root, { recursive: true });
});

test("a text has another word in each recording, and the same one where a recording goes on", () => {
  const event = { connection: 1, order: 1, at: 0, columns: [], rows: [], count: 0 };
  const words = [newGlossary("a"), newGlossary("b"), newGlossary("a"), newGlossary()].map(
    (glossary) => {
      const own = {
        ...event,
        sql: "SELECT $1",
        arguments: ["ann@example.org"],
        status: "idle",
      } as const;
      return recordedStatement(own, "postgres", glossary).arguments[0];
    },
  );
  assert.equal(words[0], words[2]);
  assert.equal(new Set(words).size, 3);
});
