// Texts that the server takes for equal while something else tells them apart: never safe.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { analyse, sql } from "./analyse";

async function isWeakened(text: string, level: string): Promise<boolean> {
  const { unknown } = await analyse([sql(text)], level, 2);
  return /that the server takes for equal/.test(JSON.stringify(unknown));
}

const registering = (definition: string, key: string): string => `${definition}
create function reg(p_id int, p_e text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(${key});
  if exists (select 1 from usr where email = p_e) then return false; end if;
  insert into usr values (p_id, p_e);
  return true;
end $$;
`;
const usr = (type: string): string =>
  `create table usr (id int primary key, email ${type} not null);`;
const NONDETERMINISTIC =
  "create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n";

describe("PostgreSQL", () => {
  const loose = {
    citext: usr("citext"),
    "char(n)": usr("char(5)"),
    "a collation that is not deterministic": NONDETERMINISTIC + usr("text collate ci"),
    "a domain over citext": "create domain mail as citext;\n" + usr("mail"),
    "a collation from elsewhere": usr('text collate "ignoring"'),
    "a column that becomes one": `${usr("text")}\nalter table usr alter column email type citext;`,
  };
  for (const [name, definition] of Object.entries(loose))
    it(`${name} beside a hash`, async () => {
      assert.ok(await isWeakened(registering(definition, "hashtext(p_e)"), "postgres:rc"));
    });
  const strict = {
    text: usr("text"),
    "a collation of the server": usr('text collate "de-x-icu"'),
    "a deterministic collation":
      "create collation de (provider = icu, locale = 'de');\n" + usr("text collate de"),
  };
  for (const [name, definition] of Object.entries(strict))
    it(`${name} beside a hash is compared in one way`, async () => {
      assert.ok(!(await isWeakened(registering(definition, "hashtext(p_e)"), "postgres:rc")));
    });
  it("a lock of something else tells no text apart", async () => {
    assert.ok(!(await isWeakened(registering(usr("citext"), "p_id"), "postgres:rc")));
  });
});

describe("code on MySQL", () => {
  const taking = async (type: string, test: string): Promise<boolean> => {
    const table = `create table slots (id int primary key, name ${type} not null, n int not null) engine=innodb;`;
    const code = `import mysql from "mysql2/promise";
const pool = mysql.createPool("");
export async function take(name: string) {
  const c = await pool.getConnection();
  await c.beginTransaction();
  const [rows] = await c.query("SELECT id, name, n FROM slots WHERE name = ? FOR UPDATE", [name]);
  if (${test}) await c.query("UPDATE slots SET n = 1 WHERE id = ?", [rows[0].id]);
  await c.commit();
}
`;
    const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
    const { transactions } = reader.read({
      files: [sql(table, "schema.sql"), sql(code, "a.ts")],
      context: [],
      configuration: { ...DEFAULT_CONFIGURATION, dialect: "mysql" },
    });
    assert.equal(transactions.length, 1);
    return transactions.some(({ taint }) =>
      taint.some(({ reason }) => reason.includes("that the server takes for equal")),
    );
  };
  it("a comparison in code", async () => {
    assert.ok(await taking("varchar(30)", "rows[0].name === name"));
  });
  it("columns that are compared by bytes", async () => {
    assert.ok(!(await taking("varchar(30) collate utf8mb4_bin", "rows[0].name === name")));
  });
  it("what is compared with literals alone, or is no text", async () => {
    assert.ok(!(await taking("varchar(30)", "rows[0].name === 'x'")));
    assert.ok(!(await taking("varchar(30)", "rows[0].n === rows[0].id")));
  });
});
