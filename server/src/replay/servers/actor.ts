// Whom a replay runs as: a user made for the run, who may do everything in the schemas of the run and nothing elsewhere,
// because what runs are the workspace's texts. It logs in by itself, so that no text can take back who it is.
import { reasonOf } from "../../protocol/fault";
import type { LiveSession } from "./liveSession";

export interface Actor {
  /** A session of that user. */
  open(): Promise<LiveSession>;
  /** Removes the user and what it left anywhere; its sessions and schemas must be gone. */
  drop(): Promise<void>;
}

/** The reason why a server gives no such user, and which right is missing. */
export class NoActor extends Error {}

/** Executes as the administrator, or throws `NoActor` with what the missing right is needed for. */
export async function asAdministrator(
  admin: LiveSession,
  sql: string,
  needed: string,
): Promise<void> {
  const result = await admin.execute(sql);
  if (!result.ok)
    throw new NoActor(
      `the workspace's statements are replayed by a user made for the run, and the server does not allow that: ${result.message}; ${needed}`,
    );
}

/** Opens the user's first session, or throws `NoActor` with what keeps it out. */
export async function firstLogin(
  open: () => Promise<LiveSession>,
  needed: string,
): Promise<LiveSession> {
  try {
    return await open();
  } catch (error) {
    throw new NoActor(`the user made for the run cannot log in: ${reasonOf(error)}; ${needed}`);
  }
}
