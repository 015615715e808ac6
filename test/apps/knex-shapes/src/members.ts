// A count below a limit, then an insertion; the last owner, then a deletion.
import type { Knex } from "knex";
import { db } from "./database";

export async function invite(workspaceId: number, email: string) {
  await db.transaction(async (trx) => {
    const workspace = await trx("workspaces").where({ id: workspaceId }).first("seats");
    await addMember(trx, workspaceId, workspace.seats, email);
  });
}

export async function inviteLocked(workspaceId: number, email: string) {
  await db.transaction(async (trx) => {
    const workspace = await trx("workspaces").where({ id: workspaceId }).forUpdate().first("seats");
    await addMember(trx, workspaceId, workspace.seats, email);
  });
}

async function addMember(trx: Knex.Transaction, workspaceId: number, seats: number, email: string) {
  const [{ taken }] = await trx("members")
    .where({ workspace_id: workspaceId })
    .count("* as taken");
  if (Number(taken) >= seats) throw new Error("no seat is left");
  await trx("members").insert({ workspace_id: workspaceId, email, role: "member" });
}

export async function leave(id: number, workspaceId: number) {
  await db.transaction((trx) => removeOwner(trx, id, workspaceId));
}

export async function leaveLocked(id: number, workspaceId: number) {
  await db.transaction(async (trx) => {
    await trx.raw("select id from workspaces where id = ? for update", [workspaceId]);
    await removeOwner(trx, id, workspaceId);
  });
}

async function removeOwner(trx: Knex.Transaction, id: number, workspaceId: number) {
  const owners = await trx("members").where({ workspace_id: workspaceId, role: "owner" });
  if (owners.length <= 1) throw new Error("the last owner stays");
  await trx("members").where({ id, workspace_id: workspaceId, role: "owner" }).del();
}
