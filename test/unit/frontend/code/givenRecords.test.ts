// The fate of records: unknown functions fill them, rows of unknown columns are spread over them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

/** The effect of a function with this body. */
async function read(body: string): Promise<string> {
  const text = `import { Pool } from "pg";
import { fill, logger } from "elsewhere";
const pool = new Pool();
export async function f(id) {
  const c = await pool.connect();
  await c.query("BEGIN");
  ${body}
  await c.query("COMMIT");
}`;
  const ddl = "CREATE TABLE t (id bigint PRIMARY KEY, n bigint);";
  return printed(await transactionsOf(ddl, { "a.ts": text })).join("\n");
}

const UPDATE = 'await c.query("UPDATE t SET n = $1 WHERE id = $2", [o.n, id]);';

describe("a record that an unknown function is given", () => {
  it("may be filled in by it", async () => {
    const lines = await read(`const o = { n: null }; await fill(o); ${UPDATE}`);
    assert.match(lines, /! n of a record that an unknown function was given/u);
  });

  it("is as it was where it is only logged, or something else is given", async () => {
    for (const given of ["logger.info(o)", "await fill({ ...o })", "await fill(o.n)"]) {
      const lines = await read(`const o = { n: 0 }; ${given}; ${UPDATE}`);
      assert.match(lines, /update t set n = 0/u, given);
    }
  });
});

describe("a row of unknown columns that is spread", () => {
  it("may overwrite what stands before it", async () => {
    const lines = await read(
      `const r = await c.query("SELECT * FROM elsewhere WHERE id = $1", [id]);
  const o = { n: 5, ...r.rows[0] }; ${UPDATE}`,
    );
    assert.doesNotMatch(lines, /set n = 5/u);
    assert.match(lines, /! a row whose columns are not known may have another n/u);
  });

  it("overwrites nothing that stands behind it", async () => {
    const lines = await read(
      `const r = await c.query("SELECT * FROM elsewhere WHERE id = $1", [id]);
  const o = { ...r.rows[0], n: 5 }; ${UPDATE}`,
    );
    assert.match(lines, /set n = 5/u);
  });
});

describe("parts of arguments that the code writes", () => {
  const set = (value: string): string =>
    `await c.query("UPDATE t SET n = $1 WHERE id = $2", [${value}, id]);`;
  const WHICH = "which item of a list was written is not known";

  it("are not known where another item was written that may be the same", async () => {
    const two = `const [l, i, j] = [id.list, id.i, id.j]; l[i].n = 5; l[j].n = 6;`;
    assert.match(await read(two + set("l[j].n")), /set n = 6/u);
    const lines = await read(two + set("l[i].n"));
    assert.match(lines, /set n = unknown\(5, 6\)/u);
    assert.ok(lines.includes(`! ${WHICH}`));
    const perhaps = await read(`id.l[0].n = 5; if (id.c) id.l[id.j].n = 6; ${set("id.l[0].n")}`);
    assert.match(perhaps, /\? unknown\(5, 6\) : 5\)/u);
    const apart = await read(`id.l[0].n = 5; id.l[1].n = 6; ${set("id.l[0].n")}`);
    assert.match(apart, /set n = 5 /u);
  });

  it("are not known where a key that is only known when it runs may be theirs", async () => {
    const written = [
      "id.all[id.key].n = 7;",
      "for (const key in id.all) id.all[key].n = 7;",
      "for (const [, one] of Object.entries(id.all)) one.n = 7;",
      "Object.values(id.all).forEach((one) => { one.n = 7; });",
    ];
    for (const each of written) {
      assert.match(await read(each + set("id.all.a.n")), /set n = unknown\(/u, each);
      assert.match(await read(each + set("id.other.n")), /set n = :id\.other\.n/u, each);
    }
    assert.match(await read(`id.all.a.n = 7; ${set("id.all[id.key].n")}`), /set n = unknown\(7\)/u);
    assert.match(await read(`id.all.a.n = 7; ${set("id.all.b.n")}`), /set n = :id\.all\.b\.n/u);
  });

  it("are not known to whoever held them before all was changed", async () => {
    const lines = await read(`const { part } = id; mutate(id); ${set("part.n")}`);
    assert.match(lines, /! what became of a part of id is not known/u);
    // The replacement is another one.
    assert.match(
      await read(`const { part } = id; id.part = { n: 1 }; ${set("part.n")}`),
      /:id\.part\.n/u,
    );
  });
});
