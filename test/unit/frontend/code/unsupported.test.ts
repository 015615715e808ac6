// Libraries that are not read are named with their files, whoever calls them; those that are read are not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mayUseDatabase } from "../../../../server/src/frontend/code/callGraph/prefilter";
import { readOver } from "./codePrograms";

/** The libraries that are named, with the first file of each. */
async function check(
  texts: Readonly<Record<string, string>>,
  expected: Readonly<Record<string, string>>,
): Promise<void> {
  for (const text of Object.values(texts)) assert.ok(mayUseDatabase(text), text);
  const { notes } = await readOver("", texts, "postgres");
  const own = notes.filter(({ code }) => code === "library-unread");
  const found = own.map(({ message, source }) => [message.split(" is not ")[0], source.file]);
  assert.deepEqual(Object.fromEntries(found), expected);
}

describe("libraries that are not supported", () => {
  const node: Readonly<Record<string, string>> = {
    'import { EntityManager } from "@mikro-orm/sqlite";': "MikroORM on other databases",
    'import { Model } from "bookshelf";': "Bookshelf",
    'const bookshelf = require("bookshelf");': "Bookshelf",
    'import { createClient } from "@supabase/supabase-js";': "Supabase",
    'import { SQL } from "bun";': "Bun's SQL",
    'import { Connection } from "tedious";': "SQL Server",
    'import type { EntityManager } from "@mikro-orm/knex";': "MikroORM on other databases",
  };
  for (const [text, name] of Object.entries(node)) {
    it(`are named: ${text}`, () => check({ "a.ts": `${text}\nexport const f = () => 1;` }, { [name]: "a.ts" })); // prettier-ignore
  }

  const java: Readonly<Record<string, string>> = {
    "org.jooq.DSLContext": "jOOQ",
    "static org.jooq.impl.DSL.*": "jOOQ",
    "org.jdbi.v3.core.Jdbi": "JDBI",
    "jakarta.persistence.criteria.CriteriaBuilder": "JPA's criteria",
    "org.springframework.data.jdbc.repository.query.Query": "Spring Data JDBC",
  };
  for (const [imported, name] of Object.entries(java)) {
    it(`are named: import ${imported}`, () =>
      check({ "A.java": `package a;\nimport ${imported};\nclass A { }` }, { [name]: "A.java" }));
  }

  it("are no drivers that a library which is read runs on, and nothing that only sounds like one", () =>
    check(
      {
        "a.ts":
          'import Database from "better-sqlite3"; import { drizzle } from "drizzle-orm/better-sqlite3"; export const db = drizzle(new Database("x"));',
        "b.ts":
          'import { Pool } from "pg"; import { x } from "./bookshelf"; import y from "bookshelves";',
      },
      {},
    ));

  it("are told once, with all files", async () => {
    const texts = Object.fromEntries(
      [..."abcdefg"].map((name) => [`${name}.ts`, 'import { Model } from "bookshelf";']),
    );
    const { notes } = await readOver("", texts, "postgres");
    assert.deepEqual(
      notes.map(({ message }) => message),
      [
        "Bookshelf is not supported: what is done with it is not read. It is used in a.ts, b.ts, c.ts, d.ts, e.ts and 2 more.",
      ],
    );
  });
});
