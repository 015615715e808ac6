// One client program from its file to a report per level. Runs in its own thread, because the client's code may run for long.
import { loadPgParser } from "../../engine/pgParser";
import type { SqlParsers } from "../../frontend/sql/parsers";
import type { ExplorableClient } from "../../clients/explorableClient";
import { exploreLevel, type ExploreProgress } from "../../clients/exploreLevel";
import { partRunner, type PartRunner } from "../../clients/exploreParts";
import { accessRules } from "../../clients/statementView";
import { exploredName } from "../../clients/tellViolation";
import { unsupportedLevel } from "../../exploration/copyRules";
import type { StoreLevel } from "../../exploration/exploration";
import { findLevel, type Level } from "../../isolation/levels";
import { levelAt } from "../../isolation/mixedLevels";
import type { ExplorationReport } from "../../protocol/exploration";
import { unknownLevelText } from "../../workspace/configuration";
import { readTextFile } from "../../workspace/textFile";
import { effectiveLevels } from "../verdict/effectiveLevels";
import {
  loadClient,
  type LoadClientResult,
  type LoadedClient,
  type LoadProblem,
} from "./loadClient";
import { identityOf, readSavedExploration, savedExplorationText } from "./snapshot";

export interface ExploreJob {
  /** Absolute path. */
  readonly file: string;
  /** The path as the user wrote it. */
  readonly name: string;
  /** Full names; empty for the client's own level, else the workspace's. */
  readonly levels: readonly string[];
  readonly driver:
    | { readonly kind: "exhaustive" }
    | { readonly kind: "random"; readonly runs: number; readonly seed: number };
  /** Milliseconds per level. */
  readonly budget: number;
  readonly tool: string;
  /** Unsaved texts by absolute path; they replace the files on disk. */
  readonly openTexts?: readonly (readonly [string, string])[];
  /** Number of parallel threads; 1 by default. */
  readonly threads?: number;
  /** True if the client's code may do what the user may: it runs unsandboxed in this process, with several threads. */
  readonly allow?: boolean;
  /** True to save the rest of an unfinished exhaustive exploration; for one level only. */
  readonly keep?: boolean;
  /** The `rest` of an earlier exploration of this client, to continue. */
  readonly continued?: string;
}

export interface ExploreOutcome {
  /** One report per level; fewer if the job was cancelled. */
  readonly reports: readonly ExplorationReport[];
  /** Problems of the client program; errors prevented its exploration. */
  readonly problems: readonly LoadProblem[];
  /** Absolute folder that the files of steps are relative to. */
  readonly folder?: string;
  /** Primary keys of tables; rows are named by them. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** The saved findings and unexplored rest, if `keep` was set. */
  readonly rest?: string;
}

export interface ExploreEvents {
  readonly cancelled: () => boolean;
  readonly progress: (level: string, progress: ExploreProgress) => void;
  /** Milliseconds from any fixed moment on. */
  readonly now: () => number;
  /** Starts helpers that explore parts of the job at a level, for the assertions at these indexes. */
  readonly helpers?: (level: string, assertions: readonly number[]) => readonly PartRunner[];
}

/** Loads and explores. Never rejects for bad input. */
export async function runExploreJob(
  job: ExploreJob,
  events: ExploreEvents,
): Promise<ExploreOutcome> {
  const { client, problems } = await load(job);
  if (client === undefined) return { reports: [], problems };
  const asked = job.levels.length > 0 ? job.levels : [client.level?.name ?? client.usualLevel];
  const open = job.openTexts?.find(([file]) => file === job.file)?.[1];
  const identity = identityOf(
    client,
    open === undefined ? await readTextFile(job.file) : { ok: true, text: open },
  );
  const reports: ExplorationReport[] = [];
  let rest: string | undefined;
  for (const written of asked) {
    const own = ownLevel(client, written, { isOverride: job.levels.length > 0 });
    const name = "name" in own ? own.name : written;
    const opened = "refused" in own ? own.refused : openAt(client, name);
    if (typeof opened === "string")
      return { reports, problems: [...problems, mistake(client, written, opened)] };
    const { level, explorable } = opened;
    const saved =
      job.continued === undefined
        ? undefined
        : readSavedExploration(job.continued, { identity, level });
    if (typeof saved === "string")
      return { reports, problems: [...problems, { severity: "error", message: saved }] };
    const outcome = await exploreLevel(
      {
        name: job.name,
        client: explorable,
        assertions: client.assertions,
        program: client.program,
        tool: job.tool,
      },
      {
        level,
        driver: job.driver,
        budget: job.budget,
        now: events.now,
        cancelled: events.cancelled,
        progress: (progress) => {
          events.progress(level, progress);
        },
        turn,
        ...(saved && { begin: saved }),
        ...(events.helpers && {
          helpers: (places: readonly number[]) => events.helpers?.(name, places) ?? [],
        }),
      },
    );
    reports.push(outcome.report);
    if (outcome.saved !== undefined && job.keep === true)
      rest = savedExplorationText(outcome.saved, { identity, level });
    if (events.cancelled()) break;
  }
  const { folder, keys } = client;
  return { reports, problems, folder, keys, ...(rest !== undefined && { rest }) };
}

/** Opens a runner that explores parts of a job for its main thread. Rejects if the client can no longer be loaded. */
export async function openPartRunner(
  job: ExploreJob,
  name: string,
  assertions: readonly number[],
  events: Pick<ExploreEvents, "now" | "cancelled">,
): Promise<PartRunner> {
  const { client } = await load(job);
  const opened = client && openAt(client, name);
  if (client === undefined || opened === undefined || typeof opened === "string")
    throw new Error("the client program has changed while it was explored");
  const { level, explorable } = opened;
  const chosen = assertions.flatMap((at) => client.assertions[at] ?? []);
  const run = partRunner(explorable, chosen, {
    level,
    turn,
    now: events.now,
    stop: events.cancelled,
  });
  return async (part) => ({ ...(await run(part)), remarks: explorable.remarks?.() ?? [] });
}

async function load(job: ExploreJob): Promise<LoadClientResult> {
  const parsers: SqlParsers = { pg: await loadPgParser() };
  return loadClient(job.file, parsers, {
    ...(job.openTexts && { openTexts: new Map(job.openTexts) }),
  });
}

/** Lets the event loop turn: application code may await timers and the like. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The level of the client's transactions if `asked` is requested: their own, if they declare one. Refused if those differ, since a client
 * is explored at one level.
 */
function ownLevel(
  client: LoadedClient,
  asked: string,
  options: { readonly isOverride: boolean },
): { readonly name: string } | { readonly refused: string } {
  const level = findLevel(asked);
  const { transactions } = client.program;
  if (level === undefined || transactions.length === 0) return { name: asked };
  const { levels, unknown } = effectiveLevels(transactions, level, options);
  const [missing] = unknown;
  if (missing) return { refused: `client programs are explored at one level: ${missing.reason}` };
  const own = transactions.map(({ id, name }) => ({ name, level: levelAt(levels, id).name }));
  const [name = asked, ...others] = new Set(own.map((each) => each.level));
  if (others.length === 0) return { name };
  const named = own.map((each) => `${each.name} at ${each.level}`).join(", ");
  return {
    refused: `client programs are explored at one level, and the transactions of this one run at several (${named}); give all of them the same level`,
  };
}

/** The client at a level, or the reason why it cannot be explored there. */
function openAt(
  client: LoadedClient,
  name: string,
): { readonly level: StoreLevel; readonly explorable: ExplorableClient } | string {
  const level = findLevel(name);
  const explored = name === "any" ? "any" : level && exploredName(level);
  if (explored === undefined)
    return level === undefined ? unknownLevelText(name) : notExplored(level);
  const refused = unsupportedLevel(explored);
  if (refused !== undefined) return refused;
  return {
    level: explored,
    explorable: client.open(accessRules(level ?? { family: "paper" })),
  };
}

function mistake(client: LoadedClient, name: string, message: string): LoadProblem {
  const range = client.level?.name === name ? client.level.range : undefined;
  return { severity: "error", message, ...(range && { range }) };
}

function notExplored(level: Level): string {
  return `client programs are not explored at ${level.name}: choose read-committed, read-atomic, causal, prefix, parallel-snapshot-isolation, snapshot-isolation, serializable or any`;
}
