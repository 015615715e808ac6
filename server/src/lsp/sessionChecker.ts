// The checking service as the server's Checker: a session that is opened with the first check and kept.
import type { Session } from "../service/session";
import { placeSuppressions } from "../service/suppressions";
import type { Checker } from "./checker";

/** A checker over a session. A session that could not be opened is tried again with the next check. */
export function sessionChecker(open: () => Promise<Session>): Checker {
  let session: Promise<Session> | undefined;
  const opened = (): Promise<Session> => {
    session ??= open().catch((error: unknown) => {
      session = undefined;
      throw error;
    });
    return session;
  };
  return {
    async check(project, level, signal, { read, ...events }, options) {
      const { checkWorkspace } = await opened();
      const request = { project, level, ...options };
      const result = await checkWorkspace(request, signal, {
        ...events,
        read: (program) => {
          read(placeSuppressions(program).placed);
        },
      });
      const { report, program, remarks, suppressions, files } = result;
      return { report, notes: program.notes, remarks, suppressions, files };
    },
    async fixes(project, level, anomaly, signal, found) {
      return (await opened()).fixes({ project, level, anomaly }, signal, found);
    },
    async dispose() {
      await (await session)?.dispose();
    },
  };
}
