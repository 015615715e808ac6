// A count below a limit, then an insertion; the last owner, then a deletion.
import { dataSource, Member, Workspace } from "./entities";

export async function invite(workspaceId: number, email: string) {
  await dataSource.transaction(async (manager) => {
    const workspace = await manager.findOneByOrFail(Workspace, { id: workspaceId });
    const members = manager.getRepository(Member);
    const count = await members.count({ where: { workspaceId } });
    if (count >= workspace.seats) throw new Error("no seat is left");
    await members.save({ workspaceId, email, role: "member" });
  });
}

export async function inviteLocked(workspaceId: number, email: string) {
  await dataSource.transaction(async (manager) => {
    const workspace = await manager
      .createQueryBuilder(Workspace, "workspace")
      .setLock("pessimistic_write")
      .where("workspace.id = :workspaceId", { workspaceId })
      .getOneOrFail();
    const count = await manager.countBy(Member, { workspaceId });
    if (count >= workspace.seats) throw new Error("no seat is left");
    await manager.save(Member, { workspaceId, email, role: "member" });
  });
}

export async function leave(id: number, workspaceId: number) {
  await dataSource.transaction(async (manager) => {
    const owners = await manager.countBy(Member, { workspaceId, role: "owner" });
    if (owners <= 1) throw new Error("the last owner stays");
    await manager.delete(Member, { id, workspaceId, role: "owner" });
  });
}

export async function leaveLocked(id: number, workspaceId: number) {
  await dataSource.transaction(async (manager) => {
    await manager.findOne(Workspace, {
      where: { id: workspaceId },
      lock: { mode: "pessimistic_write" },
    });
    const owners = await manager.countBy(Member, { workspaceId, role: "owner" });
    if (owners <= 1) throw new Error("the last owner stays");
    await manager.delete(Member, { id, workspaceId, role: "owner" });
  });
}
