import { prisma } from "./client";

export async function sell(showId: number, place: number, guest: number): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const sold = await tx.seat.findFirst({ where: { showId, place } });
    if (sold) throw new Error("it is sold");
    await tx.seat.create({ data: { showId, place, guest } });
  });
}
