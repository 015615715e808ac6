// Records that Drizzle writes and of which not all fields are known: arguments, their items, and spreads of them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const TASKS = `
import { integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/node-postgres";
import { eq } from "drizzle-orm";
const tasks = pgTable("tasks", {
  id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
  title: text("task_title").notNull(),
  note: text("note"),
  status: text("status").notNull().default("open"),
});
type NewTask = typeof tasks.$inferInsert;
const db = drizzle(process.env.URL);
`;

/** The effect of a function with these parameters and this body. */
async function check(parameters: string, body: string, expected: readonly string[]): Promise<void> {
  const text = `${TASKS}export async function f(${parameters}) { await db.transaction(async (tx) => { ${body} }); }`;
  const [, ...commands] = printed(await transactionsOf("", { "a.ts": text }));
  assert.deepEqual(
    commands,
    expected.map((line) => `  ${line}`),
  );
}

const WHY = "! which fields the record has is not known";

describe("Drizzle's records whose fields are not known", () => {
  it("are inserted column by column; a key is generated, and what has a default is not known", () =>
    check("task: NewTask", "await tx.insert(tasks).values(task);", [
      "insert tasks {task_title = :task.title, note = :task.note, status = unknown(:task.status)}",
      WHY,
    ]));

  it("change each column that is no key, and what stands beside a spread has its value", () =>
    check(
      "id: number, more: Partial<NewTask>",
      `await tx.update(tasks).set({ ...more, status: "done" }).where(eq(tasks.id, id));`,
      [
        'update tasks set task_title = unknown(:more.title), note = unknown(:more.note), status = "done" where (tasks.id = :id)',
        WHY,
      ],
    ));

  it("may overwrite what stands before the spread", () =>
    check(
      "id: number, more: Partial<NewTask>",
      `await tx.update(tasks).set({ status: "done", ...more }).where(eq(tasks.id, id));`,
      [
        'update tasks set task_title = unknown(:more.title), note = unknown(:more.note), status = (((:more.status is null) and not (:more.status.isNull == true)) ? "done" : :more.status) where (tasks.id = :id)',
        WHY,
      ],
    ));

  it("are the items of a list", () =>
    check("all: NewTask[]", "await tx.insert(tasks).values(all);", [
      "loop count",
      "  insert tasks {task_title = :all.title[@i1], note = :all.note[@i1], status = unknown(:all.status[@i1])}",
      WHY,
    ]));

  it("stay unknown where they may be lists", () =>
    check("all", "await tx.insert(tasks).values(all);", [
      "opaque writes tasks",
      "! drizzle-orm: values() of a query is not known",
    ]));
});
