// `npm run fixes:live`: each fix on a real server. The transactions of the anomaly's witness run side by side 200 times with
// random pauses, in the program as it was and in the fixed one; a run shows the anomaly where what it leaves or gives is
// that of no serial order on the same server.
import { readdirSync } from "node:fs";
import path from "node:path";
import { editedText } from "../../server/src/analysis/repair/candidate";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../server/src/engine/treeSitter";
import { indexLines, offsetsOf } from "../../server/src/frontend/sql/text/lines";
import { findLevel, type ProductLevel } from "../../server/src/isolation/levels";
import { productLevelAt } from "../../server/src/isolation/mixedLevels";
import type { Program } from "../../server/src/program/program";
import { ownEntry } from "../../server/src/protocol/dictionary";
import type { Fix } from "../../server/src/protocol/fixes";
import { isTold, type Anomaly, type Step } from "../../server/src/protocol/report";
import type { InstanceEnd } from "../../server/src/replay/conduct";
import { jobsOf, type Job } from "../../server/src/replay/jobs";
import { differenceOf, type ReplayOutcome } from "../../server/src/replay/outcome";
import type { LiveServer } from "../../server/src/replay/servers/liveServer";
import { must, openStage } from "../../server/src/replay/stage";
import { effectiveLevels } from "../../server/src/service/verdict/effectiveLevels";
import { judgeFindings } from "../../server/src/service/findings/findings";
import { createProjectReader } from "../../server/src/service/readProject";
import { statementsOf } from "../../server/src/service/statements";
import { permutations } from "../../server/src/store/permutations";
import { fileIdOf } from "../../server/src/workspace/codeFiles";
import { loadProjects, type Project } from "../../server/src/workspace/projects";
import { serverFor } from "../support/liveServers";
import { openTestSession } from "../unit/service/testSession";
import type { LiveSession } from "../../server/src/replay/servers/liveSession";

const ROOT = path.join(__dirname, "..", "..");
const RUNS = 200;
/** Seconds that a session pauses before a statement, at most. */
const PAUSE = 0.004;

interface Tally {
  readonly anomalies: number;
  readonly refused: number;
  /** Transactions that ended with another error, such as one of their own. */
  readonly failed: number;
  readonly failure?: string;
  readonly runs: number;
}

const PAUSES: Readonly<Record<LiveServer["product"], string>> = {
  postgres: `IF pg_sleep(random() * ${String(PAUSE)})::text IS NULL THEN NULL; END IF;`,
  mariadb: `DO SLEEP(RAND() * ${String(PAUSE)});`,
};

async function main(asked: readonly string[]): Promise<void> {
  const folders =
    asked.length > 0
      ? asked
      : ["test/apps", "test/fixes"].flatMap((folder) =>
          readdirSync(path.join(ROOT, folder)).map((name) => `${folder}/${name}`),
        );
  const session = await openTestSession();
  const servers = new Map<string, Awaited<ReturnType<typeof serverFor>>>();
  const parsers = { pg: await loadPgParser() };
  const reader = createProjectReader(parsers, await loadCodeParsers());
  const totals = { fixes: 0, shown: 0, hold: 0 };
  try {
    for (const folder of folders) {
      const { projects } = await loadProjects([path.resolve(ROOT, folder)], { cwd: ROOT });
      for (const project of projects) {
        const signal = AbortSignal.timeout(600_000);
        const check = await session.checkWorkspace({ project }, signal);
        const level = findLevel(check.report.level);
        if (level?.family !== "product") continue;
        const product = level.product === "postgres" ? "postgres" : "mariadb";
        if (!servers.has(product)) servers.set(product, await serverFor(product, console_));
        const server = servers.get(product)?.server;
        if (!server) continue;
        const { severities } = project.configuration;
        const { anomalies } = judgeFindings(check.report, {
          severities,
          placed: check.suppressions,
        }).report;
        for (const anomaly of anomalies.filter((each) => isTold(each))) {
          const { fixes, isPartial } = await session.fixes({ project, anomaly }, signal);
          const name = `${path.basename(folder)}: ${anomaly.kind} ${anomaly.transactions.join(", ")}`;
          if (fixes.length === 0) console.log(`${name.padEnd(64)} none${isPartial ? " in time" : ""}`); // prettier-ignore
          const run = (fixed: Project): Promise<Tally | string> =>
            tally(server, reader.read(fixed), fixed, anomaly, level, parsers);
          const before = fixes.length > 0 ? await run(project) : undefined;
          for (const fix of fixes) {
            const after = fix.kind === "retry-loop" ? LOOP : await run(withFix(project, fix));
            console.log(
              `${name.padEnd(64)} ${fix.kind.padEnd(14)} before ${tallyText(before)} after ${tallyText(after)}`,
            );
            const isShown = isBad(before, anomaly);
            totals.fixes += 1;
            if (isShown) totals.shown += 1;
            if (typeof after === "object" && !isBad(after, anomaly)) totals.hold += 1;
            if (isShown && isBad(after, anomaly)) console.log(`  DOES NOT HOLD: ${fix.title}`);
          }
        }
      }
    }
  } finally {
    await session.dispose();
    for (const each of servers.values()) await each?.stop();
  }
  console.log(
    `\n${String(totals.fixes)} fixes: ${String(totals.shown)} of anomalies that random runs showed before; ${String(totals.hold)} held in ${String(RUNS)} runs`,
  );
}

const LOOP = "the loop is in the code, the server refuses as before";

/** True if runs showed what the anomaly says: another result than in any order, or a refusal by the server. */
function isBad(found: Tally | string | undefined, { severity }: Anomaly): boolean {
  if (typeof found !== "object") return false;
  return (severity === "refused" ? found.refused : found.anomalies) > 0;
}

const console_ = {
  diagnostic: (text: string): void => {
    console.log(text);
  },
};

function tallyText(found: Tally | string | undefined): string {
  if (typeof found !== "object") return `not run (${found ?? "no fix"})`;
  const { anomalies, refused, failed, failure, runs } = found;
  const own = failed === 0 ? "" : `, ${String(failed)} failed: ${failure ?? ""}`;
  return `${String(anomalies)}/${String(runs)} (${String(refused)} refused${own})`.padEnd(20);
}

function withFix(project: Project, { edits }: Fix): Project {
  const files = project.files.map(({ file, text }) => {
    const lines = indexLines(file, text);
    const own = edits
      .filter((each) => each.file === file)
      .map(({ range, newText }) => ({ file, ...offsetsOf(lines, range), newText }));
    return { file, text: editedText(text, own) };
  });
  const created = edits.flatMap(({ file, newText, creates }) =>
    creates ? [{ file: fileIdOf("/", `/${file}`), text: newText }] : [],
  );
  return { ...project, files: [...files, ...created] };
}

/** The runs of one program, or why it cannot be run. */
async function tally(
  server: LiveServer,
  program: Program,
  project: Project,
  anomaly: Anomaly,
  level: ProductLevel,
  parsers: Parameters<typeof jobsOf>[0]["parsers"],
): Promise<Tally | string> {
  const { witness } = anomaly;
  const own = { ...anomaly, steps: stepsOf(program, anomaly) };
  const { levels } = effectiveLevels(program.transactions, level);
  const transactionOf = new Map(witness.instances.map((each) => [each.instance, each.transaction]));
  const jobs = jobsOf(
    {
      anomaly: own,
      program,
      files: [...project.files, ...project.context],
      dialect: project.configuration.dialect,
      parsers,
      product: server.product,
      begin: () => ["BEGIN"],
    },
    { call: () => PAUSES[server.product], note: () => "" },
  );
  if (!jobs.ok) return jobs.reason;
  let stage: Awaited<ReturnType<typeof openStage>>;
  try {
    stage = await openStage(server, `isolens_fixes_${String(Date.now() % 1e9)}`, {
      tables: program.schema,
      definitions: jobs.value.definitions,
      triggers: jobs.value.triggers,
      own: undefined,
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const tables = program.schema.tables.map(({ name }) => name);
  const sessions = await Promise.all(jobs.value.jobs.map(() => stage.open()));
  const players = jobs.value.jobs.map((job, at) => ({ job, session: sessions[at] }));
  const levelOf = (instance: string): ProductLevel =>
    productLevelAt(levels, transactionOf.get(instance) ?? "");
  const run = async (names: readonly string[], isTogether: boolean): Promise<ReplayOutcome> => {
    await stage.reset(witness.initial);
    const ends = new Map<string, InstanceEnd>();
    const one = async ({ job, session }: (typeof players)[number]): Promise<void> => {
      if (session) ends.set(job.instance, await play(server, job, session, levelOf(job.instance)));
    };
    const chosen = names.flatMap((name) => players.filter(({ job }) => job.instance === name));
    if (isTogether) await Promise.all(chosen.map(one));
    else for (const each of chosen) await one(each);
    const contents = await stage.contents(tables);
    return { tables: Object.fromEntries(contents), instances: Object.fromEntries(ends) };
  };
  try {
    const names = witness.instances.map(({ instance }) => instance);
    const serial: { readonly names: readonly string[]; readonly outcome: ReplayOutcome }[] = [];
    for (const some of subsets(names))
      for (const order of permutations(some))
        serial.push({ names: some, outcome: await run(order, false) });
    let anomalies = 0;
    let refused = 0;
    let failed = 0;
    let failure: string | undefined;
    for (let at = 0; at < RUNS; at += 1) {
      const outcome = await run(names, true);
      const ends = Object.values(outcome.instances);
      const others = ends.flatMap(({ reason }) =>
        reason === undefined || REFUSALS.test(reason) ? [] : [reason],
      );
      failed += others.length;
      failure ??= others[0];
      refused += ends.filter(({ reason }) => REFUSALS.test(reason ?? "")).length;
      const committed = names.filter(
        (name) => ownEntry(outcome.instances, name)?.status === "committed",
      );
      const same = serial
        .filter(
          ({ names: some }) => some.length === names.length || some.join() === committed.join(),
        )
        .some((each) => {
          const by = differenceOf(outcome, each.outcome, program.schema, witness.initial);
          return (
            by === undefined || by === "read" || (anomaly.severity === "state" && by === "value")
          );
        });
      if (!same) anomalies += 1;
    }
    // Nothing was tried where every run ended so.
    if (failed === RUNS * names.length && failure !== undefined) return failure;
    return { anomalies, refused, failed, runs: RUNS, ...(failure !== undefined && { failure }) };
  } finally {
    await stage.close();
  }
}

/** Serialization failures, deadlocks, and what MariaDB calls them. */
const REFUSALS = /^(?:40001|40P01|1213|1020|1205):/u;

/** A statement's places are where sessions pause. */
function stepsOf(program: Program, { witness, steps }: Anomaly): readonly Step[] {
  const [model] = steps;
  if (!model) return [];
  return witness.instances.flatMap(({ instance, transaction }) => {
    const own = program.transactions.find(({ id }) => id === transaction);
    return statementsOf(own?.body ?? { kind: "sequence", commands: [] }).map(
      ({ source, text }) => ({
        ...model,
        instance,
        file: source.file,
        range: source.range,
        text,
      }),
    );
  });
}

async function play(
  server: LiveServer,
  job: Job,
  session: LiveSession,
  level: ProductLevel,
): Promise<InstanceEnd> {
  const returned: string[] = [];
  const failed = async (reason: string): Promise<InstanceEnd> => {
    await session.execute("ROLLBACK");
    return { status: "rolled back", reason, returned, seen: [] };
  };
  const beginning = job.isOwnTransaction ? server.prepare(level) : server.begin(level);
  for (const sql of [...job.before, ...beginning]) await must(session, sql);
  if (job.kind === "call") {
    const result = await session.execute(job.sql);
    if (!result.ok) return failed(`${result.code}: ${result.message}`);
    const rows = job.outputs === undefined ? result.rows : await must(session, job.outputs);
    if (rows.length > 0) returned.push(JSON.stringify(rows));
  } else {
    const script = job.start();
    for (;;) {
      const step = script.next();
      if (step.kind === "stuck") return failed(step.reason);
      if (step.kind === "end") {
        if (step.sql === "ROLLBACK") return failed("it rolls itself back");
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1000 * PAUSE));
      if (step.kind === "part") {
        const result = await session.execute(step.sql);
        if (!result.ok) return failed(`${result.code}: ${result.message}`);
        script.tookPart();
        continue;
      }
      let answer: Awaited<ReturnType<LiveSession["execute"]>> | undefined;
      for (const sql of step.sql) {
        answer = await session.execute(sql);
        if (!answer.ok) return failed(`${answer.code}: ${answer.message}`);
      }
      if (!answer?.ok) break;
      const rows = step.rowsAfter === undefined ? answer.rows : await must(session, step.rowsAfter);
      const isShown = script.took(step.statement, rows, answer.affected);
      if (isShown && rows.length > 0) returned.push(JSON.stringify(rows));
    }
  }
  const result = await session.execute("COMMIT");
  if (!result.ok) return failed(`${result.code}: ${result.message}`);
  return { status: "committed", returned, seen: [] };
}

/** All of them, and every part: a run in which some were rolled back is compared with those of the others. */
function subsets(names: readonly string[]): readonly (readonly string[])[] {
  return names.reduce<readonly (readonly string[])[]>(
    (known, name) => [...known, ...known.map((some) => [...some, name])],
    [[]],
  );
}

void main(process.argv.slice(2));
