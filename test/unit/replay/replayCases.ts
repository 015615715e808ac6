// Replays of what a check finds in a text, for tests: every confirmed anomaly on a server of one's own.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram, type SourceFile } from "../../../server/src/frontend/sql/readProgram";
import {
  replayAnomaly,
  type ReplayInput,
  type ReplayReport,
} from "../../../server/src/replay/replayAnomaly";
import type { LiveServer } from "../../../server/src/replay/servers/liveServer";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import type { Program } from "../../../server/src/program/program";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { breaksData, type Anomaly } from "../../../server/src/protocol/report";
import { productOf } from "../store/programs";
import { analyseProgram } from "../truth/analyse";

const parsers = loadPgParser().then((pg) => ({ pg }));

export interface Replayed {
  readonly anomaly: Anomaly;
  readonly report: ReplayReport;
}

/** The program of files of code and SQL, as a workspace is read. */
export async function programOfCode(files: readonly SourceFile[]): Promise<Program> {
  const reader = createProjectReader(await parsers, await loadCodeParsers());
  return reader.read({ files, context: [], configuration: DEFAULT_CONFIGURATION });
}

/** Checks two transactions at a time at the level, and replays the confirmed findings that `wanted` takes. */
export async function replayAll(
  server: LiveServer,
  files: readonly SourceFile[],
  levelName: string,
  options: Partial<ReplayInput> & { readonly wanted?: (anomaly: Anomaly) => boolean } = {},
): Promise<readonly Replayed[]> {
  const { wanted = breaksData, ...rest } = options;
  const program = options.program ?? readProgram(files, await parsers);
  const { anomalies, refusals = [] } = await analyseProgram(program, levelName, 2);
  const done: Replayed[] = [];
  const confirmed = [...anomalies, ...refusals].filter(({ status }) => status === "confirmed");
  for (const anomaly of confirmed.filter(wanted)) {
    const report = await replayAnomaly({
      anomaly,
      program,
      files,
      parsers: await parsers,
      levelOf: () => productOf(levelName),
      server,
      schema: `isolens_replay_${String(randomInt(1_000_000_000))}`,
      isOwnServer: true,
      ...rest,
    });
    done.push({ anomaly, report });
  }
  return done;
}

/** "lost-update: reproduced" of each, with the reason where it is not. */
export function verdictsOf(replayed: readonly Replayed[]): readonly string[] {
  return replayed.map(({ anomaly: { kind }, report: { verdict, reason } }) =>
    reason === undefined ? `${kind}: ${verdict}` : `${kind}: ${verdict}: ${reason}`,
  );
}

/** Nothing of a replay is left on the server. */
export async function checkNothingLeft(server: LiveServer): Promise<void> {
  const session = await server.open();
  const sql =
    server.product === "postgres"
      ? "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'isolens%'"
      : "SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name LIKE 'isolens%'";
  assert.deepEqual(await session.execute(sql), { ok: true, rows: [], affected: 0 });
  await session.close();
}
