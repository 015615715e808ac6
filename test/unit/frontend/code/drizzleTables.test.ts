// Tables that Drizzle's functions declare in other ways than by `pgTable` and its plain columns.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

/** The effect of a function with this body on these tables. */
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

  it("are the same with row security switched on", () =>
    check(
      `const seats = pgTable("seats", { id: integer("id").primaryKey(), taken: integer("taken").notNull() }, (t) => []).enableRLS();`,
      "await tx.update(seats).set({ taken: 1 }).where(eq(seats.id, x));",
      ["update seats set taken = 1 where (seats.id = :x)"],
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
        'update shop.items set state = "old" where (shop.items.id = :x)',
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

  it("are given what a procedure's schema names, and any column of what it lets through", async () => {
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
      "  insert carts {id = :input.id, size = :input.size, owner = :input.owner}",
      "  return",
    ]);
  });

  const SHELVES = `CREATE TABLE shelf (id integer PRIMARY KEY, name text, size integer NOT NULL);
CREATE TABLE book (id integer PRIMARY KEY, shelf_id integer, title text);
CREATE TABLE note (id integer PRIMARY KEY, name text, size integer NOT NULL DEFAULT 3, state text NOT NULL);`;

  /** The effect of functions over shelves and books, without what runs where no row is. */
  async function shelves(body: string): Promise<readonly string[]> {
    const text = `import { alias, integer, sqliteTable, text, SQLiteTransaction } from "drizzle-orm/sqlite-core";
import { drizzle } from "drizzle-orm/libsql/http";
import { eq, sql, is, getTableColumns, Table } from "drizzle-orm";
export const shelf = sqliteTable("shelf", { id: integer("id").primaryKey(), name: text("name"), size: integer("size").notNull() });
export const book = sqliteTable("book", { id: integer("id").primaryKey(), shelfId: integer("shelf_id"), title: text("title") });
const db = drizzle({ connection: { url: process.env.URL } });
${body}`;
    const lines = printed(await transactionsOf(SHELVES, { "a.ts": text }, "sqlite"));
    return lines.filter((line) => !/^ *if .*size\(|rollback|return$/u.test(line));
  }

  it("give rows, one of them, or how many there were, as SQLite's methods say", async () => {
    const body = `export async function f(x) { return await db.transaction(async (tx) => {
  const made = await tx.insert(book).values({ title: x }).returning().get();
  const kept = await tx.update(shelf).set({ size: 1 }).where(eq(shelf.id, made.id)).run();
  if (kept.rowsAffected === 0) await tx.run(sql\`delete from \${book} where \${book.id} = \${made.id}\`);
}); }
export async function g() {
  await db.batch([db.insert(shelf).values({ id: 1, size: 0 }), db.delete(book).where(eq(book.id, 2))]);
}`;
    assert.deepEqual(await shelves(body), [
      "f explicit",
      "  insert book {id = fresh sequence, shelf_id = null, title = :x} returning r1: book.id as id, book.shelf_id as shelfId, book.title as title",
      "  update shelf set size = 1 where (shelf.id = r1.id)",
      "  if (affected(f/2) = 0)",
      "    delete book where (book.id = r1.id)",
      "g explicit",
      "  insert shelf {id = 1, name = null, size = 0} returning r1: shelf.id as id",
      "  delete book where (book.id = 2)",
    ]);
  });

  it("are told apart from transactions by their classes", async () => {
    const body = `const isTx = (one) => is(one, SQLiteTransaction);
const within = (ctx, work) => (isTx(ctx.db ?? db) ? work(ctx.db) : db.transaction(work));
const grow = (ctx, x) => within(ctx, (tx) => tx.update(shelf).set({ size: 1 }).where(eq(shelf.id, x)));
export async function f(x) {
  await within({}, async (tx) => { await grow({ db: tx }, x); if (is(shelf, Table)) await tx.delete(book).where(eq(book.id, x)); });
}`;
    assert.deepEqual(await shelves(body), [
      "f explicit",
      "  update shelf set size = 1 where (shelf.id = :x)",
      "  delete book where (book.id = :x)",
    ]);
  });

  it("give records by their tables where they are joined, and as they are asked for", async () => {
    const body = `export async function f(x) {
  const [first] = await db.select().from(book).leftJoin(shelf, eq(book.shelfId, shelf.id)).where(eq(book.id, x));
  if (first.shelf) await db.update(book).set({ title: first.shelf.name }).where(eq(book.id, first.book.id));
}
export async function g(x) {
  const other = alias(shelf, "o");
  const [row] = await db.select({ ...getTableColumns(shelf), its: other, by: { title: book.title } }).from(shelf)
    .innerJoin(other, eq(other.id, shelf.size)).innerJoin(book, eq(book.shelfId, other.id))
    .where(sql.join([eq(shelf.id, x), eq(other.size, 1)], sql\` OR \`));
  await db.update(shelf).set({ size: row.its.size, name: row.by.title }).where(eq(shelf.id, row.id));
}
export async function h(x) {
  const counts = db.select({ of: book.shelfId, n: sql\`count(*)\`.as("n") }).from(book).groupBy(book.shelfId).as("c");
  const [row] = await db.select({ id: shelf.id, n: counts.n }).from(shelf).innerJoin(counts, eq(counts.of, shelf.id)).where(eq(shelf.id, x));
  await db.update(shelf).set({ size: row.n }).where(eq(shelf.id, row.id));
}`;
    assert.deepEqual(await shelves(body), [
      "f unit",
      "  r1 = select book.id as book.id, book.shelf_id as book.shelfId, book.title as book.title, shelf.id as shelf.id, shelf.name as shelf.name, shelf.size as shelf.size from book left join shelf on (book.shelf_id = shelf.id) where (book.id = :x)",
      "  if not (r1.shelf.id is null)",
      "    if (r1.shelf.id is null)",
      "    update book set title = r1.shelf.name where (book.id = r1.book.id)",
      "g unit",
      "  r1 = select shelf.id as id, shelf.name as name, shelf.size as size, o.id as its.id, o.name as its.name, o.size as its.size, book.title as by.title from shelf inner join shelf o on (o.id = shelf.size) inner join book on (book.shelf_id = o.id) where ((shelf.id = :x) or (o.size = 1))",
      "  update shelf set size = r1.its.size, name = r1.by.title where (shelf.id = r1.id)",
      "h unit",
      "  r1 = select shelf.id as id, c.n as n from shelf inner join (select book.shelf_id as of, count(*) as n from book group by book.shelf_id) c on (c.of = shelf.id) where (shelf.id = :x)",
      "  update shelf set size = r1.n where (shelf.id = r1.id)",
    ]);
  });

  it("make schemas of zod, and keep or default what is left out", async () => {
    const body = `import { createInsertSchema, createSelectSchema } from "drizzle-zod";
export const note = sqliteTable("note", { id: integer("id").primaryKey(), name: text("name"), size: integer("size").notNull().default(3), state: text("state", { enum: ["a", "b"] }).notNull() });
const Insert = createInsertSchema(note).omit({ id: true });
const Select = createSelectSchema(note, { name: (s) => s.default("x") });
export async function f(input) { await db.insert(note).values(Insert.parse(input)); }
export async function g(x) {
  const row = Select.parse(await db.select().from(note).where(eq(note.id, x)).get());
  await db.update(note).set({ size: row.size }).where(eq(note.id, row.id));
}
export async function h(x: number, size?: number, name?: string) { await db.update(note).set({ size, name }).where(eq(note.id, x)); }`;
    assert.deepEqual(await shelves(body), [
      "f autocommit",
      '  if not (not (:input.state is null) and ((:input.state = "a") or (:input.state = "b")))',
      "  insert note {id = fresh sequence, name = :input.name, size = ((:input.size is null) ? 3 : :input.size), state = :input.state} returning r1: note.id as id",
      "g unit",
      "  r1 = select note.id as id, note.name as name, note.size as size, note.state as state from note where (note.id = :x)",
      '  if not ((r1.state == "a") or (r1.state == "b"))',
      "  if not unknown(r1.name)",
      "  update note set size = r1.size where (note.id = r1.id)",
      "h autocommit",
      "  update note set size = ((:size is null) ? note.size : :size), name = ((:name is null) ? note.name : :name) where (note.id = :x)",
    ]);
  });

  it("have documents that are what is put into them", async () => {
    const body = `export const log = sqliteTable("log", { id: integer("id").primaryKey(), before: text("before", { mode: "json" }), names: text("names", { mode: "json" }) });
export async function f(x) {
  const before = await db.select().from(shelf).where(eq(shelf.id, x)).get();
  await db.insert(log).values({ id: 1, before: before ?? null, names: ["a", x] });
}`;
    assert.deepEqual((await shelves(body)).slice(2), [
      '  insert log {id = 1, before = ((size(r1) > 0) ? code:document("document", code:list(r1.id, r1.name, r1.size)) : null), names = code:document("document", code:list("a", :x))}',
    ]);
  });

  it("have relations, which relational queries join or read apart", async () => {
    const body = `import { relations } from "drizzle-orm";
export const shelfRelations = relations(shelf, ({ many }) => ({ books: many(book) }));
export const bookRelations = relations(book, ({ one }) => ({ shelf: one(shelf, { fields: [book.shelfId], references: [shelf.id] }) }));
const own = drizzle("file", { schema: { shelf, book, shelfRelations, bookRelations } });
export async function f(x) {
  const one = await own.query.book.findFirst({ where: eq(book.id, x), columns: { id: true }, with: { shelf: true } });
  if (one?.shelf) await own.update(shelf).set({ size: one.shelf.size + 1 }).where(eq(shelf.id, one.shelf.id));
}
export async function g(x) {
  const it = await own.query.shelf.findFirst({ where: (t, { eq }) => eq(t.id, x), columns: { id: true },
    with: { books: { where: eq(book.title, "a"), orderBy: (b, { desc }) => desc(b.id), columns: { id: true } } } });
  for (const each of it.books) await own.delete(book).where(eq(book.id, each.id));
}
export async function h(x) {
  const it = await own.query.shelf.findFirst({ where: eq(shelf.name, x), with: { books: true } });
  if (it && it.books.length === 0) await own.delete(shelf).where(eq(shelf.id, it.id));
}
export async function i() {
  const all = await own.query.shelf.findMany({ columns: { id: true }, with: { books: true } });
  for (const each of all) await own.update(shelf).set({ size: each.books.length }).where(eq(shelf.id, each.id));
}`;
    assert.deepEqual(await shelves(body), [
      "f unit",
      "  r1 = select book.id as id, book_shelf.id as shelf.id, book_shelf.name as shelf.name, book_shelf.size as shelf.size, book_shelf.id as there:shelf from book left join shelf book_shelf on (book.shelf_id = book_shelf.id) where (book.id = :x) limit 1",
      "    if (r1.there:shelf is null)",
      "    if (r1.there:shelf is null)",
      "    update shelf set size = (r1.shelf.size + 1) where (shelf.id = r1.shelf.id)",
      "g unit",
      '  r1 = select shelf.id as id, shelf_books.id as books.id, shelf_books.shelf_id as there:books from shelf left join book shelf_books on ((shelf.id = shelf_books.shelf_id) and (shelf_books.title = "a")) where (shelf.id = :x) order by shelf_books.id desc',
      "  loop rows",
      "    if not (r1.there:books is null)",
      "      delete book where (book.id = r1.books.id)",
      "h unit",
      "  r1 = select shelf.id as id, shelf.name as name, shelf.size as size, shelf_books.id as books.id, shelf_books.shelf_id as books.shelfId, shelf_books.title as books.title, shelf_books.shelf_id as there:books from (select shelf.id as id, shelf.name as name, shelf.size as size from shelf where (shelf.name = :x) limit 1) shelf left join book shelf_books on (shelf.id = shelf_books.shelf_id)",
      "    delete shelf where (shelf.id = r1.id)",
      "i unit",
      "  r1 = select shelf.id as id from shelf",
      "  r2 = select book.id as id, book.shelf_id as shelfId, book.title as title from book where any(of r1 where (book.shelf_id = r1.id))",
      "  loop rows",
      "    update shelf set size = count(of r2 where (r2.shelfId = r1.id)) where (shelf.id = r1.id)",
      "  ! books are read by a statement of their own, which joins them in truth",
    ]);
  });

  it("have relational queries with more beside columns, and with options that are not known", async () => {
    const relations = `import { relations, sql } from "drizzle-orm";
export const shelfRelations = relations(shelf, ({ many }) => ({ books: many(book) }));
const own = drizzle("file", { schema: { shelf, book, shelfRelations } });
`;
    const texts = [
      "export const f = (include) => own.query.shelf.findMany({ with: include });",
      "export const f = (options) => own.query.shelf.findFirst(options);",
      "export const f = (filter) => own.query.shelf.findMany({ ...filter, limit: 1 });",
      "export const f = (more: boolean) => own.query.shelf.findMany({ columns: { id: true, name: more, size: false } });",
      "export const f = (id) => own.query.shelf.findMany({ where: { id } });",
      'export const f = () => own.query.shelf.findFirst({ orderBy: { size: "desc", id: "asc" } });',
      "export const f = (x) => own.query.shelf.findFirst({ where: eq(shelf.id, x), columns: { id: true }, extras: { n: sql`(select count(*) from book)`.as('n') } });",
      "export const f = (more) => own.query.shelf.findMany({ columns: { id: true }, extras: more });",
      "export const f = () => own.query.shelf.findMany({ columns: { id: true, name: undefined }, with: undefined, where: undefined });",
    ];
    const read = await Promise.all(texts.map((text) => shelves(`${relations}${text}`)));
    const all = "  r1 = select shelf.id as id, shelf.name as name, shelf.size as size from shelf";
    const id = "  r1 = select shelf.id as id";
    assert.deepEqual(
      read.map(([, ...lines]) => lines),
      [
        [all, "  ! what is loaded along with rows is not known"],
        [`${all} limit 1`, "  ! what a relational query is given is not known"],
        [all, "  ! what a relational query is given is not known"],
        [`${id}, shelf.name as name from shelf`, "  ! which columns a relational query reads is not known"], // prettier-ignore
        [`${all} where unknown(code:document("id", :id))`, "  ! a condition that is not known"],
        [`${all} order by shelf.size desc, shelf.id limit 1`],
        [`${id}, (select count(*) as count(*) from book) as n from shelf where (shelf.id = :x) limit 1`], // prettier-ignore
        [`${id} from shelf`, "  ! what is asked for beside columns is not known"],
        [`${id} from shelf`],
      ],
    );
  });

  it("are given rows by lists that branches choose, and values by the environment", async () => {
    const body = `export async function f(ids: number[], more?: number[]) {
  const all = more ?? ids;
  await db.insert(book).values(all.map((id) => ({ id, title: process.env.TITLE })));
}`;
    assert.deepEqual(await shelves(body), [
      "f explicit",
      "  if not (:more is null)",
      "    loop count",
      "      insert book {id = :more[@i1], shelf_id = null, title = :process.env.TITLE} returning r1: book.id as id",
      "  else",
      "    loop count",
      "      insert book {id = :ids[@i2], shelf_id = null, title = :process.env.TITLE} returning r2: book.id as id",
    ]);
  });
});
