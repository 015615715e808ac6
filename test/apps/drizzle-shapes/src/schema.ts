import { integer, pgTable, serial, text, unique } from "drizzle-orm/pg-core";

export const customers = pgTable("customers", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
});

/** Numbers are kept apart by nothing. */
export const invoices = pgTable("invoices", {
  id: serial("id").primaryKey(),
  customerId: integer("customer_id")
    .notNull()
    .references(() => customers.id),
  number: integer("number").notNull(),
});

/** The same with a key that keeps them apart. */
export const receipts = pgTable(
  "receipts",
  {
    id: serial("id").primaryKey(),
    customerId: integer("customer_id").notNull(),
    number: integer("number").notNull(),
  },
  (table) => [unique().on(table.customerId, table.number)],
);

export const workspaces = pgTable("workspaces", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  seats: integer("seats").notNull(),
});

export const members = pgTable("members", {
  id: serial("id").primaryKey(),
  workspaceId: integer("workspace_id")
    .notNull()
    .references(() => workspaces.id),
  email: text("email").notNull(),
  role: text("role").notNull(),
});

export const items = pgTable("items", {
  id: integer("id").primaryKey(),
  stock: integer("stock").notNull(),
  version: integer("version").notNull().default(0),
});
