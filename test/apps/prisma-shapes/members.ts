// A count below a limit, then an insertion; the last owner, then a deletion.
import { Prisma } from "@prisma/client";
import { prisma } from "./client";

export async function invite(workspaceId: number, email: string) {
  await prisma.$transaction(async (tx) => {
    const workspace = await tx.workspace.findUniqueOrThrow({ where: { id: workspaceId } });
    const count = await tx.member.count({ where: { workspaceId } });
    if (count >= workspace.seats) throw new Error("no seat is left");
    await tx.member.create({ data: { workspaceId, email, role: "MEMBER" } });
  });
}

export async function inviteLocked(workspaceId: number, email: string) {
  await prisma.$transaction(async (tx) => {
    const [workspace] = await tx.$queryRaw<{ seats: number }[]>(
      Prisma.sql`SELECT seats FROM "Workspace" WHERE id = ${workspaceId} FOR UPDATE`,
    );
    const count = await tx.member.count({ where: { workspaceId } });
    if (count >= workspace.seats) throw new Error("no seat is left");
    await tx.member.create({ data: { workspaceId, email, role: "MEMBER" } });
  });
}

export async function leave(id: number, workspaceId: number) {
  await prisma.$transaction(async (tx) => {
    const owners = await tx.member.count({ where: { workspaceId, role: "OWNER" } });
    if (owners <= 1) throw new Error("the last owner stays");
    await tx.member.deleteMany({ where: { id, workspaceId, role: "OWNER" } });
  });
}

export async function leaveLocked(id: number, workspaceId: number) {
  await prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM "Workspace" WHERE id = ${workspaceId} FOR UPDATE`;
    const owners = await tx.member.count({ where: { workspaceId, role: "OWNER" } });
    if (owners <= 1) throw new Error("the last owner stays");
    await tx.member.deleteMany({ where: { id, workspaceId, role: "OWNER" } });
  });
}
