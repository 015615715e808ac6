// An invitation is accepted once: what the read asks for decides.
import createKnex from "knex";

const knex = createKnex({ client: "pg" });

/** Counts the guest of an invitation, once. */
export async function accept(code: string): Promise<void> {
  await knex.transaction(async (trx) => {
    const invite = await trx("invite").where({ code, state: "open" }).first();
    if (!invite) throw new Error("there is no such invitation");
    await trx("invite").where({ id: invite.id }).update({ state: "accepted" });
    await trx("team").where({ id: invite.team }).increment("members", 1);
  });
}
