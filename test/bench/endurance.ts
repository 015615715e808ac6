// Memory over many analyses in one process: a thousand checks of programs that differ, so that each is solved. Prints a
// line per hundred, for one worker and for two. Run it with `node --import tsx test/bench/endurance.ts` after a build.
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { findLevel } from "../../server/src/isolation/levels";
import type { FileId } from "../../server/src/protocol/source";
import { openSession } from "../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../server/src/workspace/configuration";

const ANALYSES = 1000;
const LEVELS = ["pg:rc", "pg:rr", "causal", "psi"].flatMap((name) => findLevel(name) ?? []);

void main();

async function main(): Promise<void> {
  for (const workers of [1, 2]) await endure(workers);
}

async function endure(workers: number): Promise<void> {
  const session = await openSession({
    tool: "isolens bench",
    workerScript: path.join(__dirname, "..", "..", "dist", "worker.js"),
    workers,
  });
  console.log(
    `\n${String(workers)} worker${workers > 1 ? "s" : ""} on ${os.cpus()[0]?.model ?? ""}`,
  );
  console.log("analyses      rss     heap  seconds");
  let started = performance.now();
  for (let at = 0; at <= ANALYSES; at += 1) {
    const level = LEVELS[at % LEVELS.length];
    if (level === undefined) return;
    const project = {
      // The only file of a program that is made up.
      files: [{ file: "endurance.sql" as FileId, text: programOf(at) }],
      context: [],
      configuration: { ...DEFAULT_CONFIGURATION, budget: 60_000, maxTransactions: 2 },
    };
    const { report } = await session.checkWorkspace(
      { project, level },
      new AbortController().signal,
    );
    if (report.verdict === "unknown") throw new Error(JSON.stringify(report.unknown));
    if (at % 100 > 0) continue;
    const { rss, heapUsed } = process.memoryUsage();
    const seconds = (performance.now() - started) / 1000;
    const shown = [String(at), megabytes(rss), megabytes(heapUsed), seconds.toFixed(1)];
    console.log(shown.map((text) => text.padStart(8)).join(" "));
    started = performance.now();
  }
  await session.dispose();
}

/** Three transactions over two tables, with constants of their own. */
function programOf(number: number): string {
  const amount = String(number + 1);
  return `
CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
CREATE TABLE b (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction deposit
BEGIN;
SELECT v FROM a WHERE id = :id \\gset
UPDATE a SET v = :v + ${amount} WHERE id = :id;
COMMIT;
-- @transaction withdraw
BEGIN;
SELECT v AS x FROM a WHERE id = :id \\gset
SELECT v AS y FROM b WHERE id = :id \\gset
\\if :x + :y >= ${amount}
UPDATE b SET v = v - ${amount} WHERE id = :id;
\\endif
COMMIT;
-- @transaction report
BEGIN;
SELECT v FROM a WHERE id = :id;
SELECT v FROM b WHERE id = :id;
COMMIT;
`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
