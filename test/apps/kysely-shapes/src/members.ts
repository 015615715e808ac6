// A count below a limit, then an insertion; the last owner, then a deletion.
import { sql, type Transaction } from "kysely";
import { db, type Database } from "./database";

export async function invite(workspaceId: number, email: string) {
  await db.transaction().execute(async (trx) => {
    const workspace = await trx
      .selectFrom("workspaces")
      .selectAll()
      .where("id", "=", workspaceId)
      .executeTakeFirstOrThrow();
    await addMember(trx, workspaceId, workspace.seats, email);
  });
}

export async function inviteLocked(workspaceId: number, email: string) {
  await db.transaction().execute(async (trx) => {
    const workspace = await trx
      .selectFrom("workspaces")
      .select(["id", "seats"])
      .where("id", "=", workspaceId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await addMember(trx, workspaceId, workspace.seats, email);
  });
}

async function addMember(
  trx: Transaction<Database>,
  workspaceId: number,
  seats: number,
  email: string,
) {
  const { taken } = await trx
    .selectFrom("members")
    .select((eb) => eb.fn.countAll<number>().as("taken"))
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  if (taken >= seats) throw new Error("no seat is left");
  await trx
    .insertInto("members")
    .values({ workspace_id: workspaceId, email, role: "member" })
    .execute();
}

export async function leave(id: number, workspaceId: number) {
  await db.transaction().execute((trx) => removeOwner(trx, id, workspaceId));
}

export async function leaveLocked(id: number, workspaceId: number) {
  await db.transaction().execute(async (trx) => {
    await sql`select id from workspaces where id = ${workspaceId} for update`.execute(trx);
    await removeOwner(trx, id, workspaceId);
  });
}

async function removeOwner(trx: Transaction<Database>, id: number, workspaceId: number) {
  const owners = await trx
    .selectFrom("members")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("role", "=", "owner")
    .execute();
  if (owners.length <= 1) throw new Error("the last owner stays");
  await trx
    .deleteFrom("members")
    .where((eb) => eb.and({ id, workspace_id: workspaceId, role: "owner" }))
    .execute();
}
