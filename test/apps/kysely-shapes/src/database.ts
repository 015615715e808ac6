import { Kysely, PostgresDialect, type Generated } from "kysely";
import { Pool } from "pg";

interface Numbered {
  id: Generated<number>;
  customer_id: number;
  number: number;
}

export interface Database {
  customers: { id: number; name: string };
  invoices: Numbered;
  receipts: Numbered;
  workspaces: { id: number; name: string; seats: number };
  members: { id: Generated<number>; workspace_id: number; email: string; role: string };
  items: { id: number; stock: number; version: Generated<number> };
}

export const db = new Kysely<Database>({
  dialect: new PostgresDialect({ pool: new Pool({ connectionString: process.env.DATABASE_URL }) }),
});
