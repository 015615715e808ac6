// One client program from its file to a report per level. Runs in a thread of its own, where the client's own code may
// run for long.
import { loadPgParser } from "../engine/pgParser";
import type { SqlParsers } from "../frontend/sql/parsers";
import { exploreLevel, type ExploreProgress } from "../clients/exploreLevel";
import { accessRules } from "../clients/statementView";
import { exploredName } from "../clients/tellViolation";
import { findLevel, type Level } from "../isolation/levels";
import type { ExplorationReport } from "../protocol/exploration";
import { unknownLevelText } from "../workspace/configuration";
import { loadClient, type LoadProblem } from "./loadClient";

export interface ExploreJob {
  /** Absolute. */
  readonly file: string;
  /** As it was asked for. */
  readonly name: string;
  /** Full names; empty: the level that the client asks for, else the workspace's. */
  readonly levels: readonly string[];
  readonly driver:
    | { readonly kind: "exhaustive" }
    | { readonly kind: "random"; readonly runs: number; readonly seed: number };
  /** Milliseconds per level. */
  readonly budget: number;
  readonly tool: string;
  /** Texts by absolute path that replace what is on disk. */
  readonly openTexts?: readonly (readonly [string, string])[];
}

export interface ExploreOutcome {
  /** One per level; fewer where it was cancelled. */
  readonly reports: readonly ExplorationReport[];
  /** What is wrong with the client program: errors kept it from being explored. */
  readonly problems: readonly LoadProblem[];
  /** Absolute: what the files of steps are relative to. */
  readonly folder?: string;
  /** The primary keys of tables, to name rows by. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

export interface ExploreEvents {
  readonly cancelled: () => boolean;
  readonly progress: (level: string, progress: ExploreProgress) => void;
  /** Milliseconds from any fixed moment on. */
  readonly now: () => number;
}

/** Loads and explores. Never rejects for bad input. */
export async function runExploreJob(
  job: ExploreJob,
  events: ExploreEvents,
): Promise<ExploreOutcome> {
  const parsers: SqlParsers = { pg: await loadPgParser() };
  const { client, problems } = await loadClient(job.file, parsers, {
    ...(job.openTexts && { openTexts: new Map(job.openTexts) }),
  });
  if (client === undefined) return { reports: [], problems };
  const asked = job.levels.length > 0 ? job.levels : [client.level?.name ?? client.usualLevel];
  const reports: ExplorationReport[] = [];
  for (const name of asked) {
    const level = findLevel(name);
    const explored = name === "any" ? "any" : level && exploredName(level);
    if (explored === undefined) {
      const range = client.level?.name === name ? client.level.range : undefined;
      const message = level === undefined ? unknownLevelText(name) : notExplored(level);
      return {
        reports,
        problems: [...problems, { severity: "error", message, ...(range && { range }) }],
      };
    }
    const report = await exploreLevel(
      {
        name: job.name,
        client: client.open(accessRules(level ?? { family: "paper" })),
        assertions: client.assertions,
        program: client.program,
        tool: job.tool,
      },
      {
        level: explored,
        driver: job.driver,
        budget: job.budget,
        now: events.now,
        cancelled: events.cancelled,
        progress: (progress) => {
          events.progress(explored, progress);
        },
        // Application code may await timers and the like; the event loop has to turn for them.
        turn: () => new Promise((resolve) => setImmediate(resolve)),
      },
    );
    reports.push(report);
    if (events.cancelled()) break;
  }
  const { folder, keys } = client;
  return { reports, problems, folder, keys };
}

function notExplored(level: Level): string {
  return `client programs are not explored at ${level.name}: choose read-committed, read-atomic, causal, prefix, parallel-snapshot-isolation, snapshot-isolation, serializable or any`;
}
