// Tables that Drizzle's functions declare in other ways than by `pgTable` and its plain columns.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

/** What a function with this body does over these tables. */
async function check(tables: string, body: string, expected: readonly string[]): Promise<void> {
  const text = `import * as core from "drizzle-orm/pg-core";
import { integer, pgEnum, pgSchema, pgTable, pgTableCreator, customType, text, timestamp } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/node-postgres";
import { eq } from "drizzle-orm";
${tables}
const db = drizzle(process.env.URL);
export async function f(x, y) { await db.transaction(async (tx) => { ${body} }); }`;
  const [, ...commands] = printed(await transactionsOf("", { "a.ts": text }));
  assert.deepEqual(
    commands,
    expected.map((line) => `  ${line}`),
  );
}

describe("Drizzle's tables", () => {
  it("have columns of enumerations", () =>
    check(
      `const status = pgEnum("order_status", ["open", "paid"]);
const orders = pgTable("orders", { id: integer("id").primaryKey(), status: status("state").notNull().default("open") });`,
      `const [order] = await tx.select().from(orders).where(eq(orders.status, "open")).limit(1);
       if (order) await tx.update(orders).set({ status: "paid" }).where(eq(orders.id, order.id));`,
      [
        'r1 = select orders.id as id, orders.state as status from orders where (orders.state = "open") limit 1',
        "if (size(r1) > 0)",
        '  update orders set state = "paid" where (orders.id = r1.id)',
      ],
    ));

  it("have columns of types of one's own, and some that other functions make", () =>
    check(
      `const money = customType<{ data: number }>({ dataType: () => "bigint" });
const stamps = { createdAt: timestamp("created_at").defaultNow() };
const jobs = pgTable("jobs", { id: integer().primaryKey(), cost: money("price"), place: core.geography("place"), ...stamps });`,
      "await tx.update(jobs).set({ cost: x, createdAt: y }).where(eq(jobs.place, y));",
      ["update jobs set price = :x, created_at = :y where (jobs.place = :y)"],
    ));

  it("stand in schemas, and have names that functions make", () =>
    check(
      `const shop = pgSchema("shop");
const state = shop.enum("state", ["new", "old"]);
const items = shop.table("items", { id: integer("id").primaryKey(), state: state() });
const create = pgTableCreator((name) => \`app_\${name}\`);
const carts = create("carts", { id: integer("id").primaryKey(), size: integer("size") });`,
      `await tx.update(items).set({ state: "old" }).where(eq(items.id, x));
       await tx.update(carts).set({ size: y }).where(eq(carts.id, x));`,
      [
        'update items set state = "old" where (items.id = :x)',
        "update app_carts set size = :y where (app_carts.id = :x)",
      ],
    ));

  const FILLED = `const notes = pgTable("notes", { id: integer("id").primaryKey(), size: integer("size").$default(() => 3),
  state: text("state").$onUpdateFn(() => "seen"), at: timestamp("at").defaultNow().$onUpdate(() => new Date()) });`;

  it("have columns that every update sets", () =>
    check(
      FILLED,
      `await tx.update(notes).set({ size: x }).where(eq(notes.id, y));
       await tx.update(notes).set({ state: "new", at: y }).where(eq(notes.id, y));
       await tx.insert(notes).values({ id: x, size: 1 }).onConflictDoUpdate({ target: notes.id, set: { size: x } });`,
      [
        'update notes set size = :x, state = "seen", at = fresh now where (notes.id = :y)',
        'update notes set state = "new", at = :y where (notes.id = :y)',
        'insert notes {id = :x, size = 1, state = "seen"} on conflict (id) update size = :x, state = "seen", at = fresh now',
      ],
    ));

  it("have columns that every insert sets", () =>
    check(FILLED, "await tx.insert(notes).values({ id: x });", [
      'insert notes {id = :x, size = 3, state = "seen"}',
    ]));

  it("have columns that a function makes of the types it is given", () =>
    check(
      `const carts = pgTable("carts", (t) => ({ id: t.uuid("id").primaryKey(), size: t.integer().notNull() }));`,
      "await tx.update(carts).set({ size: x }).where(eq(carts.id, y));",
      ["update carts set size = :x where (carts.id = :y)"],
    ));

  it("have columns without names, which the client spells", async () => {
    const texts = {
      "client.ts": `import { drizzle } from "drizzle-orm/postgres-js";
export const db = drizzle({ client: null, casing: "snake_case" });`,
      "sql.ts": `export * from "drizzle-orm/sql";`,
      "a.ts": `import { pgTable, integer } from "drizzle-orm/pg-core";
import { db } from "./client";
import { eq } from "./sql";
const seats = pgTable("seat", { seatID: integer().primaryKey(), isTaken2: integer(), Given: integer("Given") });
export async function f(x) { await db.update(seats).set({ isTaken2: x, Given: 1 }).where(eq(seats.seatID, x)); }`,
    };
    assert.deepEqual(printed(await transactionsOf("", texts)).slice(1), [
      "  update seat set is_taken2 = :x, Given = 1 where (seat.seat_id = :x)",
    ]);
  });

  it("are given what a procedure's schema names, and nothing is known of what it lets through", async () => {
    const text = `import { pgTable, integer } from "drizzle-orm/pg-core";
import { z } from "zod";
import { db, procedure } from "./server";
const carts = pgTable("carts", { id: integer().primaryKey(), size: integer(), owner: integer() });
const Cart = z.object({ id: z.number(), size: z.number() });
export const add = procedure.input(Cart).mutation(({ input }) => db.insert(carts).values(input));
export const own = procedure.input(Cart).mutation(({ ctx, input }) => db.insert(carts).values({ ...input, owner: ctx.user }));
export const any = procedure.input(Cart.passthrough()).mutation(({ input }) => db.insert(carts).values(input));`;
    assert.deepEqual(printed(await transactionsOf("", { "a.ts": text })), [
      "add autocommit",
      "  insert carts {id = :input.id, size = :input.size}",
      "  return",
      "own autocommit",
      "  insert carts {id = :input.id, size = :input.size, owner = :ctx.user}",
      "  return",
      "any autocommit",
      "  opaque writes carts",
      "  return",
      "  ! drizzle-orm: values() of a query is not known",
    ]);
  });
});
