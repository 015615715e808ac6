// The Checker of the language server: a session that is opened by the first check and kept.
import type { Program } from "../program/program";
import { reportTransaction } from "../service/check";
import type { Session } from "../service/session";
import { placeSuppressions } from "../service/findings/suppressions";
import type { Checker, CheckOutcome, StandingReading, TextReading } from "./checker";
import { brokenPlaces, certainPart } from "./brokenTexts";
import { createStandingReadings, withReadings } from "./standingReadings";

/** A checker over a session. Opening is retried by the next check after a failure. */
export function sessionChecker(open: () => Promise<Session>): Checker {
  const readings = createStandingReadings();
  let session: Promise<Session> | undefined;
  const opened = (): Promise<Session> => {
    session ??= open().catch((error: unknown) => {
      session = undefined;
      throw error;
    });
    return session;
  };
  return {
    async check(project, level, signal, events, options) {
      const { checkWorkspace } = await opened();
      const open = options?.first ?? [];
      const attempt = async (
        standing: readonly StandingReading[],
      ): Promise<{ readonly outcome: CheckOutcome; readonly broken: typeof standing }> => {
        const own = new AbortController();
        const stop = (): void => {
          own.abort();
        };
        signal.addEventListener("abort", stop);
        if (signal.aborted) stop();
        let broken: readonly StandingReading[] = [];
        let isWhole = true;
        const ifWhole =
          <Told extends readonly unknown[]>(tell: (...told: Told) => void) =>
          (...told: Told): void => {
            if (broken.length === 0) tell(...told);
          };
        const request = { project: withReadings(project, standing), level, ...options };
        const result = await checkWorkspace(request, own.signal, {
          reading: ifWhole(events.reading),
          progress: ifWhole(events.progress),
          found: ifWhole((anomaly) => {
            if (isWhole) events.found(anomaly);
          }),
          read: (program) => {
            isWhole = brokenPlaces(program.notes, open).length === 0;
            // Partial readings are not complete enough to become standing ones.
            if (program.unread === undefined && standing.length === 0)
              broken = readings.settle(project, program);
            if (broken.length > 0) stop();
            else events.read(readingOf(program));
          },
        });
        signal.removeEventListener("abort", stop);
        const { report, program, remarks, suppressions, files } = result;
        const { notes } = program;
        const outcome = { report, notes, remarks, suppressions, files, standing };
        return { outcome: certainPart(outcome, open, request.project.files), broken };
      };
      const { outcome, broken } = await attempt([]);
      return broken.length > 0 && !signal.aborted ? (await attempt(broken)).outcome : outcome;
    },
    async fixes(project, level, anomaly, signal, found) {
      return (await opened()).fixes({ project, level, anomaly }, signal, found);
    },
    async allocation(project, level, signal) {
      return (await opened()).allocation({ project, level }, signal);
    },
    async dispose() {
      await (await session)?.dispose();
    },
  };
}

function readingOf(program: Program): TextReading {
  return {
    placed: placeSuppressions(program).placed,
    transactions: program.transactions.map((each) => reportTransaction(each)),
  };
}
