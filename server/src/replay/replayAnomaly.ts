// Replays an anomaly on a real server: the user's own transactions in the order of the witness, then every serial order of
// them on the same server. It is reproduced where the first result is none of the others.
import type { SqlParsers } from "../frontend/sql/parsers";
import type { SourceFile } from "../frontend/sql/readProgram";
import type { ProductLevel } from "../isolation/levels";
import type { Program } from "../program/program";
import type { Anomaly } from "../protocol/report";
import { permutations } from "../store/permutations";
import { conduct, conductSerially, type InstanceEnd, type ObservedWait } from "./conduct";
import { postgresGates } from "./gates";
import { jobsOf } from "./jobs";
import { openStage, Refused, type Stage } from "./stage";
import type { LiveServer } from "./servers/liveServer";

export interface ReplayInput {
  readonly anomaly: Anomaly;
  readonly program: Program;
  readonly files: readonly SourceFile[];
  readonly parsers: SqlParsers;
  readonly levelOf: (instance: string) => ProductLevel;
  readonly server: LiveServer;
  /** Of the schema that is made for the run; no schema of that name may exist. */
  readonly schema: string;
  readonly stopped?: () => boolean;
}

/** What a run ended with, as text. */
export interface ReplayOutcome {
  /** Rows by table. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly instances: Readonly<Record<string, InstanceEnd>>;
}

export interface ReplayReport {
  readonly verdict: "reproduced" | "not reproduced" | "not replayed";
  /** Why it was not. */
  readonly reason?: string;
  readonly server: string;
  /** What differs from every serial order. */
  readonly differs?: "state" | "value";
  readonly outcome?: ReplayOutcome;
  readonly serial: readonly {
    readonly order: readonly string[];
    readonly outcome: ReplayOutcome;
  }[];
  readonly waits: readonly ObservedWait[];
}

/** Never throws for what a server refuses; the schema is gone afterwards. */
export async function replayAnomaly(input: ReplayInput): Promise<ReplayReport> {
  const { anomaly, program, server, schema } = input;
  const none = { server: server.version, serial: [], waits: [] } as const;
  const space = 1 + Math.floor(Math.random() * 1_000_000_000);
  const controller = await server.open();
  try {
    const gates = postgresGates(schema, space, controller, server);
    const jobs = jobsOf(anomaly, program, input.files, input.parsers, gates.call);
    if (!jobs.ok) return { ...none, verdict: "not replayed", reason: jobs.reason };
    const definitions = [gates.definition, ...jobs.value.definitions];
    const stage = await openStage(server, schema, program.schema, definitions);
    try {
      return { ...none, ...(await play(input, stage, gates, jobs.value.jobs)) };
    } finally {
      await gates.releaseAll();
      await stage.close();
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const reason = `${server.version} refuses "${firstLine(error.sql)}": ${error.message}`;
    return { ...none, verdict: "not replayed", reason };
  } finally {
    await controller.close();
  }
}

async function play(
  { anomaly, server, levelOf, stopped = () => false }: ReplayInput,
  stage: Stage,
  gates: ReturnType<typeof postgresGates>,
  jobs: Parameters<typeof conduct>[0]["jobs"],
): Promise<Omit<ReplayReport, "server">> {
  const { witness } = anomaly;
  const tables = Object.keys(witness.outcome.final);
  const open = () => Promise.all(jobs.map(() => stage.open()));
  await stage.reset(witness.initial);
  const cast = { server, gates, jobs, sessions: await open(), levelOf, stopped };
  const { ends, waits, divergence } = await conduct(cast, witness, anomaly.steps);
  const outcome = await outcomeOf(stage, tables, ends);
  if (divergence !== undefined) {
    return { verdict: "not reproduced", reason: divergence, outcome, serial: [], waits };
  }
  const serial: ReplayReport["serial"][number][] = [];
  const alone = { ...cast, sessions: await open() };
  for (const order of ordersOf(ends)) {
    await stage.reset(witness.initial);
    const result = await conductSerially(alone, order);
    serial.push({ order, outcome: await outcomeOf(stage, tables, result) });
  }
  const same = serial.find((each) => isSame(each.outcome, outcome));
  if (same) {
    const reason = `the same comes out when ${same.order.join(", then ")} run one after the other`;
    return { verdict: "not reproduced", reason, outcome, serial, waits };
  }
  const isState = serial.every((each) => text(each.outcome.tables) !== text(outcome.tables));
  return { verdict: "reproduced", differs: isState ? "state" : "value", outcome, serial, waits };
}

async function outcomeOf(
  stage: Stage,
  tables: readonly string[],
  ends: ReadonlyMap<string, InstanceEnd>,
): Promise<ReplayOutcome> {
  const contents = await stage.contents(tables);
  return { tables: Object.fromEntries(contents), instances: Object.fromEntries(ends) };
}

/** All orders of all instances, and of those alone that committed. */
function ordersOf(ends: ReadonlyMap<string, InstanceEnd>): readonly (readonly string[])[] {
  const all = [...ends.keys()];
  const committed = all.filter((name) => ends.get(name)?.status === "committed");
  return [...permutations(all), ...(committed.length < all.length ? permutations(committed) : [])];
}

/** An instance that did not commit and one that did not run are the same. */
function isSame(one: ReplayOutcome, other: ReplayOutcome): boolean {
  return text(one.tables) === text(other.tables) && given(one) === given(other);
}

function given({ instances }: ReplayOutcome): string {
  const committed = Object.entries(instances).filter(([, { status }]) => status === "committed");
  return text(Object.fromEntries(committed.map(([name, { returned }]) => [name, returned])));
}

function text(value: Readonly<Record<string, readonly string[]>>): string {
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function firstLine(sql: string): string {
  const [line = ""] = sql.trim().split("\n");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
