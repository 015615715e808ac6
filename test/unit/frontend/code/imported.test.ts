// A file that is checked alone, beside files that declare its tables.
import assert from "node:assert/strict";
import { it } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { FileId } from "../../../../server/src/protocol/source";
import { createProjectReader } from "../../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../../server/src/workspace/configuration";

it("has the tables that the files declare that it imports, but not what these do", async () => {
  // The one place where names become ids.
  const id = (name: string): FileId => name as FileId;
  const texts: Readonly<Record<string, string>> = {
    "a.ts": `import { drizzle } from "drizzle-orm/node-postgres";
import { seats } from "./all";
const db = drizzle("");
export async function take(room: number) {
  const all = await db.$count(seats);
  if (all < 3) await db.insert(seats).values({ room });
}`,
    "all.ts": 'export * from "./tables";',
    "tables.ts": `import { integer, pgTable, serial } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/node-postgres";
export const seats = pgTable("seats", { id: serial("id").primaryKey(), room: integer("room") });
export const clear = () => drizzle("").delete(seats);`,
  };
  const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
  const { transactions, schema, notes } = reader.read({
    files: [{ file: id("a.ts"), text: texts["a.ts"] ?? "" }],
    context: [],
    configuration: DEFAULT_CONFIGURATION,
    code: {
      files: Object.keys(texts).map(id),
      text: (file) => texts[file],
      packages: [],
      pathMaps: [],
      digest: () => "",
    },
  });
  assert.deepEqual(
    transactions.map((each) => each.id),
    ["take"],
  );
  assert.deepEqual(
    schema.tables.map(({ name, primaryKey, inferred }) => [name, primaryKey, inferred]),
    [["seats", ["id"], false]],
  );
  assert.deepEqual(notes, []);
});
