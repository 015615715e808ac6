// A count below a limit, then an insertion; the last owner, then a deletion.
import { and, count, eq, sql } from "drizzle-orm";
import { db, type Transaction } from "./client";
import { members, workspaces } from "./schema";

export async function invite(workspaceId: number, email: string) {
  await db.transaction(async (tx) => {
    const workspace = await tx.query.workspaces.findFirst({
      where: eq(workspaces.id, workspaceId),
    });
    if (!workspace) throw new Error("there is no such workspace");
    await addMember(tx, workspaceId, workspace.seats, email);
  });
}

export async function inviteLocked(workspaceId: number, email: string) {
  await db.transaction(async (tx) => {
    const [workspace] = await tx
      .select({ seats: workspaces.seats })
      .from(workspaces)
      .where(eq(workspaces.id, workspaceId))
      .for("update");
    if (!workspace) throw new Error("there is no such workspace");
    await addMember(tx, workspaceId, workspace.seats, email);
  });
}

async function addMember(tx: Transaction, workspaceId: number, seats: number, email: string) {
  const [{ taken }] = await tx
    .select({ taken: count() })
    .from(members)
    .where(eq(members.workspaceId, workspaceId));
  if (taken >= seats) throw new Error("no seat is left");
  await tx.insert(members).values({ workspaceId, email, role: "member" });
}

export async function leave(id: number, workspaceId: number) {
  await db.transaction(async (tx) => {
    const owners = await tx
      .select()
      .from(members)
      .where(and(eq(members.workspaceId, workspaceId), eq(members.role, "owner")));
    if (owners.length <= 1) throw new Error("the last owner stays");
    await removeOwner(tx, id, workspaceId);
  });
}

export async function leaveLocked(id: number, workspaceId: number) {
  await db.transaction(async (tx) => {
    await tx.execute(sql`select id from ${workspaces} where id = ${workspaceId} for update`);
    const owners = await tx
      .select()
      .from(members)
      .where(and(eq(members.workspaceId, workspaceId), eq(members.role, "owner")));
    if (owners.length <= 1) throw new Error("the last owner stays");
    await removeOwner(tx, id, workspaceId);
  });
}

async function removeOwner(tx: Transaction, id: number, workspaceId: number) {
  await tx
    .delete(members)
    .where(
      and(eq(members.id, id), eq(members.workspaceId, workspaceId), eq(members.role, "owner")),
    );
}
