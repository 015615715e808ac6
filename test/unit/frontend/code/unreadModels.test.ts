// Models whose definitions are not found: what asks for them is a statement of which nothing is known.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

async function check(text: string, ...expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf("", { "a.ts": text })), expected);
}

describe("models whose definitions are not found", () => {
  it("are not passed over in repositories and managers", async () => {
    await check(
      `import { Repository, DataSource } from "typeorm";
import { Course } from "@acme/entities";
export class Service {
  constructor(private readonly courses: Repository<Course>, private readonly source: DataSource) {}
  async take(id: number) {
    const course = await this.courses.findOneBy({ id });
    course.capacity -= 1;
    await this.courses.save(course);
  }
  enroll(id: number) {
    return this.source.transaction(async (manager) => {
      if (await manager.count(Course, { where: { id } })) await manager.save(manager.create(Course, { id }));
    });
  }
  async close(id: number) {
    await this.courses.createQueryBuilder().update(Course).set({ open: false }).where("id = :id", { id }).execute();
  }
}`,
      "Service.take unit",
      "  opaque writes ",
      "  opaque writes ",
      "  ! typeorm: this.courses.findOneBy() is not understood: its model or its arguments are not known",
      "  ! typeorm: this.courses.save() is not understood: its model or its arguments are not known",
      "Service.enroll explicit",
      "  opaque writes ",
      "  if unknown()",
      "    opaque writes ",
      "  return",
      "  ! typeorm: manager.create() is not known",
      "  ! typeorm: manager.count() is not understood: its model or its arguments are not known",
      "  ! typeorm: manager.save() is not understood: its model or its arguments are not known",
      "Service.close autocommit",
      "  opaque writes ",
      "  ! typeorm: this.courses.createQueryBuilder().update().set().where().execute() is not understood: its model or its arguments are not known",
    );
  });

  it("are not passed over where EntitySchema declares them", () =>
    check(
      `import { DataSource, EntitySchema } from "typeorm";
const Course = new EntitySchema({ name: "Course", columns: { id: { type: Number, primary: true } } });
export async function take(source: DataSource, id: number) {
  await source.getRepository(Course).delete({ id });
}`,
      "take autocommit",
      "  opaque writes ",
      "  ! typeorm: source.getRepository().delete() is not understood: its model or its arguments are not known",
    ));

  it("are not passed over in Prisma without a schema, nor in a client of unknown origin", async () => {
    const take = `const prisma = new PrismaClient();
export const take = (id: number) =>
  prisma.$transaction(async (tx) => {
    const course = await tx.course.findUnique({ where: { id } });
    await tx.course.update({ where: { id }, data: { capacity: course.capacity - 1 } });
  });`;
    await check(
      `import { PrismaClient } from "@prisma/client";\n${take}`,
      "take explicit",
      "  opaque writes ",
      "  opaque writes ",
      "  return",
      "  ! prisma: tx.course.findUnique() is not understood: its model or its arguments are not known",
      "  ! prisma: tx.course.update() is not understood: its model or its arguments are not known",
    );
    await check(
      `import { PrismaClient } from "@acme/database";\n${take}`,
      "take explicit",
      "  opaque writes ",
      "  return",
      "  ! what tx.course.findUnique() does with the database is not known",
      "  ! what tx.course.update() does with the database is not known",
      "  ! prisma.$transaction() is not known: it is taken to run what it is given in one transaction, at the default level",
      "  ! what tx.course.findUnique() does with the database is not known",
    );
  });

  it("are not passed over in a transaction whose client something unknown is given", () =>
    check(
      `import { Sequelize } from "sequelize";
import { Course } from "@acme/models";
const sequelize = new Sequelize("postgres://db");
export const take = (id: number) =>
  sequelize.transaction(async (transaction) => {
    const course = await Course.findByPk(id, { transaction });
    course.capacity -= 1;
    await course.save({ transaction });
  });`,
      "take explicit",
      "  opaque writes ",
      "  return",
      "  ! Course.findByPk() is given a connection, and what it does is not known",
      "  ! course.save() is given a connection, and what it does is not known",
      "  ! Course.findByPk() is given a connection, and what it does is not known",
    ));
});
