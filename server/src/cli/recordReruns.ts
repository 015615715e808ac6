// `isolens record --perturb DATABASE`: re-runs the command with changed answers, and reports the result.
import type { Environment } from "../record/environment";
import type { Protocol } from "../record/events";
import type { LearntProgram } from "../record/learn/program";
import { rerunWithChanges } from "../record/perturbation/reruns";
import { runCommand, type OpenRecording } from "../record/session";
import type { RecordedStatement } from "../record/statements";
import type { CliIo } from "./io";

export interface Reruns {
  readonly session: OpenRecording;
  readonly command: readonly string[];
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly protocol: Protocol;
  readonly database: string;
  /** Milliseconds of the previous run. */
  readonly took: number;
  /** The programs learnt from all recordings so far. */
  readonly learnt: () => readonly LearntProgram[];
}

/** The time limit of a re-run as a multiple: with changed answers it may wait or retry forever. */
const SLOWER = 5;
const AT_LEAST = 30_000;

/** Re-runs the command until changed answers settle no further doubts. */
export async function settledDoubts(
  io: CliIo,
  { session, command, env, signal, protocol, database, took, learnt }: Reruns,
): Promise<void> {
  const say = (text: string): void => {
    io.error(`isolens: ${text}\n`);
  };
  const namesOf = (statements: readonly RecordedStatement[]): readonly string[] =>
    [...new Set(statements.map((each) => each.database ?? ""))].sort();
  await session.moveInPlace();
  const { statements } = session.state();
  const names = namesOf(statements);
  if (!names.includes(database)) {
    say(
      `--perturb ${database}: the tests used ${names.join(", ") || "no database"}, so that no answer is changed`,
    );
    return;
  }
  say(
    `the tests run again, and single values that ${database} answers are changed; they may fail, and what they print is not shown`,
  );
  const written = statements.filter(({ kind }) => kind === "write");
  const others = namesOf(written).filter((name) => name !== "" && name !== database);
  if (others.length > 0)
    say(
      `the application writes into ${others.join(", ")} as well, where what it computes from changed answers may end up`,
    );
  let isCached = false;
  const { before, after, runs, changes } = await rerunWithChanges({
    protocol,
    database,
    learnt,
    rerun: async (changed) => {
      session.change(changed);
      const connections = session.connections();
      const limit = AbortSignal.timeout(Math.max(AT_LEAST, SLOWER * took));
      const end = await runCommand(command, {
        cwd: io.cwd,
        env,
        signal: AbortSignal.any([signal, limit]),
        isSilent: true,
      });
      isCached = session.connections() === connections;
      return !signal.aborted && !isCached && end.kind !== "notStarted";
    },
  });
  const again = `${String(runs)} more ${runs === 1 ? "run" : "runs"}, ${String(changes)} changed ${changes === 1 ? "answer" : "answers"}`;
  if (isCached)
    say(
      "the tests that ran again connected to nothing: a runner that keeps results has to be told to run them all the same",
    );
  say(
    changes === 0
      ? `${again}: the tests read nothing whose change would tell more`
      : `${again}: of ${String(before)} doubts that other answers could settle, ${String(after)} are left`,
  );
}
