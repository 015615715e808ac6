// `npm run fuzz:servers -- --minutes N`: random programs, each judged by `check` and by a real server. Ends with 1 where they
// contradict each other. docs/fuzzing.md tells the options.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { addressOf } from "../../../server/src/replay/servers/address";
import { startMariadb, startPostgres } from "../../../server/src/replay/servers/temporary";
import { openSession, type Session } from "../../../server/src/service/session";
import { judge, type Contradiction, type Effort } from "./judge";
import { minimise } from "./minimise";
import { mariadbProgram } from "./mariadbPrograms";
import { mariadbStage } from "./mariadbStage";
import { postgresProgram } from "./postgresPrograms";
import { postgresStage } from "./postgresStage";
import { readProgram, type FuzzProgram } from "./program";
import type { Stage } from "./stage";
import { openTally } from "./tally";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "1" },
    programs: { type: "string" },
    seed: { type: "string" },
    product: { type: "string", default: "postgres" },
    url: { type: "string" },
    out: { type: "string", default: "test-results/fuzz" },
    safe: { type: "string", default: "24" },
    confirmed: { type: "string", default: "60" },
    level: { type: "string" },
    print: { type: "boolean", default: false },
  },
});

void main();

async function main(): Promise<void> {
  const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
  if (values.print) {
    console.log(programOf(first).text);
    return;
  }
  const { stage, stop } = await openStage();
  const session = await openSession({
    tool: "isolens fuzz",
    workerScript: path.join(__dirname, "..", "..", "..", "dist", "worker.js"),
    workers: 1,
  });
  try {
    console.log(`${stage.version}, first seed ${String(first)}`);
    process.exitCode = await fuzz(stage, session, programs(first));
  } finally {
    await session.dispose();
    await stage.close();
    await stop();
  }
}

/** Programs with the names under which contradictions are kept. */
function* programs(first: number): Generator<readonly [name: string, FuzzProgram]> {
  if (positionals.length > 0) {
    for (const file of positionals)
      yield [path.basename(file, ".sql"), readProgram(readFileSync(file, "utf8"), values.level)];
    return;
  }
  const end = Date.now() + Number(values.minutes) * 60_000;
  const most = values.programs === undefined ? Infinity : Number(values.programs);
  for (let number = 0; number < most && Date.now() < end; number += 1)
    yield [`${values.product}-${String(first + number)}`, programOf(first + number)];
}

function programOf(seed: number): FuzzProgram {
  return values.product === "mariadb" ? mariadbProgram(seed) : postgresProgram(seed);
}

async function fuzz(
  stage: Stage,
  session: Session,
  all: Iterable<readonly [string, FuzzProgram]>,
): Promise<number> {
  const effort: Effort = { safe: Number(values.safe), confirmed: Number(values.confirmed) };
  const tally = openTally();
  let wrong = 0;
  try {
    for (const [name, program] of all) {
      const judgement = await judge(stage, session, program, effort);
      tally.add(program, judgement);
      if (positionals.length > 0)
        console.log(`${name}: ${judgement.verdict} ${judgement.reasons.join("; ")}`);
      for (const contradiction of judgement.contradictions) {
        wrong += 1;
        const file = await keep(stage, session, name, program, contradiction, effort);
        console.log(`${contradiction.kind}: ${file}\n  ${contradiction.text}`);
      }
      if (tally.count() > 0 && tally.count() % 100 === 0)
        console.log(`${String(tally.count())} programs`);
    }
  } finally {
    // A server that no longer answers leaves the figures.
    tally.print();
  }
  console.log(`${String(tally.count())} programs, ${String(wrong)} contradictions`);
  return wrong === 0 ? 0 : 1;
}

/** Writes the program, made small, with what contradicts it. */
async function keep(
  stage: Stage,
  session: Session,
  name: string,
  program: FuzzProgram,
  contradiction: Contradiction,
  effort: Effort,
): Promise<string> {
  const small = await minimise(stage, session, program, contradiction, effort);
  const again = await judge(stage, session, small, effort);
  const [told = contradiction] = again.contradictions;
  const head = [
    `-- ${told.kind}, on ${stage.version} at ${program.level}; check says ${again.verdict}`,
    ...told.text.split("\n").map((line) => `-- ${line}`),
    "",
  ];
  const folder = path.resolve(values.out, contradiction.kind.replace(" ", "-"));
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.sql`);
  writeFileSync(file, head.join("\n") + small.text);
  return file;
}

async function openStage(): Promise<{ readonly stage: Stage; stop(): Promise<void> }> {
  const isMariadb = values.product === "mariadb";
  const open = isMariadb ? mariadbStage : postgresStage;
  if (values.url !== undefined) {
    const address = addressOf(new URL(values.url), isMariadb ? "mariadb" : "postgres");
    return { stage: await open(address), stop: () => Promise.resolve() };
  }
  const started = await (isMariadb ? startMariadb() : startPostgres());
  if (!started.ok) throw new Error(started.reason);
  const { address, stop } = started.temporary;
  return { stage: await open(address), stop };
}
