// Replays an anomaly on a real server: the user's own transactions in the witness's order, then every serial order on the same server. The
// anomaly is reproduced if the first result differs from all others.
import type { SqlParsers } from "../frontend/sql/parsers";
import type { SourceFile } from "../frontend/sql/readProgram";
import { walkCommand } from "../frontend/sql/walk";
import { findLevel, snapshotAtBegin, type ProductLevel } from "../isolation/levels";
import { namedLevel } from "../program/declaredLevel";
import type { Dialect } from "../program/dialect";
import type { Program } from "../program/program";
import { breaksData, type Anomaly, type Step } from "../protocol/report";
import { ownEntry } from "../protocol/dictionary";
import { permutations } from "../store/permutations";
import {
  conduct,
  conductSerially,
  type Cast,
  type InstanceEnd,
  type ObservedWait,
} from "./conduct";
import { postgresGates, type Gates } from "./gates";
import { jobsOf, type Job } from "./jobs";
import { mariadbGates } from "./mariadbGates";
import { differenceOf, type Difference, type ReplayOutcome } from "./outcome";
import type { BeginPart } from "./scriptRun";
import { isSqlFile } from "./sqlFiles";
import { NoActor } from "./servers/actor";
import { openStage, ServerRefusal, type Stage } from "./stage";
import type { LiveServer } from "./servers/liveServer";
import { foreignNames, schemasIn } from "./foreignNames";
import type { LiveSession } from "./servers/liveSession";

export interface ReplayInput {
  readonly anomaly: Anomaly;
  readonly program: Program;
  readonly files: readonly SourceFile[];
  /** The dialect of all files; detected per file if absent. */
  readonly dialect?: Dialect | undefined;
  readonly parsers: SqlParsers;
  readonly levelOf: (instance: string) => ProductLevel;
  readonly server: LiveServer;
  /** The name of the schema for the run; it must not exist. */
  readonly schema: string;
  readonly stopped?: () => boolean;
  /** True if the server is used by this replay only: schemas with the workspace's own names may be created. */
  readonly isOwnServer?: boolean;
}

export type { ReplayOutcome } from "./outcome";

export interface ReplayReport {
  /**
   * `reproduced in part`: parts of the program that might prevent it were omitted. `followed`: the server allowed the whole schedule, and
   * no visible difference from some serial order remains.
   */
  readonly verdict:
    "reproduced" | "reproduced in part" | "followed" | "not reproduced" | "not replayed";
  /** Parts of the program that were not sent to the server. */
  readonly leftOut?: readonly string[];
  /** The reason why it was not reproduced. */
  readonly reason?: string;
  readonly server: string;
  /** The least difference: every serial order differs in this, or in more. */
  readonly differs?: Difference;
  readonly outcome?: ReplayOutcome;
  readonly serial: readonly {
    readonly order: readonly string[];
    readonly outcome: ReplayOutcome;
  }[];
  readonly waits: readonly ObservedWait[];
}

/** Replays the anomaly. Never throws for refusals by the server; the schema is dropped afterwards. Rejects if the connection is lost. */
export async function replayAnomaly(input: ReplayInput): Promise<ReplayReport> {
  const { program, server, schema } = input;
  const none = { server: server.version, serial: [], waits: [] } as const;
  const controller = await server.open();
  try {
    let places: readonly number[] = [];
    const gates = gatesFor(server, schema, controller, () => places);
    const begin = beginPart(input);
    const jobs = jobsOf({ ...input, product: server.product, begin }, gates);
    if (!jobs.ok) return { ...none, verdict: "not replayed", reason: jobs.reason };
    places = jobs.value.gates;
    const isOwn = input.isOwnServer === true;
    const foreign = isOwn
      ? undefined
      : await foreignNames(controller, server.product, input.files.filter(isSqlFile));
    if (foreign !== undefined) return { ...none, verdict: "not replayed", reason: foreign };
    const definitions = [...gates.definitions, ...jobs.value.definitions];
    const stage = await openStage(server, schema, {
      tables: program.schema,
      definitions,
      triggers: jobs.value.triggers,
      own: isOwn ? schemasIn(definitions) : undefined,
    });
    try {
      const { leftOut } = jobs.value;
      const played = await play(input, stage, gates, jobs.value.jobs);
      if (leftOut.length === 0) return { ...none, ...played };
      const isWhole = played.verdict !== "reproduced";
      return { ...none, ...played, ...(!isWhole && { verdict: "reproduced in part" }), leftOut };
    } finally {
      await gates.releaseAll();
      await stage.close();
    }
  } catch (error) {
    if (error instanceof NoActor)
      return { ...none, verdict: "not replayed", reason: error.message };
    if (!(error instanceof ServerRefusal)) throw error;
    const reason = `${server.version} refuses "${firstLine(error.sql)}": ${error.message}`;
    return { ...none, verdict: "not replayed", reason };
  } finally {
    await controller.close();
  }
}

/** Transactions of a unit begin at their declared level, or at the session's. */
function beginPart({ server }: ReplayInput): BeginPart {
  return (declared) => {
    const { name = "", isAtBegin = false } = declared === undefined ? {} : namedLevel(declared);
    const named = findLevel(name);
    const level = named && isAtBegin ? snapshotAtBegin(named) : named;
    if (level?.family === "product") return server.begin(level);
    return [isAtBegin ? "START TRANSACTION WITH CONSISTENT SNAPSHOT" : "BEGIN"];
  };
}

/** True if the step's statement is a SELECT without locks. */
function plainReadsOf(program: Program): (step: Step) => boolean {
  const placeOf = ({ file, range }: Pick<Step, "file" | "range">): string =>
    JSON.stringify([file, range]);
  const places = new Set<string>();
  for (const { body } of program.transactions) {
    walkCommand(body, {
      statement: (each) => {
        if (each.kind === "select" && !each.query.lock) places.add(placeOf(each.source));
      },
    });
  }
  return (step) => places.has(placeOf(step));
}

function gatesFor(
  server: LiveServer,
  schema: string,
  controller: LiveSession,
  places: () => readonly number[],
): Gates {
  const space = 1 + Math.floor(Math.random() * 1_000_000_000);
  switch (server.product) {
    case "postgres":
      return postgresGates(schema, space, controller, server);
    case "mariadb":
      return mariadbGates(schema, space, controller, places);
  }
}

async function play(
  { anomaly, program, server, levelOf, stopped = () => false }: ReplayInput,
  stage: Stage,
  gates: Gates,
  jobs: readonly Job[],
): Promise<Omit<ReplayReport, "server">> {
  const { witness } = anomaly;
  const tables = program.schema.tables.map(({ name }) => name);
  const open = () => Promise.all(jobs.map(() => stage.open()));
  await stage.reset(witness.initial);
  const isPlainRead = plainReadsOf(program);
  const sessions = await open();
  const cast: Cast = { server, gates, jobs, sessions, levelOf, stopped, isPlainRead };
  const { ends, waits, divergence } = await conduct(cast, witness, anomaly.steps);
  const outcome = await outcomeOf(stage, tables, ends);
  if (!breaksData(anomaly)) return refusalReplay(anomaly, ends, { waits, outcome, divergence });
  const alone: Cast = { ...cast, sessions: await open() };
  const run = async (order: readonly string[]): Promise<ReplayOutcome> => {
    await stage.reset(witness.initial);
    return outcomeOf(stage, tables, await conductSerially(alone, order));
  };
  const serial: ReplayReport["serial"][number][] = [];
  const ended = { outcome, serial, waits };
  if (divergence !== undefined && stopped())
    return { serial, waits, verdict: "not replayed", reason: "it was stopped" };
  for (const order of ordersOf(ends)) serial.push({ order, outcome: await run(order) });
  const fails = failsByItself(serial);
  if (fails !== undefined) return { ...ended, verdict: "not replayed", reason: fails };
  if (divergence !== undefined) return { ...ended, verdict: "not reproduced", reason: divergence };
  const [first] = serial;
  const compare = (other: ReplayOutcome, to = outcome): Difference | undefined =>
    differenceOf(to, other, program.schema, witness.initial);
  if (first && compare(await run(first.order), first.outcome) !== undefined) {
    const reason = `${first.order.join(", then ")} alone do not give the same twice`;
    return { ...ended, verdict: "not replayed", reason };
  }
  const differences = serial.map((each) => ({ order: each.order, by: compare(each.outcome) }));
  const same = differences.find(({ by }) => by === undefined);
  if (same) {
    const equal = `the same comes out when ${same.order.join(", then ")} run one after the other`;
    const reason = [...waits.filter(({ isExpected }) => !isExpected).map(waitText), equal].join(
      "; ",
    );
    // Without a visible effect, only reads inside of statements differ.
    const verdict = anomaly.severity === "unused" ? "followed" : "not reproduced";
    return { ...ended, verdict, reason };
  }
  const by = (["read", "value", "state"] as const).find((each) =>
    differences.some((difference) => difference.by === each),
  );
  return { ...ended, verdict: "reproduced", ...(by && { differs: by }) };
}

/** The replay of a refusal: reproduced if the server aborts some instance with the witness's error. */
function refusalReplay(
  { witness }: Anomaly,
  ends: ReadonlyMap<string, InstanceEnd>,
  {
    divergence,
    ...ran
  }: Pick<ReplayReport, "waits" | "outcome"> & {
    readonly divergence: string | undefined;
  },
): Omit<ReplayReport, "server"> {
  const codes = Object.values(witness.outcome.status).flatMap(
    (status) => /^rolled back: (\w+)/u.exec(status)?.[1] ?? [],
  );
  const isEnded = [...ends.values()].some(({ reason = "" }) =>
    codes.some((code) => reason.startsWith(`${code}: `)),
  );
  if (isEnded) return { ...ran, serial: [], verdict: "reproduced" };
  const reason = divergence ?? `the server ended none of them with ${codes.join(" or ")}`;
  return { ...ran, serial: [], verdict: "not reproduced", reason };
}

function waitText({ instance, statement, waitedFor }: ObservedWait): string {
  const others = waitedFor.join(" and ");
  return `statement ${String(statement)} of ${instance} waited for ${others}, which the analysis does not expect`;
}

/** An instance that fails in every serial order, and not because of another one. */
function failsByItself(serial: ReplayReport["serial"]): string | undefined {
  const [first] = serial;
  for (const name of first?.order ?? []) {
    const ends = serial.flatMap(({ outcome }) => ownEntry(outcome.instances, name) ?? []);
    const reasons = ends.flatMap(({ reason }) => reason ?? []);
    if (reasons.length < ends.length || reasons.length === 0) continue;
    const error = reasons.find((reason) => DEFECTS.test(reason));
    if (error !== undefined) return `${name} fails by itself: ${error}`;
  }
  return undefined;
}

/** Errors caused by a mistake in the text: unknown names, wrong types; for MariaDB the equivalent codes. */
const DEFECTS = /^(?:42|0A|2F|54|3D|3F)\w{3}: |^(?:1054|1064|1146|1305|1318|1364|1366|1422|4078): /;

async function outcomeOf(
  stage: Stage,
  tables: readonly string[],
  ends: ReadonlyMap<string, InstanceEnd>,
): Promise<ReplayOutcome> {
  const contents = await stage.contents(tables);
  return { tables: Object.fromEntries(contents), instances: Object.fromEntries(ends) };
}

/** All orders of all instances, and of the committed ones alone. */
function ordersOf(ends: ReadonlyMap<string, InstanceEnd>): readonly (readonly string[])[] {
  const all = [...ends.keys()];
  const committed = all.filter((name) => ends.get(name)?.status === "committed");
  return [...permutations(all), ...(committed.length < all.length ? permutations(committed) : [])];
}

function firstLine(sql: string): string {
  const [line = ""] = sql.trim().split("\n");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
