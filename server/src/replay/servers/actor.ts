// The user that a replay runs as: created for the run, with all rights in the schemas of the run and none elsewhere, because the
// workspace's texts are executed. It logs in separately, so that no text can switch back to the administrator.
import { reasonOf } from "../../protocol/fault";
import type { LiveSession } from "./liveSession";

export interface Actor {
  /** Opens a session of that user. */
  open(): Promise<LiveSession>;
  /** Removes the user and everything it left; its sessions and schemas must be gone. */
  drop(): Promise<void>;
}

/** The reason why the server cannot provide such a user, with the missing right. */
export class NoActor extends Error {}

/** Executes as the administrator, or throws `NoActor` with the purpose of the missing right. */
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

/** Opens the user's first session, or throws `NoActor` with the obstacle. */
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
