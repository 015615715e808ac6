// Loops are evaluated as if no round knew of another, and once more where one does: what that leaves, and that loops in
// loops do not take many times as many steps.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);";
const POOL = `import { Pool } from "pg";\nconst pool = new Pool();\n`;
const UPDATE = 'await pool.query("UPDATE t SET n = $1 WHERE id = $2"';

/** Loops in each other by `open` and `close`, with a statement in the innermost one. */
function nested(depth: number, open: (at: number) => string, close: string): string {
  const levels = Array.from({ length: depth }, (_, at) => open(at + 1));
  const last = `${UPDATE}, [1, x${String(depth)}.id]);`;
  return `export async function f(x0) { ${levels.join(" ")} ${last} ${close.repeat(depth)} }`;
}

async function read(text: string) {
  return transactionsOf(DDL, { "a.ts": POOL + text });
}

describe("loops", () => {
  it("in each other are followed to the innermost one, whatever runs their rounds", async () => {
    const shapes = [
      nested(10, (at) => `for (const x${String(at)} of x${String(at - 1)}.parts) {`, "}"),
      nested(
        10,
        (at) => `await Promise.all(x${String(at - 1)}.parts.map(async (x${String(at)}) => {`,
        "}));",
      ),
    ];
    for (const text of shapes) {
      const [only] = await read(text);
      assert.ok(only);
      const reasons = new Set(only.taint.map(({ reason }) => reason));
      assert.deepEqual([...reasons], ["the lists that the items of a list have are taken for one list"]); // prettier-ignore
      assert.ok(printed([only]).some((line) => line.trim().startsWith("update t set n = 1")));
    }
  });

  it("look at another list in each round where it is a part of one by what the round draws or counts", async () => {
    const inner = ['for (const id of PART) await pool.query("UPDATE t SET n = 1 WHERE id = $1", [id]);', 'await knex("t").whereIn("id", PART).update({ n: 1 });']; // prettier-ignore
    const rounds = [
      ["while (next()) { const at = next();", "ids.slice(at, at + 9)"],
      ["for (let at = 0; at < ids.length; at += 9) {", "ids.slice(at, at + 9)"],
      ["for (const at of starts()) {", "parse(at)"],
    ];
    for (const each of inner) {
      for (const [open = "", part = ""] of rounds) {
        const [only] = await read(`import Knex from "knex";
import { next, parse, starts } from "other";
const knex = Knex({ client: "pg" });
export async function f(ids: number[]) { ${open} ${each.replace("PART", part)} } }`);
        assert.ok(only);
        const lines = printed([only]).join("\n");
        assert.match(lines, /update t set n = 1 where \(t\.id (?:=|in) \[?unknown\(/u, open);
      }
    }
  });

  it("over a long list of constants are not followed item by item, so that what stands behind them is", async () => {
    const words = Array.from({ length: 600 }, (_, at) => `"word ${String(at)}"`).join(", ");
    const asks = [
      "WORDS.some((word) => new RegExp(word).test(text))",
      "WORDS.every((word) => { const parts = word.split('/'); return parts.map((part) => part.trim()).join() !== text; })",
      "WORDS.find((word) => word.toLowerCase() === text)",
      "WORDS.map((word) => word.trim() + text).join()",
      "WORDS.reduce((sum, word) => sum + (word === text ? 1 : 0), 0)",
    ];
    for (const ask of asks) {
      const [only] = await read(`const WORDS = [${words}];
export async function f(text) {
  const answer = ${ask} || ${ask};
  ${UPDATE}, [1, 2]);
  ${UPDATE}, [answer, 3]);
}`);
      assert.deepEqual(only?.taint, [], ask);
      const statements = printed([only]).filter((line) => line.includes("update t"));
      assert.equal(statements[0]?.trim(), "update t set n = 1 where (t.id = 2)");
      assert.match(statements[1] ?? "", /unknown|:|@/u);
    }
  });

  it("that count keep the count, also where they stand in one that writes nothing", async () => {
    const text = `export async function f(rows) {
  for (const row of rows) {
    let count = 0;
    for (const part of row.parts) {
      if (part.ok) count += 1;
      ${UPDATE}, [count, part.id]);
    }
  }
}`;
    assert.deepEqual(printed(await read(text)), [
      "f unit",
      "  loop count",
      "    @v1 := 0",
      "    loop count",
      "      if (not (:rows[].parts.ok[@i2] is null) and :rows[].parts.ok[@i2])",
      "        @v2 := (@v1 + 1)",
      "      else",
      "        @v2 := @v1",
      "      update t set n = @v2 where (t.id = :rows[].parts.id[@i2])",
      "      @v1 := @v2",
      "  ! the lists that the items of a list have are taken for one list",
    ]);
  });

  it("that go on only behind an error are their first round, which counts from its start", async () => {
    const [only] = await read(`export async function f(id) {
  for (let at = 2; at < 5; at++) {
    try { ${UPDATE}, [at, id]); return; } catch (e) { if (at === 4) throw e; }
  }
  throw new Error("never");
}`);
    assert.ok(only);
    assert.match(
      printed([only]).join("\n"),
      /^f unit\n {2}@i1 := 2\n {2}update t set n = @i1 where/u,
    );
    assert.deepEqual(losses(only), []);
  });

  it("that go on only behind an error may repeat a part of what they do, which is told", async () => {
    const [one, other] = [`${UPDATE}, [1, id]);`, `${UPDATE}, [2, id]);`];
    const inOne = (text: string): string => text.replaceAll("pool.", "client.");
    for (const [work, lost] of [
      [one + other, ["what is retried may have run in part before"]],
      [`await client.query("BEGIN"); ${inOne(one + other)} await client.query("COMMIT");`, []],
      ['await pool.query("SELECT n FROM t"); ' + one, []],
    ] as const) {
      for (const loop of [
        `for (let at = 0; ; at++) { try { WORK return; } catch (e) { await client.query("ROLLBACK"); if (at === 4) throw e; } }`,
        `while (true) { try { WORK break; } catch (e) { await client.query("ROLLBACK"); if (!/40001/.test(e.code)) throw e; } }`,
      ]) {
        const [only] = await read(`export async function f(id) {
  const client = await pool.connect();
  ${loop.replace("WORK", work)}
}`);
        assert.ok(only);
        assert.deepEqual(losses(only), lost, work);
      }
    }
  });

  it("carry what a round leaves to the next one", async () => {
    const text = `export async function f(rows) {
  let last = null;
  for (const row of rows) {
    await pool.query("UPDATE t SET n = 1 WHERE id = $1", [last]);
    last = row.id;
  }
}`;
    assert.deepEqual(printed(await read(text)), [
      "f unit",
      "  @v1 := null",
      "  loop count",
      "    update t set n = 1 where (t.id = @v1)",
      "    @v1 := :rows.id[@i1]",
    ]);
  });
});

describe("what a path wrote that ends early", () => {
  const delivered = async (parameters: string, body: string): Promise<readonly string[]> => {
    const text = `export async function f(${parameters}) {
${body}
  await pool.query("UPDATE t SET n = $1 WHERE id = 1", [x]);
}`;
    return printed(await read(text))
      .slice(1)
      .map((line) => line.trim());
  };

  it("holds behind a function that it returned from", async () => {
    const body = `let x = 0;
  const g = () => {
    if (a > 3) { x = 1; return; }
    if (a > 2) return;
    x = 2;
  };
  g();`;
    assert.deepEqual(await delivered("a: number", body), [
      "if (:a > 3)",
      "@return1 := 1",
      "else",
      "if (:a > 2)",
      "@return1 := 2",
      "if (@return1 = 1)",
      "@v1 := 1",
      "else",
      "@v1 := 2",
      "if (@return1 = 2)",
      "@v2 := 0",
      "else",
      "@v2 := @v1",
      "update t set n = @v2 where (t.id = 1)",
    ]);
  });

  it("is the round's own in a function that each round calls", async () => {
    const body = `let x = 0;
  ns.forEach((n) => {
    if (n > 3) { x += n; return; }
    console.log(n);
  });`;
    assert.deepEqual(await delivered("ns: number[]", body), [
      "@v1 := 0",
      "loop count",
      "@return1 := 0",
      "if (:ns[@i1] > 3)",
      "@return1 := 1",
      "if (@return1 = 1)",
      "@v2 := (@v1 + :ns[@i1])",
      "else",
      "@v2 := @v1",
      "@v1 := @v2",
      "update t set n = @v1 where (t.id = 1)",
    ]);
  });

  it("holds behind loops that it leaves, and in their next rounds", async () => {
    for (const [jump, name] of [
      ["break", "exit"],
      ["continue", "continue"],
    ]) {
      const body = `let x = 0;
  for (const n of ns) {
    if (n > 3) { x = n; ${String(jump)}; }
  }`;
      assert.deepEqual(await delivered("ns: number[]", body), [
        "@v1 := 0",
        "loop count",
        "if (:ns[@i1] > 3)",
        "@v1 := :ns[@i1]",
        String(name),
        "update t set n = @v1 where (t.id = 1)",
      ]);
    }
  });

  it("holds behind a function that it returned from within a loop", async () => {
    const body = `let x = 0;
  const g = () => {
    for (const n of ns) if (n > 3) { x = n; return; }
  };
  g();`;
    assert.deepEqual(await delivered("ns: number[]", body), [
      "loop count",
      "if (:ns[@i1] > 3)",
      "@return1 := 1",
      "@v1 := :ns[@i1]",
      "exit",
      "if (@return1 = 1)",
      "@v2 := @v1",
      "else",
      "@v2 := 0",
      "update t set n = @v2 where (t.id = 1)",
    ]);
  });

  it("holds behind items that are taken one after the other", async () => {
    const body = `let x = 0;
  for (const n of [1, 2]) {
    if (a > n) { x = n; continue; }
    console.log(n);
  }`;
    assert.deepEqual(await delivered("a: number", body), [
      "if (:a > 1)",
      "@jump2 := 1",
      "if (@jump2 = 1)",
      "@v1 := 1",
      "else",
      "@v1 := 0",
      "if (:a > 2)",
      "@jump3 := 1",
      "if (@jump3 = 1)",
      "@v2 := 2",
      "else",
      "@v2 := @v1",
      "update t set n = @v2 where (t.id = 1)",
    ]);
  });

  it("holds behind a switch", async () => {
    const body = `let x = 0;
  switch (a) {
    case 1: if (b > 2) { x = 4; break; } x = 3; break;
    default: x = 9;
  }`;
    assert.deepEqual(await delivered("a: number, b: number", body), [
      "if (:a = 1)",
      "if (:b > 2)",
      "@jump1 := 1",
      "else",
      "@v1 := 3",
      "else",
      "@v1 := 9",
      "if (@jump1 = 1)",
      "@v2 := 4",
      "else",
      "@v2 := @v1",
      "update t set n = @v2 where (t.id = 1)",
    ]);
  });

  it("is what a finally wrote behind it", async () => {
    const body = `let x = 0;
  const g = () => {
    try { if (a > 3) { x = 1; return; } } finally { x = 5; }
  };
  g();`;
    assert.deepEqual(await delivered("a: number", body), ["update t set n = 5 where (t.id = 1)"]);
  });

  it("is an item of a list, or may be one", async () => {
    const rounds = `const up: number[] = [];
  for (const n of [1, 2]) { if (a > n) continue; up.push(n); }
  const x = up.length;`;
    const [last] = (await delivered("a: number", rounds)).slice(-1);
    assert.equal(
      last,
      "update t set n = ((@jump2 = 1) ? ((@jump3 = 1) ? 0 : 1) : ((@jump3 = 1) ? 1 : 2)) where (t.id = 1)",
    );
    for (const called of [
      "ns.forEach((n) => { if (n > 3) { up.push(n); return; } console.log(n); });",
      "for (const n of ns) { if (n > 3) { up.push(n); continue; } console.log(n); }",
      "const add = (n: number) => { if (n < 3) return; up.push(n); }; add(ns[0]);",
    ]) {
      const text = `export async function f(ns: number[]) {
  const up: number[] = [];
  ${called}
  await pool.query("UPDATE t SET n = 1 WHERE id = ANY($1)", [up]);
}`;
      const [only] = await read(text);
      assert.ok(only && losses(only).length > 0, called);
    }
  });
});

describe("records that rounds and paths share", () => {
  const lines = async (text: string): Promise<readonly string[]> => {
    const [only] = await read(text);
    assert.ok(only);
    assert.deepEqual(losses(only), [], text);
    return printed([only])
      .slice(1)
      .map((line) => line.trim());
  };

  it("hold in a round what the rounds before it gave them", async () => {
    const flag = `export async function f(ids: number[]) {
  const seen: any = {};
  for (const id of ids) {
    if (seen.one) await pool.query("UPDATE t SET n = 0 WHERE id = $1", [id]);
    seen.one = true;
  }
}`;
    assert.deepEqual(await lines(flag), [
      "@v1 := null",
      "loop count",
      "if (not (@v1 is null) and @v1)",
      "update t set n = 0 where (t.id = :ids[@i1])",
      "@v1 := true",
    ]);
    const sum = `export async function f(ns: number[]) {
  const { rows: [row] } = await pool.query("SELECT * FROM t WHERE id = 1");
  for (const n of ns) {
    if (row.n > 5) await pool.query("UPDATE t SET n = 0 WHERE id = $1", [n]);
    row.n = row.n + n;
  }
  await pool.query("UPDATE t SET n = $1 WHERE id = 1", [row.n]);
}`;
    const found = await lines(sum);
    assert.equal(found[1], "@v1 := r1.n");
    assert.ok(found.includes("if (@v1 > 5)"));
    assert.equal(found.at(-1), "update t set n = @v1 where (t.id = 1)");
  });

  it("are the round's own where each round makes or reads them", async () => {
    const made = `function doubled(a: number) {
  if (a > 3) return undefined;
  const by = new Map<string, number>();
  by.set("n", a);
  by.set("n", a + a);
  return by;
}
export async function f(as: number[]) {
  for (const a of as) {
    const by = doubled(a);
    await pool.query("UPDATE t SET n = $1 WHERE id = 1", [by!.get("n")]);
  }
}`;
    const last = (await lines(made)).at(-1);
    assert.equal(last, "update t set n = (:as[@i1] + :as[@i1]) where (t.id = 1)");
    const row = `export async function f(ids: number[]) {
  for (const id of ids) {
    const { rows: [row] } = await pool.query("SELECT * FROM t WHERE id = $1", [id]);
    row.n = row.n + 1;
    await pool.query("UPDATE t SET n = $1 WHERE id = $2", [row.n, id]);
  }
}`;
    assert.ok((await lines(row)).includes("update t set n = (r1.n + 1) where (t.id = :ids[@i1])"));
  });

  it("and that functions return early are what they were there", async () => {
    const made = `function made(a: number) {
  const one: any = { n: 1 };
  if (a > 3) return { one };
  one.n = 2;
  if (a > 2) return null;
  one.n = 3;
  return { one };
}
export async function f(a: number) {
  await pool.query("UPDATE t SET n = $1 WHERE id = 1", [made(a)!.one.n]);
}`;
    const found = await lines(made);
    const at = found.indexOf("if (@return1 = 1)");
    assert.deepEqual(found.slice(at, at + 4), [
      "if (@return1 = 1)",
      "@v1 := 1",
      "else",
      "@v1 := 3",
    ]);
    const list = `function over(a: number) {
  const found: number[] = [];
  if (a > 3) return found;
  found.push(a);
  return found;
}
export async function f(a: number) {
  for (const n of over(a)) await pool.query("UPDATE t SET n = $1 WHERE id = 1", [n]);
}`;
    assert.deepEqual((await lines(list)).slice(-3), [
      "if (@return1 = 1)",
      "else",
      "update t set n = :a where (t.id = 1)",
    ]);
  });
});

describe("lengths of lists", () => {
  it("are those of what the list is made of, also of an item's lists", async () => {
    const text = `export async function f(fields: { id: number; meta?: { values?: { n: number }[] } }[]) {
  for (const { id, meta } of fields) {
    const values = meta?.values?.map(({ n }) => n) ?? [];
    if (values.length === 0) throw new Error();
    ${UPDATE}, [1, id]);
  }
}`;
    assert.deepEqual(printed(await read(text)), [
      "f unit",
      "  loop count",
      "    if (not (:fields.meta.values[@i1] is null) ? (:fields[].meta.values.length[@i1] = 0) : true)",
      "      rollback",
      "    update t set n = 1 where (t.id = :fields.id[@i1])",
    ]);
  });
  it("are told from fields of that name, which may be anything", async () => {
    const about = async (parameter: string, run: string): Promise<readonly unknown[]> => {
      const all = await read(`export async function f(${parameter}) { ${run} }`);
      const said = JSON.stringify(all[0]?.preconditions);
      const isNamed = ({ name }: { readonly name: string }): boolean => /length/u.test(name);
      const named = all[0]?.parameters.filter(isNamed).map(({ name }) => name) ?? [];
      return named.filter((name) => said.includes(JSON.stringify(name)));
    };
    const set = `${UPDATE}, [box.length, box.id]);`;
    assert.deepEqual(await about("box: { length: number; id: number }", set), []);
    assert.deepEqual(await about("box", set), []);
    assert.deepEqual(await about("box: { length: number }", `${UPDATE}, [box.length, 1]);`), []);
    assert.deepEqual(
      await about(
        "box",
        `${UPDATE}, [box.length, 1]); for (const id of box.ids) ${UPDATE}, [1, id]);`,
      ),
      [],
    );
    const each = `for (const box of boxes) ${UPDATE}, [box.length, box.id]);`;
    assert.deepEqual(await about("boxes: { length: number; id: number }[]", each), [
      "boxes.length",
      "boxes[].length",
    ]);
    assert.deepEqual(await about("name: string", `${UPDATE}, [name.length, 1]);`), ["name.length"]);
  });
  it("are not negative", async () => {
    const text = `export async function f(ids: number[]) { if (ids.length > 3) ${UPDATE}, [1, 2]); }`;
    const [transaction] = await read(text);
    const length = { kind: "parameter", name: "ids.length" };
    assert.deepEqual(transaction?.preconditions, [
      {
        kind: "or",
        operands: [
          { kind: "isNull", operand: length },
          {
            kind: "comparison",
            operator: ">=",
            left: length,
            right: { kind: "literal", value: 0, type: "int" },
          },
        ],
      },
    ]);
  });
});
