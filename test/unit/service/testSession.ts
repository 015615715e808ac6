// A session of the service on the real solver, run from source.
import path from "node:path";
import { openSession } from "../../../server/src/service/session";
import type { Session, SessionOptions } from "../../../server/src/service/session";

/** Opens one with a single worker, unless `more` says otherwise. */
export function openTestSession(more: Partial<SessionOptions> = {}): Promise<Session> {
  return openSession({
    tool: "isolens test",
    workerScript: path.join(__dirname, "fixtures", "worker.mjs"),
    workers: 1,
    ...more,
  });
}
