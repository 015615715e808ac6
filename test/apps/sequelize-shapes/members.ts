// A count below a limit, then an insertion; the last owner, then a deletion.
import { Member, sequelize, Workspace } from "./models";

export async function invite(workspaceId: number, email: string) {
  await sequelize.transaction(async (transaction) => {
    const workspace = await Workspace.findByPk(workspaceId, { transaction });
    if (!workspace) throw new Error("there is no such workspace");
    const count = await Member.count({ where: { workspaceId }, transaction });
    if (count >= workspace.seats) throw new Error("no seat is left");
    await Member.create({ workspaceId, email }, { transaction });
  });
}

export async function inviteLocked(workspaceId: number, email: string) {
  await sequelize.transaction(async (transaction) => {
    const workspace = await Workspace.findByPk(workspaceId, { transaction, lock: true });
    if (!workspace) throw new Error("there is no such workspace");
    const count = await Member.count({ where: { workspaceId }, transaction });
    if (count >= workspace.seats) throw new Error("no seat is left");
    await Member.create({ workspaceId, email }, { transaction });
  });
}

export async function leave(id: number, workspaceId: number) {
  await sequelize.transaction(async (transaction) => {
    const owners = await Member.count({ where: { workspaceId, role: "owner" }, transaction });
    if (owners <= 1) throw new Error("the last owner stays");
    await Member.destroy({ where: { id, workspaceId, role: "owner" }, transaction });
  });
}

export async function leaveLocked(id: number, workspaceId: number) {
  await sequelize.transaction(async (transaction) => {
    await Workspace.findByPk(workspaceId, { transaction, lock: true });
    const owners = await Member.count({ where: { workspaceId, role: "owner" }, transaction });
    if (owners <= 1) throw new Error("the last owner stays");
    await Member.destroy({ where: { id, workspaceId, role: "owner" }, transaction });
  });
}
